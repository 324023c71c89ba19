// The first cut of a text, before the merges.
#include "tests/catch.hpp"

#include <string>
#include <vector>

#include "lib/core/rng.hpp"
#include "lib/text/text_splitter.hpp"

using namespace tbt;
using Pieces = std::vector<std::string>;

namespace {

Pieces pretokens(const std::string& text) {
    Pieces pieces;
    for_each_pretoken(text, [&](std::string_view piece) { pieces.emplace_back(piece); });
    return pieces;
}

}  // namespace

TEST_CASE("the first cut gives the pieces of GPT-2's regular expression", "[tokenizer]") {
    REQUIRE(pretokens("Hello world") == Pieces{"Hello", " world"});
    REQUIRE(pretokens("it's we'll I'd they're 've 'm don't") ==
            Pieces{"it", "'s", " we", "'ll", " I", "'d", " they", "'re", " '", "ve", " '", "m",
                   " don", "'t"});
    REQUIRE(pretokens("IT'S 'Re 'll!") == Pieces{"IT", "'", "S", " '", "Re", " '", "ll", "!"});
    REQUIRE(pretokens("a1b22 333") == Pieces{"a", "1", "b", "22", " 333"});
    REQUIRE(pretokens("wait... what?!") == Pieces{"wait", "...", " what", "?!"});
    REQUIRE(pretokens("a  b   c") == Pieces{"a", " ", " b", "  ", " c"});
    REQUIRE(pretokens("a\nb\n\nc\n \n d") ==
            Pieces{"a", "\n", "b", "\n", "\n", "c", "\n \n", " d"});
    REQUIRE(pretokens("end  ") == Pieces{"end", "  "});
    REQUIRE(pretokens(" ") == Pieces{" "});
    REQUIRE(pretokens("'") == Pieces{"'"});
    REQUIRE(pretokens("").empty());
}

TEST_CASE("the first cut knows the classes of Unicode", "[tokenizer]") {
    REQUIRE(pretokens("naïve 中文x") == Pieces{"naïve", " 中文x"});
    REQUIRE(pretokens("x²½Ⅷ٣") ==
            Pieces{"x", "²½Ⅷ٣"});  // other numbers, letter numbers, Arabic digits
    REQUIRE(pretokens("a\u00a0b\u3000c") == Pieces{"a", "\u00a0", "b", "\u3000", "c"});
    REQUIRE(pretokens("a\u2003\u2003b") == Pieces{"a", "\u2003", "\u2003", "b"});
    REQUIRE(pretokens("a\u200bb") ==
            Pieces{"a", "\u200b", "b"});  // a zero-width space is not white space
    REQUIRE(pretokens("a\x1c b") == Pieces{"a", "\x1c", " b"});  // nor is a file separator
    REQUIRE(pretokens("e\u0301t") ==
            Pieces{"e", "\u0301", "t"});  // a combining accent is no letter
    REQUIRE(pretokens("a\xff\xfe b\xe4\xb8") == Pieces{"a", "\xff\xfe", " b", "\xe4\xb8"});
}

namespace {

// The expression taken literally: the alternatives in their order, each as long as it can be,
// on characters with a known class (L letter, N number, S white space, O other).
struct Labelled {
    std::string text;
    char label;
};

std::size_t regex_length(const std::vector<Labelled>& t, std::size_t i) {
    const auto is = [&](std::size_t k, const char* c) { return k < t.size() && t[k].text == c; };
    const auto run = [&](std::size_t k, char label) {
        std::size_t n = 0;
        while (k + n < t.size() && t[k + n].label == label) ++n;
        return n;
    };
    if (is(i, "'")) {
        for (const char* c : {"s", "t", "m", "d"}) {
            if (is(i + 1, c)) return 2;
        }
        for (const char* c : {"re", "ve", "ll"}) {
            if (is(i + 1, std::string(1, c[0]).c_str()) && is(i + 2, std::string(1, c[1]).c_str()))
                return 3;
        }
    }
    for (const char label : {'L', 'N', 'O'}) {
        const std::size_t space = is(i, " ") ? 1 : 0;
        if (const std::size_t n = run(i + space, label)) return space + n;
    }
    const std::size_t n = run(i, 'S');
    return i + n == t.size() || n == 1 ? n : n - 1;
}

}  // namespace

TEST_CASE("the first cut agrees with the expression taken literally on random texts",
          "[tokenizer]") {
    const std::vector<Labelled> alphabet = {
        {"s", 'L'},      {"t", 'L'},      {"r", 'L'},      {"e", 'L'},      {"v", 'L'},
        {"l", 'L'},      {"L", 'L'},      {"é", 'L'},      {"中", 'L'},     {"𝒳", 'L'},
        {"7", 'N'},      {"²", 'N'},      {"Ⅷ", 'N'},      {"'", 'O'},      {"!", 'O'},
        {"…", 'O'},      {"🙂", 'O'},   {"\xff", 'O'},   {"\xc0", 'O'},   {"\x1c", 'O'},
        {"\u200b", 'O'}, {" ", 'S'},      {" ", 'S'},      {"\n", 'S'},     {"\t", 'S'},
        {"\u00a0", 'S'}, {"\u0085", 'S'}, {"\u1680", 'S'}, {"\u2028", 'S'}, {"\u3000", 'S'}};
    Rng rng(1);
    for (int round = 0; round < 3000; ++round) {
        std::vector<Labelled> labelled;
        std::string text;
        for (std::uint64_t n = rng.below(12) + 1; n > 0; --n) {
            labelled.push_back(alphabet[rng.below(alphabet.size())]);
            text += labelled.back().text;
        }
        Pieces expected;
        for (std::size_t i = 0; i < labelled.size();) {
            expected.emplace_back();
            for (std::size_t n = regex_length(labelled, i); n > 0; --n)
                expected.back() += labelled[i++].text;
        }
        INFO(text);
        REQUIRE(pretokens(text) == expected);
    }
}
