// Coupling by seed: writes the same text as plain decoding, bit for bit, in fewer passes.
//
// Our draw inverts the cumulative distribution function: it uses one number u for each token, and u
// belongs to the position in the text. So the draft can draw with the number that the target will
// use:
//
//   accept x while the target, with the same u, draws x too; otherwise take the target's token.
//
// Nothing is rejected by chance and nothing is drawn twice. For any draft, the tokens are those
// that the target alone would have drawn [drafter-invariant: Daliri, Musco & Suresh 2024]. The two
// agree a little less often than Σ min(p, q), which only rejection sampling reaches.
// The loop is chapter 10's: a draft is a Foresight.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "chapters/10_generate/generate.hpp"
#include "chapters/12_speculative/draft_length.hpp"
#include "chapters/12_speculative/drafts.hpp"
#include "chapters/12_speculative/speculative.hpp"
#include "lib/core/index.hpp"

namespace tbt {

// The guesses in all texts together, and how many were right.
struct GuessCount {
    long guessed = 0, right = 0;
};

// Does this token end a text? Nothing is guessed after such a token: a grammar has no mask there.
using EndsText = std::function<bool(int id)>;

// What a draft guesses after a text: a chain of at most `wanted` tokens. Chapter 21 has an overload
// for trees.
template <class Draft>
Guesses guesses_of(Draft& draft, const Chain& chain, const TextSoFar& text, const Rng& random,
                   int wanted, int room, const EndsText& ends) {
    RandomChance chance(random);
    Guesses guesses;
    for (const DraftedToken& x :
         draft.propose(chain, text.ids, text.prompt_length, std::min(wanted, room), ends, chance))
        guesses.ids.push_back(x.id);
    return guesses;
}
// Tells the length of a draft how many of its guesses were right; overloaded, too.
template <class Draft>
void learn_from(const Draft&, DraftLength& length, int /*wanted*/, int guessed, int right) {
    length.learn(std::min(guessed, right + 1), right);
}

// Adds a draft to a request. draft_for(text number) makes the draft of a text: each text has its
// own draft and draft length. Forced tokens are not drafted.
template <class Draft>
void guess_with(GenerateRequest& request, std::function<Draft(std::size_t)> draft_for,
                DraftLength length, const std::shared_ptr<GuessCount>& count = {}) {
    struct OfText {
        Draft draft;
        DraftLength length;
        int wanted = 0, guessed = 0;
        // When the round began, which lasts from one guess to the next, and with how many tokens.
        double began = -1;
        int tokens = 0;

        void round_begins(int generated) {
            if (!length.is_timed()) return;
            const double now =
                std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
                    .count();
            if (began >= 0) length.took(guessed, generated - tokens, now - began);
            began = now, tokens = generated;
        }
    };
    const auto texts = std::make_shared<std::map<std::size_t, OfText>>();
    const auto of = [texts, draft_for = std::move(draft_for), length](std::size_t i) -> OfText& {
        const auto at = texts->find(i);
        return at != texts->end() ? at->second
                                  : texts->emplace(i, OfText{draft_for(i), length}).first->second;
    };
    // Mirostat needs the target's probability of each token; a guess can do without mirostat.
    std::vector<ChainStep> steps;
    for (const ChainStep& step : request.chain.steps())
        if (step.name != "mirostat") steps.push_back(step);
    request.foresight.guess =
        [of, chain = Chain(std::move(steps)),
         ends = EndsText([stop = request.stop](int id) { return stop.is_eos(id); })](
            std::size_t i, const TextSoFar& text, const Rng& random, int room) {
            OfText& own = of(i);
            own.round_begins(tbt::count(text.generated()));
            own.wanted = own.length.next();
            Guesses guesses = guesses_of(own.draft, chain, text, random, own.wanted, room, ends);
            own.guessed = tbt::count(guesses.ids);
            return guesses;
        };
    request.foresight.judged = [of, count](std::size_t i, int guessed, int right) {
        OfText& own = of(i);
        learn_from(own.draft, own.length, own.wanted, guessed, right);
        if (count) count->guessed += guessed, count->right += right;
    };
}

// The rounds of a text that was coupled by seed, reconstructed afterwards: comparing the guesses
// with the text shows which of them were accepted.

struct GuessedRound {
    std::size_t begins = 0;  // the number of generated tokens before the round
    Guesses guesses;
};

// In a tree of guesses: the branch that the text followed, then the first guess that it rejected.
inline std::vector<int> chain_of(const Guesses& guesses, std::span<const int> text) {
    if (guesses.parents.empty()) return guesses.ids;
    std::vector<int> chain;
    int at = -1, next = -1;
    for (const int id : text) {
        if ((next = guesses.child(at, id)) < 0) break;
        chain.push_back(guesses.ids[index(at = next)]);
    }
    for (int i = at + 1; i < count(guesses.ids); ++i)
        if (guesses.parent(i) == at) return chain.push_back(guesses.ids[index(i)]), chain;
    return chain;
}

// Records the guesses of a request's draft in order. For a request of one text.
inline std::shared_ptr<std::vector<GuessedRound>> watch_guesses(GenerateRequest& request) {
    if (!request.foresight.guess) throw Error("coupled rounds: the request has no draft");
    auto seen = std::make_shared<std::vector<GuessedRound>>();
    request.foresight.guess = [seen, guess = std::move(request.foresight.guess)](
                                  std::size_t i, const TextSoFar& text, const Rng& random,
                                  int room) {
        Guesses guesses = guess(i, text, random, room);
        seen->push_back({text.generated().size(), guesses});
        return guesses;
    };
    return seen;
}

// Splits the generated ids into rounds: the accepted guesses, then one token of the target. A pass
// without guesses adds only that token. p, q and u were not used: they are NaN.
inline std::vector<Round> coupled_rounds(std::span<const int> ids,
                                         std::span<const GuessedRound> guessed) {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    std::vector<Round> rounds;
    std::size_t next = 0;
    for (std::size_t at = 0; at < ids.size();) {
        Round round;
        const std::span<const int> rest = ids.subspan(at);
        if (next < guessed.size() && guessed[next].begins == at)
            round.drafted = chain_of(guessed[next++].guesses, rest);
        std::size_t right = 0;
        while (right < std::min(round.drafted.size(), rest.size()) &&
               round.drafted[right] == rest[right])
            ++right;
        const std::size_t judged = std::min({right + 1, round.drafted.size(), rest.size()});
        for (std::size_t i = 0; i < judged; ++i)
            round.judged.push_back({round.drafted[i], unknown, unknown, unknown, i < right});
        round.bonus = right == round.drafted.size() && right < rest.size();
        const auto added = rest.first(std::min(right + 1, rest.size()));
        round.tokens.assign(added.begin(), added.end());
        at += added.size();
        rounds.push_back(std::move(round));
    }
    return rounds;
}

}  // namespace tbt
