// What each keyword means: cases by hand, and files of cases in the form of the official suite,
//   {"description": …, "schema": …, "tests": [{"description": …, "data": …, "valid": …}]}
// Where the spelling matters ("\u0061", 1e400, blanks) "text" holds the instance as it is written.
#include "tests/catch.hpp"

#include <filesystem>

#include "lib/grammar/automata/numbers.hpp"
#include "tests/support/schema_cases.hpp"

using namespace tbt;
using namespace tbt::testing;
using nlohmann::json;

TEST_CASE("schemas: types, and what has no type named") {
    check({
        {"true", R"(1 | null | {"a":[1,{}]} |  "x"  | [1e5] | -0)", " | 01 | { | [1,] | nul"},
        {"false", {}, "1 | null | {} | []"},
        {"{}", R"(1 | "a" | {} | [] | true)", "x"},
        {R"({"type":"null"})", "null", R"(0 | false | "" | "null" | {})"},
        {R"({"type":"boolean"})", "true | false", R"(0 | 1 | null | "true")"},
        {R"({"type":"integer"})",
         "1 | -5 | 0 | 1.0 | 1e2 | -0 | 10.000 | 1.5e1 | 123456789012345678901234567890",
         R"(1.5 | "1" | true | 1e-1 | null | [])"},
        {R"({"type":"number"})", "1 | 1.5 | 1e2 | -0.0 | 1E-400", R"("1" | true | null)"},
        {R"({"type":"string"})",
         R"("" | "a" | "\u00e9\ud83d\ude00\n\/" | "é😀")",
         {"1", "null", "\"\\ud800\"", "\"\xff\"", "\"a"}},
        {R"({"type":"array"})", R"([] | [1,"a",[]])", "{} | 1"},
        {R"({"type":"object"})", R"({} | {"a":1,"b":{}})",
         R"([] | 1 | {a:1} | {"a":1,"a":2})"},  // readers keep one of them, or refuse
        {R"({"type":["integer","null"]})", "1 | null | 2.0", R"(1.5 | "")"},
        {R"({"type":["number","integer"]})", "1 | 1.5", "null"},
        {R"({"minLength":2})", R"(1 | null | {} | "ab")", R"("a")"},
        {R"({"minimum":2})", R"(2 | "" | [])", "1"},
        {R"({"properties":{"a":{"type":"integer"}}})",
         R"(1 | [] | {} | {"a":1} | {"b":"x"} | {"b":"x","a":2})", R"({"a":"x"})"},
        {R"({"title":"t","description":"d","default":1,"examples":[1],"$comment":"c",
            "deprecated":true,"readOnly":true,"writeOnly":false,"$id":"http://x/y",
            "$schema":"https://json-schema.org/draft/2020-12/schema","contentEncoding":"base64",
            "x-own":3,"type":"null"})",
         "null", "1"},
    });
}

TEST_CASE("schemas: strings") {
    check({
        {R"({"type":"string","minLength":2,"maxLength":3})",
         R"("ab" | "abc" | "\u00e9b" | "\ud83d\ude00😀" | "\n\n")",
         R"("a" | "abcd" | "\ud83d\ude00" | "")"},
        {R"({"type":"string","minLength":2.0})", R"("ab")", R"("a")"},
        {R"({"type":"string","maxLength":0})", R"("")", R"("a")"},
        {R"({"type":"string","minLength":3,"maxLength":2})", {}, R"("ab" | "abc")"},
        {R"({"pattern":"^a*$"})", R"("" | "aaa" | "\u0061a" | 1)", R"("ab" | "b")"},
        {R"({"pattern":"a+"})", R"("xxaayy" | "a" | "\u0061")", R"("" | "b")"},
        {R"({"pattern":"^ab|cd$"})", R"("abx" | "xcd")", R"("xab" | "cdx")"},
        {R"({"pattern":"^\\p{Letter}+$"})", R"("aé" | "\u00e9")", R"("1" | "")"},
        {R"({"pattern":"^.$","minLength":1})", R"("a" | "😀")", R"("\n" | "ab")"},
        {R"({"type":"string","pattern":"^[a-z]+$","minLength":2,"maxLength":3})", R"("ab" | "abc")",
         R"("a" | "abcd" | "a1")"},
        {R"({"format":"date"})", R"("2024-02-29" | "2000-02-29" | "2023-12-31" | 1)",
         R"("2023-02-29" | "1900-02-29" | "2023-13-01" | "2023-04-31" | "2023-1-1")"
         R"( | "2023-01-00")"},
        {R"({"format":"time"})",
         R"("12:34:56Z" | "23:59:60Z" | "00:00:00.123+05:30" | "01:29:60+01:30")"
         R"( | "15:59:60-08:00" | "12:00:00z")",
         R"("24:00:00Z" | "12:60:00Z" | "12:00:61Z" | "22:59:60Z" | "12:00:00")"
         R"( | "12:00:00+24:00" | "23:59:60+01:00" | "1:00:00Z" | "12:00:00.Z")"},
        {R"({"format":"date-time"})",
         R"("1985-04-12T23:20:50.52Z" | "1996-12-19t16:39:57-08:00" | "1998-12-31T23:59:60Z")",
         R"("1985-04-12 23:20:50Z" | "1985-02-30T23:20:50Z" | "1985-04-12")"},
        {R"({"format":"uuid"})",
         R"("2eb8aa08-aa98-11ea-b4aa-73b441d16380" | "2EB8AA08-AA98-11EA-B4AA-73B441D16380")",
         R"("2eb8aa08aa9811eab4aa73b441d16380" | "2eb8aa08-aa98-11ea-b4aa-73b441d1638")"
         R"( | "2eb8aa08-aa98-11ea-b4ga-73b441d16380")"},
        {R"({"format":"email"})",
         R"("joe.bloggs@example.com" | "te~st@example.com" | "\"joe bloggs\"@example.com")"
         R"( | "joe@[127.0.0.1]" | "joe@[IPv6:::1]")",
         R"("2962" | ".test@example.com" | "test.@example.com" | "te..st@example.com")"
         R"( | "joe bloggs@example.com" | "joe@[127.0.0.300]" | "joe@invalid=domain.com")"
         R"( | "a@")"},
        {R"({"format":"ipv4"})", R"("192.168.0.1" | "0.0.0.0" | "255.255.255.255")",
         R"("256.1.1.1" | "1.1.1" | "1.1.1.1.1" | "01.1.1.1" | "1.1.1.1/24")"},
        {R"({"format":"ipv6"})",
         R"("::1" | "::" | "1:2:3:4:5:6:7:8" | "::ffff:192.168.0.1" | "1::d6:192.168.0.1")"
         R"( | "1:2:3:4:5:6:7::" | "::2:3:4:5:6:7:8")",
         R"("1:2:3:4:5:6:7" | "1::2::3" | "1:2:3:4:5:6:7:8:9" | ":1" | "1:2:3:4:5:::8")"
         R"( | "::abcef0")"},
    });
}

TEST_CASE("schemas: numbers and their ranges, digit by digit") {
    check({
        {R"({"minimum":1.1})", "1.1 | 1.10 | 2.6 | 11e-1 | 100", "0.6 | 1.0999 | 1 | -2 | 0"},
        {R"({"minimum":-2})", "-2 | -1 | 0 | -2.0 | -0.0 | 5", "-2.0001 | -3 | -20"},
        {R"({"exclusiveMinimum":1.1})", "1.2 | 1.1000001", "1.1 | 1.10 | 0.6"},
        {R"({"exclusiveMinimum":0})", "0.0001 | 1", "0 | -0 | 0.0 | -1"},
        {R"({"maximum":3.0})", "2.6 | 3.0 | 3 | -100", "3.5 | 3.0001 | 30"},
        {R"({"maximum":0})", "0 | -0.0 | -1 | -0.5", "0.1 | 1"},
        {R"({"exclusiveMaximum":-1.5})", "-1.6 | -15 | -1.51", "-1.5 | -1.4 | 0 | 1"},
        {R"({"type":"integer","minimum":-7,"maximum":120})", "-7 | 0 | 99 | 120 | 119.0 | 12e1",
         "-8 | 121 | 0.5 | 1000"},
        {R"({"minimum":0.01,"exclusiveMaximum":10})", "0.01 | 9.999 | 1e-2", "0.001 | 10 | 0"},
        {R"({"minimum":1e3})", "1000 | 1e3 | 1001", "999.9"},
        {R"({"minimum":5,"maximum":3})", R"("x")", "4 | 3 | 5"},
        {R"({"multipleOf":2})", "4 | 0 | -6 | 4.0 | 1e1", "7 | 4.5 | -1"},
        {R"({"multipleOf":1.5})", "4.5 | 0 | 3", "35 | 1 | 4.51"},
        {R"({"multipleOf":0.01})", "19.99 | 1 | 0.1 | 5.000", "0.001 | 1.005"},
    });
    // Against arithmetic: whole and halved numbers around small bounds.
    Rng rng(30);
    const auto text_of = [](int twice) {
        const std::string sign = twice < 0 ? "-" : "";
        return sign + std::to_string(std::abs(twice) / 2) + (twice % 2 == 0 ? "" : ".5");
    };
    for (int round = 0; round < 60; ++round) {
        const int bound = to_int(rng.below(500)) - 250;
        const Decimal d = Decimal::parse(text_of(bound));
        const Dfa least = at_least(d, false), more = at_least(d, true), most = at_most(d, false),
                  less = at_most(d, true), equal = equal_to(d);
        for (int x = -260; x <= 260; x += 1 + to_int(rng.below(3))) {
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

TEST_CASE("schemas: objects in any order, with or without other keys") {
    check({
        {R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},
            "required":["a","b"],"additionalProperties":false})",
         R"({"a":1,"b":"x"} | {"b":"x","a":1} |  { "a" : 1 , "b" : "" } )"
         R"( | {"\u0061":1,"b":"x"})",
         R"({} | {"a":1} | {"b":"x"} | {"a":1,"b":2} | {"a":1,"b":"x","c":1})"
         R"( | {"a":1,"a":2,"b":"x"} | {"a":1,"b":"x",} | {"a":1 "b":"x"})"},
        {R"({"properties":{"foo":{},"foobar":{"type":"null"}},"required":["foo"]})",
         R"({"foo":1} | {"fo":1,"foo":2} | {"foobar":null,"foo":[]} | {"z":1,"foo":1,"y":2})"
         " | 1",
         R"({} | {"foobar":null} | {"foo":1,"foobar":1} | {"fo":1})"},
        {R"({"required":["x"]})", R"({"x":1} | {"a":2,"x":null} | [] | {"\u0078":1})",
         R"({} | {"y":1})"},
        {R"({"required":[]})", R"({} | {"x":1})", {}},
        {R"({"properties":{"a":true},"additionalProperties":{"type":"boolean"}})",
         R"({"a":1,"b":true} | {} | {"b":false})", R"({"a":1,"b":2} | {"\u0062":2})"},
        {R"({"additionalProperties":false})", "{} | 1", R"({"a":1})"},
        {R"({"properties":{"a":false}})", R"({} | {"b":1})", R"({"a":1} | {"a":null})"},
        {R"({"properties":{"a":false},"required":["a"]})", "1", R"({} | {"a":1})"},
        {R"({"properties":{"foo\nbar":{"type":"number"},"foo\"bar":{"type":"number"},
            "foo\\bar":{"type":"number"},"\u00e9":{"type":"number"}}})",
         R"({"foo\nbar":1,"foo\"bar":1,"foo\\bar":1,"é":1})",
         R"({"foo\nbar":"1"} | {"foo\"bar":"1"} | {"foo\\bar":"1"} | {"\u00e9":"1"})"
         R"( | {"é":"1"})"},
        {R"({"properties":{"__proto__":{"type":"number"},"":{"type":"null"}}})",
         R"({"":null} | {"__proto__":1})", R"({"":1} | {"__proto__":"x"})"},
    });
}

TEST_CASE("schemas: arrays") {
    check({
        {R"({"items":{"type":"integer"}})", "[] | [1,2,3] | {} | [ 1 , 2 ]", R"([1,"x"] | [1,])"},
        {R"({"items":false})", "[] | 1", "[1]"},
        {R"({"prefixItems":[{"type":"integer"},{"type":"string"}]})",
         R"([] | [1] | [1,"a"] | [1,"a",true])", R"(["a"] | [1,2])"},
        {R"({"prefixItems":[{"type":"integer"}],"items":{"type":"string"}})",
         R"([] | [1] | [1,"a","b"])", R"([1,2] | ["a"])"},
        {R"({"prefixItems":[{},{},{}],"items":false})", "[1,2,3] | [1]", "[1,2,3,4]"},
        {R"({"minItems":1,"maxItems":2})", R"([1] | [1,2] | "")", "[] | [1,2,3]"},
        {R"({"minItems":2.0})", "[1,2] | [1,2,3,4]", "[1]"},
        {R"({"maxItems":0})", "[]", "[1]"},
        {R"({"minItems":3,"maxItems":2})", "{}", "[1,2] | [1,2,3]"},
        {R"({"items":{"items":{"items":{"type":"integer"}}}})", "[[[1]],[[2],[]]]", R"([[["1"]]])"},
        {R"({"uniqueItems":false})", "[1,1]", {}},
        {R"({"uniqueItems":true,"maxItems":1})", "[1] | []", "[1,1]"},
    });
}

TEST_CASE("schemas: enum and const by value, whatever the spelling and the order") {
    check({
        {R"({"enum":[1,2,3]})", "1 | 1.0 | 2.00 | 1e0 | 30e-1", R"(4 | "1" | 11 | 1.5)"},
        {R"({"enum":[6,"foo",[],true,{"foo":12}]})",
         R"(6 | "foo" | [] | true | {"foo":12} | {"foo":12.0})",
         R"(null | {"foo":false} | {"foo":12,"boo":42} | {} | [1] | false)"},
        {R"({"enum":["foo\nbar","foo\rbar"]})", R"("foo\nbar" | "foo\rbar" | "\u0066oo\u000abar")",
         R"("abc")"},
        {R"({"enum":[false]})", "false", R"(0 | 0.0 | "false")"},
        {R"({"enum":[[false]]})", "[false]", "[0] | []"},
        {R"({"enum":[]})", {}, "1 | null"},
        {R"({"const":{"foo":"bar","baz":"bax"}})",
         R"({"foo":"bar","baz":"bax"} | {"baz":"bax","foo":"bar"})",
         R"({"foo":"bar"} | [1,2] | {"foo":"bar","baz":"bax","a":1})"},
        {R"({"const":[{"foo":"bar"},1]})", R"([{"foo":"bar"},1])",
         R"([1,{"foo":"bar"}] | [{"foo":"bar"}] | [{"foo":"bar"},1,2])"},
        {R"({"const":null})", "null", "0"},
        {R"({"const":-2.0})", "-2 | -2.0 | -20e-1", "2 | -2.1"},
        {R"({"const":0})", "0 | 0.0 | -0", R"(false | {} | [] | "")"},
        {R"({"const":9007199254740992})", "9007199254740992 | 9007199254740992.0",
         "9007199254740991 | 9007199254740993"},
        {R"({"const":"hello\u0000there"})", R"("hello\u0000there")", R"("hellothere" | "hello")"},
        {R"({"type":"integer","enum":[1,"a",2.5]})", "1", R"("a" | 2.5)"},
        {R"({"enum":[1,5,10],"minimum":4})", "5 | 10", "1"},
        {R"({"enum":["a","abc"],"minLength":2})", R"("abc")", R"("a")"},
        {R"({"enum":[{"a":1},{"a":2}],"properties":{"a":{"minimum":2}}})", R"({"a":2})",
         R"({"a":1})"},
    });
}

TEST_CASE("schemas: allOf, anyOf, oneOf, not, if") {
    check({
        {R"({"allOf":[{"properties":{"bar":{"type":"integer"}},"required":["bar"]},
            {"properties":{"foo":{"type":"string"}},"required":["foo"]}]})",
         R"({"foo":"baz","bar":2} | {"bar":2,"x":[],"foo":""})",
         R"({"foo":"baz"} | {"bar":2} | {"foo":"baz","bar":"quux"})"},
        {R"({"properties":{"bar":{"type":"integer"}},"required":["bar"],
            "allOf":[{"properties":{"foo":{"type":"string"}},"required":["foo"]},
            {"properties":{"baz":{"type":"null"}},"required":["baz"]}]})",
         R"({"foo":"quux","bar":2,"baz":null})",
         R"({"foo":"quux","baz":null} | {"bar":2,"baz":null} | {"foo":"quux","bar":2})"
         R"( | {"bar":2})"},
        {R"({"allOf":[{"maximum":30},{"minimum":20}]})", "25 | 20", "35 | 19"},
        {R"({"allOf":[true,false]})", {}, R"("foo")"},
        {R"({"allOf":[{"properties":{"a":{}},"additionalProperties":false},
            {"properties":{"b":{}}}]})",
         R"({"a":1} | {})", R"({"b":1} | {"a":1,"b":1})"},
        {R"({"allOf":[{"prefixItems":[{"minimum":2}]},{"items":{"maximum":5}}]})", "[3] | [2,1]",
         "[1] | [6] | [3,6]"},
        {R"({"anyOf":[{"type":"integer"},{"minimum":2}]})", R"(1 | 2.5 | 3 | "x")", "1.5"},
        {R"({"type":"string","anyOf":[{"maxLength":2},{"minLength":4}]})", R"("ab" | "abcd")",
         R"("abc" | 1)"},
        {R"({"anyOf":[{"properties":{"bar":{"type":"integer"}},"required":["bar"]},
            {"properties":{"foo":{"type":"string"}},"required":["foo"]}]})",
         R"({"bar":2} | {"foo":"x"} | {"foo":"x","bar":2} | {"foo":1,"bar":2})",
         R"({"foo":2,"bar":"quux"} | {})"},
        {R"({"anyOf":[true,false]})", "1", {}},
        {R"({"anyOf":[{"allOf":[{"anyOf":[{"type":"null"}]}]}]})", "null", "1"},
        {R"({"oneOf":[{"type":"integer"},{"minimum":2}],"type":"number"})", "1 | 2.5", "3 | 1.5"},
        {R"({"oneOf":[{"type":"string","minLength":2},{"type":"string","maxLength":4}]})",
         R"("a" | "abcde")", R"("abc" | 1)"},
        {R"({"oneOf":[{"properties":{"k":{"const":"a"},"x":{"type":"integer"}},"required":["k",
            "x"]},{"properties":{"k":{"const":"b"}},"required":["k"]}],"type":"object"})",
         R"({"k":"a","x":1} | {"x":"s","k":"b"})", R"({"k":"c"} | {"k":"a"} | {"k":"a","x":"s"})"},
        {R"({"oneOf":[{"properties":{"bar":{"type":"integer"}},"required":["bar"]},
            {"properties":{"foo":{"type":"string"}},"required":["foo"]}]})",
         R"({"bar":2} | {"foo":"x"} | {"foo":1,"bar":2} | {"x":0,"bar":"s","foo":""})",
         R"({"foo":"x","bar":2} | {} | {"foo":2,"bar":"quux"})"},
        {R"({"type":"object","oneOf":[{"required":["foo","bar"]},{"required":["foo","baz"]}]})",
         R"({"foo":1,"bar":2} | {"foo":1,"baz":2})",
         R"({"bar":1} | {"foo":1,"bar":2,"baz":3} | {"baz":1,"foo":1,"bar":2})"},
        {R"({"oneOf":[{"minItems":2},{"maxItems":3}],"type":"array"})", "[] | [1] | [1,2,3,4]",
         "[1,2] | [1,2,3]"},
        {R"({"not":{"type":"object","properties":{"foo":{"type":"string"}}}})",
         R"(1 | {"foo":1} | {"bar":2,"foo":null})", R"({"foo":"bar"} | {} | {"bar":1})"},
        {R"({"properties":{"foo":{"not":{}}}})", R"({"bar":1} | {})", R"({"foo":1})"},
        {R"({"not":{"required":["a"]}})", R"({} | {"b":1})", R"({"a":1} | 1 | [])"},
        {R"({"not":{"prefixItems":[{"type":"integer"},true,{"type":"null"}]}})",
         R"(["a"] | [1,2,3])", "[] | [1] | [1,2,null]"},
        {R"({"type":"object","if":{"properties":{"k":{"const":"a"}},"required":["k"]},
            "then":{"required":["x"]},"else":{"properties":{"y":{"type":"null"}}}})",
         R"({"k":"a","x":1} | {"x":1,"k":"a","y":2} | {} | {"k":"b","y":null})",
         R"({"k":"a"} | {"k":"b","y":1} | {"y":1})"},
        {R"({"dependentRequired":{"bar":["foo"]}})", R"({} | {"foo":1} | {"bar":1,"foo":2} | 12)",
         R"({"bar":2})"},
        {R"({"dependentSchemas":{"bar":{"properties":{"foo":{"type":"integer"},
            "bar":{"type":"integer"}}}}})",
         R"({"foo":1,"bar":2} | {"foo":"x"} | [])", R"({"foo":"x","bar":2} | {"bar":"x"})"},
        {R"({"oneOf":[{"type":"array"},{"type":"object"},{"type":"null"}]})", "[] | {} | null",
         "1"},
        {R"({"oneOf":[true,false,false]})", R"(1 | "a")", {}},
        {R"({"type":["number","string"],"oneOf":[true,true]})", {}, R"(1 | "a")"},
        {R"({"not":{"type":"integer"}})", R"("foo" | 1.5 | {} | null)", "1 | 1.0 | 1e2"},
        {R"({"type":"string","not":{"enum":["a","b"]}})", R"("c" | "ab")", R"("a" | "\u0062")"},
        {R"({"not":true})", {}, "1 | {}"},
        {R"({"type":"number","if":{"exclusiveMaximum":0},"then":{"minimum":-10},
            "else":{"multipleOf":2}})",
         "-1 | 4 | -10", "-100 | 3"},
    });
}

TEST_CASE("schemas: references, also to themselves") {
    check({
        {R"({"$defs":{"a":{"type":"integer"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/b"})", "5",
         R"("a")"},
        {R"({"properties":{"foo":{"$ref":"#"}},"additionalProperties":false})",
         R"({"foo":false} | {"foo":{"foo":false}} | {})",
         R"({"bar":false} | {"foo":{"bar":false}})"},
        {R"({"$defs":{"tilde~field":{"type":"integer"},"slash/field":{"type":"integer"},
            "percent%field":{"type":"integer"}},
            "properties":{"tilde":{"$ref":"#/$defs/tilde~0field"},
            "slash":{"$ref":"#/$defs/slash~1field"},
            "percent":{"$ref":"#/$defs/percent%25field"}}})",
         R"({"slash":123,"tilde":1,"percent":2})",
         R"({"slash":"aoeu"} | {"tilde":"aoeu"} | {"percent":"aoeu"})"},
        {R"({"prefixItems":[{"type":"integer"},{"$ref":"#/prefixItems/0"}]})", "[1,2]",
         R"([1,"foo"])"},
        {R"({"$defs":{"r":{"type":"array"}},"properties":{"foo":{"$ref":"#/$defs/r",
            "maxItems":2}}})",
         R"({"foo":[]})", R"({"foo":[1,2,3]} | {"foo":"string"})"},
        // Before 2019 nothing beside $ref counts.
        {R"({"$schema":"http://json-schema.org/draft-07/schema#","definitions":{
            "r":{"type":"array"}},"anyOf":[{"$ref":"#/definitions/r","maxItems":2}]})",
         "[] | [1,2,3]", R"("string")"},
        {R"({"$defs":{"a":{"$anchor":"here","type":"null"}},"items":{"$ref":"#here"}})", "[null]",
         "[1]"},
        {R"({"properties":{"$ref":{"type":"string"}}})", R"({"$ref":"a"})", R"({"$ref":2})"},
        {R"({"type":"object","properties":{"n":{"type":"integer"},"l":{"$ref":"#"},
            "r":{"$ref":"#"}},"required":["n"],"additionalProperties":false})",
         R"({"l":{"n":1},"n":2,"r":{"r":{"n":3},"n":0}})", R"({"l":{},"n":2} | {"n":1,"l":1})"},
        {R"({"$ref":"#/$defs/x","$defs":{"x":{"anyOf":[{"type":"integer"},{"type":"array",
            "items":{"$ref":"#/$defs/x"}}]}}})",
         "1 | [[1,[]],2]", "[null]"},
        // An object that must hold itself has no text at all.
        {R"({"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]})",
         {},
         R"({} | {"a":{}})"},
    });
}

TEST_CASE("what cannot be enforced is refused by name and place, never skipped") {
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
        {R"x({"pattern":"^(?=(?<=a)b)"})x", "pattern", "look-ahead"},
        {R"({"pattern":"(?i)word"})", "pattern", "flags"},
        {R"({"$schema":"http://localhost/own"})", "$schema", "dialect"},
        {R"({"pattern":"^a","minLength":10000000})", "pattern", "smaller limit"},
        {R"({"multipleOf":0.123456789})", "multipleOf", "20,000"},
        {R"({"const":123456789012345678901234567890})", "123456789012345678901234567890",
         "more digits than a double"},
        {R"({"maximum":1e400})", "1e400", "more digits than a double"},
        {R"({"enum":["1e400",[-0.12345678901234567891]]})", "-0.12345678901234567891",
         "more digits than a double"},
    };
    for (const auto& [schema, keyword, message] : cases) check_refused(schema, keyword, {message});
    // In a part that nothing refers to it does no harm.
    REQUIRE_NOTHROW(compile_schema(R"({"$defs":{"x":{"uniqueItems":true}},"type":"null"})"));
}

namespace {

struct SuiteResult {
    int right = 0, unsupported = 0;
    std::map<std::string, int> refused;  // how many tests for the sake of a keyword
    std::vector<std::string> wrong, reasons;

    int tests() const { return right + unsupported + to_int(wrong.size()); }
};

void check_group(const nlohmann::json& group, const SchemaOptions& options, const std::string& file,
                 SuiteResult& result) {
    const std::string place = file + ": " + group.at("description").get<std::string>();
    try {
        SchemaValidator recognizer(group.at("schema").dump(), options, file);
        for (const nlohmann::json& test : group.at("tests")) {
            const std::string text =
                test.contains("text") ? test.at("text").get<std::string>() : test.at("data").dump();
            if (recognizer.valid(text) == test.at("valid").get<bool>()) {
                ++result.right;
            } else {
                result.wrong.push_back(place + ": " + test.at("description").get<std::string>() +
                                       ": " + text);
            }
        }
    } catch (const UnsupportedSchema& e) {
        const int count = static_cast<int>(group.at("tests").size());
        result.unsupported += count;
        result.refused[e.keyword()] += count;
        result.reasons.push_back(place + ": " + e.what());
    } catch (const Error& e) {
        result.wrong.push_back(place + ": " + e.what());
    }
}

void check_file(const std::string& path, const SchemaOptions& options, SuiteResult& result) {
    const std::string name = path.substr(path.find_last_of('/') + 1);
    for (const nlohmann::json& group : nlohmann::json::parse(read_file(path)))
        check_group(group, quiet(options), name, result);  // suites try unknown keywords
}

// tests/data/json-schema/NAME.json, or DRAFT-NAME.json for an older draft.
SuiteResult check_folder(const std::string& folder) {
    SuiteResult result;
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    for (const std::string& file : files) {
        SchemaOptions options;
        const std::string name = file.substr(file.find_last_of('/') + 1);
        if (name.rfind("draft", 0) == 0) options.draft = std::atoi(name.c_str() + 5);
        check_file(file, options, result);
    }
    return result;
}

}  // namespace

TEST_CASE("no case of the schema suite is decided wrongly, and few are refused") {
    const SuiteResult result = check_folder("tests/data/json-schema");
    for (const std::string& wrong : result.wrong) FAIL_CHECK(wrong);
    for (const std::string& reason : result.reasons) UNSCOPED_INFO(reason);
    REQUIRE(result.wrong.empty());
    REQUIRE(result.right >= 300);
    REQUIRE(result.unsupported <= 10);
}
