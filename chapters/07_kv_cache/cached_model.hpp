// A model that remembers what it has read.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "lib/error.hpp"
#include "lib/index.hpp"
#include "lib/model/kv_cache.hpp"
#include "lib/model/transformer.hpp"

namespace tbt {

// A GPT as the NextLogits of chapter 01. When the new ids begin like the last ones, only the rest
// is computed, which changes no bit; when they differ, it goes back to where they part.
class CachedModel {
public:
    explicit CachedModel(Transformer& gpt) : gpt_(&gpt), cache_(gpt.config()) {}

    std::span<const float> operator()(std::span<const int> ids);

    // The logits after each of the last `count` ids: (count, V). One forward pass,
    // after one for what stands before them and was not read yet.
    Logits last(std::span<const int> ids, int count);

    const KvCache& cache() const { return cache_; }
    Transformer& gpt() { return *gpt_; }

private:
    // At least `fresh` ids must be computed anew: the cache keeps keys and values, not logits.
    std::size_t go_back_to_common_prefix(std::span<const int> ids, std::size_t fresh);

    Transformer* gpt_;
    KvCache cache_;
    std::vector<int> seen_;
};

}  // namespace tbt
