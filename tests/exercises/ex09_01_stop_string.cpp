// Exercise 09_01: a stop string across tokens.
#include "09_01_stop_string.hpp"
#include "chapters/09_stopping/text_stream.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex09_01;

namespace {

using Texts = std::vector<std::string>;

// What each token shows, and at last what finish shows.
void check(const std::string& stop, const Texts& tokens, const Texts& expected, bool stopped,
           const std::string& think) {
    INPUT(stop, tokens);
    THINK(think);
    Stream stream{stop, "", false};
    Texts got;
    for (const std::string& token : tokens) got.push_back(push(stream, token));
    const bool ended = stream.stopped;
    got.push_back(finish(stream));
    CHECK(got == expected);
    INFO("has the stream stopped?");
    CHECK(ended == stopped);
    INFO("finish shows it once; the second time:");
    CHECK(finish(stream) == "");
}

}  // namespace

TEST_CASE("END, in pieces", "[ex09_01]") {
    check("END", {"a E", "NE", "NDx", "y"}, {"a ", "EN", "", "", ""}, true, "what could be END");
}

TEST_CASE("no stop string: nothing is lost", "[ex09_01]") {
    check("END", {"a", "b"}, {"a", "b", ""}, false, "nothing waits");
    check("END", {"the end", "."}, {"the end", ".", ""}, false, "end is not END");
    check("END", {"a", "EN"}, {"a", "", "EN"}, false, "what waited is shown at the end");
    check("END", {}, {""}, false, "no token at all");
    check("END", {"", "E", ""}, {"", "", "", "E"}, false, "an empty token changes nothing");
}

TEST_CASE("a stop string within a token", "[ex09_01]") {
    check("END", {"aENDb", "c"}, {"a", "", ""}, true, "nothing after it");
    check("END", {"END"}, {"", ""}, true, "nothing before it");
    check("ab", {"xabyab"}, {"x", ""}, true, "the first one counts");
    check("x", {"ax", "b"}, {"a", "", ""}, true, "one byte never waits");
    check("x", {"a", "b"}, {"a", "b", ""}, false, "one byte never waits");
}

TEST_CASE("only the longest tail waits", "[ex09_01]") {
    check("aab", {"a", "a", "a", "b"}, {"", "", "a", "", ""}, true, "aaa: two a's can become aab");
    check("abac", {"aba", "b", "ac"}, {"", "ab", "", ""}, true, "abab: ab can become abac");
    check("abac", {"abab", "x"}, {"ab", "abx", ""}, false, "abab: ab can become abac");
    check("aa", {"ba", "b", "a"}, {"b", "ab", "", "a"}, false, "ba: an a waits");
}

TEST_CASE("streams know nothing of each other", "[ex09_01]") {
    Stream one{"END", "", false}, other{"END", "", false};
    INFO("two streams with stop END: one reads E, the other x, then both ND");
    push(one, "E"), push(other, "x");
    CHECK(push(one, "ND") == "");
    CHECK(push(other, "ND") == "ND");
    CHECK(one.stopped);
    CHECK_FALSE(other.stopped);
}

TEST_CASE("random tokens: as the chapter's stream, byte for byte", "[ex09_01]") {
    Rng rng(91);
    const auto letters = [&](std::size_t n) {
        std::string text;
        for (std::size_t i = 0; i < n; ++i) text += "ab"[rng.below(2)];
        return text;
    };
    for (int round = 0; round < 4000; ++round) {
        const std::string stop = letters(1 + rng.below(5));
        const StopStrings stops({stop});
        TextStream chapter(stops);
        Texts tokens, expected;
        for (std::size_t i = rng.below(8); i > 0; --i) {
            tokens.push_back(letters(rng.below(4)));
            expected.push_back(chapter.push(tokens.back()));
        }
        expected.push_back(chapter.finish());
        check(stop, tokens, expected, chapter.stopped(), "as soon as it is certain, not sooner");
    }
}
