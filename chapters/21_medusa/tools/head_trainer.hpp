// Trains heads for a target, the model, which is not changed.
//
// The target reads a text once, which gives the state and the distribution after each token. Head k
// learns the distribution that the target will have k tokens later, given the tokens of the text in
// between (distillation, chapter 19). Its loss is −Σ p ln q over the drafted tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "chapters/21_medusa/heads.hpp"
#include "lib/model/transformer.hpp"
#include "lib/train/adamw.hpp"
#include "lib/train/parameters.hpp"

namespace tbt {

// The scores of a batch for each head. overlap: the mean of Σ min(p, q), which is how often a token
// drawn from q would be accepted. agree: how often p and q have the same most probable token.
struct HeadScores {
    std::vector<double> overlap, agree;
    double loss = 0;  // mean over heads and tokens, in nats
};

class HeadTrainer {
public:
    // embedding: the target's (V, C). drafted: the ids for which heads have logits.
    HeadTrainer(Transformer& target, const Tensor& embedding, const HeadsShape& shape,
                std::vector<int> drafted, std::uint64_t seed, int parts, int threads);
    ~HeadTrainer();

    // The parameters are for scaled inputs, in which states and embeddings have components of about
    // 1. In the target itself a state is fifty times as large as an embedding, so a head would
    // hardly notice the token. exported() returns the parameters for the target's own scale.
    const train::ParameterLayout& layout() const { return layout_; }
    std::span<float> parameters();
    std::vector<float> exported() const;

    // A text of T tokens as the target reads it.
    struct Text {
        std::vector<std::int32_t> ids;          // (T)
        std::vector<float> states;              // (T, C)
        std::vector<float> distribution, mass;  // (T, N) of the drafted ids, and its sums (T)
    };
    Text read(std::span<const std::int32_t> ids);

    // The mean loss of texts of the same length, and its gradient. (The other scores stay 0.)
    HeadScores gradient(std::span<const Text* const> texts);
    // The scores alone.
    HeadScores score(std::span<const Text* const> texts);
    std::span<float> gradients();
    // Call this after changing parameters().
    void parameters_changed();

private:
    struct State;
    HeadScores run(std::span<const Text* const> texts, bool backward);

    train::ParameterLayout layout_;
    std::unique_ptr<State> state_;
};

}  // namespace tbt
