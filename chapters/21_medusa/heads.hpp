// Medusa's heads at work: a state and a token in, the next state and logits out.
//
// A directory of heads names the weights of the target that they were trained on; with others they
// would guess nonsense, and are refused.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "chapters/21_medusa/heads_shape.hpp"
#include "lib/kernels/packed_matrix.hpp"
#include "lib/model/transformer.hpp"

namespace tbt {

// config.json of a directory of heads.
struct HeadsConfig {
    HeadsShape shape;
    std::vector<int> drafted;  // the ids that heads give logits for
    std::string target;        // hash_of_weights of the target's directory
    // How often the guess of rank r of head k was right where all before it were, measured on held-
    // out prompts: acceptance[k][r]. The tree is chosen by it.
    std::vector<std::vector<double>> acceptance;
};

// Throws Error for anything missing, mistyped or impossible.
HeadsConfig read_heads_config(const std::string& directory);
void write_heads_config(const std::string& directory, const HeadsConfig& config);

// Of the names and bytes of all tensors of a model directory, as hexadecimal digits.
std::string hash_of_weights(const std::string& directory);

// The embedding (V, C) of the model in this directory. Throws Error where its output matrix is
// another: heads know one matrix.
Tensor embedding_for_heads(const std::string& target);

class Heads {
public:
    // directory: of the heads; target: of the model. options.weights: how the matrices are kept;
    // none: as the heads are stored. Throws Error where the two do not belong together.
    static Heads load(const std::filesystem::path& directory, const std::filesystem::path& target,
                      const TransformerOptions& options = {});
    // weights: as HeadsShape names them; embedding (V, C): the target's.
    Heads(const HeadsConfig& config, const WeightSource& weights, const Tensor& embedding,
          const TransformerOptions& options = {});

    const HeadsConfig& config() const { return config_; }
    int count() const { return config_.shape.heads; }
    int channels() const { return config_.shape.channels; }
    int vocab_size() const { return static_cast<int>(embedding_.dim(0)); }

    // R states (R, C) of head k − 1, k = 0 first, those of the target, and the token that stands
    // after each: the states (R, C) of head k, and its logits (R, N) of the drafted ids.
    // Valid until the next call.
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
