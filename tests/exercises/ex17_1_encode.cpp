// Exercise 17_1: the encoder.
#include "17_1_encode.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex17_1;

namespace {

std::string cut(const std::string& word, const Merges& merges) {
    std::string line;
    for (const std::string& piece : encode(word, merges)) line += (line.empty() ? "" : "|") + piece;
    return line;
}

const Checker expect("encode(word, merges)", cut);

}  // namespace

TEST_CASE("without merges a word is its bytes; no word has no pieces", "[ex17_1]") {
    expect("low", {}, "l|o|w", "what comes there before the first merge?");
    CHECK(encode("", {{"a", "b"}}).size() == 0);
    expect("x", {{"x", "x"}}, "x", "one piece has no neighbour");
    expect("é", {}, "\xC3|\xA9", "bytes, not characters");
}

TEST_CASE("merges build on each other", "[ex17_1]") {
    const Merges merges = {{"l", "o"}, {"lo", "w"}, {"e", "r"}, {"low", "er"}};
    expect("lowlo", merges, "low|lo", "the second merge needs what the first one made");
    expect("lower", merges, "lower", "four merges, one after the other");
    expect("slower", merges, "s|lower", "what no merge touches stays");
}

TEST_CASE("the merge that was learned first wins, not the one that comes first in the word",
          "[ex17_1]") {
    expect("abc", {{"b", "c"}, {"a", "b"}}, "a|bc", "(b, c) was learned before (a, b)");
    expect("abcd", {{"c", "d"}, {"a", "b"}, {"b", "c"}}, "ab|cd",
           "look at all neighbours, then choose");
    // A pair that only appears later may have been learned earlier.
    expect("abab", {{"ab", "ab"}, {"a", "b"}}, "abab",
           "look through the whole list again after each merge");
}

TEST_CASE("a merge is made everywhere, from left to right", "[ex17_1]") {
    expect("aaa", {{"a", "a"}}, "aa|a", "the first two, then one is left");
    expect("aaaaa", {{"a", "a"}, {"aa", "a"}}, "aa|aaa", "(aa, a) occurs at the end only");
    expect("abxabxab", {{"a", "b"}, {"x", "ab"}}, "ab|xab|xab",
           "all places of a pair before the next pair");
}

TEST_CASE("pairs are pairs: not the same text from other pieces", "[ex17_1]") {
    expect("abc", {{"a", "bc"}}, "a|b|c", "(a, bc) needs a piece bc, and no merge makes one");
    expect("abcabc", {{"b", "c"}, {"ab", "c"}}, "a|bc|a|bc", "a and bc are not the pair (ab, c)");
    expect("ABab", {{"a", "b"}}, "A|B|ab", "a capital is another byte");
}

TEST_CASE("the pieces of any word make up the word", "[ex17_1]") {
    THINK("nothing is lost, and no neighbours are left that a merge would join");
    Rng rng(17);
    for (int round = 0; round < 300; ++round) {
        Merges merges;
        std::vector<std::string> known = {"a", "b", "c"};
        for (int i = 0; i < 6; ++i) {
            const std::string left = known[rng.below(known.size())],
                              right = known[rng.below(known.size())];
            merges.emplace_back(left, right), known.push_back(left + right);
        }
        std::string word;
        for (int i = 0; i < 12; ++i) word += static_cast<char>('a' + rng.below(3));
        std::string joined;
        INPUT(word, merges);
        const std::vector<std::string> pieces = encode(word, merges);
        for (const std::string& piece : pieces) joined += piece;
        CHECK(joined == word);
        for (std::size_t i = 0; i + 1 < pieces.size(); ++i)
            EXPECT(std::find(merges.begin(), merges.end(), std::pair(pieces[i], pieces[i + 1])) ==
                       merges.end(),
                   "no neighbours that a merge joins", pieces);
    }
}

TEST_CASE("one pair everywhere, then the list again", "[ex17_1]") {
    expect("abab", {{"ab", "a"}, {"a", "b"}}, "ab|ab",
           "(a, b) is joined at both places before (ab, a) is looked for");
    expect("abac", {{"a", "b"}}, "ab|a|c", "both parts must fit");
    expect("cbab", {{"a", "b"}}, "c|b|ab", "both parts must fit");
}
