// A string of so many characters, counted in a note: a million of them need no node each.
#pragma once

#include <vector>

#include "chapters/14_grammar/grammar.hpp"
#include "chapters/15_regular/dfa.hpp"
#include "chapters/15_regular/spelling.hpp"

namespace tbt {

class LengthNotes : public Notebook {
public:
    // most: −1 for any number.
    LengthNotes(long long least, long long most) : least_(least), most_(most) {}

    // Adds the nodes behind the opening quote, up to the closing one; returns the first.
    int add_nodes(Grammar& grammar, int index, Spelling spelling);

    int entry() const override { return first_; }
    int first_note() override { return 1; }
    int read(int note, std::uint8_t byte) override;
    int called(int note, int) override { return note; }
    void keep_like(int, int, int&, int&) const override {}
    int cost(const Grammar& grammar, int node, int note) override;
    bool alive(const Grammar& grammar, int node, int note) override {
        return cost(grammar, node, note) < Grammar::never;
    }
    // In words of plain letters, and a token for each other byte.
    int tokens(const TokenBound& bound, int node, int note) override;
    std::vector<int> rules() const override { return {}; }
    int outlined(int, int note) override { return note; }
    int restored(int, int note, int) override { return note; }
    int forgotten_tokens(const TokenBound&, int, int) override { return 0; }
    std::size_t memory() const override { return 4 * fewest_.capacity(); }
    void forget() override {}

private:
    int words(const TokenBound& bound, std::size_t letters);
    long long characters(int note) const { return note - 1; }  // as far as it matters

    long long least_, most_;
    int first_ = -1;
    std::vector<int> inside_;  // by node: bytes to the end of a character; −1: behind the quote
    // Of one bound's vocabulary: the lengths of words of plain letters, and the fewest words that
    // spell so many letters, as far as it was asked for.
    unsigned bound_ = 0;
    std::vector<int> lengths_, fewest_;
};

}  // namespace tbt
