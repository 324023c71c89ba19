// What the bound in tokens promises, looked at in each state of random texts.
#pragma once

#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "tests/support/guided.hpp"

namespace tbt::testing {

// Walks so many random texts, and one more along the bound's own way. Returns the states looked at;
// throws Error where a promise is broken.
inline int keep_the_bound(const std::shared_ptr<GrammarRecognizer>& recognizer,
                          const std::shared_ptr<const TokenTrie>& trie, Rng& rng, int texts) {
    MaskCache masks(recognizer, trie);
    if (masks.bound() == nullptr) throw Error("there is no bound");
    int looked_at = 0;
    std::string text;
    const auto refuse = [&](const std::string& what) {
        throw Error(what + " after '" + text + "'");
    };
    for (int t = 0; t <= texts; ++t) {
        auto state = recognizer->start();
        text.clear();
        for (int step = 0; step < 60; ++step, ++looked_at) {
            const int bound = masks.to_end(state);
            const TokenMask mask = masks.of(state).mask;
            if (recognizer->accepts(state) != (bound == 0)) refuse("0 where the text may not end");
            if (bound > recognizer->closing_bytes(state)) refuse("the bound exceeds the bytes");
            int nearer = -1;
            mask.each([&](int id) {
                if (id == trie->eos()) return;
                const auto reached = read_bytes(*recognizer, state, trie->bytes(id));
                if (masks.to_end(reached) < bound) nearer = id;
                if (masks.to_end(reached) > masks.of(state).max_to_end)
                    refuse("a token costs more than the max_to_end");
            });
            if (bound > 0 && nearer < 0) refuse("no token is nearer to the end");
            const int id = t == texts ? nearer : random_token(mask, rng);
            if (id < 0 || id == trie->eos()) break;
            text += trie->bytes(id);
            state = read_bytes(*recognizer, state, trie->bytes(id));
        }
    }
    return looked_at;
}

// The bound and the fewest tokens in states of random texts.
struct Compared {
    int states = 0, above = 0;  // above: the bound exceeds the fewest tokens
    double most = 0;            // of whole texts: the largest (bound - 4) / fewest
};

// Throws Error where the bound is below the fewest tokens.
inline Compared compare_with_fewest(const std::shared_ptr<GrammarRecognizer>& recognizer,
                                    const std::shared_ptr<const TokenTrie>& trie, Rng& rng,
                                    int texts, std::size_t most) {
    MaskCache masks(recognizer, trie);
    if (masks.bound() == nullptr) throw Error("there is no bound");
    Compared compared;
    for (int t = 0; t < texts; ++t) {
        auto state = recognizer->start();
        std::string text;
        for (int step = 0; step < 12; ++step) {
            if (const int fewest = fewest_tokens(masks, state, most); fewest >= 0) {
                const int bound = masks.to_end(state);
                if (bound < fewest)
                    throw Error("bound " + std::to_string(bound) + ", fewest tokens " +
                                std::to_string(fewest) + " after '" + text + "'");
                ++compared.states, compared.above += bound > fewest;
                if (step == 0 && fewest > 0)
                    compared.most = std::max(compared.most, (bound - 4.0) / fewest);
            }
            const int id = random_token(masks.of(state).mask, rng);
            if (id < 0 || id == trie->eos()) break;
            text += trie->bytes(id);
            state = read_bytes(*recognizer, state, trie->bytes(id));
        }
    }
    return compared;
}

}  // namespace tbt::testing
