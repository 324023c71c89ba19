// A derivation's numbers: {x=int 1 9} may be any of these until the text has it or a sum asks
// for it.
#pragma once

#include "chapters/19_training/report/derivation_state.hpp"

namespace tbt {

class DerivationNumbers : protected DerivationState {
public:
    struct TooLong {};  // thrown after so many steps, or for a number of too many values

protected:
    using DerivationState::DerivationState;

    // Goes on with the search; says whether it found the text.
    virtual bool go(Here here) = 0;

    // {x=int a b}, {x=calc a + b}, {a..b of rule}; and {x} where x is a number.
    Outcome number(const Step& step, Here& here);
    Outcome print_number(int id, const Step& step, Here& here);

private:
    Outcome read_number(int id, const Step& step, Here here);

    // Numbers. try_…: goes on at `here` once for each value that it may have.
    bool try_value(const Value& value, Here here);
    bool try_number(int id, Here here);
    bool is_known(const Value& value) const;
    std::int64_t known(const Value& value) const;
    // What an operand is; unkept: a promise that must be kept first, or nothing_fits.
    Value value_of(const grammar::Operand& operand, int& unkept) const;
    bool within(const Value& bound, std::int64_t number, bool lower);
    void set_number(int id, std::int64_t value);
};

}  // namespace tbt
