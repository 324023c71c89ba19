// The loop behind all text generation: predict, pick, append, repeat.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "lib/model/gpt.hpp"
#include "lib/model/kv_cache.hpp"
#include "lib/model/layers.hpp"

namespace tbt {

// A language model as a decoder sees it: the ids so far in, one logit for each token of the
// vocabulary (V) out. The span is valid until the next call.
using NextLogits = std::function<std::span<const float>(std::span<const int> ids)>;

// A GPT as such a function. It remembers what it has read: when the new ids begin like
// the last ones, only the rest is computed (chapter 07 shows that this changes no bit),
// and when they differ, it goes back to where they part.
class CachedModel {
public:
    explicit CachedModel(Gpt& gpt) : gpt_(&gpt), cache_(gpt.config()) {}

    std::span<const float> operator()(std::span<const int> ids) {
        const std::size_t known = go_back_to_common_prefix(ids, 1);
        seen_.assign(ids.begin(), ids.end());
        return gpt_->forward(cache_, ids.subspan(known));
    }

    // The logits behind each of the last `count` ids: (count, V). One forward pass,
    // after one for what stands before them and was not read yet.
    Logits last(std::span<const int> ids, int count) {
        const auto asked = static_cast<std::size_t>(count);
        const std::size_t known = go_back_to_common_prefix(ids, asked), before = ids.size() - asked;
        seen_.assign(ids.begin(), ids.end());
        if (known < before) gpt_->forward(cache_, ids.subspan(known, before - known));
        return gpt_->forward_all(cache_, ids.last(asked));
    }

    const KvCache& cache() const { return cache_; }
    Gpt& gpt() { return *gpt_; }

private:
    // At least `fresh` ids must be computed anew: the cache keeps keys and values, not logits.
    std::size_t go_back_to_common_prefix(std::span<const int> ids, std::size_t fresh) {
        const auto parting =
            std::mismatch(ids.begin(), ids.end(), seen_.begin(), seen_.end()).first;
        std::size_t known = static_cast<std::size_t>(parting - ids.begin());
        known = std::min({known, ids.size() - std::min(fresh, ids.size()),
                          static_cast<std::size_t>(cache_.length())});
        cache_.truncate(static_cast<int>(known));
        return known;
    }

    Gpt* gpt_;
    KvCache cache_;
    std::vector<int> seen_;
};

// Why only the last position's logits? A GPT is causal: what it computes at position i has
// seen the tokens 0 … i and predicts token i+1. Only the last position has seen the whole text,
// and its prediction is the token not written yet.
//
// pick(logits, ids) chooses an id; emit(id) is told and may end the text by returning false.
template <class Pick, class Emit>
std::vector<int> generate(const NextLogits& model, std::vector<int> ids, int max_new_tokens,
                          Pick&& pick, Emit&& emit) {
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
    const std::size_t kept = std::min(ids.size(), static_cast<std::size_t>(std::max(n, 0)));
    std::partial_sort(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(kept), ids.end(),
                      [&](int a, int b) {
                          return comes_before(logits[static_cast<std::size_t>(a)], a,
                                              logits[static_cast<std::size_t>(b)], b);
                      });
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < kept; ++i) {
        const auto id = static_cast<std::size_t>(ids[i]);
        candidates.push_back({ids[i], logits[id], probabilities[id]});
    }
    return candidates;
}

}  // namespace tbt
