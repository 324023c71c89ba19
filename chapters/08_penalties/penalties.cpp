#include "chapters/08_penalties/penalties.hpp"

#include <algorithm>
#include <utility>

#include "lib/core/check.hpp"
#include "lib/core/index.hpp"

namespace tbt {

namespace {

// Calls f(logit, count) for each distinct token of the text that is still a candidate.
template <class F>
void for_each_seen(Candidates& c, std::span<const int> ids, TokenCounts* kept, F&& f) {
    TokenCounts own;
    TokenCounts& counts = kept ? *kept : own;
    counts.count(ids, c.vocab_size());
    const std::span<float> row = c.whole_row();
    for (const auto& [id, times] : counts.distinct()) {
        float* s = row.empty() ? c.find(id) : &row[index(id)];
        if (s) f(*s, times);
    }
}

// The logit of a token; null if it is no longer a candidate. Throws Error for an id outside the
// vocabulary, in the name of `who`.
float* find_logit(Candidates& c, const char* who, int id) {
    checked_id(who, id, c.vocab_size());
    return c.find(id);
}

}  // namespace

void TokenCounts::count(std::span<const int> ids, std::size_t vocab_size) {
    if (place_.size() != vocab_size) {
        text_.clear(), distinct_.clear();
        place_.assign(vocab_size, 0);
    }
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

void TokenCounts::add(int id) {
    int& place = place_[index(id)];
    if (place == 0) {
        distinct_.push_back({id, 0});
        place = to_int(distinct_.size());
    }
    ++distinct_[index(place - 1)].times;
    text_.push_back(id);
}

// Removes the last token of the text. If it does not occur elsewhere, it is the last in distinct_,
// which is in the order of first appearance.
void TokenCounts::forget_last() {
    int& place = place_[index(text_.back())];
    text_.pop_back();
    if (--distinct_[index(place - 1)].times > 0) return;
    distinct_.pop_back();
    place = 0;
}

void penalize_repetition(Candidates& c, std::span<const int> text, double theta,
                         TokenCounts* counts) {
    check_repetition_penalty(theta);
    if (theta == 1) return;
    const float t = static_cast<float>(theta);
    for_each_seen(c, text, counts, [t](float& s, int) {
        const float larger = s * t,
                    smaller = s / t;  // both: a wrong guess of a branch costs more
        s = s < 0 ? larger : smaller;
    });
}

void penalize_frequency_presence(Candidates& c, std::span<const int> text, double frequency,
                                 double presence, TokenCounts* counts) {
    check_penalty("frequency-penalty", frequency), check_penalty("presence-penalty", presence);
    if (frequency == 0 && presence == 0) return;
    for_each_seen(c, text, counts, [=](float& s, int count) {
        s = static_cast<float>(s - count * frequency - presence);
    });
}

void ban_repeated_ngrams(Candidates& c, std::span<const int> ids, int n) {
    check_ngram(n);
    const auto length = index(n);
    if (n == 0 || ids.size() < length) return;  // no n-gram yet
    const std::span<const int> begun = ids.last(length - 1);
    for (std::size_t i = 0; i + length <= ids.size(); ++i) {
        if (!std::equal(begun.begin(), begun.end(), ids.begin() + to_int(i))) continue;
        if (float* s = find_logit(c, "no-repeat n-gram", ids[i + length - 1])) *s = banned;
    }
}

void add_bias(Candidates& c, std::span<const int> ids, std::span<const SequenceBias> biases) {
    for (const SequenceBias& b : biases) {
        check_bias(b, c.vocab_size());
        const std::span<const int> before(b.sequence.data(), b.sequence.size() - 1);
        if (before.size() > ids.size() || !std::equal(before.rbegin(), before.rend(), ids.rbegin()))
            continue;
        if (float* s = find_logit(c, "bias", b.sequence.back())) *s += b.bias;
    }
}

void ban_eos_until(Candidates& c, std::size_t generated, int minimum, std::span<const int> eos) {
    check_min_new_tokens(minimum);
    check_ids("min-new-tokens", eos, c.vocab_size());
    if (generated >= index(minimum)) return;
    for (const int id : eos) {
        if (float* s = find_logit(c, "min-new-tokens", id)) *s = banned;
    }
}

// ---- DRY ----

std::vector<std::size_t> matches_with_the_end(std::span<const int> ids) {
    const std::size_t n = ids.size();
    const auto reversed = [&](std::size_t i) { return ids[n - 1 - i]; };
    std::vector<std::size_t> z(n, 0);
    for (std::size_t i = 1, left = 0, right = 0; i < n; ++i) {
        if (i < right) z[i] = std::min(right - i, z[i - left]);
        while (i + z[i] < n && reversed(z[i]) == reversed(i + z[i])) ++z[i];
        if (i + z[i] > right) left = i, right = i + z[i];
    }
    return z;
}

void penalize_passages(Candidates& c, std::span<const int> ids, const Dry& dry) {
    check_dry(dry), check_ids("dry", ids, c.vocab_size());
    if (dry.multiplier == 0) return;
    const auto breaks = [&](int id) {
        return std::find(dry.breakers.begin(), dry.breakers.end(), id) != dry.breakers.end();
    };
    const std::size_t n = ids.size(),
                      unbroken = static_cast<std::size_t>(
                          std::find_if(ids.rbegin(), ids.rend(), breaks) - ids.rbegin());
    const std::vector<std::size_t> z = matches_with_the_end(ids);
    std::vector<std::pair<int, int>> longest;  // token, length
    for (std::size_t i = 1; i < n; ++i) {
        const int length = to_int(std::min(z[n - i], unbroken));
        if (length >= dry.allowed && !breaks(ids[i])) longest.emplace_back(ids[i], -length);
    }
    std::sort(longest.begin(), longest.end());  // by token, the longest match first
    for (std::size_t k = 0; k < longest.size(); ++k) {
        const auto& [id, minus_length] = longest[k];
        if (k > 0 && longest[k - 1].first == id) continue;
        if (float* s = c.find(id)) *s = static_cast<float>(*s - dry_penalty(dry, -minus_length));
    }
}

// ---- beginnings and endings ----

void suppress(Candidates& c, std::span<const int> ids) {
    for (const int id : ids) {
        if (float* s = find_logit(c, "suppress-tokens", id)) *s = banned;
    }
}

void force(Candidates& c, int id, bool against_bans) {
    float* s = find_logit(c, "forced token", id);
    if (!s || (*s == banned && !against_bans)) return;
    if (const std::span<float> row = c.whole_row(); against_bans && !row.empty()) {
        std::fill(row.begin(), row.end(), banned);  // not removed: a later token can win over this
        row[index(id)] = 0;
        return;
    }
    *s = 0;
    const std::span<float> keys = c.room_for_keys();
    for (std::size_t i = 0; i < c.size(); ++i) keys[i] = c.id(i) == id ? 1.0f : -1.0f;
    c.keep_by(keys, {0});
}

void favour_ending(Candidates& c, std::size_t generated, const EndingDecay& decay,
                   std::span<const int> eos) {
    check_decay(decay);
    for (const int id : eos) {
        float* s = find_logit(c, "exponential-decay-length-penalty", id);
        if (s) *s = static_cast<float>(*s + decay_bonus(*s, to_int(generated), decay));
    }
}

}  // namespace tbt
