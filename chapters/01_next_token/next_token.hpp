// The loop behind all text generation: predict, pick, append, repeat.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rows.hpp"

namespace tbt {

// A language model as a decoder sees it: the ids so far in, one logit for each token of the
// vocabulary (V) out. The span is valid until the next call.
using NextLogits = std::function<std::span<const float>(std::span<const int> ids)>;

// A GPT as such a function: it reads the whole text each time, from its first token. (Chapter 07
// remembers what was read before, and changes no bit.)
template <class Gpt>
class WholeTextModel {
public:
    explicit WholeTextModel(Gpt& gpt) : gpt_(&gpt), cache_(gpt.config()) {}

    std::span<const float> operator()(std::span<const int> ids) {
        cache_.clear();
        return gpt_->forward(cache_, ids);
    }
    // The logits after each of the ids, not only the last: (T, V).
    Logits at_every(std::span<const int> ids) {
        cache_.clear();
        return gpt_->forward_all(cache_, ids);
    }

private:
    Gpt* gpt_;
    typename Gpt::Cache cache_;
};

// Why only the last position's logits? A GPT is causal: what it computes at position i has
// seen the tokens 0 … i and predicts token i+1. Only the last position has seen the whole text,
// and its prediction is the token not written yet.
//
// pick(logits, ids) chooses an id; emit(id) is told and may end the text by returning false.
template <class Pick, class Emit>
std::vector<int> generate(const NextLogits& model, std::vector<int> ids, int max_new_tokens,
                          Pick&& pick, Emit&& emit) {
    if (!model) throw Error("generate: there is no model");
    for (int i = 0; i < max_new_tokens; ++i) {
        const std::span<const float> logits = model(ids);  // predict
        const int id = pick(logits, ids);                  // pick
        ids.push_back(id);                                 // append
        if (!emit(id)) break;
    }  // repeat
    return ids;
}

// The total order of this course: the greater value first, of equal values the lower id.
// Every choice that depends on an order uses it, so no result depends on a sorting routine.
inline bool comes_before(float value_a, int id_a, float value_b, int id_b) {
    return value_a > value_b || (value_a == value_b && id_a < id_b);
}

struct Candidate {
    int id = 0;
    float logit = 0;
    float probability = 0;  // softmax over the whole vocabulary
};

// The n first tokens by the total order, with their probabilities.
inline std::vector<Candidate> top_candidates(std::span<const float> logits, int n) {
    std::vector<float> probabilities(logits.size());
    softmax(logits, probabilities);
    std::vector<int> ids(logits.size());
    std::iota(ids.begin(), ids.end(), 0);
    const std::size_t kept = std::min(ids.size(), index(std::max(n, 0)));
    std::partial_sort(
        ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(kept), ids.end(),
        [&](int a, int b) { return comes_before(logits[index(a)], a, logits[index(b)], b); });
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < kept; ++i) {
        const auto id = index(ids[i]);
        candidates.push_back({ids[i], logits[id], probabilities[id]});
    }
    return candidates;
}

}  // namespace tbt
