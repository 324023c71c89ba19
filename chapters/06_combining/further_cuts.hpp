// Dynamic temperature, top-nσ, XTC and mirostat on candidates. Chapters 03 to 05 and
// plain_mirostat.hpp define them in plain code.
#pragma once

#include <cstdint>
#include <span>

#include "chapters/06_combining/candidates.hpp"

namespace tbt {

// T between T − range and T + range, by the entropy of the candidates as they are.
void apply_dynamic_temperature(Candidates& c, double T, double range, double exponent);

// Keeps what lies within N standard deviations of the largest logit; N = 0 keeps all.
void keep_top_n_sigma(Candidates& c, double N);

// A number in [0, 1) that the text and a seed decide, and nothing else: a step that tosses a coin
// by it can be replayed, tossed for many beams at once, and agrees with a draft on the same text.
double coin(std::uint64_t seed, std::span<const int> ids);

// With u < probability: of the candidates with p >= threshold only the last stays.
void exclude_top_choices(Candidates& c, double probability, double threshold, double u);

// Version 1 of mirostat: the k most probable, which under Zipf's law surprise by mu bits.
void keep_zipf_top_k(Candidates& c, double mu);

// s_i ← T·ln p_i: what is left adds up to 1 again. A distribution does not change by it;
// the sums of beams (chapter 11), which are made of such numbers, do.
void renormalize(Candidates& c);

// Keeps what surprises by at most mu bits; the largest always stay.
void keep_unsurprising(Candidates& c, double mu);

}  // namespace tbt
