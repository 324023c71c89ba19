// A model that remembers what it has read.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "lib/error.hpp"
#include "lib/index.hpp"
#include "lib/model/gpt.hpp"
#include "lib/model/kv_cache.hpp"

namespace tbt {

// A GPT as the NextLogits of chapter 01. When the new ids begin like the last ones, only the rest
// is computed, which changes no bit; when they differ, it goes back to where they part.
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
        if (count < 1 || index(count) > ids.size())
            throw Error("model: the logits behind the last " + std::to_string(count) + " of " +
                        std::to_string(ids.size()) + " tokens, expected 1 to all of them");
        const auto asked = index(count);
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
        std::size_t known = index(parting - ids.begin());
        known = std::min({known, ids.size() - std::min(fresh, ids.size()), index(cache_.length())});
        cache_.truncate(to_int(known));
        return known;
    }

    Gpt* gpt_;
    KvCache cache_;
    std::vector<int> seen_;
};

}  // namespace tbt
