#include "tests/catch.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#include "lib/show/terminal.hpp"
#include "lib/text/utf8.hpp"

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
