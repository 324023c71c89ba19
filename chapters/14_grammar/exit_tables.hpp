// Tables of exits, and what an entry of one is made with.
#pragma once

#include <algorithm>
#include <deque>
#include <span>
#include <vector>

#include "chapters/13_json_grammar/arena.hpp"
#include "chapters/13_json_grammar/flat_map.hpp"
#include "chapters/14_grammar/token_exits.hpp"
#include "chapters/14_grammar/token_walk.hpp"

namespace tbt {

using ExitList = std::span<const TokenExit>;

// Exits by a key, which stay where they are.
template <class Key, class Hash>
class ExitTable {
public:
    const ExitList* find(const Key& key) const {
        const int at = index_.find(key);
        return at < 0 ? nullptr : &lists_[index(at)];
    }
    ExitList add(const Key& key, const TokenExits& exits) {
        index_.set(key, count(lists_));
        lists_.push_back(exits_.keep(exits));
        return lists_.back();
    }
    std::size_t memory() const {
        return lists_.capacity() * sizeof(ExitList) + exits_.memory() + index_.memory();
    }
    void clear() { index_.clear(), lists_.clear(), exits_.clear(); }

private:
    FlatMap<Key, Hash> index_;
    std::vector<ExitList> lists_;
    Arena exits_;
};

// What a walk has found so far.
struct ExitDraft {
    TokenWalk::Memory walk;
    TokenExits exits;
    WordMap places;  // of nodes in exits: there may be thousands
    int best = 0;    // the tokens of the exit at the root

    void clear() { exits.clear(), places.reset(), best = TokenCosts::never; }
    // Without those that the cut would leave out anyway.
    void leave(const TokenTrie& tree, int node, int tokens) {
        // Behind this node no token goes on: it ends here.
        if (node >= 0 && tree.end(node) == node + 1) node = TokenExit::root, ++tokens;
        if (node == TokenExit::root) best = std::min(best, tokens);
        if (tokens > best + 1) return;
        const int fresh = count(exits);
        const int place = places.find_or_add(static_cast<std::uint32_t>(node), fresh);
        if (place == fresh) exits.push_back({node, tokens});
        else if (tokens < exits[index(place)].tokens) exits[index(place)].tokens = tokens;
    }
};

// One of a pile of drafts, for as long as this lives: making an entry may ask for others.
class OneExitDraft {
public:
    struct Pile {
        std::deque<ExitDraft> drafts;
        std::size_t used = 0;  // the first of them
    };
    explicit OneExitDraft(Pile& pile) : pile_(&pile) {
        if (pile.used == pile.drafts.size()) pile.drafts.emplace_back();
        draft_ = &pile.drafts[pile.used++];
        draft_->clear();
    }
    OneExitDraft(const OneExitDraft&) = delete;
    ~OneExitDraft() { --pile_->used; }
    ExitDraft* operator->() { return draft_; }
    ExitDraft& operator*() { return *draft_; }

private:
    Pile* pile_;
    ExitDraft* draft_;
};

}  // namespace tbt
