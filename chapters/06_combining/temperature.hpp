// Temperature on candidates: one number, set without changing a logit. Chapter 03 defines
// temperature in plain code.
#pragma once

#include "chapters/03_temperature/further/checks.hpp"
#include "chapters/06_combining/candidates.hpp"

namespace tbt {

// T = 0 keeps only the token with the largest logit; among equal ones, that with the lowest id.
inline void apply_temperature(Candidates& c, double T) {
    check_temperature(T);
    if (T == 0) {
        c.keep({c.largest(), 1});
    } else {
        c.multiply_temperature(T);
    }
}

}  // namespace tbt
