// Plain steps that decide how a text begins and ends. s: a row of V logits; g tokens have been
// generated. transformers' names: suppress_tokens, begin_suppress_tokens, forced_bos_token_id,
// forced_eos_token_id, exponential_decay_length_penalty.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "chapters/08_penalties/checks.hpp"

namespace tbt {

// The end becomes more likely by `factor` with each token after `start`; factor 1 is off.
struct EndingDecay {
    int start = 0;
    double factor = 1;
};

inline void check_decay(const EndingDecay& decay) {
    check_at_least("exponential-decay-length-penalty", decay.start, 0);
    if (!(decay.factor > 0 && decay.factor <= 1e9))
        throw UsageError("exponential-decay-length-penalty: got the factor " +
                         short_number(decay.factor) +
                         ", expected a number above 0; 1 turns it off, 1.01 to 1.1 is usual");
}

// Bans these tokens.
inline void plain_suppress(std::vector<float>& s, const std::vector<int>& ids) {
    for (const int id : ids) s[checked_id("suppress-tokens", id, s.size())] = banned;
}

// Leaves only this token.
inline void plain_force(std::vector<float>& s, int id) {
    const std::size_t forced = checked_id("forced token", id, s.size());
    std::fill(s.begin(), s.end(), banned);
    s[forced] = 0;
}

// The amount added to the logit s of an end token: |s|·(factor^(g − start) − 1), once g > start.
inline double decay_bonus(double s, int generated, const EndingDecay& decay) {
    double power = 1;
    for (int i = decay.start; i < generated && power < 1e30; ++i) power *= decay.factor;
    return generated > decay.start && std::isfinite(s) ? std::abs(s) * (power - 1) : 0;
}

// s_eos ← s_eos + bonus
inline void plain_decay(std::vector<float>& s, int generated, const EndingDecay& decay,
                        const std::vector<int>& eos) {
    check_decay(decay);
    for (const int id : eos) {
        float& logit = s[checked_id("exponential-decay-length-penalty", id, s.size())];
        logit = static_cast<float>(logit + decay_bonus(logit, generated, decay));
    }
}

}  // namespace tbt
