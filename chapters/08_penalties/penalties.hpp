// Penalties and bans on candidates: steps that read the text so far and change logits before any
// truncation.
//
// plain_penalties.hpp defines each of them in a few lines. These do the same to candidates, of
// which some tokens may have been removed.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <vector>

#include "chapters/06_combining/candidates.hpp"
#include "chapters/08_penalties/checks.hpp"
#include "chapters/08_penalties/plain_dry.hpp"
#include "chapters/08_penalties/plain_endings.hpp"
#include "lib/core/index.hpp"

namespace tbt {

// Counts how often each token occurs in a text. A text grows by one token in each step, so only the
// difference from the previous text is counted.
class TokenCounts {
public:
    struct Counted {
        int id = 0;
        int times = 0;
    };

    // Throws Error for an id that is not in the vocabulary.
    void count(std::span<const int> ids, std::size_t vocab_size);
    const std::vector<Counted>& distinct() const { return distinct_; }

private:
    void add(int id);
    void forget_last();

    std::vector<int> text_;
    std::vector<int> place_;         // by token: its place in distinct_, from 1; 0: not seen
    std::vector<Counted> distinct_;  // in order of first appearance
};

// s_j ← s_j·θ if s_j < 0, else s_j/θ, once for each distinct token j of the text [Keskar
// et al. 2019, §4.1]
//
// The rule depends on the sign, so θ > 1 always lowers the logit. But zero has no meaning for
// softmax: adding a constant to all logits changes no probability, yet it changes what this penalty
// does.
//
// counts: kept from one step to the next, so that only new tokens are counted. Null: all are.
void penalize_repetition(Candidates& c, std::span<const int> text, double theta,
                         TokenCounts* counts = nullptr);

// s_j ← s_j − c_j·α_f − [c_j > 0]·α_p with c_j the number of times that token j occurs in the
// text (OpenAI's rule)
void penalize_frequency_presence(Candidates& c, std::span<const int> text, double frequency,
                                 double presence, TokenCounts* counts = nullptr);

// Bans every token that would complete an n-gram that the text already has [Paulus, Xiong & Socher
// 2018, §2.5]; n = 1 bans every token of the text.
void ban_repeated_ngrams(Candidates& c, std::span<const int> ids, int n);

void add_bias(Candidates& c, std::span<const int> ids, std::span<const SequenceBias> biases);

// Bans the tokens that end a text while fewer than `minimum` tokens have been generated.
void ban_eos_until(Candidates& c, std::size_t generated, int minimum, std::span<const int> eos);

// ---- DRY (plain_dry.hpp defines it): the time grows with the length of the text, not with its
// square ----

// The Z algorithm on the reversed text: z[i] = how many tokens, from its i-th on, equal its first
// ones. That is the length of the match that ends before position n − i. Each token is part of at
// most one successful comparison [Gusfield 1997, §1.4].
std::vector<std::size_t> matches_with_the_end(std::span<const int> ids);

// Lowers the logits of tokens that would continue a repeated passage.
void penalize_passages(Candidates& c, std::span<const int> ids, const Dry& dry);

// ---- how a text begins and ends (plain_endings.hpp defines these) ----

// Bans these tokens.
void suppress(Candidates& c, std::span<const int> ids);

// Leaves only this token. If a ban or a grammar excludes it, nothing happens. With against_bans the
// token wins over bans, and over a token forced before, but not over a grammar.
void force(Candidates& c, int id, bool against_bans = false);

// Raises the logit s of each end token by |s|·(factor^(generated − start) − 1) once generated >
// start.
void favour_ending(Candidates& c, std::size_t generated, const EndingDecay& decay,
                   std::span<const int> eos);

// ---- how repetitive a text is ----

// distinct-n: the number of distinct n-grams divided by that of all n-grams; 1 for a text without
// repetition [Li et al. 2016]
inline double distinct_ngrams(std::span<const int> ids, std::size_t n) {
    if (ids.size() < n) return 1;
    std::set<std::vector<int>> different;
    for (std::size_t i = 0; i + n <= ids.size(); ++i)
        different.emplace(ids.begin() + to_int(i), ids.begin() + to_int(i + n));
    return static_cast<double>(different.size()) / static_cast<double>(ids.size() - n + 1);
}

// seq-rep-n: the share of n-grams that occurred before, 1 − distinct-n [Welleck et al. 2020, §6]
inline double repeated_ngrams(std::span<const int> ids, std::size_t n) {
    return 1 - distinct_ngrams(ids, n);
}

}  // namespace tbt
