// The promise of the budget, as tests of chapter 16 check it: from the stated number on, every text
// is complete, valid and within it; below, it is refused with that number.
#pragma once

#include <cstdlib>

#include "lib/json/json.hpp"
#include "tests/support/schemas.hpp"

namespace tbt::testing::budget {

inline bool full() { return std::getenv("TBT_FULL") != nullptr; }

inline std::shared_ptr<const TokenTrie> words() {
    static const auto trie = vocabulary_with(
        {"{\"",   "\":",   "\": ", "\",\"", "\"}",    "\"]",   "}]",    "},{\"", "\",",  "name",
         "port",  "host",  "user", "_id",   "type",   "kind",  "state", "path",  "_",    "image",
         "label", "count", "size", "url",   "tag",    "true",  "fals",  "nul",   "l,\"", "00",
         "20",    "19",    "-0",   "\":\"", "\"\"",   "\"\",", "[]",    "{}",    "}}",   "ing",
         " the",  ":{\"",  "\":[", "a\"",   "e\",\"", "  ",    "\n",    "x-",    "_t",   "ype"});
    return trie;
}

// One text. heat 0: always the token that a model without knowledge likes best; else drawn.
// On the way some tokens are taken back, as drafts are, and copies go on elsewhere, as beams do.
inline std::string written(const std::shared_ptr<CompiledGrammar>& language, int budget, int heat,
                           Rng& rng) {
    GrammarMatcher constraint(language, budget);
    std::vector<int> ids;
    while (!constraint.ended() && constraint.remaining() > 0) {
        const TokenMask mask = constraint.mask();
        std::vector<int> legal;
        mask.each([&](int id) { legal.push_back(id); });
        if (legal.empty()) break;
        int id = legal[rng.below(legal.size())];
        if (heat == 0) {
            const auto liked = [&](int t) { return (static_cast<unsigned>(t) * 2654435761u) >> 7; };
            for (const int t : legal)
                if (liked(t) > liked(id)) id = t;
        }
        if (!constraint.allows(id)) throw Error("the mask and allows() disagree");
        if (heat == 2 && rng.below(3) == 0) {
            GrammarMatcher elsewhere = constraint;
            elsewhere.advance(legal[rng.below(legal.size())]);
            elsewhere.mask();
            if (ids.size() > 2 && rng.below(2) == 0) {
                constraint.rollback(2);
                for (std::size_t i = ids.size() - 2; i < ids.size(); ++i)
                    constraint.advance(ids[i]);
            }
        }
        constraint.advance(id);
        if (!constraint.ended()) ids.push_back(id);
    }
    std::string text;
    for (const int id : ids) text += language->trie().bytes(id);
    if (!constraint.complete())
        throw Error("not complete within " + std::to_string(budget) + " tokens: " + text);
    return text;
}

inline void hold_to_budget(const std::string& schema, const std::shared_ptr<const TokenTrie>& trie,
                           Rng& rng, const SchemaOptions& options = {}) {
    INFO(schema);
    const auto shared = language_of(schema, trie, quiet(options));
    SchemaValidator validator(schema, quiet());
    const int least = stated(*shared);
    REQUIRE_THROWS_WITH(GrammarMatcher(shared, least - 1),
                        Catch::Contains("allow " + std::to_string(least)));
    for (int more = 0; more <= 40; more += full() || more < 1 ? 1 : 20) {
        for (const int heat : {0, 1, 2}) {
            INFO("budget " << least + more << ", heat " << heat);
            std::string text;
            REQUIRE_NOTHROW(text = written(shared, least + more, heat, rng));
            INFO(text);
            REQUIRE_NOTHROW(parse_json(text, "text"));  // no key twice
            REQUIRE(validator.valid(text));
        }
    }
}

// The fewest tokens, by everything that k tokens reach, for k = 0, 1, …; −1: too much to look at.
inline int by_enumeration(CompiledGrammar& language, std::size_t most) {
    return fewest_tokens(language.masks(), language.recognizer().start(), most);
}

// The bound promises at most half as many again as the fewest tokens, and four.
inline bool near_the_fewest(int bound, int fewest) {
    return fewest <= bound && bound <= fewest + fewest / 2 + 4;
}

}  // namespace tbt::testing::budget
