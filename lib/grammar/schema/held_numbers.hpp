// Decimal numbers that readers of JSON hold as they stand.
#pragma once

#include "lib/grammar/automata/dfa.hpp"

namespace tbt {

// Numbers that every reader holds exactly enough to judge them as they stand: those of at most 15
// digits, as a double does. All of them where they are finitely many, where none is so short, and
// where rounding leads to others of them only (whole numbers from 5 on).
Dfa held_by_a_double(const Dfa& numbers);

}  // namespace tbt
