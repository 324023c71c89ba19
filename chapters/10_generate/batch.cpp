#include "chapters/10_generate/batch.hpp"

namespace tbt {

std::vector<std::span<const float>> CachedBatch::operator()(std::span<const BatchText> texts) {
    check_distinct(texts);
    fork(texts);
    std::vector<Step> steps;
    for (const BatchText& text : texts) {
        Slot& slot = slots_[text.slot];
        // The last tokens are always computed: the cache keeps keys and values, not logits.
        const std::size_t before = text.ids.size() - text.rows;
        std::size_t known = std::min(known_of(slot, text.ids), before);
        slot.cache->truncate(to_int(known));
        slot.seen.assign(text.ids.begin(), text.ids.end());
        computed_ += to_int(text.ids.size() - known);
        // Rows that nobody asked for cost as much as others, so a beginning is read by itself.
        if (text.rows > 1 && known < before) {
            gpt_->forward(*slot.cache, text.ids.subspan(known, before - known));
            known = before;
        }
        steps.push_back({&*slot.cache, text.ids.subspan(known), text.rows > 1});
    }
    const Logits logits = gpt_->forward(steps);
    std::vector<std::span<const float>> rows;
    for (std::int64_t r = 0; r < logits.rows; ++r) rows.push_back(logits.row(r));
    return rows;
}

void CachedBatch::check_distinct(std::span<const BatchText> texts) {
    std::vector<std::size_t> slots;
    for (const BatchText& text : texts) slots.push_back(text.slot);
    std::sort(slots.begin(), slots.end());
    if (const auto twice = std::adjacent_find(slots.begin(), slots.end()); twice != slots.end())
        throw Error("batch: slot " + std::to_string(*twice) + " is there twice");
}

std::size_t CachedBatch::known_of(const Slot& slot, std::span<const int> ids) {
    if (!slot.cache) return 0;
    const auto parting =
        std::mismatch(ids.begin(), ids.end(), slot.seen.begin(), slot.seen.end()).first;
    return std::min(index(parting - ids.begin()), index(slot.cache->length()));
}

void CachedBatch::fork(std::span<const BatchText> texts) {
    std::vector<std::pair<std::size_t, Slot>> forks;
    for (const BatchText& text : texts) {
        if (text.ids.empty())
            throw Error("batch: a text without tokens; start from the document separator");
        if (text.rows < 1 || text.rows > text.ids.size())
            throw Error("batch: " + std::to_string(text.rows) + " rows of a text of " +
                        std::to_string(text.ids.size()) + " tokens, expected 1 to its length");
        if (text.slot >= most_slots)
            throw Error("batch: slot " + std::to_string(text.slot) + ", expected less than " +
                        std::to_string(most_slots));
        if (text.slot >= slots_.size()) slots_.resize(text.slot + 1);
        const Slot& own = slots_[text.slot];
        const std::size_t known = known_of(own, text.ids);
        if (own.cache && known + 1 >= text.ids.size()) continue;
        const auto best =
            std::max_element(slots_.begin(), slots_.end(), [&](const Slot& a, const Slot& b) {
                return known_of(a, text.ids) < known_of(b, text.ids);
            });
        const bool another = best->cache && (!own.cache || known_of(*best, text.ids) > known);
        if (another) forks.emplace_back(text.slot, *best);
        else if (!own.cache) slots_[text.slot].cache.emplace(gpt_->config());
    }
    for (auto& [slot, copy] : forks) slots_[slot] = std::move(copy);
}

BatchLogits one_at_a_time(NextLogits model) {
    auto rows = std::make_shared<std::vector<std::vector<float>>>();
    return [model = std::move(model), rows](std::span<const BatchText> texts) {
        rows->clear();
        for (const BatchText& text : texts) {
            for (std::size_t before = text.rows; before-- > 0;) {
                const std::span<const float> logits =
                    model(text.ids.first(text.ids.size() - before));
                rows->emplace_back(logits.begin(), logits.end());
            }
        }
        return std::vector<std::span<const float>>(rows->begin(), rows->end());
    };
}

}  // namespace tbt
