// For tests of whole models: random texts, and the logits after each of their tokens.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "lib/model/transformer.hpp"

namespace tbt::test {

inline std::vector<int> random_ids(int n, int vocabulary, std::uint64_t seed) {
    Rng rng(seed);
    std::vector<int> ids(index(n));
    for (int& id : ids) id = to_int(rng.below(index(vocabulary)));
    return ids;
}

inline std::span<const int> part(const std::vector<int>& ids, int first, int end) {
    return std::span(ids).subspan(index(first), index(end - first));
}

inline std::vector<float> copied(std::span<const float> values) {
    return {values.begin(), values.end()};
}

inline std::vector<float> all_logits(Transformer& model, std::span<const int> ids) {
    KvCache cache(model.config());
    return copied(model.forward_all(cache, ids).values);
}

// How weights are kept, and how keys and values are.
struct Way {
    WeightType weights, cache = WeightType::f32;
    TransformerOptions options(int threads) const { return {threads, weights, cache}; }
    std::string name() const {
        return std::string(names_of(weights).option) + ", cache " +
               std::string(names_of(cache).option);
    }
};

// Row t: the logits after tokens 0 … t, from one pass.
struct Reference {
    std::vector<float> rows;
    std::size_t vocabulary;
    Reference(Transformer model, const std::vector<int>& ids)
        : rows(all_logits(model, ids)), vocabulary(rows.size() / ids.size()) {}
    bool is_row(int t, std::span<const float> logits) const {
        return std::ranges::equal(logits,
                                  std::span(rows).subspan(index(t) * vocabulary, vocabulary));
    }
};

}  // namespace tbt::test
