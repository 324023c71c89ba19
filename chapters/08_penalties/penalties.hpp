// Penalties and bans: steps that look at the text so far and change logits before anything is cut.
//
// What each of them does stands in plain_penalties.hpp, in a few lines. Here it is done to
// candidates, some of which may be gone, and without looking at more of the text than is new.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "chapters/06_combining/candidates.hpp"
#include "chapters/08_penalties/checks.hpp"
#include "lib/check.hpp"
#include "lib/index.hpp"

namespace tbt {

// How often each token occurs in a text. A text grows by a token a step, so only what differs from
// the text before is counted.
class TokenCounts {
public:
    struct Counted {
        int id = 0;
        int times = 0;
    };

    // Throws Error for an id that is not in the vocabulary.
    void count(std::span<const int> ids, std::size_t vocab_size) {
        if (place_.size() != vocab_size) start_again(vocab_size);
        const bool grown =
            ids.size() >= text_.size() && std::equal(text_.begin(), text_.end(), ids.begin());
        const std::size_t common =
            grown ? text_.size()
                  : index(std::mismatch(ids.begin(), ids.end(), text_.begin(), text_.end()).first -
                          ids.begin());
        while (text_.size() > common) forget_last();
        for (const int id : ids.subspan(common)) {
            checked_id("penalties", id, vocab_size);
            add(id);
        }
    }
    const std::vector<Counted>& distinct() const { return distinct_; }

private:
    void start_again(std::size_t vocab_size) {
        text_.clear(), distinct_.clear();
        place_.assign(vocab_size, 0);
    }
    void add(int id) {
        int& place = place_[index(id)];
        if (place == 0) {
            distinct_.push_back({id, 0});
            place = to_int(distinct_.size());
        }
        ++distinct_[index(place - 1)].times;
        text_.push_back(id);
    }
    // A token that is gone then was the last to appear first: it stands at the end of distinct_.
    void forget_last() {
        int& place = place_[index(text_.back())];
        text_.pop_back();
        if (--distinct_[index(place - 1)].times > 0) return;
        distinct_.pop_back();
        place = 0;
    }

    std::vector<int> text_;
    std::vector<int> place_;         // of each token in distinct_, from 1; 0: not seen
    std::vector<Counted> distinct_;  // in order of first appearance
};

// The logit of a token, null when it is no longer a candidate. Throws Error for no id at all.
inline float* find_logit(Candidates& c, const char* who, int id) {
    checked_id(who, id, c.vocab_size());
    return c.find(id);
}

// Calls f(logit, count) for each distinct token of the text that is still a candidate.
template <class F>
void for_each_seen(Candidates& c, std::span<const int> ids, TokenCounts& counts, F&& f) {
    counts.count(ids, c.vocab_size());
    const std::span<float> row = c.whole_row();
    for (const auto& [id, times] : counts.distinct()) {
        float* s = row.empty() ? c.find(id) : &row[index(id)];
        if (s) f(*s, times);
    }
}

// s_j ← s_j·θ if s_j < 0, else s_j/θ, once for each distinct token j of the text [Keskar
// et al. 2019, §4.1]
//
// The sign decides, so that θ > 1 always lowers the logit. But zero means nothing to softmax:
// adding a constant to all logits changes no probability, and yet it changes what
// this penalty does.
//
// `counts` is memory from one step to the next, for a text that grows; without it all is counted.
inline void penalize_repetition(Candidates& c, std::span<const int> text, double theta,
                                TokenCounts& counts) {
    check_repetition_penalty(theta);
    if (theta == 1) return;
    const float t = static_cast<float>(theta);
    for_each_seen(c, text, counts, [t](float& s, int) {
        const float larger = s * t,
                    smaller = s / t;  // both, as a wrong guess costs more than a division
        s = s < 0 ? larger : smaller;
    });
}
inline void penalize_repetition(Candidates& c, std::span<const int> text, double theta) {
    TokenCounts counts;
    penalize_repetition(c, text, theta, counts);
}

// s_j ← s_j − c_j·α_f − [c_j > 0]·α_p with c_j the number of times that token j occurs in the
// text (OpenAI's rule)
inline void penalize_frequency_presence(Candidates& c, std::span<const int> text, double frequency,
                                        double presence, TokenCounts& counts) {
    check_penalty("frequency-penalty", frequency), check_penalty("presence-penalty", presence);
    if (frequency == 0 && presence == 0) return;
    for_each_seen(c, text, counts, [=](float& s, int count) {
        s = static_cast<float>(s - count * frequency - presence);
    });
}
inline void penalize_frequency_presence(Candidates& c, std::span<const int> text, double frequency,
                                        double presence) {
    TokenCounts counts;
    penalize_frequency_presence(c, text, frequency, presence, counts);
}

// Bans every token that would complete an n-gram the text already has [Paulus, Xiong & Socher 2018,
// §2.5]; n = 1 bans all it has.
inline void ban_repeated_ngrams(Candidates& c, std::span<const int> ids, int n) {
    check_ngram(n);
    const auto length = index(n);
    if (n == 0 || ids.size() < length) return;  // no n-gram yet
    const std::span<const int> begun = ids.last(length - 1);
    for (std::size_t i = 0; i + length <= ids.size(); ++i) {
        if (!std::equal(begun.begin(), begun.end(), ids.begin() + to_int(i))) continue;
        if (float* s = find_logit(c, "no-repeat n-gram", ids[i + length - 1])) *s = banned;
    }
}

inline void add_bias(Candidates& c, std::span<const int> ids,
                     std::span<const SequenceBias> biases) {
    for (const SequenceBias& b : biases) {
        check_bias(b, c.vocab_size());
        const std::span<const int> before(b.sequence.data(), b.sequence.size() - 1);
        if (before.size() > ids.size() || !std::equal(before.rbegin(), before.rend(), ids.rbegin()))
            continue;
        if (float* s = find_logit(c, "bias", b.sequence.back())) *s += b.bias;
    }
}

// Bans the tokens that end a text while fewer than `minimum` tokens have been generated.
inline void ban_eos_until(Candidates& c, std::size_t generated, int minimum,
                          std::span<const int> eos) {
    check_min_new_tokens(minimum);
    check_ids("min-new-tokens", eos, c.vocab_size());
    if (generated >= index(minimum)) return;
    for (const int id : eos) {
        if (float* s = find_logit(c, "min-new-tokens", id)) *s = banned;
    }
}

}  // namespace tbt
