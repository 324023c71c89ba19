// Tokens that a state decides all at once.
//
// Inside a string most bytes make no difference: all of them lead from the
// state to itself or, where the length is limited, from "24 more" to "23 more".
// A token of such bytes is legal if it is no longer than the run goes on.
// There are tens of thousands of such tokens, the same ones in every string and at every length:
// they are found once for each set of bytes.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "lib/grammar/flat_map.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"
#include "lib/grammar/tokens/token_mask.hpp"
#include "lib/grammar/tokens/token_trie.hpp"
#include "lib/grammar/tokens/token_words.hpp"
#include "lib/index.hpp"

namespace tbt {

// s0 → s1 → … → sn: every byte of the set leads from each state to the next,
// and from the last one nowhere (or on, if n is `longest`). From the first one some may lead
// elsewhere: a key without a name in the schema begins with no letter of one with a name.
struct ByteRun {
    static constexpr int longest = TokenWords::longest;

    std::vector<Recognizer::State> states;
    const TokenWords* words = nullptr;
    // Bytes of the set that lead from s0 elsewhere: what begins with them is none of the run's.
    ByteSet without;
    const TokenMask* tokens = nullptr;  // of the words, those that are the run's
    int length() const { return static_cast<int>(states.size()) - 1; }
};

class TokenRuns {
public:
    using State = Recognizer::State;

    TokenRuns(Recognizer& recognizer, const TokenTrie& trie)
        : recognizer_(&recognizer), trie_(&trie) {}

    // The run that decides most tokens below a node; null: there is none.
    // Valid until the next call.
    const ByteRun* run(int node, State state);
    // One of the run's tokens with more than `above` and at most `to` bytes after its node;
    // −1: there is none.
    int one_of(const ByteRun& run, int node, int above, int to) const;
    // Calls visit(node, state) where tokens below `node` leave the run, and live on.
    template <class Visit>
    void leave(const ByteRun& run, int node, Visit&& visit) {
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
            const int before = n.depth - trie_->depth(node) - 1;  // bytes of the run
            if (before > run.length()) continue;
            const State state = recognizer_->next(run.states[index(before)], n.byte);
            if (state != Recognizer::dead) visit(exit, state);
        }
    }
    // The bytes that lead to the same next state, where these are the most. Valid until the next
    // call.
    const ByteSet& alike(State state) { return link(state).bytes; }

    std::size_t memory() const {
        return link_index_.memory() + links_.capacity() * sizeof(Link) +
               words_kept_ * (static_cast<std::size_t>(trie_->vocabulary()) / 8 + 2000);
    }
    // What is known of states; words are of bytes only.
    void forget() { link_index_.clear(), links_.clear(); }

private:
    // The bytes that lead to the same next state, where these are the most.
    struct Link {
        ByteSet bytes;
        State next = Recognizer::dead;
    };
    static constexpr std::size_t most_words = 1024;  // 6 KB each at V = 50,257

    const Link& link(State state);
    bool follow(State state, const ByteSet& bytes);
    void leave_out(int node);
    const TokenWords& words(int node, const ByteSet& bytes);
    bool worthwhile(int node, const ByteSet& wider) const;

    Recognizer* recognizer_;
    const TokenTrie* trie_;
    WordMap link_index_;  // by the state
    std::vector<Link> links_;
    std::unordered_map<ByteSet, std::map<int, std::shared_ptr<const TokenWords>>> words_;
    std::size_t words_kept_ = 0;
    std::vector<Link> found_;
    ByteRun run_;
    TokenMask fewer_;
    std::vector<int> elsewhere_;
};

}  // namespace tbt
