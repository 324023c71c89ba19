// The JSON recognizer: what is JSON and what is not.
#include "tests/catch.hpp"

#include "chapters/13_json_grammar/required_keys.hpp"
#include "lib/grammar/recognizer/json_recognizer.hpp"
#include "tests/support/guided.hpp"
#include "tests/support/json_tokens.hpp"
#include "tests/support/words.hpp"

using namespace tbt;
using namespace tbt::testing;

namespace {

bool is_json(std::string_view text, JsonOptions options = JsonOptions::rfc()) {
    JsonRecognizer recognizer(options);
    return accepts_text(recognizer, text);
}

}  // namespace

TEST_CASE("every value of RFC 8259 is JSON, with white space wherever the RFC allows it") {
    for (const std::string& text : test::texts_of(
             R"(null | true | false | 0 | -0 | 12 | -12 | 1e10 | 1E+2 | 1e-2 | -0.0e-0 | 0.5)"
             R"( | 123.456e78 | 1e400000 | "" | "a" | "\"\\\/\b\f\n\r\t" | "\u0000\uABCD\uabcd")"
             R"( | "\uD83D\uDE00" | [] | [ ] | {} | [1,2] | [[],[[]]] | {"":0} | "\uD800")"
             R"( | "\uDC00\uD800" | "\uD800\n" | [1e1,0e0,-0e+00])")) {
        INFO(text);
        REQUIRE(is_json(text));
    }
    for (const char* text : {"\"\x7f\"", "{\n}", " \t\n\r{ \"a\" : [ 1 , { } ] , \"a\" : null } \n",
                             "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"",
                             "\"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\""}) {
        INFO(text);
        REQUIRE(is_json(text));
    }
}

TEST_CASE("what RFC 8259 does not derive is not JSON") {
    for (const std::string& text : test::texts_of(
             R"(nul | nulll | True | NULL | +1 | 01 | -01 | - | .5 | 1. | 1.e5 | 1e | 1e+ | 0x1)"
             R"( | 1 2 | --1 | 1- | NaN | Infinity | -Infinity | " | "\" | "\x41" | "\u12")"
             R"( | "\u12G4" | "\'" | 'a' | a | [ | ] | [1 | [1,] | [,1] | [1 2] | [1} | { | })"
             R"( | {] | {"a"} | {"a":} | {"a":1,} | {,} | {a:1} | {1:1} | {"a" 1})"
             R"( | {"a":1 "b":2} | {"a"::1} | []] | {}} | [] [] | /**/1 | 1 # | "\U0041")"
             R"( | [1,,2] | {"a":1,,"b":2} | tru e | "\u 041")")) {
        INFO(text);
        REQUIRE_FALSE(is_json(text));
    }
    for (const char* text : {"", " ", "\"\n\"", "\"\t\"", "//x\n1", "\f1",
                             "\xc2\xa0"
                             "1",
                             "\xef\xbb\xbf[]", "[\"a\",\n4\n,1,"}) {
        INFO(text);
        REQUIRE_FALSE(is_json(text));
    }
    REQUIRE_FALSE(is_json(std::string_view("\0", 1)));
    REQUIRE_FALSE(is_json(std::string_view("1\0", 2)));
    REQUIRE_FALSE(is_json(std::string_view("\"a\0b\"", 5)));
    REQUIRE_FALSE(is_json(std::string_view("\"\\\0\"", 4)));
}

TEST_CASE("strings are UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF") {
    for (const char* bad :
         {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "\xc3(", "\xe0\x80\x80", "\xe0\x9f\xbf",
          "\xe2\x82", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf",
          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xfe", "\xe2\x82\xac\x80"}) {
        INFO(bad);
        REQUIRE_FALSE(is_json(std::string(1, 0x22) + bad + "\""));
    }
    // Every code point in UTF-8 is a string's character, apart from control characters,
    // quote and backslash.
    JsonRecognizer recognizer(JsonOptions::rfc());
    const auto in_string = recognizer.next(recognizer.start(), '"');
    const auto reads = [&](std::initializer_list<int> bytes) {
        auto state = in_string;
        for (const int b : bytes) state = recognizer.next(state, static_cast<unsigned char>(b));
        return state == in_string;
    };
    int characters = 0;
    for (int a = 0; a < 256; ++a) {
        characters += reads({a});
        for (int b = 0; b < 256 && a >= 0x80; ++b) {
            characters += reads({a, b});
            if (a < 0xe0 || (b & 0xc0) != 0x80) continue;
            for (int c = 0x80; c < 0xc0; ++c) {
                characters += reads({a, b, c});
                for (int d = 0x80; d < 0xc0 && a >= 0xf0; ++d) characters += reads({a, b, c, d});
            }
        }
    }
    REQUIRE(characters == 0x110000 - 0x800 - 32 - 2);
}

TEST_CASE("a hundred thousand open brackets are neither too deep nor on the C++ stack") {
    const std::string open(100000, '['), closed(100000, ']');
    REQUIRE(is_json(open + closed));
    REQUIRE_FALSE(is_json(open + closed + "]"));
    REQUIRE_FALSE(is_json(open + closed.substr(1)));
    std::string mixed;
    for (int i = 0; i < 50000; ++i) mixed += "[{\"\":";
    std::string end = "1";
    for (int i = 0; i < 50000; ++i) end += "}]";
    REQUIRE(is_json(mixed + end));
    REQUIRE_FALSE(is_json(mixed + "1]"));
}

TEST_CASE("by default white space is bounded and surrogates come in pairs") {
    const JsonOptions bounded{3, false, false};
    REQUIRE(is_json("[\n  1,   2]", bounded));
    REQUIRE_FALSE(is_json("[\n   1]", bounded));
    REQUIRE(is_json("   1   ", bounded));
    REQUIRE_FALSE(is_json("1    ", bounded));
    REQUIRE(is_json("\"      \"", bounded));
    REQUIRE(is_json("[1,2]", {0, false, false}));
    REQUIRE_FALSE(is_json("[1, 2]", {0, false, false}));
    REQUIRE(is_json("\"\\uD83D\\uDE00 \\uD7FF\\uE000 \\ud83d\\ude00\"", bounded));
    for (const char* alone : {"\"\\uD800\"", "\"\\uDC00\"", "\"\\uD800\\n\"", "\"\\uD800\\u0041\"",
                              "\"\\udbff\\ud800\"", "\"\\uDFFF\\uD800\""})
        REQUIRE_FALSE(is_json(alone, bounded));
    REQUIRE(is_json("{}", {3, false, true}));
    REQUIRE_FALSE(is_json("1", {3, false, true}));
    REQUIRE(is_json("[1]", {3, false, true}));
    REQUIRE_THROWS_AS(JsonRecognizer(JsonOptions{256, false, false}), UsageError);
}

// Random texts of JSON's letters: nlohmann-json and the recognizer agree on each,
// and most short texts of either kind occur.

TEST_CASE("the recognizer and nlohmann-json agree on a hundred thousand short texts") {
    Rng rng(1);
    int accepted = 0;
    const JsonOptions strict{-1, false, false};
    for (int i = 0; i < 100000; ++i) {
        std::string text;
        if (rng.below(2) == 0) {
            for (std::uint64_t n = rng.below(8); n > 0; --n)
                text += json_letters[rng.below(json_letters.size())];
        } else {
            for (std::uint64_t n = rng.below(5); n > 0; --n)
                text += json_tokens[rng.below(json_tokens.size())];
        }
        INFO(text);
        const bool expected = nlohmann::json::accept(text);
        // nlohmann-json refuses numbers that overflow a double; the RFC does not.
        if (is_json(text, strict) != expected)
            REQUIRE(text.find_first_of("eE") != std::string::npos);
        accepted += expected;
    }
    REQUIRE(accepted > 5000);
}

TEST_CASE("three required keys have six orders, not twenty-seven") {
    REQUIRE(RequiredKeys({"name", "score", "passed"}).orders() == 6);
    REQUIRE(RequiredKeys({"a"}).orders() == 1);
    REQUIRE(RequiredKeys({"a", "b", "c", "d"}).orders() == 24);
    // The tutorial compares keys without their quotes to keys with them, so no key is ever used up:
    // 3 choices, 3 times.
    REQUIRE(RequiredKeys({"name", "score", "passed"}, true).orders() == 27);
}
