// Plain penalties and bans: their definitions, on a row of V logits s and the ids of a text.
// The fast versions in penalties.hpp give the same numbers, bit for bit.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "chapters/08_penalties/checks.hpp"

namespace tbt {

// s_j ← s_j·θ if s_j < 0, else s_j/θ, once for each distinct token j of the text
inline void plain_repetition(std::vector<float>& s, const std::vector<int>& text, double theta) {
    check_repetition_penalty(theta);
    for (const int j : std::set<int>(text.begin(), text.end())) {
        float& logit = s[checked_id("repetition penalty", j, s.size())];
        logit = logit < 0 ? logit * static_cast<float>(theta) : logit / static_cast<float>(theta);
    }
}

// s_j ← s_j − c_j·frequency − presence for each token j that occurs c_j > 0 times in the text
inline void plain_frequency_presence(std::vector<float>& s, const std::vector<int>& text,
                                     double frequency, double presence) {
    check_penalty("frequency-penalty", frequency), check_penalty("presence-penalty", presence);
    std::map<int, int> count;
    for (const int j : text) ++count[j];
    for (const auto& [j, c] : count) {
        float& logit = s[checked_id("frequency penalty", j, s.size())];
        logit = static_cast<float>(logit - c * frequency - presence);
    }
}

// Bans each token that followed the text's last n − 1 tokens at an earlier place.
inline void plain_no_repeat_ngram(std::vector<float>& s, const std::vector<int>& text, int n) {
    check_ngram(n);
    for (auto first = text.begin(); n > 0 && text.end() - first >= n; ++first) {
        if (std::equal(first, first + (n - 1), text.end() - (n - 1)))
            s[checked_id("no-repeat n-gram", first[n - 1], s.size())] = banned;
    }
}

// Adds the bias to the last token of a sequence if the text ends with the tokens before it.
inline void plain_bias(std::vector<float>& s, const std::vector<int>& text, const SequenceBias& b) {
    check_bias(b, s.size());
    const auto& x = b.sequence;
    const auto unlike = std::mismatch(x.rbegin() + 1, x.rend(), text.rbegin(), text.rend()).first;
    if (unlike == x.rend()) s[checked_id("bias", x.back(), s.size())] += b.bias;
}

// Bans the end tokens while fewer than `minimum` tokens have been generated.
inline void plain_eos_until(std::vector<float>& s, int generated, int minimum,
                            const std::vector<int>& eos) {
    check_min_new_tokens(minimum);
    if (generated >= minimum) return;
    for (const int id : eos) s[checked_id("min-new-tokens", id, s.size())] = banned;
}

}  // namespace tbt
