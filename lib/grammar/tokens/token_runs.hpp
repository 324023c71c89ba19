// Decides many tokens at once: those made of bytes between which a state does not distinguish.
//
// Inside a string most bytes make no difference. All of them lead from the state to itself or, if
// the length of the string is limited, from "24 more bytes" to "23 more bytes". Such a sequence of
// states is a run. A token of such bytes is legal if it is not longer than the run.
// Tens of thousands of tokens are of this kind, and they are the same in every string and at every
// length. So they are collected once for each set of bytes.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/grammar/flat_map.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"
#include "lib/grammar/tokens/token_mask.hpp"
#include "lib/grammar/tokens/token_trie.hpp"
#include "lib/grammar/tokens/token_words.hpp"

namespace tbt {

// A run s0 → s1 → … → sn: every byte of the set leads from each state to the next. From sn no byte
// of the set is legal, unless n is `longest`. From s0 some bytes may lead elsewhere: a key that the
// schema does not name is read in other states once its first letter could begin a named key.
struct ByteRun {
    static constexpr int longest = TokenWords::longest;

    std::vector<Recognizer::State> states;
    const TokenWords* words = nullptr;
    // Bytes of the set that lead from s0 elsewhere: tokens that begin with them are not in the run.
    ByteSet without;
    const TokenMask* tokens = nullptr;  // the words without those tokens
    int length() const { return static_cast<int>(states.size()) - 1; }
};

class TokenRuns {
public:
    using State = Recognizer::State;

    TokenRuns(Recognizer& recognizer, const TokenTrie& trie)
        : recognizer_(&recognizer), trie_(&trie) {}

    // A run from `state` that decides most tokens below a trie node; null if there is none.
    // Valid until the next call.
    const ByteRun* run(int node, State state);
    // One of the run's tokens with more than `above` and at most `to` bytes after the node; −1 if
    // there is none.
    int one_of(const ByteRun& run, int node, int above, int to) const;
    // Calls visit(node, state) for each trie node at which tokens leave the run but stay legal.
    template <class Visit>
    void for_each_exit(const ByteRun& run, int node, Visit&& visit) {
        const std::vector<TokenTrie::Node>& nodes = trie_->nodes();
        elsewhere_.clear();
        for (int i = node + 1; run.without.any() && i < trie_->end(node); i = trie_->end(i)) {
            const unsigned char byte = nodes[index(i)].byte;
            if (!run.without[byte]) continue;
            elsewhere_.push_back(i);
            const State state = recognizer_->next(run.states[0], byte);
            if (state != Recognizer::dead) visit(i, state);
        }
        std::size_t passed = 0;
        for (const int exit : run.words->exits) {
            const TokenTrie::Node& n = nodes[index(exit)];
            while (passed < elsewhere_.size() && trie_->end(elsewhere_[passed]) <= exit) ++passed;
            if (passed < elsewhere_.size() && elsewhere_[passed] <= exit) continue;
            const int before = n.depth - trie_->depth(node) - 1;  // bytes read in the run
            if (before > run.length()) continue;
            const State state = recognizer_->next(run.states[index(before)], n.byte);
            if (state != Recognizer::dead) visit(exit, state);
        }
    }
    // The largest set of bytes that lead from this state to one next state. Valid until the next
    // call.
    const ByteSet& alike(State state) { return link(state).bytes; }

    std::size_t memory() const {
        return link_index_.memory() + links_.capacity() * sizeof(Link) +
               words_kept_ * (static_cast<std::size_t>(trie_->vocabulary()) / 8 + 2000);
    }
    // Drops what is known about states. Words stay: they depend on bytes only.
    void forget() { link_index_.clear(), links_.clear(); }

private:
    // The largest set of bytes that lead to one next state, and that state.
    struct Link {
        ByteSet bytes;
        State next = Recognizer::dead;
    };
    static constexpr std::size_t max_words = 1024;  // 6 KB each at V = 50,257

    const Link& link(State state);
    bool follow(State state, const ByteSet& bytes);
    void leave_out(int node);
    const TokenWords& words(int node, const ByteSet& bytes);
    bool worthwhile(int node, const ByteSet& wider) const;

    Recognizer* recognizer_;
    const TokenTrie* trie_;
    WordMap link_index_;  // by state
    std::vector<Link> links_;
    std::unordered_map<ByteSet, std::map<int, std::shared_ptr<const TokenWords>>> words_;
    std::size_t words_kept_ = 0;
    std::vector<Link> found_;
    ByteRun run_;
    TokenMask fewer_;
    std::vector<int> elsewhere_;
};

}  // namespace tbt
