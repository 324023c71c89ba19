// Medusa's heads: from a state and the next token, a head computes the next state and logits.
//
// Head k = 1 … K reads a state after token t (C numbers, the input of the target's output matrix)
// and the token after it, and computes a state one token further [Cai et al. 2024; with the tokens
// drafted so far: Ankner et al. 2024]:
//
//     s_k = s_(k−1) + W₂ · gelu(W₁ · [s_(k−1), e(x_k)] + b₁) + b₂      e: the target's embedding
//     logits_k = E · s_k                   E: the rows of the embedding for the drafted tokens
//
// W₂ and b₂ are 0 at first, so that an untrained head passes its state on unchanged.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "lib/core/tensor.hpp"
#include "lib/kernels/packed_matrix.hpp"
#include "lib/model/transformer.hpp"

namespace tbt {

// The weights of all heads, with their names and shapes in a file.
struct HeadsShape {
    int heads = 3, channels = 192, inner = 192;

    struct Weight {
        std::string name;
        Shape shape;  // matrices are (in, out)
    };
    std::vector<Weight> weights() const {
        std::vector<Weight> all;
        for (int k = 0; k < heads; ++k) {
            const std::string head = "heads." + std::to_string(k) + ".";
            all.push_back({head + "in.weight", {2 * channels, inner}});
            all.push_back({head + "in.bias", {inner}});
            all.push_back({head + "out.weight", {inner, channels}});
            all.push_back({head + "out.bias", {channels}});
        }
        return all;
    }
};

// config.json of a directory of heads.
struct HeadsConfig {
    HeadsShape shape;
    std::vector<int> drafted;  // the ids for which heads have logits
    std::string target;        // hash_of_weights() of the target's directory
    // acceptance[k][r]: how often the guess of rank r of head k was right if all guesses before it
    // were, measured on held-out prompts. The tree is chosen with these rates.
    std::vector<std::vector<double>> acceptance;
};

// Throws Error if something is missing, has the wrong type or is impossible.
HeadsConfig read_heads_config(const std::string& directory);
void write_heads_config(const std::string& directory, const HeadsConfig& config);

// A hash of the names and bytes of all tensors of a model directory, as hexadecimal digits. For
// a directory in 8 or 4 bits (chapter 20), that of the weights from which it was made.
std::string hash_of_weights(const std::string& directory);

// The embedding (V, C) of the model in this directory. Throws Error if its output matrix is not the
// same, because heads use one matrix for both.
Tensor embedding_for_heads(const std::string& target);

// A directory of heads has a hash of the target's weights for which they were trained. With other
// weights they would guess nonsense, so load() throws Error.
class Heads {
public:
    // directory: that of the heads; target: that of the model. options.weights: the type of the
    // matrices in memory; none: the type in the heads' file. Throws Error if heads and model do not
    // belong together.
    static Heads load(const std::filesystem::path& directory, const std::filesystem::path& target,
                      const TransformerOptions& options = {});
    // weights: by the names of HeadsShape; embedding: the target's (V, C).
    Heads(const HeadsConfig& config, const WeightSource& weights, const Tensor& embedding,
          const TransformerOptions& options = {});

    const HeadsConfig& config() const { return config_; }
    int count() const { return config_.shape.heads; }
    int channels() const { return config_.shape.channels; }
    int vocab_size() const { return static_cast<int>(embedding_.dim(0)); }

    // Runs head k = 0, 1, … `states` (R, C) are those of head k − 1, or the target's for k = 0;
    // `tokens` has the token after each. Returns the states (R, C) of head k and its logits (R, N)
    // of the drafted ids, valid until the next call.
    struct Answer {
        std::span<const float> states, logits;
    };
    Answer read(int k, std::span<const float> states, std::span<const int> tokens);

private:
    struct Head {
        PackedMatrix in, out;
        Tensor in_bias, out_bias;
    };
    HeadsConfig config_;
    Tensor embedding_;  // (V, C)
    PackedMatrix table_;
    std::vector<Head> heads_;
    int threads_ = 1;
    std::vector<float> joined_, inner_, states_, logits_;
};

}  // namespace tbt
