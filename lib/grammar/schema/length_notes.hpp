// A string of so many characters, counted in a note: a million of them need no node each.
#pragma once

#include <vector>

#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/automata/spelling.hpp"
#include "lib/grammar/recognizer/grammar.hpp"

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
    // In words of plain letters, and 1 for each other byte.
    int cost(const Measure& measure, int node, int note) override;
    std::size_t memory() const override { return 4 * fewest_.capacity(); }

private:
    int words(const Measure& measure, long long letters);
    long long characters(int note) const { return note - 1; }  // as far as it matters

    long long least_, most_;
    int first_ = -1;
    std::vector<int> inside_;  // by node: bytes to the end of a character; −1: behind the quote
    // Of one vocabulary: the lengths of words of plain letters, and the fewest words that spell so
    // many letters, as far as it was asked for.
    unsigned version_ = 0;
    std::vector<int> lengths_, fewest_;
};

}  // namespace tbt
