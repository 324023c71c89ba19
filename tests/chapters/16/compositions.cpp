#include "tests/catch.hpp"

#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "lib/grammar/automata/numbers.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/schema/schema.hpp"
#include "lib/grammar/schema/validator.hpp"
#include "lib/machine/files.hpp"
#include "tests/support/guided.hpp"
#include "tests/support/schema_cases.hpp"

using namespace tbt;
using namespace tbt::testing;
using nlohmann::json;
using namespace tbt::testing;

TEST_CASE("schemas: enum and const by value, whatever the spelling and the order", "[ch16]") {
    check({
        {R"({"enum":[1,2,3]})", {"1", "1.0", "2.00", "1e0", "30e-1"}, {"4", "\"1\"", "11", "1.5"}},
        {R"({"enum":[6,"foo",[],true,{"foo":12}]})",
         {"6", "\"foo\"", "[]", "true", "{\"foo\":12}", "{\"foo\":12.0}"},
         {"null", "{\"foo\":false}", "{\"foo\":12,\"boo\":42}", "{}", "[1]", "false"}},
        {R"({"enum":["foo\nbar","foo\rbar"]})",
         {"\"foo\\nbar\"", "\"foo\\rbar\"", "\"\\u0066oo\\u000abar\""},
         {"\"abc\""}},
        {R"({"enum":[false]})", {"false"}, {"0", "0.0", "\"false\""}},
        {R"({"enum":[[false]]})", {"[false]"}, {"[0]", "[]"}},
        {R"({"enum":[]})", {}, {"1", "null"}},
        {R"({"const":{"foo":"bar","baz":"bax"}})",
         {"{\"foo\":\"bar\",\"baz\":\"bax\"}", "{\"baz\":\"bax\",\"foo\":\"bar\"}"},
         {"{\"foo\":\"bar\"}", "[1,2]", "{\"foo\":\"bar\",\"baz\":\"bax\",\"a\":1}"}},
        {R"({"const":[{"foo":"bar"},1]})",
         {"[{\"foo\":\"bar\"},1]"},
         {"[1,{\"foo\":\"bar\"}]", "[{\"foo\":\"bar\"}]", "[{\"foo\":\"bar\"},1,2]"}},
        {R"({"const":null})", {"null"}, {"0"}},
        {R"({"const":-2.0})", {"-2", "-2.0", "-20e-1"}, {"2", "-2.1"}},
        {R"({"const":0})", {"0", "0.0", "-0"}, {"false", "{}", "[]", "\"\""}},
        {R"({"const":9007199254740992})",
         {"9007199254740992", "9007199254740992.0"},
         {"9007199254740991", "9007199254740993"}},
        {R"({"const":"hello\u0000there"})",
         {"\"hello\\u0000there\""},
         {"\"hellothere\"", "\"hello\""}},
        {R"({"type":"integer","enum":[1,"a",2.5]})", {"1"}, {"\"a\"", "2.5"}},
        {R"({"enum":[1,5,10],"minimum":4})", {"5", "10"}, {"1"}},
        {R"({"enum":["a","abc"],"minLength":2})", {"\"abc\""}, {"\"a\""}},
        {R"({"enum":[{"a":1},{"a":2}],"properties":{"a":{"minimum":2}}})",
         {"{\"a\":2}"},
         {"{\"a\":1}"}},
    });
}

TEST_CASE("schemas: allOf, anyOf, oneOf, not, if", "[ch16]") {
    check({
        {R"({"allOf":[{"properties":{"bar":{"type":"integer"}},"required":["bar"]},
            {"properties":{"foo":{"type":"string"}},"required":["foo"]}]})",
         {"{\"foo\":\"baz\",\"bar\":2}", "{\"bar\":2,\"x\":[],\"foo\":\"\"}"},
         {"{\"foo\":\"baz\"}", "{\"bar\":2}", "{\"foo\":\"baz\",\"bar\":\"quux\"}"}},
        {R"({"properties":{"bar":{"type":"integer"}},"required":["bar"],
            "allOf":[{"properties":{"foo":{"type":"string"}},"required":["foo"]},
            {"properties":{"baz":{"type":"null"}},"required":["baz"]}]})",
         {"{\"foo\":\"quux\",\"bar\":2,\"baz\":null}"},
         {"{\"foo\":\"quux\",\"baz\":null}", "{\"bar\":2,\"baz\":null}",
          "{\"foo\":\"quux\",\"bar\":2}", "{\"bar\":2}"}},
        {R"({"allOf":[{"maximum":30},{"minimum":20}]})", {"25", "20"}, {"35", "19"}},
        {R"({"allOf":[true,false]})", {}, {"\"foo\""}},
        {R"({"allOf":[{"properties":{"a":{}},"additionalProperties":false},
            {"properties":{"b":{}}}]})",
         {"{\"a\":1}", "{}"},
         {"{\"b\":1}", "{\"a\":1,\"b\":1}"}},
        {R"({"allOf":[{"prefixItems":[{"minimum":2}]},{"items":{"maximum":5}}]})",
         {"[3]", "[2,1]"},
         {"[1]", "[6]", "[3,6]"}},
        {R"({"anyOf":[{"type":"integer"},{"minimum":2}]})", {"1", "2.5", "3", "\"x\""}, {"1.5"}},
        {R"({"type":"string","anyOf":[{"maxLength":2},{"minLength":4}]})",
         {"\"ab\"", "\"abcd\""},
         {"\"abc\"", "1"}},
        {R"({"anyOf":[{"properties":{"bar":{"type":"integer"}},"required":["bar"]},
            {"properties":{"foo":{"type":"string"}},"required":["foo"]}]})",
         {"{\"bar\":2}", "{\"foo\":\"x\"}", "{\"foo\":\"x\",\"bar\":2}", "{\"foo\":1,\"bar\":2}"},
         {"{\"foo\":2,\"bar\":\"quux\"}", "{}"}},
        {R"({"anyOf":[true,false]})", {"1"}, {}},
        {R"({"anyOf":[{"allOf":[{"anyOf":[{"type":"null"}]}]}]})", {"null"}, {"1"}},
        {R"({"oneOf":[{"type":"integer"},{"minimum":2}],"type":"number"})",
         {"1", "2.5"},
         {"3", "1.5"}},
        {R"({"oneOf":[{"type":"string","minLength":2},{"type":"string","maxLength":4}]})",
         {"\"a\"", "\"abcde\""},
         {"\"abc\"", "1"}},
        {R"({"oneOf":[{"properties":{"k":{"const":"a"},"x":{"type":"integer"}},"required":["k",
            "x"]},{"properties":{"k":{"const":"b"}},"required":["k"]}],"type":"object"})",
         {"{\"k\":\"a\",\"x\":1}", "{\"x\":\"s\",\"k\":\"b\"}"},
         {"{\"k\":\"c\"}", "{\"k\":\"a\"}", "{\"k\":\"a\",\"x\":\"s\"}"}},
        {R"({"oneOf":[{"properties":{"bar":{"type":"integer"}},"required":["bar"]},
            {"properties":{"foo":{"type":"string"}},"required":["foo"]}]})",
         {"{\"bar\":2}", "{\"foo\":\"x\"}", "{\"foo\":1,\"bar\":2}",
          "{\"x\":0,\"bar\":\"s\",\"foo\":\"\"}"},
         {"{\"foo\":\"x\",\"bar\":2}", "{}", "{\"foo\":2,\"bar\":\"quux\"}"}},
        {R"({"type":"object","oneOf":[{"required":["foo","bar"]},{"required":["foo","baz"]}]})",
         {"{\"foo\":1,\"bar\":2}", "{\"foo\":1,\"baz\":2}"},
         {"{\"bar\":1}", "{\"foo\":1,\"bar\":2,\"baz\":3}", "{\"baz\":1,\"foo\":1,\"bar\":2}"}},
        {R"({"oneOf":[{"minItems":2},{"maxItems":3}],"type":"array"})",
         {"[]", "[1]", "[1,2,3,4]"},
         {"[1,2]", "[1,2,3]"}},
        {R"({"not":{"type":"object","properties":{"foo":{"type":"string"}}}})",
         {"1", "{\"foo\":1}", "{\"bar\":2,\"foo\":null}"},
         {"{\"foo\":\"bar\"}", "{}", "{\"bar\":1}"}},
        {R"({"properties":{"foo":{"not":{}}}})", {"{\"bar\":1}", "{}"}, {"{\"foo\":1}"}},
        {R"({"not":{"required":["a"]}})", {"{}", "{\"b\":1}"}, {"{\"a\":1}", "1", "[]"}},
        {R"({"not":{"prefixItems":[{"type":"integer"},true,{"type":"null"}]}})",
         {"[\"a\"]", "[1,2,3]"},
         {"[]", "[1]", "[1,2,null]"}},
        {R"({"type":"object","if":{"properties":{"k":{"const":"a"}},"required":["k"]},
            "then":{"required":["x"]},"else":{"properties":{"y":{"type":"null"}}}})",
         {"{\"k\":\"a\",\"x\":1}", "{\"x\":1,\"k\":\"a\",\"y\":2}", "{}",
          "{\"k\":\"b\",\"y\":null}"},
         {"{\"k\":\"a\"}", "{\"k\":\"b\",\"y\":1}", "{\"y\":1}"}},
        {R"({"dependentRequired":{"bar":["foo"]}})",
         {"{}", "{\"foo\":1}", "{\"bar\":1,\"foo\":2}", "12"},
         {"{\"bar\":2}"}},
        {R"({"dependentSchemas":{"bar":{"properties":{"foo":{"type":"integer"},
            "bar":{"type":"integer"}}}}})",
         {"{\"foo\":1,\"bar\":2}", "{\"foo\":\"x\"}", "[]"},
         {"{\"foo\":\"x\",\"bar\":2}", "{\"bar\":\"x\"}"}},
        {R"({"oneOf":[{"type":"array"},{"type":"object"},{"type":"null"}]})",
         {"[]", "{}", "null"},
         {"1"}},
        {R"({"oneOf":[true,false,false]})", {"1", "\"a\""}, {}},
        {R"({"type":["number","string"],"oneOf":[true,true]})", {}, {"1", "\"a\""}},
        {R"({"not":{"type":"integer"}})", {"\"foo\"", "1.5", "{}", "null"}, {"1", "1.0", "1e2"}},
        {R"({"type":"string","not":{"enum":["a","b"]}})",
         {"\"c\"", "\"ab\""},
         {"\"a\"", "\"\\u0062\""}},
        {R"({"not":true})", {}, {"1", "{}"}},
        {R"({"type":"number","if":{"exclusiveMaximum":0},"then":{"minimum":-10},
            "else":{"multipleOf":2}})",
         {"-1", "4", "-10"},
         {"-100", "3"}},
    });
}

TEST_CASE("schemas: references, also to themselves", "[ch16]") {
    check({
        {R"({"$defs":{"a":{"type":"integer"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/b"})",
         {"5"},
         {"\"a\""}},
        {R"({"properties":{"foo":{"$ref":"#"}},"additionalProperties":false})",
         {"{\"foo\":false}", "{\"foo\":{\"foo\":false}}", "{}"},
         {"{\"bar\":false}", "{\"foo\":{\"bar\":false}}"}},
        {R"({"$defs":{"tilde~field":{"type":"integer"},"slash/field":{"type":"integer"},
            "percent%field":{"type":"integer"}},
            "properties":{"tilde":{"$ref":"#/$defs/tilde~0field"},
            "slash":{"$ref":"#/$defs/slash~1field"},
            "percent":{"$ref":"#/$defs/percent%25field"}}})",
         {"{\"slash\":123,\"tilde\":1,\"percent\":2}"},
         {"{\"slash\":\"aoeu\"}", "{\"tilde\":\"aoeu\"}", "{\"percent\":\"aoeu\"}"}},
        {R"({"prefixItems":[{"type":"integer"},{"$ref":"#/prefixItems/0"}]})",
         {"[1,2]"},
         {"[1,\"foo\"]"}},
        {R"({"$defs":{"r":{"type":"array"}},"properties":{"foo":{"$ref":"#/$defs/r",
            "maxItems":2}}})",
         {"{\"foo\":[]}"},
         {"{\"foo\":[1,2,3]}", "{\"foo\":\"string\"}"}},
        {R"({"$defs":{"a":{"$anchor":"here","type":"null"}},"items":{"$ref":"#here"}})",
         {"[null]"},
         {"[1]"}},
        {R"({"properties":{"$ref":{"type":"string"}}})", {"{\"$ref\":\"a\"}"}, {"{\"$ref\":2}"}},
        {R"({"type":"object","properties":{"n":{"type":"integer"},"l":{"$ref":"#"},
            "r":{"$ref":"#"}},"required":["n"],"additionalProperties":false})",
         {"{\"l\":{\"n\":1},\"n\":2,\"r\":{\"r\":{\"n\":3},\"n\":0}}"},
         {"{\"l\":{},\"n\":2}", "{\"n\":1,\"l\":1}"}},
        {R"({"$ref":"#/$defs/x","$defs":{"x":{"anyOf":[{"type":"integer"},{"type":"array",
            "items":{"$ref":"#/$defs/x"}}]}}})",
         {"1", "[[1,[]],2]"},
         {"[null]"}},
        // An object that must hold itself has no text at all.
        {R"({"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]})",
         {},
         {"{}", "{\"a\":{}}"}},
    });
}

TEST_CASE("what cannot be enforced is refused by name and place, never skipped", "[ch16]") {
    const std::vector<std::array<std::string, 3>> cases = {
        {R"({"items":{"uniqueItems":true,"contains":{"const":1}}})", "uniqueItems", "#/items"},
        {R"({"properties":{"a":{"minProperties":2000}}})", "minProperties", "#/properties/a"},
        {R"({"not":{"patternProperties":{"a":false}}})", "not",
         "set additionalProperties to false"},
        {R"({"not":{"additionalProperties":{"type":"null"}}})", "not",
         "set additionalProperties to false"},
        {R"({"oneOf":[{"additionalProperties":{"minimum":3}},
            {"additionalProperties":{"maximum":5}}]})",
         "not", "keys that the schema does not name"},
        {R"({"properties":{"a":{"minContains":2000,"maxContains":3000,"contains":{"type":"null"},
            "maxItems":5000}}})",
         "contains", "#/properties/a"},
        {R"({"$ref":"http://example.org/x.json"})", "$ref", "outside"},
        {R"({"$ref":"other.json#/a"})", "$ref", "outside"},
        {R"({"$ref":"#"})", "$ref", "itself"},
        {R"({"not":{"uniqueItems":true}})", "uniqueItems", ""},
        {R"({"pattern":"(a)\\1"})", "pattern", "back reference"},
        {R"x({"pattern":"^(?=a)"})x", "pattern", "look-ahead"},
        {R"({"pattern":"\\bword"})", "pattern", "word boundary"},
        {R"({"$schema":"http://localhost/own"})", "$schema", "dialect"},
        {R"({"pattern":"^a","minLength":10000000})", "pattern", "smaller limit"},
        {R"({"multipleOf":0.123456789})", "multipleOf", "20,000"},
        {R"({"const":123456789012345678901234567890})", "123456789012345678901234567890",
         "more digits than a double"},
        {R"({"maximum":1e400})", "1e400", "more digits than a double"},
        {R"({"enum":["1e400",[-0.12345678901234567891]]})", "-0.12345678901234567891",
         "more digits than a double"},
    };
    for (const auto& [schema, keyword, message] : cases) {
        INFO(schema);
        try {
            compile_schema(schema);
            FAIL("compiled");
        } catch (const UnsupportedSchema& e) {
            CHECK(e.keyword() == keyword);
            CHECK_THAT(e.what(), Catch::Contains(message));
        }
    }
    // In a part that nothing refers to it does no harm.
    REQUIRE_NOTHROW(compile_schema(R"({"$defs":{"x":{"uniqueItems":true}},"type":"null"})"));
}
