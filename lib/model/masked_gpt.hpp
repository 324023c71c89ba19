// A GPT that fills in masks (chapter 22): the same weights and the same layers, but every token
// sees the whole canvas, what comes after it too. So nothing is cached: a change changes all.
//
// Its config.json says model_type "gpt2_masked", so that nobody takes it for a GPT-2, and
// mask_token_id: the last id of the vocabulary, which is read and never written.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "lib/model/transformer.hpp"

namespace tbt {

class MaskedGpt {
public:
    // The configuration's vocabulary includes the mask.
    MaskedGpt(const TransformerConfig& config, const WeightSource& source,
              const TransformerOptions& options = {});
    ~MaskedGpt();
    MaskedGpt(MaskedGpt&&) noexcept;
    MaskedGpt& operator=(MaskedGpt&&) noexcept;

    // Reads a directory that write_masked_config and the trainer wrote.
    static MaskedGpt load(const std::filesystem::path& directory,
                          const TransformerOptions& options = {});

    const TransformerConfig& config() const;
    int threads() const;
    int mask_id() const { return config().vocab_size - 1; }

    // Logits of every place of the canvas, given all of it: rows of V, the mask left out. Valid
    // until the next pass. Errors: an id outside the vocabulary, nothing, more than the context.
    Logits forward(std::span<const int> canvas);

private:
    struct State;
    explicit MaskedGpt(std::unique_ptr<State> state);
    State& state() const;  // throws Error where the model was moved away
    std::unique_ptr<State> state_;
};

// config.json of such a model. Throws Error for anything missing, mistyped or impossible, and for
// models of another type.
TransformerConfig read_masked_config(const std::string& directory);
void write_masked_config(const std::string& directory, const TransformerConfig& config);

}  // namespace tbt
