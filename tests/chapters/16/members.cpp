// Members: how many there must be, keys that the schema does not name, and masks of open objects.
#include "tests/catch.hpp"

#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/automata/regex.hpp"
#include "tests/support/budget.hpp"

using namespace tbt;
using namespace tbt::testing;
using namespace tbt::testing::budget;

namespace {

std::string shortest_of(const std::string& schema, const SchemaOptions& options) {
    return shortest_text(language_of(schema, words(), quiet(options))->recognizer());
}

const std::vector<std::string> counted = {
    R"({"type":"object","minProperties":2})",
    R"({"type":"object","minProperties":3,"additionalProperties":{"type":"integer"}})",
    R"({"type":"object","minProperties":2,"maxProperties":2,"properties":{"name":{"const":1}},
        "patternProperties":{"^[ab]$":{"type":"null"}},"additionalProperties":false})",
    R"({"type":"object","minProperties":4,"properties":{"name":{"type":"string"},"port":{}},
        "required":["name"],"propertyNames":{"pattern":"^[a-z]{3,}"}})",
    R"({"type":"object","minProperties":3,"patternProperties":{"^x-":{"type":"null"},
        "^(ab|port)$":{"type":"boolean"}},"additionalProperties":false})",
    R"({"type":"object","minProperties":12,"propertyNames":{"pattern":"^[0-9]+$"}})",
    R"({"type":"object","minProperties":2,"propertyNames":{"enum":["é","\"","host","port"]}})",
    R"({"type":"object","minProperties":3,"not":{"properties":{"a":{"type":"integer"}}}})",
};

}  // namespace

TEST_CASE("so many characters are enough for so many texts of a language") {
    const auto of = [](const char* pattern, int texts) {
        return enough_characters(regex_full_match(pattern), texts);
    };
    CHECK(of("[a-c]*", 1) == 0);
    CHECK(of("[a-c]*", 4) == 1);  // "", a, b, c
    CHECK(of("[a-c]*", 5) == 2);
    CHECK(of("[0-1]|[x-y]|zz", 4) == 1);
    CHECK(of("[0-1]|[x-y]|zz", 5) == 2);
    CHECK(of("[0-1]|[x-y]|zz", 6) == -1);
    CHECK(of("(a{7})+", 3) == 21);
    // Written in a string a quote takes two bytes, as \xc3\xa9 does.
    CHECK(of("[\"\xc3\xa9z]", 1) == 1);
    CHECK(of("[\"\xc3\xa9z]", 2) == -1);
    CHECK(of("[]", 1) == -1);
}

TEST_CASE("members are counted whose keys nobody names: the shortest text has different ones") {
    CHECK(shortest_of(counted[0], {}) == R"({"":0," ":0})");
    CHECK(shortest_of(counted[1], {}) == R"({"":0," ":0,"!":0})");
    CHECK(shortest_of(counted[2], {}) == R"({"a":null,"b":null})");
    CHECK(shortest_of(
              R"({"type":"object","minProperties":4,"propertyNames":{"pattern":"^[ab]*$"}})", {}) ==
          R"({"":0,"a":0,"b":0,"aa":0})");
    CHECK_NOTHROW(compile_schema(
        R"({"type":"object","minProperties":2,"maxProperties":2,"required":["a","b"]})"));
    // What is required counts.
    CHECK(shortest_of(R"({"type":"object","minProperties":2,"required":["n"],"properties":)"
                      R"({"n":{"const":1}}})",
                      {}) == R"({"n":1,"":0})");
    // Two keys there are, three must come.
    CHECK_THROWS_WITH(
        compile_schema(
            R"({"type":"object","minProperties":3,"propertyNames":{"pattern":"^[ab]$"}})"),
        Catch::Contains("'minProperties' asks for more members than there can be"));
    const std::string both =
        R"({"type":"object","minProperties":2,"propertyNames":{"pattern":"^[ab]$"}})";
    CHECK(writes(both, R"({"b":1,"a":[2]})"));
    CHECK_FALSE(writes(both, R"({"b":1,"b":2})"));
    CHECK_FALSE(writes(both, R"({"b":1})"));
}

TEST_CASE("… what the budget promises holds, and the bound is near the fewest tokens") {
    Rng rng(191);
    int compared = 0;
    for (const std::string& schema : counted) {
        for (int way = 0; way < 2; ++way) {
            SchemaOptions options;
            options.layout = way == 1 ? JsonLayout::pretty : JsonLayout::any;
            hold_to_budget(schema, words(), rng, options);
            const auto shared = language_of(schema, words(), quiet(options));
            const int true_one = by_enumeration(*shared, 4000);
            INFO(schema << ", way " << way);
            if (true_one < 0) continue;
            ++compared;
            CHECK(near_the_fewest(stated(*shared), true_one));
        }
    }
    CHECK(compared > 1);
}

TEST_CASE("keys that nobody names come after the others, in any order") {
    const auto writer =
        writer_of(R"({"type":"object","properties":{"p":{},"n":{}},"minProperties":4})");
    check_takes("keys", [&](const std::string& text) { return accepts_text(*writer, text); },
                {R"({"zz":0,"b":0,"a":0,"":0})", R"({"p":0,"zz":0,"a":0,"":0})",
                 R"({"p":0,"n":0,"b":0,"a":0})", R"({"n":0,"b":0,"a":0,"z":0})"},
                {R"({"n":0,"p":0,"a":0,"b":0})", R"({"a":0,"p":0,"b":0,"z":0})",
                 R"({"p":0,"a":0,"b":0,"a":0})", R"({"p":0,"n":0,"a":0})"});
}

TEST_CASE("a required member is never passed over, counted or not") {
    const std::string members = R"("properties":{"a":{},"b":{}},"required":["a"])";
    for (const std::string& counts : {std::string(), std::string(R"(,"minProperties":2)")}) {
        const std::string schema = R"({"type":"object",)" + members + counts + "}";
        CHECK(writes(schema, R"({"a":1,"b":1})"));
        for (const char* bad : {"{}", R"({"b":1})", R"({"b":1,"c":1})"})
            CHECK_FALSE(writes(schema, bad));
    }
}

TEST_CASE("more members than a grammar can count are refused by keyword") {
    CHECK_THROWS_WITH(
        compile_schema(R"({"items":{"minProperties":1001}})"),
        Catch::Contains("#/items: 'minProperties'") && Catch::Contains("a smaller limit"));
    CHECK_NOTHROW(compile_schema(R"({"minProperties":100})"));
}

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

TEST_CASE("masks of objects that are open are exact, whatever keys stand there") {
    Rng rng(167);
    const auto trie = vocabulary_with(across);
    for (const char* schema : schemas) {
        INFO(schema);
        const auto recognizer = writer_of(schema);
        const auto shared = language(recognizer, trie);
        const int least = stated(*shared);
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
