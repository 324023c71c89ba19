#include "lib/grammar/tokens/mask_cache.hpp"

#include <algorithm>
#include <span>

#include "lib/core/index.hpp"

namespace tbt {

// Decides the token at a node from the state after it. Returns false if that state is escaped: then
// neither this token nor those below it can be decided here.
bool MaskCache::decide(Place place, PartialMask& o) {
    if (place.state != last_.state) {  // neighbours in the trie mostly lead to the same state
        last_.state = place.state;
        last_.escaped = recognizer_->escaped(place.state);
        if (!last_.escaped) last_.to_end = to_end(place.state);
    }
    if (last_.escaped) {
        o.exits.push_back(place.node);
        return false;
    }
    o.max_to_end = std::max(o.max_to_end, last_.to_end);
    const int token = trie_->nodes()[index(place.node)].token;
    if (token >= 0) o.mask.set(token);
    return true;
}

// Decides every token below a node. Large subtrees are deferred and handled separately. A list
// replaces recursion, since a token may have sixty thousand bytes.
void MaskCache::decide_below(Place place, PartialMask& o) {
    const std::size_t before = open_.size();
    open_.push_back(place);
    while (open_.size() > before) {
        const Place now = open_.back();
        open_.pop_back();
        const bool large = trie_->end(now.node) - now.node > small_;
        if (large && computing_abstraction_ && trie_->depth(now.node) == 1) {
            add_part(now, o);
        } else if (const ByteRun* run = large ? runs_.run(now.node, now.state) : nullptr) {
            decide_by_run(*run, now.node, o);
        } else {
            decide_by_walk(now, o);
        }
    }
}

const MaskCache::Part& MaskCache::part(Place place) {
    constexpr int few = 256;
    const int fresh = count(parts_), found = part_index_.find_or_add(place, fresh);
    if (found != fresh) return parts_[index(found)];
    if (scratch_part_.mask.size() == 0) scratch_part_.mask = TokenMask(trie_->vocabulary());
    scratch_part_.mask.clear(), scratch_part_.exits.clear(), scratch_part_.max_to_end = 0;
    computing_abstraction_ = false;
    decide_below(place, scratch_part_);
    computing_abstraction_ = true;
    Part& p = parts_.emplace_back();
    p.exits = scratch_part_.exits, p.max_to_end = scratch_part_.max_to_end;
    if (scratch_part_.mask.count() > few) p.mask = scratch_part_.mask;
    else scratch_part_.mask.each([&](int token) { p.tokens.push_back(token); });
    part_bytes_ += sizeof(Part) + (p.tokens.size() + p.exits.size()) * 4 + index(p.mask.size()) / 8;
    return p;
}

void MaskCache::add_part(Place place, PartialMask& o) {
    const Part& p = part(place);
    if (p.mask.size() > 0) o.mask |= p.mask;
    for (const int token : p.tokens) o.mask.set(token);
    o.exits.insert(o.exits.end(), p.exits.begin(), p.exits.end());
    o.max_to_end = std::max(o.max_to_end, p.max_to_end);
}

void MaskCache::decide_by_run(const ByteRun& run, int node, PartialMask& o) {
    const int depth = trie_->depth(node);
    const auto listed = run.words->between(0, run.length());
    if (!listed.empty() && run.without.none())
        for (const int token : listed) o.mask.set(token);
    else o.mask.add_common(*run.tokens, trie_->up_to_length(depth + run.length()));
    for (const State state : std::span(run.states).subspan(1))
        o.max_to_end = std::max(o.max_to_end, to_end(state));
    runs_.for_each_exit(run, node, [&](int exit, State state) {
        if (decide({exit, state}, o)) open_.push_back({exit, state});
    });
}

void MaskCache::decide_by_walk(Place place, PartialMask& o) {
    trie_->walk(*recognizer_, place.state, place.node + 1, trie_->end(place.node), scratch_,
                [&](int i, const TokenTrie::Node& node, State state) {
                    if (!decide({i, state}, o)) return node.end;
                    if (node.end - i <= small_) return i + 1;
                    open_.push_back({i, state});
                    return node.end;
                });
}

const MaskCache::PartialMask& MaskCache::abstraction(State abstracted) {
    const int fresh = count(partial_masks_), found = partial_index_.find_or_add(abstracted, fresh);
    if (found != fresh) return partial_masks_[index(found)];
    PartialMask& o = partial_masks_.emplace_back();
    o.mask = TokenMask(trie_->vocabulary());
    computing_abstraction_ = true;
    decide_below({-1, abstracted}, o);
    computing_abstraction_ = false;
    finish(o);
    return o;
}

// Completes a mask: adds tokens with the same bytes as one in it, and finds the only token.
void MaskCache::finish(PartialMask& o) {
    for (const auto& [first, twin] : trie_->duplicates()) {
        if (o.mask.test(first)) o.mask.set(twin);
    }
    o.only = o.mask.only();
}

MaskCache::PartialMask& MaskCache::copy_for_state(const PartialMask& like) {
    if (used_ == state_masks_.size()) state_masks_.emplace_back();
    PartialMask& own = state_masks_[used_++];
    own.mask = like.mask, own.max_to_end = like.max_to_end;
    return own;
}

MaskCache::Entry MaskCache::of(State state) {
    const auto entry = [&](const CachedEntry& k) {
        return Entry{k.mask->mask, k.max_to_end, k.mask->only};
    };
    if (const int place = entries_.find(state); place >= 0) return entry(cached_[index(place)]);
    if (cached_.size() >= max_entries) entries_.clear(), cached_.clear(), used_ = 0;
    const PartialMask& known = abstraction(recognizer_->abstraction(state));
    PartialMask* own = nullptr;
    for (const int exit : known.exits) {
        const State there = read_bytes(*recognizer_, state, trie_->path(exit));
        if (there == Recognizer::dead) continue;
        if (own == nullptr) own = &copy_for_state(known);
        if (decide({exit, there}, *own)) decide_below({exit, there}, *own);
    }
    const bool end = trie_->eos() >= 0 && recognizer_->accepts(state);
    if (end && own == nullptr) own = &copy_for_state(known);
    if (end) own->mask.set(trie_->eos());
    if (own != nullptr) finish(*own);
    const PartialMask& mask = own == nullptr ? known : *own;
    entries_.set(state, count(cached_));
    cached_.push_back({&mask, mask.max_to_end + hidden(state)});
    return entry(cached_.back());
}

}  // namespace tbt
