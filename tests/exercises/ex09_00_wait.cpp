// Exercise 09_00: how many bytes must wait?
#include "09_00_wait.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex09_00;

namespace {

const Checker check("must_wait(text, stop)", ex09_00::must_wait);

}  // namespace

TEST_CASE("END, byte by byte", "[ex09_00]") {
    check("a ", "END", 0, "no end of it begins END");
    check("a E", "END", 1, "E may become END");
    check("a EN", "END", 2, "EN may become END");
    check("a ENE", "END", 1, "ENE is no beginning, but its last E is");
    check("a ENEA", "END", 0, "no end of it begins END any more");
    check("a EE", "END", 1, "the first E is certain now");
}

TEST_CASE("the longest end counts", "[ex09_00]") {
    check("aa", "aab", 2, "both a's: a is a beginning as well, but shorter");
    check("aaa", "aab", 2, "of three a's the last two");
    check("abab", "ababc", 4, "all of it");
    check("xaba", "abac", 3, "aba is longer than a");
    check("\n\n", "\n\n\nUser:", 2, "line breaks are bytes as others");
}

TEST_CASE("short texts, and stop strings of one byte", "[ex09_00]") {
    check("", "END", 0, "a text of no bytes");
    check("E", "END", 1, "the whole text may wait");
    check("EN", "END", 2, "the whole text may wait");
    check("D", "END", 0, "an end of END is not a beginning of it");
    check("abc", ".", 0, "a stop string of one byte is there, or it is not");
    check("", ".", 0, "nothing to wait for");
}

TEST_CASE("at the end of the text, and byte by byte", "[ex09_00]") {
    check("EN of it", "END", 0, "the beginning of the text is certain");
    check("xN", "END", 0, "N is no beginning of END");
    check("e", "END", 0, "an e is no E");
    check("\xC3", "\xC3\xA9", 1, "half a character may become all of it");
}

TEST_CASE("any text: exactly so many bytes wait that some continuation needs", "[ex09_00]") {
    Rng rng(900);
    for (int round = 0; round < 600; ++round) {
        std::string text, stop;
        for (std::size_t n = 1 + rng.below(4); n > 0; --n) stop += "ab"[rng.below(2)];
        for (std::size_t n = rng.below(8); n > 0; --n) text += "ab"[rng.below(2)];
        if (text.find(stop) != std::string::npos) continue;
        std::size_t expected = 0;
        for (std::size_t n = 1; n < stop.size() && n <= text.size(); ++n)
            if (text.ends_with(stop.substr(0, n))) expected = n;
        check(text, stop, expected, "the longest end of the text that is a beginning of stop");
    }
}
