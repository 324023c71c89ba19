// A model with a KV cache: it computes only the tokens that it has not read before.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rows.hpp"

namespace tbt {

// A GPT as the NextLogits of chapter 01. It keeps the common prefix of the new ids and those of the
// previous call in the cache and computes only the rest. That changes no bit of the logits.
template <class Gpt>
class CachedModel {
public:
    using Cache = typename Gpt::Cache;

    explicit CachedModel(Gpt& gpt) : gpt_(&gpt), cache_(gpt.config()) {}

    std::span<const float> operator()(std::span<const int> ids) {
        const std::size_t known = go_back_to_common_prefix(ids, 1);
        seen_.assign(ids.begin(), ids.end());
        return gpt_->forward(cache_, ids.subspan(known));
    }

    // The logits after each of the last `count` ids: (count, V). This takes one forward pass, and
    // another one before it if earlier ids have not been read yet.
    Logits last(std::span<const int> ids, int count) {
        if (count < 1 || index(count) > ids.size())
            throw Error("model: asked for the logits of the last " + std::to_string(count) +
                        " of " + std::to_string(ids.size()) +
                        " tokens, expected 1 or more, and at most all of them");
        const auto asked = index(count);
        const std::size_t known = go_back_to_common_prefix(ids, asked), before = ids.size() - asked;
        seen_.assign(ids.begin(), ids.end());
        if (known < before) gpt_->forward(cache_, ids.subspan(known, before - known));
        return gpt_->forward_all(cache_, ids.last(asked));
    }

    const Cache& cache() const { return cache_; }
    Gpt& gpt() { return *gpt_; }

private:
    // Truncates the cache to the common prefix, but leaves at least `fresh` ids to compute, since
    // the cache has no logits. Returns the length of the kept prefix.
    std::size_t go_back_to_common_prefix(std::span<const int> ids, std::size_t fresh) {
        const auto parting =
            std::mismatch(ids.begin(), ids.end(), seen_.begin(), seen_.end()).first;
        std::size_t known = index(parting - ids.begin());
        known = std::min({known, ids.size() - std::min(fresh, ids.size()), index(cache_.length())});
        cache_.truncate(to_int(known));
        return known;
    }

    Gpt* gpt_;
    Cache cache_;
    std::vector<int> seen_;
};

}  // namespace tbt
