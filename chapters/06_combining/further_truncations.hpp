// Less common steps on candidates: dynamic temperature, top-nσ, XTC, mirostat. Chapters 03 to 05
// and plain_mirostat.hpp define them in plain code.
#pragma once

#include <cstdint>
#include <span>

#include "chapters/06_combining/candidates.hpp"

namespace tbt {

// Sets a temperature between T − range and T + range, by the current entropy of the candidates.
void apply_dynamic_temperature(Candidates& c, double T, double range, double exponent);

// Keeps the tokens within N standard deviations of the largest logit; N = 0 keeps all.
void keep_top_n_sigma(Candidates& c, double N);

// A pseudo-random number in [0, 1) that depends only on the text and a seed. A step that uses it as
// its coin can be replayed, works for many beams at once, and gives the same result for a draft.
double coin(std::uint64_t seed, std::span<const int> ids);

// XTC. If u < probability: of the candidates with p >= threshold, keeps only the least probable.
void exclude_top_choices(Candidates& c, double probability, double threshold, double u);

// Version 1 of mirostat: keeps the k most probable tokens, k such that under Zipf's law they
// surprise by mu bits.
void keep_zipf_top_k(Candidates& c, double mu);

// s_i ← T·ln p_i: the remaining probabilities add up to 1 again. This does not change the
// distribution, but it changes the scores of beams (chapter 11), which are sums of such numbers.
void renormalize(Candidates& c);

// Version 2 of mirostat: keeps tokens that surprise by at most mu bits; the most probable ones
// always stay.
void keep_unsurprising(Candidates& c, double mu);

}  // namespace tbt
