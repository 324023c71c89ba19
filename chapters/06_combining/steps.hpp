// The steps of chapters 03 to 05 on candidates, without sorting the row. Those chapters,
// plain_mirostat.hpp and plain_mirostat_1.hpp define them in plain code.
#pragma once

#include <cstdint>
#include <span>

#include "chapters/04_top_k/plain_top_k.hpp"
#include "chapters/06_combining/candidates.hpp"

namespace tbt {

// T = 0 keeps only the token with the largest logit; among equal ones, that with the lowest id. It
// does so whatever the minimum of tokens to keep.
void apply_temperature(Candidates& c, double T);

// Keeps the tokens with the k largest logits, ties by lower id; k = 0 and k >= V keep all.
//
// A threshold test "s_i >= the k-th largest" keeps too many tokens if logits are equal: of [1, 1,
// 1, 1] with k = 2 it keeps all four. So a Cut also has the number of tokens *at* the threshold
// that stay, taken in the order of their ids.
void keep_top_k(Candidates& c, int k, Ties ties = Ties::exact);

// Keeps the nucleus: the fewest most probable tokens whose mass is at least p. p = 0 keeps one
// token; p = 1 keeps all.
void keep_top_p(Candidates& c, double p);

// ---- relatives of top-p: min-p, typical, epsilon and eta truncation ----

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

// ---- less common steps: dynamic temperature, top-nσ, XTC, mirostat ----

// Sets a temperature between T − range and T + range, by the current entropy of the candidates.
void apply_dynamic_temperature(Candidates& c, double T, double range, double exponent);

// Keeps the tokens within N standard deviations of the largest logit; N = 0 keeps all.
void keep_top_n_sigma(Candidates& c, double N);

// A pseudo-random number in [0, 1) that depends only on the text and a seed. A step that uses it as
// its coin can be replayed, works for many beams at once, and gives the same result for a draft.
double coin(std::uint64_t seed, std::span<const int> ids);

// XTC. If u < probability: of the candidates with p >= threshold, keeps only the least probable. If
// fewer than the minimum of tokens would stay, it keeps all, as in llama.cpp.
void exclude_top_choices(Candidates& c, double probability, double threshold, double u);

// Version 1 of mirostat: keeps the k most probable tokens, k such that under Zipf's law they
// surprise by mu bits.
void keep_zipf_top_k(Candidates& c, double mu);

// s_i ← ln p_i, T ← 1: the remaining probabilities add up to 1 again. This does not change the
// distribution, but it changes the scores of beams (chapter 11), which are sums of such numbers.
void renormalize(Candidates& c);

// Version 2 of mirostat: keeps tokens that surprise by at most mu bits; the most probable ones
// always stay.
void keep_unsurprising(Candidates& c, double mu);

// ---- the draw ----

// The id of the token that u in [0, 1) selects; tokens are in the order of their ids. The same kept
// tokens and the same u always give the same token, whichever steps removed the others.
int draw(Candidates& c, double u);

}  // namespace tbt
