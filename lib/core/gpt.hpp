// GPT-2 [Radford et al. 2019], as directories of the Hugging Face hub have it: config.json and
// model.safetensors.
//
//   x = wte[token] + wpe[position]
//   for each layer:   x += proj(attend(qkv(norm(x))))
//                     x += down(gelu(up(norm(x))))
//   logits = norm(x) · wteᵀ
//
// T tokens, C channels, H heads of D = C / H, F inner width of the MLP, V tokens in the vocabulary.
// Logits are the same to the last bit whether tokens are given one at a time or together, with a
// cached beginning or without, and with any number of threads; and they are the bits of the plain
// code in chapter 18 and of the engine (lib/model), which opens more models, in batches.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/attention.hpp"
#include "lib/core/rows.hpp"
#include "lib/core/tokenizer.hpp"

namespace tbt {

struct GptConfig {
    int vocab_size = 0;   // V
    int n_positions = 0;  // the maximum context, in tokens
    int n_embd = 0;       // C
    int n_layer = 0;
    int n_head = 0;   // H
    int n_inner = 0;  // F; 4 · C if the file says nothing
    float layer_norm_epsilon = 1e-5f;
    bool tie_word_embeddings = true;  // false: the output matrix is lm_head.weight
};

// Reads DIRECTORY/config.json. Throws Error if something is missing, has the wrong type or is
// impossible, and for models and variants that are not GPT-2.
GptConfig read_gpt_config(const std::string& directory);

struct GptOptions {
    int threads = 0;  // 0: TBT_THREADS, OMP_NUM_THREADS, or one for each core, up to eight
    // Keep the matrices as 16-bit floats (true) or as floats (false). None: those in 16 bits that
    // the file has as F16, which changes no bit of the logits.
    std::optional<bool> in_16_bits = {};
};

class Gpt {
public:
    using Cache = GptCache;

    // Throws Error if the weights do not match the configuration.
    static Gpt load(const std::string& directory, const GptOptions& options = {});
    Gpt(Gpt&&) noexcept;
    Gpt& operator=(Gpt&&) noexcept;
    ~Gpt();

    const GptConfig& config() const;
    int threads() const;

    // Runs new tokens through the model, after those in the cache. Returns the logits (V) of the
    // last one, in the model's own memory, valid until its next pass. Throws Error if an id is
    // outside the vocabulary, if there are no tokens, or if the cache has no room for them.
    std::span<const float> forward(GptCache& cache, std::span<const int> tokens);
    // The same; returns the logits of every new token: (T, V).
    Logits forward_all(GptCache& cache, std::span<const int> tokens);

    // From now on the logits of all ids >= count are −∞. Models often have more ids than their
    // tokenizer, for a round number. Throws Error unless 1 <= count <= V.
    void mask_ids_from(int count);

private:
    struct Parts;
    explicit Gpt(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

// A network and its tokenizer.
struct GptModel {
    Gpt gpt;
    BytePairTokenizer tokenizer;

    const GptConfig& config() const { return gpt.config(); }
};

GptModel load_gpt(const std::string& directory, const GptOptions& options = {});

// The token ids of a prompt. If there are none, the result is the end-of-text token: it separates
// documents, so the model begins a new one. Throws Error if the text is not UTF-8 or does not leave
// `room` tokens of the context free.
std::vector<int> encode_prompt(const GptModel& model, std::string_view text, int room = 1);

// Its two halves, for models of any kind.
void check_prompt_text(std::string_view text);
void check_prompt_length(std::size_t tokens, int room, int context);

}  // namespace tbt
