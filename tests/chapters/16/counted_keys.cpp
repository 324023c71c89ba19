// So many members that some have keys which nobody names: different ones, the shortest where a
// budget is short, and none where there are not enough.
#include "tests/catch.hpp"

#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/automata/regex.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"
#include "tests/support/budget.hpp"

using namespace tbt;
using namespace tbt::testing;
using namespace tbt::testing::budget;

namespace {

std::string shortest_of(const std::string& schema, const SchemaOptions& options) {
    const auto shared = language(
        std::make_shared<GrammarRecognizer>(compile_schema(schema, quiet(options))), words());
    return shortest_text(shared->recognizer());
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

TEST_CASE("so many characters are enough for so many texts of a language", "[ch16]") {
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

TEST_CASE("members are counted whose keys nobody names: the shortest text has different ones",
          "[ch16]") {
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
        Catch::Contains(
            "'minProperties' asks for more keys than the schema names or its patterns allow"));
    GrammarRecognizer both(compile_schema(
        R"({"type":"object","minProperties":2,"propertyNames":{"pattern":"^[ab]$"}})"));
    CHECK(accepts_text(both, R"({"b":1,"a":[2]})"));
    CHECK_FALSE(accepts_text(both, R"({"b":1,"b":2})"));
    CHECK_FALSE(accepts_text(both, R"({"b":1})"));
}

TEST_CASE("… what the budget promises holds, and the bound is near the fewest tokens", "[ch16]") {
    Rng rng(191);
    int compared = 0;
    for (const std::string& schema : counted) {
        for (int way = 0; way < 2; ++way) {
            SchemaOptions options;
            options.layout = way == 1 ? JsonLayout::pretty : JsonLayout::any;
            hold_to_budget(schema, words(), rng, options);
            const auto shared = language(
                std::make_shared<GrammarRecognizer>(compile_schema(schema, quiet(options))),
                words());
            const int true_one = by_enumeration(*shared, 4000);
            INFO(schema << ", way " << way);
            if (true_one < 0) continue;
            ++compared;
            CHECK(near_the_fewest(stated(*shared), true_one));
        }
    }
    CHECK(compared > 1);
}

TEST_CASE("keys that nobody names come after the others, in any order", "[ch16]") {
    GrammarRecognizer recognizer(
        compile_schema(R"({"type":"object","properties":{"p":{},"n":{}},"minProperties":4})"));
    for (const char* good : {R"({"zz":0,"b":0,"a":0,"":0})", R"({"p":0,"zz":0,"a":0,"":0})",
                             R"({"p":0,"n":0,"b":0,"a":0})", R"({"n":0,"b":0,"a":0,"z":0})"})
        CHECK(accepts_text(recognizer, good));
    for (const char* bad : {R"({"n":0,"p":0,"a":0,"b":0})", R"({"a":0,"p":0,"b":0,"z":0})",
                            R"({"p":0,"a":0,"b":0,"a":0})", R"({"p":0,"n":0,"a":0})"})
        CHECK_FALSE(accepts_text(recognizer, bad));
}

TEST_CASE("a required member is never passed over, counted or not", "[ch16]") {
    const std::string members = R"("properties":{"a":{},"b":{}},"required":["a"])";
    for (const std::string& counts : {std::string(), std::string(R"(,"minProperties":2)")}) {
        GrammarRecognizer recognizer(
            compile_schema(R"({"type":"object",)" + members + counts + "}"));
        CHECK(accepts_text(recognizer, R"({"a":1,"b":1})"));
        for (const char* bad : {"{}", R"({"b":1})", R"({"b":1,"c":1})"})
            CHECK_FALSE(accepts_text(recognizer, bad));
    }
}

TEST_CASE("more members than a grammar can count are refused by keyword", "[ch16]") {
    CHECK_THROWS_WITH(
        compile_schema(R"({"items":{"minProperties":1001}})"),
        Catch::Contains("#/items: 'minProperties'") && Catch::Contains("a smaller limit"));
    CHECK_NOTHROW(compile_schema(R"({"minProperties":100})"));
}
