#include "tests/catch.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lib/core/tokenizer.hpp"
#include "lib/core/unicode.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

TEST_CASE("a text takes as many columns as a terminal gives it", "[terminal]") {
    CHECK(columns("") == 0);
    CHECK(columns("naïve") == 5);
    CHECK(columns("e\u0301te\u0301") == 3);  // accents that join the letter before them
    CHECK(columns("中文") == 4);
    CHECK(columns("a🙂b") == 4);
    CHECK(columns("█▌…·") == 4);
    CHECK(columns("\xE2\x82") == 2);  // two bytes that are no character, shown as one sign each
}

TEST_CASE("padding fills and cuts by columns, and never through a character", "[terminal]") {
    CHECK(padded("ab", 4) == "ab  ");
    CHECK(padded("中文", 6) == "中文  ");
    CHECK(padded("中文字", 4) ==
          "中… ");  // two columns, the mark, one that a wide sign leaves empty
    CHECK(padded("abcdef", 4) == "abc…");
    for (int width = 1; width < 12; ++width) {
        CHECK(columns(padded("a中é🙂bc文字", width)) == width);
        CHECK(find_invalid_utf8(padded("a中é🙂bc文字", width)) == std::string::npos);
    }
}

TEST_CASE("a head of UTF-8 is complete exactly where a code point is read", "[utf8]") {
    // All first and second bytes, and third ones at the edges.
    for (unsigned a = 0; a < 256; ++a) {
        for (unsigned b = 0; b < 256; ++b) {
            for (const unsigned c : {0x00u, 0x7fu, 0x80u, 0xbfu, 0xc0u}) {
                std::string bytes;
                for (const unsigned byte : {a, b, c, c}) bytes += static_cast<char>(byte);
                const Utf8Head head = utf8_head(bytes);
                const CodePoint point = decode_utf8(bytes, 0);
                REQUIRE((head.kind == Utf8Head::complete) == (point.value >= 0));
                if (point.value < 0) continue;
                std::string again;
                append_utf8(again, point.value);
                REQUIRE(again == bytes.substr(0, head.length));
                // Cut short it may still become that character.
                for (std::size_t n = 1; n < head.length; ++n)
                    REQUIRE(utf8_head(std::string_view(bytes).substr(0, n)).kind == Utf8Head::cut);
            }
        }
    }
    CHECK(count_characters("naïve 中🙂") == 8);
}

TEST_CASE("the byte alphabet is GPT-2's", "[utf8]") {
    REQUIRE(visible_bytes(" a\n") == "ĠaĊ");
    REQUIRE(visible_bytes("é") == "Ã©");
    REQUIRE(byte_token_order()[0] == '!');
    REQUIRE(byte_token_order()[220] == ' ');
    REQUIRE(byte_token_order()[255] == 0xad);
    std::string all;
    for (int b = 0; b < 256; ++b) all += static_cast<char>(b);
    REQUIRE(bytes_of_visible(visible_bytes(all)) == all);
    REQUIRE(bytes_of_visible("a b") == std::nullopt);  // a space is not visible
    REQUIRE(bytes_of_visible("中") == std::nullopt);
    REQUIRE(bytes_of_visible("\xc3") == std::nullopt);
}

TEST_CASE("a token shows its leading space, its newlines and its bytes that cannot be printed") {
    CHECK(visible(" a b ") == "·a b ");
    CHECK(visible("a\n") == "a⏎");
    CHECK(visible("\t\x7f") == "<09><7F>");
    CHECK(visible("\xc3\xa9\xc3") == "é<C3>");
}

TEST_CASE("UTF-8 is well formed or not exactly as the standard says", "[utf8]") {
    for (const std::string good : {"", "a", "\x7f", "\u0080", "\u07ff", "\u0800", "\ud7ff",
                                   "\ue000", "\uffff", "\U00010000", "\U0010ffff"}) {
        REQUIRE(find_invalid_utf8(good) == std::string::npos);
        std::string again;
        if (!good.empty()) append_utf8(again, decode_utf8(good, 0).value);
        REQUIRE(again == good);
    }
    for (const std::string bad : {"\x80", "\xc0\x80", "\xc1\xbf", "\xc3", "\xe0\x9f\xbf",
                                  "\xed\xa0\x80", "\xed\xbf\xbf", "\xe4\xb8", "\xf0\x8f\xbf\xbf",
                                  "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xf0\x9f\x99"}) {
        REQUIRE(find_invalid_utf8("ok" + bad) == 2);
        REQUIRE(find_invalid_utf8("é" + bad + "a") == 2);
    }
}
