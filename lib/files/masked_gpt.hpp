// A masked diffusion model (chapter 22): a GPT-2 with bidirectional attention that predicts the
// tokens at masked positions. Every position sees the whole text ("canvas"), later positions too.
// So there is no KV cache: one changed token changes every key and value.
//
// Its config.json has model_type "gpt2_masked", so that no program takes it for a GPT-2. It also
// has mask_token_id, the last id of the vocabulary: an input only, never predicted.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "lib/model/transformer.hpp"

namespace tbt {

class MaskedGpt {
public:
    // config.vocab_size counts the mask token, too.
    MaskedGpt(const TransformerConfig& config, const WeightSource& source,
              const TransformerOptions& options = {});
    ~MaskedGpt();
    MaskedGpt(MaskedGpt&&) noexcept;
    MaskedGpt& operator=(MaskedGpt&&) noexcept;

    // Reads a directory written by write_masked_config() and the trainer.
    static MaskedGpt load(const std::filesystem::path& directory,
                          const TransformerOptions& options = {});

    const TransformerConfig& config() const;
    int threads() const;
    int mask_id() const { return config().vocab_size - 1; }

    // Logits for every position of the canvas: rows of vocab_size − 1 numbers, without the mask.
    // They are valid until the next pass. Throws Error if an id is outside the vocabulary, or if
    // the canvas is empty or longer than the context.
    Logits forward(std::span<const int> canvas);

private:
    struct State;
    explicit MaskedGpt(std::unique_ptr<State> state);
    State& state() const;  // throws Error if the model was moved from
    std::unique_ptr<State> state_;
};

// Read and write the config.json of such a model. Reading throws Error if something is missing, has
// the wrong type or is impossible, and for models of another type.
TransformerConfig read_masked_config(const std::string& directory);
void write_masked_config(const std::string& directory, const TransformerConfig& config);

}  // namespace tbt
