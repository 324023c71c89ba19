// A model with a KV cache: it computes only the tokens that it has not read before.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/model/kv_cache.hpp"
#include "lib/model/transformer.hpp"

namespace tbt {

// A GPT as the NextLogits of chapter 01. It keeps the common prefix of the new ids and those of the
// previous call in the cache and computes only the rest. That changes no bit of the logits.
class CachedModel {
public:
    explicit CachedModel(Transformer& gpt) : gpt_(&gpt), cache_(gpt.config()) {}

    std::span<const float> operator()(std::span<const int> ids);

    // The logits after each of the last `count` ids: (count, V). This takes one forward pass, and
    // another one before it if earlier ids have not been read yet.
    Logits last(std::span<const int> ids, int count);

    const KvCache& cache() const { return cache_; }
    Transformer& gpt() { return *gpt_; }

private:
    // Truncates the cache to the common prefix, but leaves at least `fresh` ids to compute, since
    // the cache has no logits. Returns the length of the kept prefix.
    std::size_t go_back_to_common_prefix(std::span<const int> ids, std::size_t fresh);

    Transformer* gpt_;
    KvCache cache_;
    std::vector<int> seen_;
};

}  // namespace tbt
