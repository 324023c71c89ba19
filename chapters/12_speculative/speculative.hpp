// Speculative decoding: a small model drafts some tokens, the large model (the target) judges all
// of them in one pass, and the text has exactly the target's distribution.
// [Leviathan, Kalman & Matias 2023; Chen et al. 2023]
//
//   p   the target's distribution for the next token, after every step of the chain
//   q   the distribution the drafted token x was drawn from
//
//   accept x with probability min(1, p(x)/q(x));
//   if rejected, draw from the residual max(0, p − q) / Σ max(0, p − q).
//
// Then  P(token) = min(p, q) + (1 − Σ min(p, q)) · (p − min(p, q)) / (1 − Σ min(p, q)) = p.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/06_combining/chain.hpp"
#include "chapters/10_generate/generate.hpp"
#include "chapters/12_speculative/draft_length.hpp"
#include "chapters/12_speculative/drafts.hpp"
#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

// The logits after each of the last `count` ids, in one pass: CachedModel::last.
using LastLogits = std::function<Logits(std::span<const int> ids, int count)>;

// The distribution from which the correction after a rejection is drawn.
enum class Correction {
    residual,  // correct
    // From p, a common mistake: the text's distribution is then min(p, q) + (1 − Σ min(p, q)) · p,
    // which is not p.
    target,
};

struct SpeculativeRules {
    Chain chain;  // applied to both distributions
    int max_new_tokens = 100;
    int context = 0;  // the most tokens that both models can read
    std::vector<int> eos;
    Correction correction = Correction::residual;
    bool overlaps = false;  // also add up Σ min(p, q), the theoretical acceptance
};

// The result of one round.
struct Round {
    struct Judged {
        int id = 0;
        double p = 0, q = 0, u = 0;
        bool accepted = false;
    };
    std::vector<int> drafted;
    std::vector<Judged> judged;  // up to the first rejection
    std::vector<int> tokens;     // what the round adds to the text
    bool bonus = false;  // all were accepted, so the last token is from the target's last row
    double overlap = 0;  // Σ min(p, q), summed over the judged tokens
    int accepted() const {
        return static_cast<int>(std::count_if(judged.begin(), judged.end(),
                                              [](const Judged& j) { return j.accepted; }));
    }
};

// The residual max(0, p − q) for each candidate of p, in p's order, not divided by its sum. Tokens
// that the chain has removed get nothing. If all are 0 (p = q up to rounding), p.
inline std::vector<double> residual(Candidates& p, const DraftedToken& x) {
    std::vector<double> rest(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) rest[i] = p.probability(i);
    const std::vector<double> all = rest;
    if (x.distribution) {
        Candidates& q = *x.distribution;
        check_size("speculative: the draft's distribution", q.vocab_size(), p.vocab_size());
        for (std::size_t i = 0, j = 0; i < rest.size(); ++i) {  // both are in the order of the ids
            while (j < q.size() && q.id(j) < p.id(i)) ++j;
            if (j < q.size() && q.id(j) == p.id(i)) rest[i] -= q.probability(j);
        }
    } else {
        checked_id("speculative", x.id, p.vocab_size());
        for (std::size_t i = 0; i < rest.size(); ++i)
            if (p.id(i) == x.id) rest[i] -= 1;
    }
    double sum = 0;
    for (double& r : rest) sum += (r = std::max(0.0, r));
    return sum > 0 ? rest : all;
}

inline double overlap(Candidates& p, const DraftedToken& x) {
    if (!x.distribution) return probability_of(p, x.id);
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        sum += std::min(p.probability(i), probability_of(*x.distribution, p.id(i)));
    return sum;
}

// Lets the draft propose up to `length` tokens after `ids` and judges them. Chance: see
// drafts.hpp. p: memory for the target's distribution, reused by each call.
template <class Draft, class Chance>
Round speculate_once(const LastLogits& target, Draft& draft, const SpeculativeRules& rules,
                     std::span<const int> ids, std::size_t prompt_length, int length,
                     Chance& chance, Candidates& p) {
    const auto ends = [&](int id) {
        return std::find(rules.eos.begin(), rules.eos.end(), id) != rules.eos.end();
    };
    Round round;
    // 1. Draft. Nothing is drafted after the end of a text.
    std::vector<int> text(ids.begin(), ids.end());
    const std::vector<DraftedToken>& drafted =
        draft.propose(rules.chain, text, prompt_length, length, ends, chance);
    for (const DraftedToken& x : drafted) {
        text.push_back(x.id);
        round.drafted.push_back(x.id);
    }
    // 2. Verify: row i has the target's logits after the text up to the i-th drafted token.
    const Logits rows = target(text, count(drafted) + 1);
    check_size("speculative: the target's rows", index(rows.rows), drafted.size() + 1);
    for (std::size_t i = 0; i <= drafted.size(); ++i) {
        p.reset(rows.row(to_int(i)));
        rules.chain.apply(p, {std::span(text).first(ids.size() + i), prompt_length});
        if (i == drafted.size()) {
            round.bonus = true;
            round.tokens.push_back(chance.draw(p));
            break;
        }
        const DraftedToken& x = drafted[i];
        const double p_x = probability_of(p, x.id),
                     q_x = x.distribution ? probability_of(*x.distribution, x.id) : 1;
        if (rules.overlaps) round.overlap += overlap(p, x);
        const bool accepted = chance.accept(p_x / q_x);
        round.judged.push_back({x.id, p_x, q_x, chance.u(), accepted});
        if (!accepted) {
            round.tokens.push_back(
                rules.correction == Correction::target
                    ? chance.draw(p)
                    : p.id(index(chance.draw(std::span<const double>(residual(p, x))))));
            break;
        }
        round.tokens.push_back(x.id);
        if (ends(x.id)) break;
    }
    return round;
}

template <class Draft, class Chance>
Round speculate_once(const LastLogits& target, Draft& draft, const SpeculativeRules& rules,
                     std::span<const int> ids, std::size_t prompt_length, int length,
                     Chance& chance) {
    Candidates p;
    return speculate_once(target, draft, rules, ids, prompt_length, length, chance, p);
}

// Runs rounds until the text ends: at an EOS, at max_new_tokens, at the end of the context, or if
// emit(id) or go_on(), asked before each round, returns false. Returns the generated ids.
// watch(round) is called with each round before its tokens are emitted.
template <class Draft, class Chance, class Emit, class Watch>
std::vector<int> speculate(const LastLogits& target, Draft& draft, const SpeculativeRules& rules,
                           std::span<const int> prompt, DraftLength length, Chance& chance,
                           Emit&& emit, Watch&& watch, const std::function<bool()>& go_on = {}) {
    if (prompt.empty())
        throw Error("speculative: an empty prompt; start from the document separator");
    std::vector<int> ids(prompt.begin(), prompt.end());
    const auto generated = [&] { return to_int(ids.size() - prompt.size()); };
    const auto room = [&] {
        return std::min(std::max(0, rules.max_new_tokens) - generated(),
                        std::max(0, rules.context) - count(ids));
    };
    bool open = true;
    Candidates distribution;
    while (open && room() > 0 && (!go_on || go_on())) {
        // A round adds one token more than it accepts, so one token less is drafted than there is
        // room for.
        const Round round =
            speculate_once(target, draft, rules, ids, prompt.size(),
                           std::min(length.next(), room() - 1), chance, distribution);
        length.learn(count(round.judged), round.accepted());
        watch(round);
        for (const int id : round.tokens) {
            ids.push_back(id);
            open = emit(id) && std::find(rules.eos.begin(), rules.eos.end(), id) == rules.eos.end();
            if (!open) break;
        }
    }
    return {ids.begin() + length_of(prompt), ids.end()};
}

// Chapter 10's generator with a draft by rejection, for one sample: with the chain, the rules for
// stopping and the stream of text.
struct SpeculativeText {
    GeneratedText text;
    std::vector<Round> rounds;
};

// If a stop string occurs within a round, the tokens after it are dropped: the text ends where
// plain decoding would end it. on_text is called with each piece as soon as it is certain; go_on is
// called before each pass, and false ends the text. The request's seed is not used, `chance` is.
template <class Draft, class Chance>
SpeculativeText speculative_text(const LastLogits& target, Draft& draft, DraftLength length,
                                 const GenerateRequest& request, const TokenBytes& bytes,
                                 std::span<const int> prompt, Chance& chance,
                                 Correction correction = Correction::residual,
                                 bool overlaps = false,
                                 const std::function<void(const std::string&)>& on_text = {},
                                 const std::function<bool()>& go_on = {}) {
    check_request(request, prompt.size());
    if (request.stop.policy == ContextPolicy::slide)
        throw UsageError(
            "--context slide: a draft is verified at the positions it was written for; use refuse");
    SpeculativeRules rules;
    rules.chain = request.chain;
    rules.max_new_tokens = request.stop.max_new_tokens;
    rules.context = request.stop.context;
    rules.eos = request.stop.eos;
    rules.correction = correction;
    rules.overlaps = overlaps;

    SpeculativeText result;
    TextStream stream(request.stop.strings);
    std::optional<FinishReason> reason;
    const auto show = [&](const std::string& piece) {
        if (on_text && !piece.empty()) on_text(piece);
    };
    const auto ask = [&] {
        if (go_on && !go_on()) reason = FinishReason::interrupted;
        return !reason;
    };
    const auto emit = [&](int id) {
        result.text.ids.push_back(id);
        if (!request.stop.is_eos(id)) show(stream.push_token(bytes(id)));
        const auto generated = count(result.text.ids);
        reason = why_stop(request.stop, id, stream, generated, count(prompt) + generated);
        return !reason;
    };
    speculate(
        target, draft, rules, prompt, length, chance, emit,
        [&](const Round& round) { result.rounds.push_back(round); }, ask);
    show(stream.finish());
    result.text.text = stream.text();
    result.text.reason = reason.value_or(FinishReason::length);  // a budget of 0 emits nothing
    result.text.stop_string = stream.stop_string();
    return result;
}

}  // namespace tbt
