#include "chapters/07_kv_cache/cached_model.hpp"

namespace tbt {

std::span<const float> CachedModel::operator()(std::span<const int> ids) {
    const std::size_t known = go_back_to_common_prefix(ids, 1);
    seen_.assign(ids.begin(), ids.end());
    return gpt_->forward(cache_, ids.subspan(known));
}

Logits CachedModel::last(std::span<const int> ids, int count) {
    if (count < 1 || index(count) > ids.size())
        throw Error("model: asked for the logits of the last " + std::to_string(count) + " of " +
                    std::to_string(ids.size()) +
                    " tokens, expected 1 or more, and at most all of them");
    const auto asked = index(count);
    const std::size_t known = go_back_to_common_prefix(ids, asked), before = ids.size() - asked;
    seen_.assign(ids.begin(), ids.end());
    if (known < before) gpt_->forward(cache_, ids.subspan(known, before - known));
    return gpt_->forward_all(cache_, ids.last(asked));
}

std::size_t CachedModel::go_back_to_common_prefix(std::span<const int> ids, std::size_t fresh) {
    const auto parting = std::mismatch(ids.begin(), ids.end(), seen_.begin(), seen_.end()).first;
    std::size_t known = index(parting - ids.begin());
    known = std::min({known, ids.size() - std::min(fresh, ids.size()), index(cache_.length())});
    cache_.truncate(to_int(known));
    return known;
}

}  // namespace tbt
