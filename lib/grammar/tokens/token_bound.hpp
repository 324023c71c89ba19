// An upper bound of the tokens that complete a text: the tokens of the completion that has the
// fewest bytes.
//
// Grammar::Node::cost is the fewest bytes from a node to the end of its rule: the length of a
// shortest path. Here that path is split into tokens:
//
//   tokens(node) = stretch(node)                        if the path calls no rule,
//                = stretch(node) + tokens(rule called) + tokens(node after the call)   otherwise;
//
//   stretch(node): the fewest tokens that spell the path's bytes up to its next call or its end
//
// If each step of a long stretch allows many bytes, as in `.{800}`, the path repeats the longest
// token made of such bytes.
//
// No token is counted across the start or end of a call, so the bound may be higher than needed:
// `"}` counts as two tokens. But the counted text exists, and after its first token the bound is
// one less. So a mask that keeps only tokens after which the bound fits the budget is never empty.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/grammar/recognizer/grammar.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"
#include "lib/grammar/tokens/token_trie.hpp"

namespace tbt {

class TokenBound : public TokensToEnd, public Measure {
public:
    // trie: a vocabulary that has a token for every single byte.
    TokenBound(GrammarRecognizer& recognizer, const TokenTrie& trie);

    // Bounds to the end of the text, in tokens: from a state, a continuation, a place.
    int of(State state) override;
    int after(int continuation);
    using Measure::of;
    int of(const GrammarPlace& place) {
        return saturating_add(here(place), after(place.continuation));
    }
    int hidden(State state) override;
    int of_reached(State state, State reached) override;

    // Bounds to the end of a rule, in tokens: from a place in it, and from its start.
    int here(const GrammarPlace& place);
    int rule(int r) const override { return rules_[index(r)]; }
    const Grammar& grammar() const override { return recognizer_->grammar(); }
    bool in_tokens() const override { return true; }
    unsigned version() const override { return version_; }
    unsigned id() const override { return id_; }

    // As in Measure; the cost is the fewest tokens that spell the text.
    using Measure::of_suffixes;
    void of_suffixes(std::string_view text, const std::vector<bool>& cut,
                     std::span<int> tokens) const override;
    std::vector<int> lengths_of_words() const override;

    std::size_t memory() const override {
        return 4 * (nodes_.size() + states_.size() + after_.size()) + reaches_forgotten_.size();
    }
    // Drops the bounds of states and continuations; those of nodes and rules stay.
    void forget() override { states_.clear(), after_.clear(), reaches_forgotten_.clear(); }

private:
    static constexpr int unknown = -1;
    using Slots = std::span<const int>;
    // One step of the shortest path to the node `to`: over a byte, or by a call of `rule`.
    // word: a token whose bytes all lead to `to`; spell() may use one of them instead of `byte`.
    struct Move {
        int byte = -1, word = -1, rule = -1, to = -1;
    };
    struct Path;

    Move move(int node, bool words);
    int word(const Grammar::Node& n, int to) const;
    bool ends_path(int node) const;
    int at(int node);
    void settle(int node);
    void spell(Path& path, std::size_t first, std::size_t end) const;
    bool reaches_forgotten(int continuation);
    int of_meant(GrammarPlace place, Slots slots);

    GrammarRecognizer* recognizer_;
    const TokenTrie* trie_;
    unsigned version_, id_;
    std::vector<int> rules_, nodes_, states_, after_;
    std::vector<signed char> reaches_forgotten_;  // by continuation; -1: not computed yet
    // Scratch memory of settle() and move().
    struct Path {
        std::vector<int> nodes, tokens;
        std::vector<Move> moves;
        std::string text;
    };
    Path path_;
    std::vector<int> like_;
};

}  // namespace tbt
