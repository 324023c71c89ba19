// What is refused: keyword, place and reason. Also dynamic references that cannot be told before a
// value is read, and schemas that no value meets.
#include "tests/catch.hpp"

#include "lib/grammar/automata/numbers.hpp"
#include "tests/support/budget.hpp"
#include "tests/support/schema_cases.hpp"

using namespace tbt;
using namespace tbt::testing;
using namespace tbt::testing::budget;
using nlohmann::json;

TEST_CASE(
    "keywords and formats that nobody knows are remarks: told once by name, strictly refused") {
    const std::vector<std::array<std::string, 3>> cases = {
        {R"({"requird":["a"],"type":"object"})", "requird", "did you mean 'required'"},
        {R"({"properties":{"a":{"nullable":true,"type":"string"},"b":{"nullable":true}}})",
         "nullable", "--nullable adds null to 'type'"},
        {R"({"type":"string","format":"color"})", "format", "\"color\" is not a format"},
        {R"({"items":[{"format":"color"},{"format":"color"}]})", "format", "color"},
        {R"({"type":"integer","format":"kelvin"})", "format", "kelvin"},
        {R"({"$schema":"http://json-schema.org/draft-04/schema#","then":{"minLength":3}})", "then",
         "not a keyword of this draft"},
    };
    for (const auto& [schema, keyword, message] : cases) {
        INFO(schema);
        std::vector<std::string> told;
        SchemaOptions options = telling(told);
        REQUIRE_NOTHROW(compile_schema(schema, options));
        REQUIRE(told.size() == 1);
        CHECK_THAT(told[0], Catch::Contains(message) && Catch::Contains("--strict"));
        options.strict = true;
        check_refused(schema, keyword, {}, options);
    }
    std::vector<std::string> told;
    const SchemaOptions options = telling(told);
    REQUIRE_NOTHROW(compile_schema(R"({"x-own":1,"type":"null","$comment":"c"})", options));
    REQUIRE(told.empty());
}

TEST_CASE("drafts 4 and 6 have no if, then and else: whatever they hold says nothing") {
    for (const std::string draft : {"draft-04", "draft-06", "draft-07"}) {
        const std::string head = R"({"$schema":"http://json-schema.org/)" + draft + R"(/schema#",)";
        const std::string condition = R"("if":{"type":"string"},"then":{"minLength":3}})";
        CHECK(valid(head + condition, "\"a\"", quiet()) == (draft != "draft-07"));
        const std::string no_schema = head + R"("if":"it rains"})";
        if (draft == "draft-07") CHECK_THROWS_AS(compile_schema(no_schema, quiet()), UsageError);
        else CHECK_NOTHROW(compile_schema(no_schema, quiet()));
    }
}

TEST_CASE("nullable adds null to the type beside it, and to nothing else, if asked") {
    struct Nullable {
        const char* schema;
        bool without, with;  // null is valid
    };
    for (const auto& [schema, without, with] : std::vector<Nullable>{
             {R"({"type":"string","nullable":true})", false, true},
             {R"({"type":"object","nullable":true,"required":["a"]})", false, true},
             {R"({"type":["integer","array"],"minimum":3,"nullable":true})", false, true},
             {R"({"type":"string","nullable":false})", false, false},
             {R"({"type":"string","enum":["a",null],"nullable":true})", false, true},
             {R"({"type":"string","enum":["a"],"nullable":true})", false, false},
             {R"({"enum":["a"],"nullable":true})", false, false},
             {R"({"minLength":2,"nullable":false})", true, true},
             {R"({"not":{"type":"string","nullable":true}})", true, false},
             {R"({"allOf":[{"type":"string"}],"nullable":true})", false, false},
             {R"({"$ref":"#/components/a","components":{"a":{"type":"number","nullable":true}}})",
              false, true}}) {
        for (const bool asked : {false, true}) {
            INFO(schema << (asked ? " with" : " without"));
            SchemaOptions options = quiet();
            options.nullable = asked;
            CHECK(valid(schema, "null", options) == (asked ? with : without));
            CHECK(writes(schema, "null", options) == (asked ? with : without));
        }
    }
    SchemaOptions options;
    options.nullable = options.strict = true;
    CHECK_NOTHROW(compile_schema(R"({"type":"string","nullable":true})", options));
    CHECK_THROWS_WITH(compile_schema(R"({"type":"string","nullable":"yes"})", options),
                      Catch::Contains("'nullable' is the string \"yes\", expected true or false"));
}

TEST_CASE("four contains at once are counted, five are refused") {
    const auto contains = [](int times) {
        return R"({"type":"array","maxItems":5,"allOf":[)" +
               listed(times, R"({"contains":{"const":)", "}}") + "]}";
    };
    for (const char* text : {"[3, 1, 0, 2]", "[3, 1, 0, 2, 3]"}) CHECK(writes(contains(4), text));
    CHECK_FALSE(writes(contains(4), "[3, 1, 0, 3]"));
    check_refused(contains(5), "contains", {});
}

TEST_CASE("formats of numbers are ranges: int32 holds no three billion") {
    check({{R"({"format":"int32"})",
            {"2147483647", "-2147483648", "5.0", "\"any\"", "null"},
            {"2147483648", "-2147483649", "0.5"}},
           {R"({"format":"uint8"})", {"0", "255"}, {"256", "-1"}},
           {R"({"format":"int64"})", {"-9223372036854775808"}, {"9223372036854775808"}},
           {R"({"format":"double"})", {"0.5", "1e300"}, {}}});
    const std::string none = R"({"type":"integer","format":"int32","minimum":3000000000})";
    for (const SchemaOptions& options : {SchemaOptions(), strict()})
        CHECK_THROWS_AS(compile_schema(none, options), UsageError);
    const std::string int32 = R"({"type":"integer","format":"int32"})";
    CHECK(writes(int32, "2147483647"));
    CHECK_FALSE(writes(int32, "2147483648"));
}

TEST_CASE("what grows too large is refused with its keyword and place") {
    check_refused(R"({"properties":{"a":{"pattern":"(a|b)*a(a|b){20}"}}})", "pattern",
                  {"#/properties/a", "states"});
    check_refused(R"({"items":{"allOf":[{"pattern":"a.{200}"},{"pattern":"b.{200}"}]}})", "pattern",
                  {"#/items/allOf", "states"});
}

TEST_CASE(
    "dates and times are written with capitals and years from 0001, and validated as they may be") {
    const char* schema = R"({"type":"string","format":"date-time"})";
    const std::vector<std::string> both = {"\"2024-02-29T23:59:59Z\"",
                                           "\"0001-01-01T00:00:00.5+01:00\"",
                                           "\"0400-02-29T00:00:00Z\""},
                                   odd = {"\"2024-02-29t23:59:59Z\"", "\"2024-02-29T23:59:59z\"",
                                          "\"0000-01-01T00:00:00Z\"", "\"0000-02-29T00:00:00Z\""};
    check_takes(
        "written", [&](const std::string& text) { return writes(schema, text); }, both, odd);
    for (const auto& texts : {both, odd}) check({{schema, texts, {}}});
}

TEST_CASE("what is no schema is refused as such") {
    for (const std::string& bad : test::texts_of(
             R"( | { | [] | 1 | "a" | {"type":"strin"} | {"type":[]} | {"properties":[]})"
             R"( | {"required":"a"} | {"required":[1]} | {"required":3} | {"minLength":-1})"
             R"( | {"minLength":1.5} | {"minimum":"1"} | {"pattern":1} | {"anyOf":[]})"
             R"( | {"anyOf":{}} | {"patternProperties":{"a":1}} | {"contains":3})"
             R"( | {"$schema":"https://json-schema.org/draft/2020-12/schema","items":[{}]})"
             R"( | {"minContains":-1} | {"dependentRequired":{"a":"b"}} | {"multipleOf":0})"
             R"( | {"$ref":"#/nowhere"} | {"properties":{"a":3}} | {"enum":1} | {"a":1,"a":2})")) {
        INFO(bad);
        try {
            compile_schema(bad);
            FAIL("compiled");
        } catch (const UnsupportedSchema&) {
            FAIL("called unsupported");
        } catch (const UsageError&) {
        }
    }
}

// An exception of their own was taken for a number of the instance that is too long.
TEST_CASE("what is no schema is refused with its place by the validator, too") {
    for (const auto& [bad, message] : std::vector<std::pair<std::string, std::string>>{
             {R"({"type":"any"})", "#: 'type' is the string \"any\""},
             {R"({"$ref":"#/nope"})", "refers to nothing"},
             {R"({"minLength":-1})", "expected a whole number from 0"},
             {R"({"required":true})", "expected a list of names"},
             {R"({"$schema":"https://json-schema.org/draft/2020-12/schema","items":[{}]})",
              "'items' is a list"},
             {"[1]", "a schema is an object, true or false"}}) {
        INFO(bad);
        try {
            SchemaValidator(bad).fault("1");
            FAIL("nothing was refused");
        } catch (const UnsupportedSchema&) {
            FAIL("called unsupported");
        } catch (const UsageError& e) {
            CHECK_THAT(e.what(), Catch::Contains(message));
        }
    }
    CHECK_THROWS_AS(SchemaValidator("{}").fault("1e20000"), UnsupportedSchema);
}

TEST_CASE("the dialect of OpenAPI 3.1 is draft 2020-12") {
    const std::string schema = R"({"$schema":"https://spec.openapis.org/oas/3.1/dialect/base",)"
                               R"("prefixItems":[{"type":"null"}]})";
    CHECK(SchemaValidator(schema).valid("[null,1]"));
    CHECK_FALSE(SchemaValidator(schema).valid("[1]"));
}

TEST_CASE("numbers with exponents are written out, and nothing else") {
    for (const auto& [number, digits] : {std::pair("1e2", "100"),
                                         {"-1.5E1", "-15"},
                                         {"12e-1", "1.2"},
                                         {"0e5", "0"},
                                         {"1E+0", "1"},
                                         {"0e999999999", "0"}})
        REQUIRE(Decimal::parse(number).text() == digits);
    REQUIRE_THROWS_AS(Decimal::parse("1e999999999"), UsageError);
    // In draft 4 a whole number has no point: one with an exponent is written out before.
    SchemaValidator whole(
        R"({"$schema":"http://json-schema.org/draft-04/schema#","type":"integer"})");
    for (const char* number : {"1e2", "-1.5E1", "10e-1"}) CHECK(whole.valid(number));
    for (const char* number : {"12e-1", "1.0"}) CHECK_FALSE(whole.valid(number));
    SchemaValidator text(R"({"const":{"1e5":"a\"2e2","b":1.0}})");
    CHECK(text.valid(R"({"1e5":"a\"2e2","b":1E0})"));
    CHECK_FALSE(text.valid(R"({"100000":"a\"2e2","b":1})"));
    CHECK_FALSE(text.valid(R"({"1e5":"a\"200","b":1})"));
}

TEST_CASE("an everyday text spells each key and whole number in one way") {
    SchemaOptions options{2};
    options.everyday = true;
    const std::string schema =
        R"({"type":"object","properties":{"n\u00e9":{"type":"integer"}},"required":["n\u00e9"]})";
    REQUIRE(writes(schema, "{\"n\xc3\xa9\":5}", options));
    for (const char* other : {"{\"n\\u00e9\":5}", "{\"n\xc3\xa9\":5.0}", "{   \"n\xc3\xa9\":5}"})
        REQUIRE_FALSE(writes(schema, other, options));
}

TEST_CASE(
    "ten thousand texts by a model that knows nothing parse, meet their schema and end within "
    "their budget") {
    Rng rng(31);
    const auto trie = vocabulary_with(
        {"{\"",     "\":",   "\": ",  "\",\"", "\"}",     "\"]", "}]",    "},{\"", "name", "age",
         "job",     "likes", "baker", "temp",  "erature", "20",  "19",    "-0",    "Ada",  "city",
         "weather", "true",  "fal",   "se",    "prod",    "uct", "count", "  "});
    int seen = 0;
    for (const char* file : {"person", "weather", "order", "tree"}) {
        const std::string text = read_file("data/schemas/" + std::string(file) + ".json");
        const json schema = json::parse(text);
        SchemaOptions options;
        options.everyday = true;  // the other validator takes 20.0 for no integer
        const auto shared = language_of(text, trie, options);
        const int least = stated(*shared);
        REQUIRE_THROWS_WITH(GrammarMatcher(shared, least - 1),
                            Catch::Contains(std::to_string(least)));
        for (int i = 0; i < 2500; ++i) {
            const std::string written =
                random_text(shared, least + to_int(rng.below(i < 100 ? 60 : 12)), rng);
            INFO(written);
            REQUIRE(json::accept(written));
            REQUIRE(meets(schema, json::parse(written), schema));
            ++seen;
        }
    }
    REQUIRE(seen == 10000);
}

TEST_CASE("masks of a schema are exact: every token tried by itself") {
    Rng rng(32);
    const auto trie = vocabulary_with(
        {"{\"",  "\":", "\": ", "\",\"",  "\"}",          "\"]",   "}]",          "},{\"",
         "name", "na",  "me",   "age\":", "job\":\"b",    "likes", "\"name\":\"", "20",
         "1",    "-0",  "true", "se",     "\"items\":[{", "\\u",   "\\\"",        "  "});
    for (const char* file : {"person", "weather", "order", "tree"}) {
        const auto recognizer = writer_of(read_file("data/schemas/" + std::string(file) + ".json"));
        MaskCache masks(recognizer, trie);
        for (int text = 0; text < 12; ++text) {
            auto state = recognizer->start();
            for (int step = 0; step < 40; ++step) {
                const TokenMask mask = masks.of(state).mask;
                REQUIRE(mask == brute_force_mask(*recognizer, *trie, state));
                const int id = random_token(mask, rng);
                if (id < 0 || id == trie->eos()) break;
                state = read_bytes(*recognizer, state, trie->bytes(id));
            }
        }
    }
}

TEST_CASE("a schema is read to its last byte, as UTF-8") {
    CHECK_THROWS_WITH(compile_schema(std::string("{\"type\":\"string\"}\0", 18)),
                      Catch::Contains("is not JSON: line 1, column 18"));
    CHECK_THROWS_WITH(compile_schema("{\"const\":\"\xff\"}"), Catch::Contains("not valid UTF-8"));
    CHECK_THROWS_WITH(compile_schema("{} {}"), Catch::Contains("not JSON"));
}

TEST_CASE("a schema that nothing meets is refused with the keyword and its place") {
    const std::vector<std::array<std::string, 2>> cases = {
        // in circles
        {R"({"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}},"required":)"
         R"(["next"]}},"type":"object","properties":{"a":{"$ref":"#/$defs/n"}},"required":["a"]})",
         "#/$defs/n: 'required' asks for \"next\", whose value requires another one inside"},
        {R"({"type":"array","items":{"$ref":"#"},"minItems":1})",
         "#: 'minItems' asks for an item, whose value requires another one inside"},
        {R"({"type":"object","anyOf":[{"required":["a"],"properties":{"a":{"$ref":"#"}}},)"
         R"({"required":["b"],"properties":{"b":{"$ref":"#"}}}]})",
         "#/anyOf/0: 'required' asks for \"a\""},
        {R"({"type":"array","contains":{"$ref":"#"}})", "#: 'contains' asks for an item"},
        // a value that cannot be
        {R"({"type":"object","required":["a"],"properties":{"a":{"type":"string","minLength":5,)"
         R"("maxLength":2}}})",
         "#/properties/a: 'type', 'minLength', 'maxLength': no value satisfies this"},
        {R"({"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"allOf":)"
         R"([{"properties":{"a":{"type":"string"}}}]})",
         "#/allOf/0/properties/a: 'type' beside 'type' of #/properties/a"},
        {R"({"type":"array","prefixItems":[{"type":"null"},{"enum":[]}],"minItems":2})",
         "#/prefixItems/1: 'enum'"},
        {R"({"type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":)"
         R"({"x":{"const":5,"type":"string"}}})",
         "#/$defs/x: 'const', 'type'"},
        {"false", "#: false"},
        // members and items that there is no room for
        {R"({"type":"object","properties":{"a":{}},"required":["b"],"additionalProperties":false})",
         "#: 'required' asks for \"b\", whose schema is false"},
        {R"({"type":"object","minProperties":3,"properties":{"a":{},"b":{}},)"
         R"("additionalProperties":false})",
         "#: 'minProperties' asks for more members than there can be"},
        {R"({"type":"array","items":{"enum":[1,2]},"uniqueItems":true,"minItems":3})",
         "#: 'minItems' asks for more items than there can be"},
    };
    for (const auto& [schema, message] : cases) {
        INFO(schema);
        CHECK_THROWS_WITH(compile_schema(schema), Catch::Contains("schema: " + message));
        // A validator has an answer: no.
        SchemaValidator validator(schema, quiet());
        for (const char* text : {"null", "{}", "[]", "[[1]]", R"({"a":5,"b":5})", "\"a\""})
            CHECK_FALSE(validator.valid(text));
    }
}

TEST_CASE("a circle that may end is none") {
    for (const char* schema :
         {R"({"type":"object","properties":{"a":{"anyOf":[{"$ref":"#"},{"type":"null"}]}},)"
          R"("required":["a"]})",
          R"({"type":"object","properties":{"a":{"$ref":"#"}}})",
          R"({"type":"array","items":{"$ref":"#"}})"}) {
        INFO(schema);
        CHECK_NOTHROW(compile_schema(schema));
    }
}

namespace {

// A list of what two others say, each on its own way.
std::string two_ways(const std::string& anchor, const std::string& reference) {
    const auto with = [&](const char* name, const char* type) {
        return "\"" + std::string(name) + R"(":{"$id":")" + name +
               R"(","$ref":"list","$defs":{"x":{)" + anchor + R"(,"type":")" + type + R"("}}})";
    };
    return R"({"$id":"http://example.org/","properties":{"a":{"$ref":"strings"},"b":{"$ref":)"
           R"("numbers"}},"$defs":{)" +
           with("strings", "string") + "," + with("numbers", "number") +
           R"(,"list":{"$id":"list","items":{)" + reference + R"(},"$defs":{"x":{)" + anchor +
           "}}}}}";
}

}  // namespace

TEST_CASE("a dynamic reference on which two ways disagree is refused: keyword, place, what to do") {
    CHECK_THROWS_WITH(
        compile_schema(two_ways(R"("$dynamicAnchor":"item")", R"("$dynamicRef":"#item")")),
        Catch::Contains("#/$defs/list/items: '$dynamicRef' resolves to different schemas") &&
            Catch::Contains("#/$defs/strings/$defs/x") &&
            Catch::Contains("#/$defs/numbers/$defs/x") &&
            Catch::Contains("give the root that '$dynamicAnchor' \"item\", or use $ref"));
    // The root has the anchor: both ways lead there.
    std::string schema = two_ways(R"("$dynamicAnchor":"item")", R"("$dynamicRef":"#item")");
    schema.insert(1, R"("$dynamicAnchor":"item",)");
    CHECK_NOTHROW(compile_schema(schema));
}

TEST_CASE("… and so is a recursive one") {
    SchemaOptions options;
    options.draft = 2019;
    const char* schema =
        R"({"$id":"http://example.org/","properties":{"a":{"$ref":"one"},"b":{"$ref":"two"}},)"
        R"("$defs":{"one":{"$id":"one","$recursiveAnchor":true,"$ref":"list","maxItems":1},)"
        R"("two":{"$id":"two","$recursiveAnchor":true,"$ref":"list","maxItems":2},)"
        R"("list":{"$id":"list","$recursiveAnchor":true,"items":{"$recursiveRef":"#"}}}})";
    CHECK_THROWS_WITH(compile_schema(schema, options),
                      Catch::Contains("'$recursiveRef' resolves to different schemas") &&
                          Catch::Contains("#/$defs/list/items") &&
                          Catch::Contains("give the root that '$recursiveAnchor', or use $ref"));
}

TEST_CASE("a schema that is extended by its root is written as it is validated") {
    Rng rng(211);
    hold_to_budget(
        R"({"$id":"http://example.org/strict","$dynamicAnchor":"node","$ref":"tree",)"
        R"("required":["name"],"$defs":{"tree":{"$id":"tree","$dynamicAnchor":"node",)"
        R"("type":"object","properties":{"name":{"enum":["user","host"]},"path":{"type":"array",)"
        R"("items":{"$dynamicRef":"#node"}}},"unevaluatedProperties":false}}})",
        words(), rng);
}

TEST_CASE("the schemas of the drafts are outside of a document, and some formats only remarks") {
    for (const char* other : {"http://json-schema.org/draft-07/schema#",
                              "https://json-schema.org/draft/2020-12/schema"})
        CHECK_THROWS_WITH(compile_schema(R"({"$ref":")" + std::string(other) + "\"}"),
                          Catch::Contains(other) && Catch::Contains("outside this document") &&
                              Catch::Contains("copy it into $defs"));
    for (const char* format : {"regex", "uri-template"})
        CHECK_THROWS_WITH(compile_schema(R"({"format":")" + std::string(format) + "\"}", strict()),
                          Catch::Contains("is not a format that can be enforced"));
}
