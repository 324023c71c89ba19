// Top-p on candidates, without sorting. Chapter 05 defines it in plain code.
#pragma once

#include "chapters/05_top_p/plain_top_p.hpp"
#include "chapters/06_combining/candidates.hpp"
#include "lib/select/select.hpp"

namespace tbt {

// Keeps the nucleus: the fewest most probable tokens whose mass is at least p. p = 0 keeps one
// token; p = 1 keeps all.
inline void keep_top_p(Candidates& c, double p) {
    check_top_p(p);
    if (p == 1) return;
    const std::uint64_t W = c.total_weight();
    c.keep(smallest_prefix_reaching(c.logits(), c.weights(), W, share_of(W, p)));
}

}  // namespace tbt
