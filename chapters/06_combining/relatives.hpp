// Relatives of top-p on candidates, without sorting: min-p, typical, epsilon and eta truncation.
// Chapter 05 defines them in plain code.
#pragma once

#include "chapters/04_top_k/plain_top_k.hpp"
#include "chapters/06_combining/candidates.hpp"

namespace tbt {

// Keeps tokens with s_i >= lowest; the largest always stays.
void keep_from(Candidates& c, double lowest);

// Keeps tokens with p_i >= m·p_max; needs no exponential.
void keep_min_p(Candidates& c, double m);

// Keeps the tokens whose surprise is nearest to the entropy, until their mass is at least m.
void keep_typical(Candidates& c, double m, Ties ties = Ties::exact);

// Keeps tokens with p_i >= least, by a threshold on the logits.
void keep_probable(Candidates& c, double least);

// Drops tokens with p_i < ε.
void cut_epsilon(Candidates& c, double epsilon);

// Drops tokens with p_i < min(ε, √ε·e^(−H)), where H is the entropy in nats.
void cut_eta(Candidates& c, double epsilon);

}  // namespace tbt
