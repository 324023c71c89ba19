// So many tokens always reach the end of a text: a bound that is added up, as bytes are.
//
// The fewest bytes to an end are known for each node (Grammar::Node::cost), by one shortest way.
// Here that same way is cut into tokens:
//
//   tokens(node) = the fewest tokens that spell the bytes up to the next call, if that is the end;
//                  else these + tokens(rule called) + tokens(node after the call)
//
// Where any of many bytes leads on for long, as in `.{800}`, the way takes those of the longest
// token of such bytes, again and again.
//
// Every call and every end of a rule ends a token, so this may be more than is needed: `"}`
// counts as two. But it is the length of a way that exists, and one token along that way the bound
// is one less. Whoever keeps only tokens after which it still fits is never left without one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grammar/recognizer/grammar.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"
#include "lib/grammar/tokens/token_trie.hpp"
#include "lib/index.hpp"

namespace tbt {

class TokenBound : public TokensToEnd, public Measure {
public:
    // Of a vocabulary in which every byte is a token.
    TokenBound(GrammarRecognizer& recognizer, const TokenTrie& trie);

    // To the end of the text, from a state, a continuation and a place.
    int of(State state) override;
    int after(int continuation);
    using Measure::of;
    int of(const GrammarPlace& place) {
        return saturating_add(here(place), after(place.continuation));
    }
    int hidden(State state) override;
    int of_reached(State state, State reached) override;

    // To the end of the rule, from a place; and of a rule as a whole.
    int here(const GrammarPlace& place);
    int rule(int r) const override { return rules_[index(r)]; }
    const Grammar& grammar() const override { return recognizer_->grammar(); }
    bool in_tokens() const override { return true; }
    unsigned version() const override { return version_; }
    unsigned id() const override { return id_; }

    // In the fewest tokens.
    using Measure::of_suffixes;
    void of_suffixes(std::string_view text, const std::vector<bool>& cut,
                     std::span<int> tokens) const override;
    std::vector<int> lengths_of_words() const override;

    std::size_t memory() const override {
        return 4 * (nodes_.size() + states_.size() + after_.size()) + reaches_forgotten_.size();
    }
    // States and continuations; nodes and rules stay.
    void forget() override { states_.clear(), after_.clear(), reaches_forgotten_.clear(); }

private:
    static constexpr int unknown = -1;
    using Slots = std::span<const int>;
    // Of the shortest way: a byte, or one of a word, or a call, and the node after it.
    struct Move {
        int byte = -1, word = -1, rule = -1, to = -1;
    };
    struct Way;

    Move move(int node, bool words);
    int word(const Grammar::Node& n, int to) const;
    bool ends_way(int node) const;
    int at(int node);
    void settle(int node);
    void spell(Way& way, std::size_t first, std::size_t end) const;
    static GrammarPlace meant(GrammarPlace place, Slots slots);
    bool reaches_forgotten(int continuation);
    int of_meant(GrammarPlace place, Slots slots);

    GrammarRecognizer* recognizer_;
    const TokenTrie* trie_;
    unsigned version_, id_;
    std::vector<int> rules_, nodes_, states_, after_;
    std::vector<signed char> reaches_forgotten_;  // by continuation; -1: not asked yet
    // Scratch of settle() and move().
    struct Way {
        std::vector<int> nodes, tokens;
        std::vector<Move> moves;
        std::string text;
    };
    Way way_;
    std::vector<int> like_;
};

}  // namespace tbt
