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

TEST_CASE("schemas: types, and what has no type named", "[ch16]") {
    check({
        {"true",
         {"1", "null", "{\"a\":[1,{}]}", " \"x\" ", "[1e5]", "-0"},
         {"", "01", "{", "[1,]", "nul"}},
        {"false", {}, {"1", "null", "{}", "[]"}},
        {"{}", {"1", "\"a\"", "{}", "[]", "true"}, {"x"}},
        {R"({"type":"null"})", {"null"}, {"0", "false", "\"\"", "\"null\"", "{}"}},
        {R"({"type":"boolean"})", {"true", "false"}, {"0", "1", "null", "\"true\""}},
        {R"({"type":"integer"})",
         {"1", "-5", "0", "1.0", "1e2", "-0", "10.000", "1.5e1", "123456789012345678901234567890"},
         {"1.5", "\"1\"", "true", "1e-1", "null", "[]"}},
        {R"({"type":"number"})", {"1", "1.5", "1e2", "-0.0", "1E-400"}, {"\"1\"", "true", "null"}},
        {R"({"type":"string"})",
         {"\"\"", "\"a\"", "\"\\u00e9\\ud83d\\ude00\\n\\/\"", "\"\xc3\xa9\xf0\x9f\x98\x80\""},
         {"1", "null", "\"\\ud800\"", "\"\xff\"", "\"a"}},
        {R"({"type":"array"})", {"[]", "[1,\"a\",[]]"}, {"{}", "1"}},
        {R"({"type":"object"})",
         {"{}", "{\"a\":1,\"b\":{}}"},
         {"[]", "1", "{a:1}", "{\"a\":1,\"a\":2}"}},  // readers keep one of them, or refuse
        {R"({"type":["integer","null"]})", {"1", "null", "2.0"}, {"1.5", "\"\""}},
        {R"({"type":["number","integer"]})", {"1", "1.5"}, {"null"}},
        {R"({"minLength":2})", {"1", "null", "{}", "\"ab\""}, {"\"a\""}},
        {R"({"minimum":2})", {"2", "\"\"", "[]"}, {"1"}},
        {R"({"properties":{"a":{"type":"integer"}}})",
         {"1", "[]", "{}", "{\"a\":1}", "{\"b\":\"x\"}", "{\"b\":\"x\",\"a\":2}"},
         {"{\"a\":\"x\"}"}},
        {R"({"title":"t","description":"d","default":1,"examples":[1],"$comment":"c",
            "deprecated":true,"readOnly":true,"writeOnly":false,"$id":"http://x/y",
            "$schema":"https://json-schema.org/draft/2020-12/schema","contentEncoding":"base64",
            "x-own":3,"type":"null"})",
         {"null"},
         {"1"}},
    });
}

TEST_CASE("schemas: strings", "[ch16]") {
    check({
        {R"({"type":"string","minLength":2,"maxLength":3})",
         {"\"ab\"", "\"abc\"", "\"\\u00e9b\"", "\"\\ud83d\\ude00\xf0\x9f\x98\x80\"", "\"\\n\\n\""},
         {"\"a\"", "\"abcd\"", "\"\\ud83d\\ude00\"", "\"\""}},
        {R"({"type":"string","minLength":2.0})", {"\"ab\""}, {"\"a\""}},
        {R"({"type":"string","maxLength":0})", {"\"\""}, {"\"a\""}},
        {R"({"type":"string","minLength":3,"maxLength":2})", {}, {"\"ab\"", "\"abc\""}},
        {R"({"pattern":"^a*$"})", {"\"\"", "\"aaa\"", "\"\\u0061a\"", "1"}, {"\"ab\"", "\"b\""}},
        {R"({"pattern":"a+"})", {"\"xxaayy\"", "\"a\"", "\"\\u0061\""}, {"\"\"", "\"b\""}},
        {R"({"pattern":"^ab|cd$"})", {"\"abx\"", "\"xcd\""}, {"\"xab\"", "\"cdx\""}},
        {R"({"pattern":"^\\p{Letter}+$"})", {"\"a\xc3\xa9\"", "\"\\u00e9\""}, {"\"1\"", "\"\""}},
        {R"({"pattern":"^.$","minLength":1})",
         {"\"a\"", "\"\xf0\x9f\x98\x80\""},
         {"\"\\n\"", "\"ab\""}},
        {R"({"type":"string","pattern":"^[a-z]+$","minLength":2,"maxLength":3})",
         {"\"ab\"", "\"abc\""},
         {"\"a\"", "\"abcd\"", "\"a1\""}},
        {R"({"format":"date"})",
         {"\"2024-02-29\"", "\"2000-02-29\"", "\"2023-12-31\"", "1"},
         {"\"2023-02-29\"", "\"1900-02-29\"", "\"2023-13-01\"", "\"2023-04-31\"", "\"2023-1-1\"",
          "\"2023-01-00\""}},
        {R"({"format":"time"})",
         {"\"12:34:56Z\"", "\"23:59:60Z\"", "\"00:00:00.123+05:30\"", "\"01:29:60+01:30\"",
          "\"15:59:60-08:00\"", "\"12:00:00z\""},
         {"\"24:00:00Z\"", "\"12:60:00Z\"", "\"12:00:61Z\"", "\"22:59:60Z\"", "\"12:00:00\"",
          "\"12:00:00+24:00\"", "\"23:59:60+01:00\"", "\"1:00:00Z\"", "\"12:00:00.Z\""}},
        {R"({"format":"date-time"})",
         {"\"1985-04-12T23:20:50.52Z\"", "\"1996-12-19t16:39:57-08:00\"",
          "\"1998-12-31T23:59:60Z\""},
         {"\"1985-04-12 23:20:50Z\"", "\"1985-02-30T23:20:50Z\"", "\"1985-04-12\""}},
        {R"({"format":"uuid"})",
         {"\"2eb8aa08-aa98-11ea-b4aa-73b441d16380\"", "\"2EB8AA08-AA98-11EA-B4AA-73B441D16380\""},
         {"\"2eb8aa08aa9811eab4aa73b441d16380\"", "\"2eb8aa08-aa98-11ea-b4aa-73b441d1638\"",
          "\"2eb8aa08-aa98-11ea-b4ga-73b441d16380\""}},
        {R"({"format":"email"})",
         {"\"joe.bloggs@example.com\"", "\"te~st@example.com\"",
          "\"\\\"joe bloggs\\\"@example.com\"", "\"joe@[127.0.0.1]\"", "\"joe@[IPv6:::1]\""},
         {"\"2962\"", "\".test@example.com\"", "\"test.@example.com\"", "\"te..st@example.com\"",
          "\"joe bloggs@example.com\"", "\"joe@[127.0.0.300]\"", "\"joe@invalid=domain.com\"",
          "\"a@\""}},
        {R"({"format":"ipv4"})",
         {"\"192.168.0.1\"", "\"0.0.0.0\"", "\"255.255.255.255\""},
         {"\"256.1.1.1\"", "\"1.1.1\"", "\"1.1.1.1.1\"", "\"01.1.1.1\"", "\"1.1.1.1/24\""}},
        {R"({"format":"ipv6"})",
         {"\"::1\"", "\"::\"", "\"1:2:3:4:5:6:7:8\"", "\"::ffff:192.168.0.1\"",
          "\"1::d6:192.168.0.1\"", "\"1:2:3:4:5:6:7::\"", "\"::2:3:4:5:6:7:8\""},
         {"\"1:2:3:4:5:6:7\"", "\"1::2::3\"", "\"1:2:3:4:5:6:7:8:9\"", "\":1\"",
          "\"1:2:3:4:5:::8\"", "\"::abcef0\""}},
    });
}

TEST_CASE("schemas: numbers and their ranges, digit by digit", "[ch16]") {
    check({
        {R"({"minimum":1.1})",
         {"1.1", "1.10", "2.6", "11e-1", "100"},
         {"0.6", "1.0999", "1", "-2", "0"}},
        {R"({"minimum":-2})", {"-2", "-1", "0", "-2.0", "-0.0", "5"}, {"-2.0001", "-3", "-20"}},
        {R"({"exclusiveMinimum":1.1})", {"1.2", "1.1000001"}, {"1.1", "1.10", "0.6"}},
        {R"({"exclusiveMinimum":0})", {"0.0001", "1"}, {"0", "-0", "0.0", "-1"}},
        {R"({"maximum":3.0})", {"2.6", "3.0", "3", "-100"}, {"3.5", "3.0001", "30"}},
        {R"({"maximum":0})", {"0", "-0.0", "-1", "-0.5"}, {"0.1", "1"}},
        {R"({"exclusiveMaximum":-1.5})", {"-1.6", "-15", "-1.51"}, {"-1.5", "-1.4", "0", "1"}},
        {R"({"type":"integer","minimum":-7,"maximum":120})",
         {"-7", "0", "99", "120", "119.0", "12e1"},
         {"-8", "121", "0.5", "1000"}},
        {R"({"minimum":0.01,"exclusiveMaximum":10})",
         {"0.01", "9.999", "1e-2"},
         {"0.001", "10", "0"}},
        {R"({"minimum":1e3})", {"1000", "1e3", "1001"}, {"999.9"}},
        {R"({"minimum":5,"maximum":3})", {"\"x\""}, {"4", "3", "5"}},
        {R"({"multipleOf":2})", {"4", "0", "-6", "4.0", "1e1"}, {"7", "4.5", "-1"}},
        {R"({"multipleOf":1.5})", {"4.5", "0", "3"}, {"35", "1", "4.51"}},
        {R"({"multipleOf":0.01})", {"19.99", "1", "0.1", "5.000"}, {"0.001", "1.005"}},
    });
    // Against arithmetic: whole and halved numbers around small bounds.
    Rng rng(30);
    const auto text_of = [](int twice) {
        const std::string sign = twice < 0 ? "-" : "";
        return sign + std::to_string(std::abs(twice) / 2) + (twice % 2 == 0 ? "" : ".5");
    };
    for (int round = 0; round < 60; ++round) {
        const int bound = static_cast<int>(rng.below(500)) - 250;
        const Decimal d = Decimal::parse(text_of(bound));
        const Dfa least = at_least(d, false), more = at_least(d, true), most = at_most(d, false),
                  less = at_most(d, true), equal = equal_to(d);
        for (int x = -260; x <= 260; x += 1 + static_cast<int>(rng.below(3))) {
            const std::string text = text_of(x) + (rng.below(2) == 0 ? ""
                                                   : x % 2 == 0      ? ".00"
                                                                     : "0");
            INFO(text << " and " << d.text());
            REQUIRE(least.accepts(text) == (x >= bound));
            REQUIRE(more.accepts(text) == (x > bound));
            REQUIRE(most.accepts(text) == (x <= bound));
            REQUIRE(less.accepts(text) == (x < bound));
            REQUIRE(equal.accepts(text) == (x == bound));
        }
    }
}

TEST_CASE("schemas: objects in any order, with or without other keys", "[ch16]") {
    check({
        {R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},
            "required":["a","b"],"additionalProperties":false})",
         {"{\"a\":1,\"b\":\"x\"}", "{\"b\":\"x\",\"a\":1}", " { \"a\" : 1 , \"b\" : \"\" } ",
          "{\"\\u0061\":1,\"b\":\"x\"}"},
         {"{}", "{\"a\":1}", "{\"b\":\"x\"}", "{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":\"x\",\"c\":1}",
          "{\"a\":1,\"a\":2,\"b\":\"x\"}", "{\"a\":1,\"b\":\"x\",}", "{\"a\":1 \"b\":\"x\"}"}},
        {R"({"properties":{"foo":{},"foobar":{"type":"null"}},"required":["foo"]})",
         {"{\"foo\":1}", "{\"fo\":1,\"foo\":2}", "{\"foobar\":null,\"foo\":[]}",
          "{\"z\":1,\"foo\":1,\"y\":2}", "1"},
         {"{}", "{\"foobar\":null}", "{\"foo\":1,\"foobar\":1}", "{\"fo\":1}"}},
        {R"({"required":["x"]})",
         {"{\"x\":1}", "{\"a\":2,\"x\":null}", "[]", "{\"\\u0078\":1}"},
         {"{}", "{\"y\":1}"}},
        {R"({"required":[]})", {"{}", "{\"x\":1}"}, {}},
        {R"({"properties":{"a":true},"additionalProperties":{"type":"boolean"}})",
         {"{\"a\":1,\"b\":true}", "{}", "{\"b\":false}"},
         {"{\"a\":1,\"b\":2}", "{\"\\u0062\":2}"}},
        {R"({"additionalProperties":false})", {"{}", "1"}, {"{\"a\":1}"}},
        {R"({"properties":{"a":false}})", {"{}", "{\"b\":1}"}, {"{\"a\":1}", "{\"a\":null}"}},
        {R"({"properties":{"a":false},"required":["a"]})", {"1"}, {"{}", "{\"a\":1}"}},
        {R"({"properties":{"foo\nbar":{"type":"number"},"foo\"bar":{"type":"number"},
            "foo\\bar":{"type":"number"},"\u00e9":{"type":"number"}}})",
         {"{\"foo\\nbar\":1,\"foo\\\"bar\":1,\"foo\\\\bar\":1,\"\xc3\xa9\":1}"},
         {"{\"foo\\nbar\":\"1\"}", "{\"foo\\\"bar\":\"1\"}", "{\"foo\\\\bar\":\"1\"}",
          "{\"\\u00e9\":\"1\"}", "{\"\xc3\xa9\":\"1\"}"}},
        {R"({"properties":{"__proto__":{"type":"number"},"":{"type":"null"}}})",
         {"{\"\":null}", "{\"__proto__\":1}"},
         {"{\"\":1}", "{\"__proto__\":\"x\"}"}},
    });
}

TEST_CASE("schemas: arrays", "[ch16]") {
    check({
        {R"({"items":{"type":"integer"}})",
         {"[]", "[1,2,3]", "{}", "[ 1 , 2 ]"},
         {"[1,\"x\"]", "[1,]"}},
        {R"({"items":false})", {"[]", "1"}, {"[1]"}},
        {R"({"prefixItems":[{"type":"integer"},{"type":"string"}]})",
         {"[]", "[1]", "[1,\"a\"]", "[1,\"a\",true]"},
         {"[\"a\"]", "[1,2]"}},
        {R"({"prefixItems":[{"type":"integer"}],"items":{"type":"string"}})",
         {"[]", "[1]", "[1,\"a\",\"b\"]"},
         {"[1,2]", "[\"a\"]"}},
        {R"({"prefixItems":[{},{},{}],"items":false})", {"[1,2,3]", "[1]"}, {"[1,2,3,4]"}},
        {R"({"minItems":1,"maxItems":2})", {"[1]", "[1,2]", "\"\""}, {"[]", "[1,2,3]"}},
        {R"({"minItems":2.0})", {"[1,2]", "[1,2,3,4]"}, {"[1]"}},
        {R"({"maxItems":0})", {"[]"}, {"[1]"}},
        {R"({"minItems":3,"maxItems":2})", {"{}"}, {"[1,2]", "[1,2,3]"}},
        {R"({"items":{"items":{"items":{"type":"integer"}}}})",
         {"[[[1]],[[2],[]]]"},
         {"[[[\"1\"]]]"}},
        {R"({"uniqueItems":false})", {"[1,1]"}, {}},
        {R"({"uniqueItems":true,"maxItems":1})", {"[1]", "[]"}, {"[1,1]"}},
    });
}
