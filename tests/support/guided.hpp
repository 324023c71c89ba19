// Helpers for the tests of chapters 13 and 14: vocabularies, masks by brute force,
// a model that knows nothing.
#pragma once

#include <cmath>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "chapters/13_json_grammar/guided_loop.hpp"
#include "chapters/13_json_grammar/plain_mask.hpp"
#include "lib/core/math.hpp"
#include "lib/core/rng.hpp"

namespace tbt::testing {

// All 256 bytes, the given tokens, and the end-of-text token last.
inline std::shared_ptr<const TokenTrie> vocabulary_with(const std::vector<std::string>& more) {
    std::vector<std::string> tokens;
    for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
    tokens.insert(tokens.end(), more.begin(), more.end());
    tokens.emplace_back();
    const int eos = static_cast<int>(tokens.size()) - 1;
    return std::make_shared<const TokenTrie>(std::move(tokens), eos);
}

// All bytes, and `count` random strings over `letters`, up to seven bytes long.
inline std::shared_ptr<const TokenTrie> random_vocabulary(Rng& rng, std::string_view letters,
                                                          int count) {
    std::vector<std::string> tokens;
    for (int i = 0; i < count; ++i) {
        std::string token;
        for (std::uint64_t n = 2 + rng.below(6); n > 0; --n)
            token += letters[rng.below(letters.size())];
        tokens.push_back(token);
    }
    return vocabulary_with(tokens);
}

// The plain mask of a vocabulary, in the shape of the fast one.
inline TokenMask brute_force_mask(Recognizer& recognizer, const TokenTrie& trie,
                                  Recognizer::State state) {
    std::vector<std::string> tokens;
    for (int id = 0; id < trie.vocabulary(); ++id) tokens.push_back(trie.bytes(id));
    const std::vector<bool> legal = plain_mask(recognizer, state, tokens, trie.eos());
    TokenMask mask(trie.vocabulary());
    for (int id = 0; id < trie.vocabulary(); ++id) {
        if (legal[static_cast<std::size_t>(id)]) mask.set(id);
    }
    return mask;
}

// A draw by the distribution that a model without knowledge has under the mask:
// all legal tokens alike.
inline int random_token(const TokenMask& mask, Rng& rng) {
    std::vector<int> legal;
    for (int id = 0; id < mask.size(); ++id) {
        if (mask.test(id)) legal.push_back(id);
    }
    return legal.empty() ? -1 : legal[rng.below(legal.size())];
}

// A text of the language, its tokens drawn uniformly from the masks.
// Throws Error if the constraint leads into a dead end.
inline std::string random_text(const std::shared_ptr<CompiledGrammar>& language, int budget,
                               Rng& rng) {
    GrammarMatcher constraint(language, budget);
    std::string text;
    while (constraint.remaining() > 0) {
        const int id = random_token(constraint.mask(), rng);
        if (id < 0) break;
        constraint.advance(id);
        if (constraint.ended()) break;
        text += language->trie().bytes(id);
    }
    if (!constraint.complete())
        throw Error("the text was not completed within " + std::to_string(budget) +
                    " tokens: " + text);
    return text;
}

inline std::shared_ptr<CompiledGrammar> language(std::shared_ptr<Recognizer> recognizer,
                                                 std::shared_ptr<const TokenTrie> trie) {
    return std::make_shared<CompiledGrammar>(std::move(recognizer), std::move(trie));
}

// The fewest tokens to acceptance, by trying everything; −1: more than `limit`.
inline int brute_force_minimum(Recognizer& recognizer, const TokenTrie& trie,
                               Recognizer::State state, int limit) {
    if (recognizer.accepts(state)) return 0;
    if (limit == 0) return -1;
    int best = -1;
    for (int id = 0; id < trie.vocabulary(); ++id) {
        if (trie.bytes(id).empty()) continue;
        const auto next = read_bytes(recognizer, state, trie.bytes(id));
        if (next == Recognizer::dead) continue;
        const int rest =
            brute_force_minimum(recognizer, trie, next, best < 0 ? limit - 1 : best - 2);
        if (rest >= 0) best = rest + 1;
        if (best == 1) break;
    }
    return best;
}

// The same by everything that k tokens reach, for k = 0, 1, …; −1: more than `most` states.
inline int fewest_tokens(MaskCache& masks, Recognizer::State from, std::size_t most) {
    struct Found {
        Recognizer::State state;
        int tokens;
    };
    std::deque<Found> open{{from, 0}};
    std::unordered_set<Recognizer::State> seen{from};
    while (!open.empty() && seen.size() < most) {
        const Found now = open.front();
        open.pop_front();
        if (masks.recognizer().accepts(now.state)) return now.tokens;
        masks.reached().each(now.state, [&](const TokenReach::Reached& r) {
            if (seen.insert(r.state).second) open.push_back({r.state, now.tokens + 1});
        });
    }
    return -1;
}

}  // namespace tbt::testing
