// One search for the expansion that gives a text: the grammar's own walk (corpus_expansion.hpp),
// turned round. Where the expansion draws, the search tries; what the text decides is decided by
// the text.
//
//     {p=person}        p may be any row (rows.hpp); nothing is tried
//     {p.name}          each name that stands here in the text
//     {x=int 1 9}       x may be any of these; {x} reads it from the text
//     {a|b}             a, then b
//     {s:=rule}         a promise: {s} reads it from the text, by the rule; it is kept earlier only
//                       where a variable is wanted that the rule may have drawn
//
// Alternatives are tried depth first, and everything is taken back by a list of changes. What is
// left to do is a list of frames, so that a rule's end knows where to go on.
#pragma once

#include "chapters/19_training/report/derivation_numbers.hpp"

namespace tbt {

// The slots that a kept rule may write to, for each choice of the tree.
std::vector<std::vector<int>> written_slots(const grammar::Tree& tree);

class Derivation : protected DerivationNumbers {
public:
    using DerivationNumbers::TooLong;

    Derivation(const grammar::Tree& tree, const std::vector<std::vector<int>>& written,
               const std::string& text, bool prefix, std::uint64_t most_steps)
        : DerivationNumbers(tree, written, text, prefix), most_steps_(most_steps) {}
    virtual ~Derivation() = default;

    // Does the genre give the text (or, for a prefix, a text that begins so)?
    bool from(const grammar::Genre& genre);

protected:
    std::uint64_t steps_ = 0;

    // A derivation is complete. True ends the search, false goes on to the next one.
    virtual bool finish() { return rows_.satisfiable(); }

private:
    // The search.
    bool go(Here here) override;
    Outcome step(const Step& step, Here& here);
    Outcome end_of(const Frame& frame, Here& here);
    Outcome alternatives(const grammar::Choice& choice, const Step& step, int depth, Here here);
    Outcome modified(const Step& step, Here here);
    Outcome repeat(const Frame& frame, Here here);
    Outcome with_row(const Step& step, Here& here);
    Outcome variable(const Step& step, Here& here);

    std::uint64_t most_steps_;
};

}  // namespace tbt
