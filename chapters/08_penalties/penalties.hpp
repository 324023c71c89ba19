// Penalties and bans: steps that look at the text so far and change logits before anything is cut.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chapters/03_temperature/candidates.hpp"
#include "chapters/06_combining/chain.hpp"
#include "lib/error.hpp"

namespace tbt {

inline constexpr float banned = -std::numeric_limits<float>::infinity();

// How often each token occurs in a text. A text grows by a token a step, so only what differs from
// the text before is counted.
class TokenCounts {
public:
    struct Counted {
        int id = 0;
        int times = 0;
    };

    void count(std::span<const int> ids, std::size_t vocab_size) {
        if (place_.size() < vocab_size) place_.resize(vocab_size);
        const bool grown =
            ids.size() >= text_.size() && std::equal(text_.begin(), text_.end(), ids.begin());
        const std::size_t common =
            grown ? text_.size()
                  : static_cast<std::size_t>(
                        std::mismatch(ids.begin(), ids.end(), text_.begin(), text_.end()).first -
                        ids.begin());
        while (text_.size() > common) forget_last();
        for (const int id : ids.subspan(common)) {
            if (id < 0 || static_cast<std::size_t>(id) >= vocab_size) {
                throw Error("penalties: token " + std::to_string(id) +
                            " is not in the vocabulary of " + std::to_string(vocab_size));
            }
            add(id);
        }
    }
    const std::vector<Counted>& distinct() const { return distinct_; }

private:
    void add(int id) {
        int& place = place_[static_cast<std::size_t>(id)];
        if (place == 0) {
            distinct_.push_back({id, 0});
            place = static_cast<int>(distinct_.size());
        }
        ++distinct_[static_cast<std::size_t>(place - 1)].times;
        text_.push_back(id);
    }
    // A token that is gone then was the last to appear first: it stands at the end of distinct_.
    void forget_last() {
        int& place = place_[static_cast<std::size_t>(text_.back())];
        text_.pop_back();
        if (--distinct_[static_cast<std::size_t>(place - 1)].times > 0) return;
        distinct_.pop_back();
        place = 0;
    }

    std::vector<int> text_;
    std::vector<int> place_;         // of each token in distinct_, from 1; 0: not seen
    std::vector<Counted> distinct_;  // in order of first appearance
};

// Calls f(logit, count) for each distinct token of the text that is still a candidate.
template <class F>
void for_each_seen(Candidates& c, std::span<const int> ids, F&& f) {
    thread_local TokenCounts counts;
    counts.count(ids, c.vocab_size());
    const std::span<float> row = c.whole_row();
    for (const auto& [id, times] : counts.distinct()) {
        float* s = row.empty() ? c.find(id) : &row[static_cast<std::size_t>(id)];
        if (s) f(*s, times);
    }
}

inline void check_repetition_penalty(double theta) {
    if (std::isfinite(theta) && theta > 0) return;
    throw UsageError("repetition-penalty: got " + short_number(theta) +
                     ", expected a number above 0; 1 turns it off, 1.1 to 1.3 is usual");
}
inline void check_penalty(const std::string& name, double alpha) {
    if (std::isfinite(alpha)) return;
    throw UsageError(name + ": got " + short_number(alpha) +
                     ", expected a finite number; 0 turns it off, 0.3 to 1 is usual");
}
inline void check_ngram(long long n) {
    if (n >= 0) return;
    throw UsageError("no-repeat-ngram-size: got " + std::to_string(n) +
                     ", expected a length, 1 or more; 0 turns it off, 3 is usual");
}

// s_j ← s_j·θ if s_j < 0, else s_j/θ, once for each distinct token j of the text [Keskar
// et al. 2019, §4.1]
//
// The sign decides, so that θ > 1 always lowers the logit. But zero means nothing to softmax:
// adding a constant to all logits changes no probability, and yet it changes what
// this penalty does.
inline void penalize_repetition(Candidates& c, std::span<const int> text, double theta) {
    check_repetition_penalty(theta);
    if (theta == 1) return;
    const float t = static_cast<float>(theta);
    for_each_seen(c, text, [t](float& s, int) {
        const float larger = s * t,
                    smaller = s / t;  // both, as a wrong guess costs more than a division
        s = s < 0 ? larger : smaller;
    });
}

// s_j ← s_j − c_j·α_f − [c_j > 0]·α_p with c_j the number of times that token j occurs in the
// text (OpenAI's rule)
inline void penalize_frequency_presence(Candidates& c, std::span<const int> text, double frequency,
                                        double presence) {
    check_penalty("frequency-penalty", frequency), check_penalty("presence-penalty", presence);
    if (frequency == 0 && presence == 0) return;
    for_each_seen(c, text, [=](float& s, int count) {
        s = static_cast<float>(s - count * frequency - presence);
    });
}

// Bans every token that would complete an n-gram the text already has [Paulus, Xiong & Socher 2018,
// §2.5]; n = 1 bans all it has.
inline void ban_repeated_ngrams(Candidates& c, std::span<const int> ids, int n) {
    check_ngram(n);
    const auto length = static_cast<std::size_t>(n);
    if (n == 0 || ids.size() < length) return;  // no n-gram yet
    const std::span<const int> begun = ids.last(length - 1);
    for (std::size_t i = 0; i + length <= ids.size(); ++i) {
        if (!std::equal(begun.begin(), begun.end(), ids.begin() + static_cast<std::ptrdiff_t>(i)))
            continue;
        if (float* s = c.find(ids[i + length - 1])) *s = banned;
    }
}

// The last token of `sequence` gets `bias` when the text ends with the tokens before it.
// A sequence of one token is biased always, a bias of −∞ is a ban: so this is logit bias,
// sequence bias and banned words in one.
struct SequenceBias {
    std::vector<int> sequence;
    float bias = 0;
};

inline void check_bias(const SequenceBias& b, std::size_t vocab_size) {
    if (b.sequence.empty())
        throw UsageError("bias: an empty sequence has no token to bias; name at least one token");
    for (const int id : b.sequence) {
        if (id < 0 || static_cast<std::size_t>(id) >= vocab_size) {
            throw UsageError("bias: token " + std::to_string(id) +
                             " is not in the vocabulary, expected an id from 0 to " +
                             std::to_string(vocab_size - 1));
        }
    }
    if (std::isnan(b.bias) || b.bias == std::numeric_limits<float>::infinity()) {
        throw UsageError(
            "bias: got " + short_number(b.bias) + " for token " +
            std::to_string(b.sequence.back()) +
            ", expected a finite number, or -inf to ban it; to force a token, give it 100");
    }
}

inline void add_bias(Candidates& c, std::span<const int> ids,
                     std::span<const SequenceBias> biases) {
    for (const SequenceBias& b : biases) {
        check_bias(b, c.vocab_size());
        const std::span<const int> before(b.sequence.data(), b.sequence.size() - 1);
        if (before.size() > ids.size() || !std::equal(before.rbegin(), before.rend(), ids.rbegin()))
            continue;
        if (float* s = c.find(b.sequence.back())) *s += b.bias;
    }
}

// Bans the tokens that end a text while fewer than `minimum` tokens have been generated.
inline void ban_eos_until(Candidates& c, std::size_t generated, int minimum,
                          std::span<const int> eos) {
    if (minimum < 0)
        throw UsageError("min-new-tokens: got " + std::to_string(minimum) +
                         ", expected a count, 0 or more");
    if (generated >= static_cast<std::size_t>(minimum)) return;
    for (const int id : eos) {
        if (float* s = c.find(id)) *s = banned;
    }
}

}  // namespace tbt
