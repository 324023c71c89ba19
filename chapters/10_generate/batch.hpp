// Several texts written side by side: one forward pass gives each its next logits.
//
// A decode step is bound by reading the weights, and a batch reads them once for all its texts.
// The prompt is read once too: the texts start as forks of one cache, which share its
// blocks (chapter 07).
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
#include "lib/error.hpp"
#include "lib/index.hpp"
#include "lib/serve/prefix_cache.hpp"

namespace tbt {

// A text and the place where its keys and values are kept. No place may occur twice in a batch.
struct BatchText {
    std::size_t slot = 0;
    std::span<const int> ids;
    std::size_t rows = 1;  // logits after each of the last so many ids
    // Of a tree, those last ids: token i of them follows token parents[i], or what stands before
    // them where that is −1. Empty: each follows the one before it.
    std::span<const int> parents = {};
};

// The text that ends with one of the last ids.
std::vector<int> text_of_row(const BatchText& text, std::size_t row);

// Logits (V) for each text of the batch, one row after the other where a text asks for several;
// valid until the next call.
using BatchLogits =
    std::function<std::vector<std::span<const float>>(std::span<const BatchText> texts)>;

// A GPT as such a function. Each text goes on from whatever slot has read most of it:
// its own as a rule, another one's when the texts part for the first time.
// The logits are the same bits as if each text were alone.
class CachedBatch {
public:
    explicit CachedBatch(Transformer& gpt) : gpt_(&gpt) {}
    // The same with a cache for everyone (chapter 27): texts start after what it knows of them, and
    // all slots share its pages. It must outlive the batch.
    explicit CachedBatch(PrefixCache& cache) : gpt_(&cache.model()), cache_(&cache) {}

    std::vector<std::span<const float>> operator()(std::span<const BatchText> texts);

    long computed() const { return computed_; }  // positions, since the beginning

    // The state after the last of these ids (C numbers, see Logits), as it was when the slot
    // read it; empty where its last pass did not.
    std::span<const float> state(std::size_t slot, std::span<const int> ids);

    // A text takes a slot: how many of its tokens are known there, all but the last at most.
    int start(std::size_t slot, std::span<const int> ids);
    // Is there memory for a pass over these texts? What nobody uses is forgotten for it.
    bool has_room(std::span<const BatchText> texts);
    // Pages that a slot would take to read these ids.
    int pages_to_take(std::size_t slot, std::span<const int> ids) const;
    // A slot is empty again. What it has read stays in the cache, where there is one.
    void release(std::size_t slot);
    void drop(std::size_t slot);  // the same, and nothing stays
    PrefixCache* cache() const { return cache_; }

    static constexpr std::size_t most_slots = 65536;

private:
    struct Slot {
        std::optional<KvCache> cache;
        std::vector<int> seen;
        // Of the last pass: the states of its rows, and the rows that became text, from token
        // `begins` on.
        std::vector<float> states;
        std::size_t begins = 0;
        std::vector<int> branch;
        // A tree whose branch is not decided yet.
        std::vector<int> tree, parents;
    };

    static void check_distinct(std::span<const BatchText> texts);

    // A text that goes on tells which branch of the last tree it was: the cache keeps that one.
    static void settle(Slot& slot, std::span<const int> ids);
    void settle(std::span<const BatchText> texts);

    void remember(Slot& slot, const BatchText& text, const Logits& logits, std::size_t first);

    static std::size_t known_of(const Slot& slot, std::span<const int> ids);

    // All forks are taken before any slot changes: a text may be the beginning of several others.
    void fork(std::span<const BatchText> texts);
    // Each slot goes on from the longest beginning of its text that is known anywhere.
    void prepare(std::span<const BatchText> texts);

    Transformer* gpt_;
    PrefixCache* cache_ = nullptr;
    std::vector<Slot> slots_;
    long computed_ = 0;
};

// Any model as a batch: one text after the other.
BatchLogits one_at_a_time(NextLogits model);

}  // namespace tbt
