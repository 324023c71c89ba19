// Temperature on candidates: a number beside the logits, set without touching one of them.
// Chapter 03 defines it in plain code.
#pragma once

#include "chapters/03_temperature/further/checks.hpp"
#include "chapters/06_combining/candidates.hpp"

namespace tbt {

// T = 0 keeps the largest logit alone; of equal ones the lower id.
inline void apply_temperature(Candidates& c, double T) {
    check_temperature(T);
    if (T == 0) {
        c.keep({c.largest(), 1});
    } else {
        c.multiply_temperature(T);
    }
}

}  // namespace tbt
