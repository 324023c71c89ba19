// Unicode's categories and widths from tables of our own.
#include "tests/catch.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/text/text_splitter.hpp"

using namespace tbt;

namespace {

std::string category(std::int32_t c) { return std::string(name_of(category_of(c))); }

}  // namespace

TEST_CASE("characters have the categories that Unicode gives them") {
    for (const auto& [c, name] : {std::pair{'A', "Lu"},
                                  {'z', "Ll"},
                                  {'0', "Nd"},
                                  {' ', "Zs"},
                                  {'\n', "Cc"},
                                  {'_', "Pc"},
                                  {'$', "Sc"},
                                  {'^', "Sk"}})
        REQUIRE(category(c) == name);
    REQUIRE(category(0x01c5) == "Lt");    // ǅ
    REQUIRE(category(0x0300) == "Mn");    // a combining grave accent
    REQUIRE(category(0x0904) == "Lo");    // ऄ
    REQUIRE(category(0x2028) == "Zl");    // the line separator
    REQUIRE(category(0x2160) == "Nl");    // Ⅰ
    REQUIRE(category(0x1f642) == "So");   // a smiling face
    REQUIRE(category(0xd800) == "Cs");    // a surrogate
    REQUIRE(category(0xe000) == "Co");    // for private use
    REQUIRE(category(0x10ffff) == "Cn");  // not a character, and never will be
    // The Cyrillic letters of extended blocks are capital and small in turn.
    for (std::int32_t c = 0x4d0; c <= 0x52f; ++c) REQUIRE(category(c) == (c % 2 ? "Ll" : "Lu"));
    // A turn that begins with a small letter: ĸ, Ĺ, ĺ, Ļ, ļ.
    for (std::int32_t c = 0x138; c <= 0x148; ++c) REQUIRE(category(c) == (c % 2 ? "Lu" : "Ll"));
}

TEST_CASE("what is no code point has no category and is one column wide") {
    for (const std::int32_t c : {-1, -1000, 0x110000, 0x7fffffff}) {
        REQUIRE(category_of(c) == Category::Cn);
        REQUIRE(width_of(c) == 1);
    }
}

TEST_CASE("the tables are those of Unicode 16.0.0, to the last character") {
    std::map<std::string, int> counts;
    std::uint64_t hash = 14695981039346656037u;  // FNV-1a over the names and widths
    for (std::int32_t c = 0; c <= highest_code_point; ++c) {
        ++counts[category(c)];
        for (const char letter : category(c))
            hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211u;
        hash = (hash ^ static_cast<unsigned char>(width_of(c))) * 1099511628211u;
    }
    REQUIRE(counts["Cc"] == 65);
    REQUIRE(counts["Cs"] == 2048);
    REQUIRE(counts["Co"] == 137468);
    // The standard says of itself that it has 154,998 characters.
    REQUIRE(highest_code_point + 1 - counts["Cn"] - counts["Cc"] - counts["Cs"] - counts["Co"] ==
            154998);
    REQUIRE(hash == 0xdca36e8daafe732eu);
}

TEST_CASE("letters that are new in Unicode 15.1 and 16 are letters, whatever the system knows") {
    for (const std::string_view letter : {"\U0002EBF0", "\U00010D65", "\U000105C0", "\uA7CB"}) {
        const std::string text = "a" + std::string(letter) + "b";
        REQUIRE(pretoken_end(text, 0) == text.size());
    }
    const std::string digits = "1\U000116D02";  // a digit of Myanmar, new in 16
    REQUIRE(pretoken_end(digits, 0) == digits.size());
}

TEST_CASE("a character fills as many columns as a terminal gives it") {
    REQUIRE(width_of('a') == 1);
    REQUIRE(width_of(0xe9) == 1);     // é
    REQUIRE(width_of(0x4e00) == 2);   // 一
    REQUIRE(width_of(0xac00) == 2);   // 가
    REQUIRE(width_of(0xff21) == 2);   // Ａ
    REQUIRE(width_of(0x1f642) == 2);  // a smiling face
    REQUIRE(width_of(0x300) == 0);    // an accent stands on the letter before it
    REQUIRE(width_of(0x200b) == 0);   // a space of no width
    REQUIRE(width_of(0xad) == 1);     // a soft hyphen
}
