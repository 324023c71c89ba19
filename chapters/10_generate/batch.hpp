// Generates several texts in a batch: one forward pass gives the next logits of each.
//
// A decoding step spends most time reading the weights, and a batch reads them once for all texts.
// The prompt is also read only once: the texts start as forks of one cache and share its blocks
// (chapter 07).
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/10_generate/batch_text.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/serve/prefix_cache.hpp"

namespace tbt {

// A GPT as BatchLogits. Each text goes on from the slot that has read most of it: usually its
// own, or another text's when two texts first differ. The logits have the same bits as if each text
// were alone.
class CachedBatch {
public:
    explicit CachedBatch(Transformer& gpt) : gpt_(&gpt) {}
    // The same with a prefix cache shared by all (chapter 27): a text starts after the prefix that
    // the cache knows, and all slots share its pages. The cache must outlive the batch.
    explicit CachedBatch(PrefixCache& cache) : gpt_(&cache.model()), cache_(&cache) {}

    std::vector<std::span<const float>> operator()(std::span<const BatchText> texts);

    long computed() const { return computed_; }  // positions, since the beginning

    // The hidden state after the last of these ids (C numbers, see Logits), from when the slot read
    // it; empty if it was not read in the slot's last pass.
    std::span<const float> state(std::size_t slot, std::span<const int> ids);

    // A text takes its slot. Returns how many of its tokens are known there; the last one never is.
    int start(const BatchText& text);
    // Is there memory for a pass over these texts? If so it is reserved, and pages that are not in
    // use are freed for it: the pass that follows, over the same texts, has it for sure.
    bool has_room(std::span<const BatchText> texts);
    // The pages that a slot would need to read these ids.
    int pages_to_take(std::size_t slot, std::span<const int> ids) const;
    // Empties a slot. What it has read stays in the prefix cache, if there is one.
    void release(std::size_t slot);
    void drop(std::size_t slot);  // the same, but nothing stays in the cache
    PrefixCache* cache() const { return cache_; }

    static constexpr std::size_t max_slots = 65536;

private:
    struct Slot {
        std::optional<KvCache> cache;
        std::vector<int> seen;
        // Of the last pass: the hidden states of its rows, and the rows that became text, from
        // token `begins` on.
        std::vector<float> states;
        std::size_t begins = 0;
        std::vector<int> branch;
        // A tree of which no branch has been chosen yet.
        std::vector<int> tree, parents;
    };

    // A text of the pass for which has_room() reserved pages.
    struct Reserved {
        std::size_t slot, rows;
        std::vector<int> ids;
    };

    static void check_distinct(std::span<const BatchText> texts);

    // A text's continuation shows which branch of the last tree was chosen: the cache keeps it.
    static void settle(Slot& slot, std::span<const int> ids);
    void settle(std::span<const BatchText> texts);

    void remember(Slot& slot, const BatchText& text, const Logits& logits, std::size_t first);

    static std::size_t known_of(const Slot& slot, std::span<const int> ids);
    int capacity_for(const BatchText& text) const;

    // Makes all forks before any slot changes: a text may be the prefix of several others.
    void fork(std::span<const BatchText> texts);
    // Lets each slot go on from the longest prefix of its text that any slot knows.
    void prepare(std::span<const BatchText> texts);

    Transformer* gpt_;
    PrefixCache* cache_ = nullptr;
    std::vector<Slot> slots_;
    std::vector<Reserved> reserved_;  // until the slots change
    long computed_ = 0;
};

// Any model as a batch: asks it for one text after the other.
BatchLogits one_at_a_time(NextLogits model);

}  // namespace tbt
