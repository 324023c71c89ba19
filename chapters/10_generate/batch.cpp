#include "chapters/10_generate/batch.hpp"

namespace tbt {

std::vector<std::span<const float>> CachedBatch::operator()(std::span<const BatchText> texts) {
    const bool reserved =
        std::equal(reserved_.begin(), reserved_.end(), texts.begin(), texts.end(),
                   [](const Reserved& r, const BatchText& t) {
                       return r.slot == t.slot && r.rows == t.rows &&
                              std::equal(r.ids.begin(), r.ids.end(), t.ids.begin(), t.ids.end());
                   });
    if (!reserved && !has_room(texts))
        throw Error("batch: the cache of " + std::to_string(cache_->limit()) +
                    " pages has no room for a pass over " + std::to_string(texts.size()) +
                    " texts; release slots, or give it more memory");
    reserved_.clear();
    std::vector<Step> steps;
    for (const BatchText& text : texts) {
        Slot& slot = slots_[text.slot];
        const std::size_t before = text.ids.size() - text.rows;
        std::size_t known = index(slot.cache->length());
        slot.seen.assign(text.ids.begin(), text.ids.end());
        computed_ += to_int(text.ids.size() - known);
        // In a pass with several rows each position costs a row of logits, so what comes before the
        // requested rows is read in a pass of its own.
        if ((text.rows > 1 || !text.parents.empty()) && known < before) {
            gpt_->forward(*slot.cache, text.ids.subspan(known, before - known));
            known = before;
        }
        const bool tree = !text.parents.empty();
        steps.push_back({&*slot.cache, text.ids.subspan(tree ? before : known),
                         text.rows > 1 || tree, text.parents});
    }
    const Logits logits = gpt_->forward(steps);
    std::vector<std::span<const float>> rows;
    for (std::int64_t r = 0; r < logits.rows; ++r) rows.push_back(logits.row(r));
    std::size_t first = 0;
    for (const BatchText& text : texts) {
        remember(slots_[text.slot], text, logits, first);
        first += text.rows;
    }
    return rows;
}

void CachedBatch::prepare(std::span<const BatchText> texts) {
    reserved_.clear();
    check_distinct(texts);
    settle(texts);
    fork(texts);
    for (const BatchText& text : texts) {
        Slot& slot = slots_[text.slot];
        // The last tokens are always computed: the cache keeps keys and values, not logits.
        const std::size_t before = text.ids.size() - text.rows;
        slot.cache->truncate(to_int(std::min(known_of(slot, text.ids), before)));
    }
}

int CachedBatch::start(const BatchText& text) {
    prepare({&text, 1});
    return slots_[text.slot].cache->length();
}

bool CachedBatch::has_room(std::span<const BatchText> texts) {
    prepare(texts);
    int pages = 0;
    for (const BatchText& text : texts) pages += pages_to_take(text.slot, text.ids);
    if (cache_ && !cache_->has_room(pages)) return false;
    for (const BatchText& text : texts) {
        KvCache& cache = *slots_[text.slot].cache;
        // A text that is longer than the context is refused by the pass.
        if (cache_ && count(text.ids) <= cache.capacity())
            cache.make_room(count(text.ids) - cache.length());
        reserved_.push_back({text.slot, text.rows, {text.ids.begin(), text.ids.end()}});
    }
    return true;
}

int CachedBatch::pages_to_take(std::size_t slot, std::span<const int> ids) const {
    if (slot >= slots_.size() || !slots_[slot].cache) return KvCache::block_count(count(ids));
    const KvCache& cache = *slots_[slot].cache;
    return cache.blocks_to_take(std::max(count(ids) - cache.length(), 0));
}

void CachedBatch::release(std::size_t slot) {
    if (slot >= slots_.size()) return;
    Slot& s = slots_[slot];
    if (cache_ && s.cache) cache_->remember(s.seen, *s.cache);
    drop(slot);
}

void CachedBatch::drop(std::size_t slot) {
    reserved_.clear();
    if (slot < slots_.size()) slots_[slot] = {};
}

std::span<const float> CachedBatch::state(std::size_t slot, std::span<const int> ids) {
    if (slot >= slots_.size() || ids.empty()) return {};
    Slot& s = slots_[slot];
    settle(s, ids);
    const std::size_t place = ids.size() - 1 - s.begins;
    if (known_of(s, ids) < ids.size() || ids.size() <= s.begins || place >= s.branch.size())
        return {};
    const std::size_t channels = index(gpt_->config().n_embd);
    return std::span(s.states).subspan(index(s.branch[place]) * channels, channels);
}

void CachedBatch::remember(Slot& slot, const BatchText& text, const Logits& logits,
                           std::size_t first) {
    const std::size_t channels = index(gpt_->config().n_embd);
    const auto states = logits.states.subspan(first * channels, text.rows * channels);
    slot.states.assign(states.begin(), states.end());
    slot.begins = text.ids.size() - text.rows;
    slot.branch.clear(), slot.tree.clear();
    if (text.parents.empty()) {
        for (int r = 0; r < to_int(text.rows); ++r) slot.branch.push_back(r);
    } else {
        slot.seen.resize(slot.begins);
        slot.tree.assign(text.ids.begin() + to_int(slot.begins), text.ids.end());
        slot.parents.assign(text.parents.begin(), text.parents.end());
    }
}

void CachedBatch::settle(Slot& slot, std::span<const int> ids) {
    if (slot.tree.empty()) return;
    int at = -1;
    for (std::size_t i = slot.begins; i < ids.size(); ++i) {
        int next = at + 1;
        while (next < count(slot.tree) &&
               (slot.parents[index(next)] != at || slot.tree[index(next)] != ids[i]))
            ++next;
        if (next == count(slot.tree)) break;
        slot.branch.push_back(at = next);
        slot.seen.push_back(ids[i]);
    }
    slot.cache->commit(slot.branch);
    slot.tree.clear();
}

void CachedBatch::settle(std::span<const BatchText> texts) {
    for (const BatchText& text : texts) {
        if (text.slot >= slots_.size() || text.rows < 1 || text.rows > text.ids.size())
            continue;  // a new text, or one that will be refused
        const std::size_t guesses = text.parents.empty() ? 0 : text.rows - 1;
        settle(slots_[text.slot], text.ids.first(text.ids.size() - guesses));
    }
}

void CachedBatch::check_distinct(std::span<const BatchText> texts) {
    std::vector<std::size_t> slots;
    for (const BatchText& text : texts) slots.push_back(text.slot);
    std::sort(slots.begin(), slots.end());
    if (const auto twice = std::adjacent_find(slots.begin(), slots.end()); twice != slots.end())
        throw Error("batch: slot " + std::to_string(*twice) + " is given twice");
}

std::size_t CachedBatch::known_of(const Slot& slot, std::span<const int> ids) {
    if (!slot.cache) return 0;
    const auto parting =
        std::mismatch(ids.begin(), ids.end(), slot.seen.begin(), slot.seen.end()).first;
    return std::min(index(parting - ids.begin()), index(slot.cache->length()));
}

// With longrope, a text that stays short has other keys than one that may become long. So a slot is
// of use only to texts of its own kind.
int CachedBatch::capacity_for(const BatchText& text) const {
    const int few = short_context(gpt_->config());
    return text.longest > 0 && std::max(text.longest, count(text.ids)) <= few
               ? few
               : gpt_->config().n_positions;
}

void CachedBatch::fork(std::span<const BatchText> texts) {
    std::vector<std::pair<std::size_t, Slot>> forks;
    for (const BatchText& text : texts) {
        if (text.ids.empty())
            throw Error("batch: a text without tokens; start from the document separator");
        if (text.rows < 1 || text.rows > text.ids.size())
            throw Error("batch: " + std::to_string(text.rows) + " rows of a text of " +
                        std::to_string(text.ids.size()) + " tokens, expected 1 to its length");
        if (!text.parents.empty() && text.parents.size() != text.rows)
            throw Error("batch: " + std::to_string(text.parents.size()) + " parents of " +
                        std::to_string(text.rows) + " rows, expected one each");
        if (text.slot >= max_slots)
            throw Error("batch: slot " + std::to_string(text.slot) + ", expected less than " +
                        std::to_string(max_slots));
        if (text.slot >= slots_.size()) slots_.resize(text.slot + 1);
        const int capacity = capacity_for(text);
        // How many of its tokens a slot knows; -1 if it is empty or of the other kind.
        const auto known_in = [&](const Slot& slot) {
            const bool fits = slot.cache && slot.cache->capacity() == capacity;
            return fits ? to_int(known_of(slot, text.ids)) : -1;
        };
        const Slot& own = slots_[text.slot];
        const int known = known_in(own);
        if (known >= 0 && index(known) + text.rows >= text.ids.size()) continue;
        const Slot& best = *std::max_element(
            slots_.begin(), slots_.end(),
            [&](const Slot& a, const Slot& b) { return known_in(a) < known_in(b); });
        const int most = known_in(best);
        if (cache_ && (most < 0 || cache_->known(text.ids, capacity) > most)) {
            Slot& begun = forks.emplace_back(text.slot, Slot{}).second;
            begun.cache = cache_->start(text.ids, capacity);
            begun.seen.assign(text.ids.begin(), text.ids.end());
        } else if (most > known) {
            forks.emplace_back(text.slot, best);
        } else if (known < 0) {
            slots_[text.slot] = {};
            slots_[text.slot].cache.emplace(gpt_->config(), capacity);
        }
    }
    for (auto& [slot, copy] : forks) slots_[slot] = std::move(copy);
}

// The text that ends with the id of this row.
static std::vector<int> text_of_row(const BatchText& text, std::size_t row) {
    const std::span<const int> last = text.ids.last(text.rows);
    const std::span<const int> before = text.ids.first(text.ids.size() - text.rows);
    if (text.parents.empty()) return {text.ids.begin(), last.begin() + to_int(row) + 1};
    std::vector<int> ids(before.begin(), before.end());
    for (int at = to_int(row); at >= 0; at = text.parents[index(at)])
        ids.insert(ids.begin() + length_of(before), last[index(at)]);
    return ids;
}

BatchLogits one_at_a_time(NextLogits model) {
    auto rows = std::make_shared<std::vector<std::vector<float>>>();
    return [model = std::move(model), rows](std::span<const BatchText> texts) {
        rows->clear();
        for (const BatchText& text : texts) {
            for (std::size_t row = 0; row < text.rows; ++row) {
                const std::span<const float> logits = model(text_of_row(text, row));
                rows->emplace_back(logits.begin(), logits.end());
            }
        }
        return std::vector<std::span<const float>>(rows->begin(), rows->end());
    };
}

}  // namespace tbt
