// Exercise 17_2: the next merge.
#include "17_2_learn.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex17_2;

namespace {

void expect(const std::vector<Word>& words, const Merge& merge, const char* think) {
    std::string given;  // 5 × l|o|w
    for (const Word& word : words) {
        given += "  " + std::to_string(word.times) + " × ";
        for (const std::string& piece : word.pieces)
            given += (given.ends_with(' ') ? "" : "|") + piece;
    }
    INFO("words:" << given);
    THINK(think);
    CHECK(next_merge(words) == merge);
}

}  // namespace

TEST_CASE("the pair that occurs there most often, counted by the words it is in", "[ex17_2]") {
    expect({{{"l", "o", "w"}, 5}, {{"l", "o", "t"}, 2}}, {"l", "o"}, "5 and 2 times");
    expect({{{"a", "b"}, 3}, {{"c", "d"}, 2}, {{"x", "c", "d"}, 2}}, {"c", "d"},
           "a pair counts over all words");
    expect({{{"a", "b"}, 1}, {{"a", "b"}, 1}, {{"c", "d"}, 9}}, {"c", "d"},
           "a word that occurs nine times counts nine times");
}

TEST_CASE("pieces are not letters", "[ex17_2]") {
    expect({{{"th", "e"}, 4}, {{"t", "h"}, 3}}, {"th", "e"}, "\"th\" is one piece already");
    expect({{{"a", "bc"}, 2}, {{"ab", "c"}, 2}, {{"x", "y"}, 3}}, {"x", "y"},
           "(a, bc) and (ab, c) are two pairs, though both are written abc");
}

TEST_CASE("of equally frequent pairs the smaller one", "[ex17_2]") {
    expect({{{"b", "a"}, 2}, {{"a", "c"}, 2}, {{"a", "b"}, 2}}, {"a", "b"},
           "left piece first, then the right one");
    expect({{{"z", "a"}, 1}, {{"Z", "z"}, 1}}, {"Z", "z"},
           "by bytes: capitals come before small letters");
}

TEST_CASE("overlapping neighbours count each", "[ex17_2]") {
    expect({{{"a", "a", "a"}, 2}, {{"b", "c"}, 3}}, {"a", "a"},
           "(a, a) occurs twice in \"a a a\", so four times");
}

TEST_CASE("no neighbours, no merge", "[ex17_2]") {
    expect({}, {"", ""}, "no words");
    expect({{{"a"}, 7}, {{}, 3}}, {"", ""}, "words of one piece or none");
}

TEST_CASE("counts beyond 32 bits", "[ex17_2]") {
    expect({{{"a", "b"}, 3000000000}, {{"c", "d"}, 2000000000}, {{"c", "d"}, 2000000000}},
           {"c", "d"}, "3 against 4 thousand million");
}

TEST_CASE("nothing but counts decides, and then the order of pairs", "[ex17_2]") {
    expect({{{"aa", "b"}, 2}, {{"b", "a"}, 2}}, {"aa", "b"}, "short or long does not matter");
    expect({{{"a", "b"}, 5}, {{"long", "er"}, 4}}, {"a", "b"}, "short or long does not matter");
    expect({{{"c", "d"}, 3}, {{"a", "b", "x", "y", "z"}, 2}}, {"c", "d"},
           "how long the word is does not matter");
    expect({{{"a", "b"}, 4000000000}, {{"c", "d"}, 3000000000}}, {"a", "b"},
           "4 against 3 thousand million");
}
