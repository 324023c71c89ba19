// Of all continuations of all beams, B·V numbers, the best 2·B.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "chapters/06_combining/candidates.hpp"
#include "chapters/06_combining/steps.hpp"
#include "chapters/11_beam_search/hypothesis.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"

namespace tbt {

struct BeamCandidate {
    std::size_t parent = 0;  // which beam
    int id = 0;
    float value =
        0;  // orders the tokens of one parent, also where their sums round to the same number
    double sum = 0;
    double key =
        0;  // what is kept: the greatest sums, or with sampling the greatest sums plus noise
};

class BeamCandidates {
public:
    explicit BeamCandidates(const BeamRequest& request);

    // Adds the best continuations of one beam. Without a processor the logits stay where they are:
    //   ln p_i = s_i − ln Σ_j e^(s_j)
    void extend(std::size_t parent, double sum, std::span<const int> ids,
                std::span<const float> logits);

    // The best of what was added, in order: greater sum, then the better parent, then the lower id.
    std::vector<BeamCandidate> take_best();

private:
    // −ln(−ln u). The keys ln w + gumbel in descending order are a draw without replacement by the
    // weights w [Vieira 2014; Kool, van Hoof & Welling 2019].
    double gumbel();

    const BeamRequest* request_;
    std::size_t wanted_ = 0;
    std::vector<BeamCandidate> all_;
    Rng rng_;
    Candidates row_;
    std::vector<float> log_probs_;
};

}  // namespace tbt
