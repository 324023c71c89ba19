// The rounds of a text that was coupled by seed, reconstructed afterwards: comparing the guesses
// with the text shows which of them were accepted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "chapters/10_generate/text_writer.hpp"
#include "chapters/12_speculative/speculative.hpp"
#include "lib/core/index.hpp"

namespace tbt {

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
