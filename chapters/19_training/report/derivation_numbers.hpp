// The numbers of a derivation: x in {x=int 1 9} may be any of these until the text contains it or a
// calculation needs it.
#pragma once

#include "chapters/19_training/report/derivation_state.hpp"

namespace tbt {

class DerivationNumbers : protected DerivationState {
public:
    struct TooLong {};  // thrown after too many steps, or if a number has too many values

protected:
    using DerivationState::DerivationState;

    // Continues the search; returns true if it found the text.
    virtual bool go(Here here) = 0;

    // {x=int a b}, {x=calc a + b}, {a..b of rule}; and {x} where x is a number.
    Outcome number(const Step& step, Here& here);
    Outcome print_number(int id, const Step& step, Here& here);

private:
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
};

}  // namespace tbt
