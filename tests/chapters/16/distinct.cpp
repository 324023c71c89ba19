// uniqueItems while writing, against the validator: every list of up to four of the values.
#include "tests/catch.hpp"

#include "tests/support/schemas.hpp"

using namespace tbt;
using namespace tbt::testing;

namespace {

// All lists of at most `most` of these texts, with repetitions.
std::vector<std::string> lists(const std::vector<std::string>& items, int most) {
    std::vector<std::string> all{"[]"}, inner{""};
    for (int n = 1; n <= most; ++n) {
        std::vector<std::string> longer;
        for (const std::string& i : inner)
            for (const std::string& item : items)
                longer.push_back(i + (i.empty() ? "" : ",") + item);
        for (const std::string& i : longer) all.push_back("[" + i + "]");
        inner = longer;
    }
    return all;
}

void agree(const std::string& schema, const std::vector<std::string>& items, int accepted) {
    INFO(schema);
    // Strictly: no kinds of values instead of the values.
    GrammarRecognizer writer(compile_schema(schema, strict()));
    SchemaValidator validator(schema);
    int good = 0;
    for (const std::string& text : lists(items, 4)) {
        INFO(text);
        const bool fine = validator.valid(text);
        REQUIRE(accepts_text(writer, text) == fine);
        good += fine ? 1 : 0;
    }
    CHECK(good == accepted);
}

}  // namespace

TEST_CASE("uniqueItems over listed values writes what the validator accepts, no more, no less") {
    agree(R"({"type":"array","uniqueItems":true,"items":{"enum":["a","b",1]}})",
          {"\"a\"", "\"b\"", "1"}, 1 + 3 + 6 + 6);
    agree(R"({"type":"array","uniqueItems":true,"items":{"type":["boolean","null"]}})",
          {"true", "false", "null"}, 1 + 3 + 6 + 6);
    agree(R"({"type":"array","uniqueItems":true,"minItems":2,"maxItems":3,
            "items":{"enum":[[1],{"a":null},"x",0]}})",
          {"[1]", "{\"a\":null}", "\"x\"", "0"}, 12 + 24);
    // The same value in two spellings of the schema is one.
    agree(R"({"type":"array","uniqueItems":true,"items":{"enum":[1,1.0,"a","\u0061"]}})",
          {"1", "\"a\""}, 1 + 2 + 2);
    agree(R"({"uniqueItems":true,"items":{"allOf":[{"$ref":"#/$defs/x"},{"not":{"const":2}}]},
            "$defs":{"x":{"enum":[1,2,3]}}})",
          {"1", "2", "3"}, 1 + 2 + 2);
    agree(
        R"({"uniqueItems":true,"items":{"oneOf":[{"const":"a"},{"enum":["b","c"]}]},"minItems":3})",
        {"\"a\"", "\"b\"", "\"c\""}, 6);
    // More items than there are values: no array at all.
    agree(R"({"uniqueItems":true,"items":{"type":"boolean"},"minItems":3})", {"true", "false"}, 0);
}

TEST_CASE(
    "arrays with contains, not and unevaluatedItems are written as the validator accepts them") {
    const auto array = [](const std::string& keywords) {
        return R"({"type":"array",)" + keywords + "}";
    };
    const std::vector<std::string> numbers{"1", "2"};
    constexpr int all = 1 + 2 + 4 + 8 + 16, at_most_one_1 = 1 + 2 + 3 + 4 + 5;
    agree(array(R"("contains":{"const":1})"), numbers, all - 5);
    agree(array(R"("contains":{"const":1},"minContains":2)"), numbers, all - at_most_one_1);
    agree(array(R"("not":{"contains":{"const":1}})"), numbers, 5);
    agree(array(R"("not":{"contains":{"const":1},"minContains":2})"), numbers, at_most_one_1);
    agree(array(R"("not":{"contains":{"const":1},"minContains":0,"maxContains":1})"), numbers,
          all - at_most_one_1);
    agree(array(R"("not":{"items":{"const":1}})"), numbers, all - 5);
    agree(array(R"("not":{"prefixItems":[{"const":1}]})"), numbers, 1 + 2 + 4 + 8);
    agree(array(R"("not":{"minItems":2})"), numbers, 1 + 2);
    agree(array(R"("not":{"maxItems":2})"), numbers, 8 + 16);
    // What items, prefixItems or contains have evaluated is not for unevaluatedItems.
    agree(array(R"("items":{"const":1},"unevaluatedItems":{"const":2})"), numbers, 5);
    agree(array(R"("allOf":[{"items":true}],"unevaluatedItems":false)"), numbers, all);
    agree(array(R"("allOf":[{"prefixItems":[true]}],"unevaluatedItems":false)"), numbers, 1 + 2);
    agree(array(R"("prefixItems":[true],"contains":{"const":1},"unevaluatedItems":false)"), numbers,
          1 + (1 + 1) + (1 + 1) + (1 + 1));
}

TEST_CASE("uniqueItems without a list of values writes at most one item of a kind, and says so") {
    const std::vector<std::string> items{
        "true",   "5",    "5.5",   "12",         "-1", "0.5", "\"a\"",
        "\"Ab\"", "\"\"", "\"?\"", "\"\u00e9\"", "{}", "[]",  "{\"a\": \"b\"}"};
    for (const auto& [schema, written] : std::vector<std::pair<std::string, std::string>>{
             {R"({"uniqueItems":true})", R"([true,5,12,-1,"a","","?",{},[]])"},
             {R"({"uniqueItems":true,"items":{"type":"integer"}})", "[5,12,-1]"},
             {R"({"uniqueItems":true,"items":{"anyOf":[{"const":5.5},{"type":"string"}]}})",
              R"([5.5,"Ab","","é"])"},
             {R"({"uniqueItems":true,"items":{"pattern":"^[ab?]*$","minLength":1}})",
              R"(["a","?"])"}}) {
        INFO(schema);
        std::vector<std::string> said;
        SchemaOptions options = telling(said);
        GrammarRecognizer writer(compile_schema(schema, options));
        REQUIRE(said.size() == 1);
        CHECK(said[0].find("'uniqueItems'") != std::string::npos);
        SchemaValidator validator(schema);
        int both = 0;
        for (const std::string& text : lists(items, 3)) {
            if (!accepts_text(writer, text)) continue;
            INFO(text);
            REQUIRE(validator.valid(text));
            ++both;
        }
        CHECK(both > 5);
        CHECK(accepts_text(writer, written));
        options.strict = true;
        REQUIRE_THROWS_WITH(
            compile_schema(schema, options),
            Catch::Contains("uniqueItems") && Catch::Contains("enum, const or boolean"));
    }
    // An array of such arrays, and one inside itself.
    for (const char* schema : {R"({"uniqueItems":true,"items":{"uniqueItems":true,"minItems":1}})",
                               R"({"uniqueItems":true,"items":{"$ref":"#"}})"})
        REQUIRE_NOTHROW(compile_schema(schema, quiet()));
}

TEST_CASE("uniqueItems beside prefixItems or contains is refused, with what would be accepted") {
    for (const char* schema :
         {R"({"uniqueItems":true,"prefixItems":[{}],"items":{"type":"boolean"}})",
          R"({"uniqueItems":true,"contains":{"const":true},"items":{"type":"boolean"}})"}) {
        INFO(schema);
        REQUIRE_THROWS_WITH(compile_schema(schema), Catch::Contains("uniqueItems") &&
                                                        Catch::Contains("enum, const or boolean"));
    }
}

TEST_CASE("uniqueItems with long lists: as many as the memory holds, else a refusal") {
    const auto schema = [](int values, int least) {
        std::string text = R"({"type":"array","uniqueItems":true,"minItems":)" +
                           std::to_string(least) + R"(,"items":{"enum":[)";
        for (int i = 0; i < values; ++i) text += (i == 0 ? "" : ",") + std::to_string(100 + i);
        return text + "]}}";
    };
    REQUIRE_THROWS_WITH(compile_schema(schema(250, 40)), Catch::Contains("minItems"));
    REQUIRE_THROWS_WITH(compile_schema(schema(257, 0), strict()), Catch::Contains("at most 256"));
    for (const auto& [values, least] : {std::pair(256, 0), {100, 1}, {32, 12}}) {
        INFO(values << " values, at least " << least);
        const auto shared =
            language_of(schema(values, least),
                        vocabulary_with({"[1", ", 1", ",1", "00", "10", "11", "12", "]", "13"}));
        const int minimum = stated(*shared);
        Rng rng(7);
        REQUIRE_NOTHROW(random_text(shared, minimum + 30, rng));
    }
}
