#include "chapters/13_json_grammar/mask_cache.hpp"

#include <algorithm>
#include <unordered_set>

namespace tbt {

void MaskCache::take(Entry& entry, int token, State state) const {
    entry.mask.set(token);
    entry.costliest = std::max(entry.costliest, machine_->closing_bytes(state));
}

const MaskCache::Outline& MaskCache::outline(State outlined) {
    const auto [place, added] = outlines_.try_emplace(outlined);
    Outline& o = place->second;
    if (!added) return o;
    o.entry.mask = TokenMask(trie_->vocabulary());
    // Neighbours in the tree mostly lead to the same state: what is known of it is asked once.
    State last = ByteMachine::dead;
    bool escaped = false;
    trie_->walk(*machine_, outlined, 0, static_cast<int>(trie_->nodes().size()), scratch_,
                [&](int i, const TokenTrie::Node& node, State state) {
                    if (state != last) {
                        last = state;
                        escaped = machine_->escaped(state);
                        if (!escaped)
                            o.entry.costliest = std::max(o.entry.costliest, machine_->closing_bytes(state));
                    }
                    // An escaped state decides nothing: neither that this token is legal nor that it isn't.
                    if (escaped) {
                        o.exits.push_back(i);
                    } else if (node.token >= 0) {
                        o.entry.mask.set(node.token);
                    }
                });
    return o;
}

const MaskCache::Entry& MaskCache::of(State state) {
    if (const auto found = entries_.find(state); found != entries_.end()) return found->second;
    if (entries_.size() >= most_entries) entries_.clear();
    const int hidden = machine_->hidden_bytes(state);
    const Outline& known = outline(machine_->outline(state));
    Entry entry = known.entry;
    entry.costliest += hidden;

    int done = 0;  // exits below an exit are part of its walk
    for (const int exit : known.exits) {
        if (exit < done) continue;
        const TokenTrie::Node& node = trie_->nodes()[static_cast<std::size_t>(exit)];
        done = node.end;
        const State there = read_bytes(*machine_, state, trie_->path(exit));
        if (there == ByteMachine::dead) continue;
        if (node.token >= 0) take(entry, node.token, there);
        trie_->walk(*machine_, there, exit + 1, node.end, scratch_, [&](int, const TokenTrie::Node& n, State s) {
            if (n.token >= 0) take(entry, n.token, s);
        });
    }
    for (const auto& [first, twin] : trie_->twins()) {
        if (entry.mask.test(first)) entry.mask.set(twin);
    }
    if (trie_->eos() >= 0 && machine_->accepts(state)) entry.mask.set(trie_->eos());
    entry.only = entry.mask.only();
    return entries_.emplace(state, std::move(entry)).first->second;
}

std::vector<MaskCache::Step> MaskCache::steps(State state) {
    std::vector<Step> steps;
    std::unordered_set<State> seen;
    trie_->walk(*machine_, state, 0, static_cast<int>(trie_->nodes().size()), scratch_,
                [&](int, const TokenTrie::Node& node, State s) {
                    if (node.token >= 0 && seen.insert(s).second) steps.push_back({s, node.token});
                });
    return steps;
}

}  // namespace tbt
