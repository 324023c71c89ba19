// Masks where members come that nobody names: each token tried by itself says the same, whatever
// keys stand there, with much of the budget left and with little.
#include "tests/catch.hpp"

#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/schema/schema.hpp"
#include "tests/support/guided.hpp"

using namespace tbt;
using namespace tbt::testing;

namespace {

// Tokens that end a key, a value and the next key at once, and keys that begin alike.
const std::vector<std::string> across = {
    "{\"",     "\":",       "\": ",        "\",\"",      "\"}",     "a",        "ab",
    "aba",     "ba\":",     "\":1,\"",     "\":\"\",\"", "\"a\":1", ",\"a\":1", ",\"ab",
    "{\"a\":", "\":{\"a\"", "\":1,\"a\":", "\":{},\"",   "},\"",    "}}",       "1,\"",
    "ac",      "bc",        "bc\":",       "null",       "null,\"", "l}",       "x-"};

const char* const schemas[] = {
    R"({"type":"object","additionalProperties":{"type":"integer"}})",
    R"({"type":"object","properties":{"a":{"type":"object"},"abc":{}},"required":["abc"]})",
    R"({"type":"object","minProperties":1,"additionalProperties":{"type":["null","string"]}})",
    R"({"type":"object","patternProperties":{"^[ab]c$":{"type":"null"}},)"
    R"("additionalProperties":false})",
    R"({"type":"object","patternProperties":{"^x-":{"type":"integer"}},)"
    R"("properties":{"ab":{"type":"null"}},"additionalProperties":false})",
    R"({"type":"object","additionalProperties":{"type":"object",)"
    R"("additionalProperties":{"type":"null"}}})",
    R"({"type":"object","properties":{"a":{"maxLength":3,"type":"string"}},"maxProperties":3})",
    R"({"type":"object","minProperties":2,"additionalProperties":{"type":"integer"}})",
    R"({"type":"object","minProperties":3,"propertyNames":{"pattern":"^[abc]*$"},"properties":)"
    R"({"a":{"type":"object"}},"additionalProperties":{"type":"null"}})"};

}  // namespace

TEST_CASE("masks of objects that are open are exact, whatever keys stand there", "[ch16]") {
    Rng rng(167);
    const auto trie = vocabulary_with(across);
    for (const char* schema : schemas) {
        INFO(schema);
        const auto recognizer = std::make_shared<GrammarRecognizer>(compile_schema(schema));
        const auto shared = language(recognizer, trie);
        const int least = shared->closing().enough(recognizer->start());
        for (int text = 0; text < 24; ++text) {
            const int budget = text % 3 == 0 ? 60 : least + text;
            GrammarMatcher constraint(shared, budget);
            std::string so_far;
            while (!constraint.ended() && constraint.remaining() > 0) {
                INFO("budget " << budget << ", after " << so_far);
                const auto state = constraint.state();
                REQUIRE(shared->masks().of(state).mask ==
                        brute_force_mask(*recognizer, *trie, state));
                const TokenMask mask = constraint.mask();
                std::string wrong;
                for (int t = 0; t < trie->vocabulary(); ++t)
                    if (mask.test(t) != constraint.allows(t)) wrong += " '" + trie->bytes(t) + "'";
                REQUIRE(wrong.empty());
                const int id = random_token(mask, rng);
                REQUIRE(id >= 0);
                constraint.advance(id);
                so_far += trie->bytes(id);
            }
            REQUIRE(constraint.complete());
        }
    }
}
