// Shared by the plain and the fast penalties: how a ban is written, what a bias is, and checks of
// the parameters.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

inline constexpr float banned = -std::numeric_limits<float>::infinity();

// The last token of `sequence` gets `bias` added to its logit if the text ends with the tokens
// before it. For a sequence of one token that is always so; a bias of −∞ is a ban. So this is logit
// bias, sequence bias and banned words in one.
struct SequenceBias {
    std::vector<int> sequence;
    float bias = 0;
};

// Throws UsageError unless theta is in a range that a float can hold, as the logits are floats.
inline void check_repetition_penalty(double theta) {
    if (theta >= 1e-30 && theta <= 1e30) return;
    throw UsageError("repetition-penalty: got " + short_number(theta) +
                     ", expected a number above 0; 1 turns it off, 1.1 to 1.3 is usual");
}
inline void check_penalty(const std::string& name, double alpha) {
    if (std::abs(alpha) <= 1e9) return;
    throw UsageError(name + ": got " + short_number(alpha) +
                     ", expected a finite number; 0 turns it off, 0.3 to 1 is usual");
}
inline void check_ngram(long long n) {
    if (n >= 0) return;
    throw UsageError("no-repeat-ngram-size: got " + std::to_string(n) +
                     ", expected a length, 1 or more; 0 turns it off, 3 is usual");
}
inline void check_min_new_tokens(int minimum) {
    if (minimum >= 0) return;
    throw UsageError("min-new-tokens: got " + std::to_string(minimum) +
                     ", expected a count, 0 or more");
}
inline void check_bias(const SequenceBias& b, std::size_t vocab_size) {
    if (b.sequence.empty())
        throw UsageError("bias: an empty sequence has no token to bias; name at least one token");
    for (const int id : b.sequence) {
        if (!is_id(id, vocab_size)) throw UsageError(no_such_id("bias", id, vocab_size));
    }
    if (std::isnan(b.bias) || b.bias == std::numeric_limits<float>::infinity()) {
        throw UsageError(
            "bias: got " + short_number(b.bias) + " for token " +
            std::to_string(b.sequence.back()) +
            ", expected a finite number, or -inf to ban it; to force a token, give it 100");
    }
}

}  // namespace tbt
