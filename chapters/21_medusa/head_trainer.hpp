// Trains heads on a target that stays as it is.
//
// The target reads a text once and gives the state and the distribution after each token.
// Head k learns the distribution that the target will have k tokens later,
// given the tokens in between as they stand in the text (distillation, chapter 19):
// −Σ p ln q over the tokens that are drafted.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "chapters/21_medusa/heads_shape.hpp"
#include "lib/model/transformer.hpp"
#include "lib/train/adamw.hpp"
#include "lib/train/parameters.hpp"

namespace tbt {

// Of a batch, for each head: the mean of Σ min(p, q), which is how often a token of it would be
// accepted, and how often both like the same token best.
struct HeadScores {
    std::vector<double> overlap, agree;
    double loss = 0;  // mean over heads and tokens, in nats
};

class HeadTrainer {
public:
    // embedding (V, C): the target's. drafted: the ids that heads give logits for.
    HeadTrainer(Transformer& target, const Tensor& embedding, const HeadsShape& shape,
                std::vector<int> drafted, std::uint64_t seed, int parts, int threads);
    ~HeadTrainer();

    // Parameters are trained in units in which states and embeddings have components of about 1:
    // as the target has them, a state is fifty times as large, and a head would hardly hear the
    // token. exported() gives them in the target's units.
    const train::ParameterLayout& layout() const { return layout_; }
    std::span<float> parameters();
    std::vector<float> exported() const;

    // The target reads a text of T tokens.
    struct Text {
        std::vector<std::int32_t> ids;          // (T)
        std::vector<float> states;              // (T, C)
        std::vector<float> distribution, mass;  // (T, N) of what is drafted, and its sum (T)
    };
    Text read(std::span<const std::int32_t> ids);

    // The mean loss of texts of the same length, and its gradient. (The other scores stay 0.)
    HeadScores gradient(std::span<const Text* const> texts);
    // The scores alone.
    HeadScores score(std::span<const Text* const> texts);
    std::span<float> gradients();
    // After parameters() were written to.
    void parameters_changed();

private:
    struct State;
    HeadScores run(std::span<const Text* const> texts, bool backward);

    train::ParameterLayout layout_;
    std::unique_ptr<State> state_;
};

}  // namespace tbt
