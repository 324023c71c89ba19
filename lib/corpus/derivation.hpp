// Searches for an expansion of the grammar that gives a text. It walks the grammar's tree like
// expansion.hpp, but where the expansion draws, the search tries all possibilities that fit
// the text.
//
//     {p=person}        p may be any row (rows.hpp); nothing is tried
//     {p.name}          tries each name that is at this position of the text
//     {x=int 1 9}       x may be any of these; {x} reads it from the text
//     {a|b}             tries a, then b
//     {s:=rule}         a promise: the rule is expanded only when {s} reads it from the text, or
//                       earlier if a variable is needed that the rule may draw
//
// Alternatives are tried depth first. A list of changes allows backtracking. The remaining work is
// a list of frames (a continuation), so that the end of a rule knows what follows.
#pragma once

#include "lib/corpus/derivation_state.hpp"

namespace tbt {

// The slots that a kept rule may write to, for each choice of the tree.
std::vector<std::vector<int>> written_slots(const grammar::Tree& tree);

class Derivation : protected DerivationState {
public:
    struct TooLong {};  // thrown after too many steps, or if a number has too many values

    Derivation(const grammar::Tree& tree, const std::vector<std::vector<int>>& written,
               const std::string& text, bool prefix, std::uint64_t max_steps)
        : DerivationState(tree, written, text, prefix), max_steps_(max_steps) {}
    virtual ~Derivation() = default;

    // Can the genre write the text (or, for a prefix, a text that begins with it)?
    bool from(const grammar::Genre& genre);

protected:
    std::uint64_t steps_ = 0;

    // Called when a derivation is complete. True ends the search; false continues with the next
    // one.
    virtual bool finish() { return rows_.satisfiable(); }

private:
    // Continues the search; returns true if it found the text.
    bool go(Here here);
    Outcome step(const Step& step, Here& here);
    Outcome end_of(const Frame& frame, Here& here);
    Outcome alternatives(const grammar::Choice& choice, const Step& step, int depth, Here here);
    Outcome modified(const Step& step, Here here);
    Outcome repeat(const Frame& frame, Here here);
    Outcome with_row(const Step& step, Here& here);
    Outcome variable(const Step& step, Here& here);

    // Numbers: x in {x=int 1 9} may be any of these until the text contains it or a calculation
    // needs it.
    // {x=int a b}, {x=calc a + b}, {a..b of rule}; and {x} where x is a number.
    Outcome number(const Step& step, Here& here);
    Outcome print_number(int id, const Step& step, Here& here);
    Outcome read_number(int id, const Step& step, Here here);

    // try_… continue at `here` once for each value that the number may have.
    bool try_value(const Value& value, Here here);
    bool try_number(int id, Here here);
    bool is_known(const Value& value) const;
    std::int64_t known(const Value& value) const;
    // The value of an operand. `unkept` is set to a promise that must be expanded first, or to
    // nothing_fits.
    Value value_of(const grammar::Operand& operand, int& unkept) const;
    bool within(const Value& bound, std::int64_t number, bool lower);
    void set_number(int id, std::int64_t value);

    std::uint64_t max_steps_;
};

}  // namespace tbt
