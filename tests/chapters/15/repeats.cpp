// Repetitions of repetitions (expression.hpp).
#include <ctime>

#include "lib/core/index.hpp"
#include "lib/grammar/automata/regex.hpp"
#include "lib/grammar/recognizer/gbnf.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "tests/catch.hpp"

using namespace tbt;

TEST_CASE("a repetition of a repetition is one, where no number is left out between") {
    const std::clock_t start = std::clock();
    const Dfa long_line = regex_full_match("(.{0,100}){100}");
    CHECK(std::clock() - start < 10 * CLOCKS_PER_SEC);  // of a second, a twentieth
    CHECK(long_line.states.size() == 10001);
    const auto lengths_of_gbnf = [](const std::string& grammar) {
        GrammarRecognizer recognizer(compile_gbnf(grammar, "a test"));
        std::vector<std::size_t> all;
        for (std::size_t n = 0; n < 30; ++n)
            if (accepts_text(recognizer, std::string(n, 'x'))) all.push_back(n);
        return all;
    };
    const auto lengths = [](const char* pattern) {
        const Dfa dfa = regex_full_match(pattern);
        std::vector<std::size_t> all;
        for (std::size_t n = 0; n < 30; ++n)
            if (dfa.accepts(std::string(n, 'x'))) all.push_back(n);
        return all;
    };
    constexpr int open = 4;  // stands for: any number
    for (int a = 0; a < 4; ++a)
        for (int b = a; b <= open; ++b)
            for (int c = 0; c < 4; ++c)
                for (int d = c; d <= open; ++d) {
                    const auto numbers = [](int low, int high) {
                        return "{" + std::to_string(low) + "," +
                               (high == open ? "" : std::to_string(high)) + "}";
                    };
                    const auto most = [](int n) { return n == open ? 30 : n; };
                    const std::string pattern = "(x" + numbers(a, b) + ")" + numbers(c, d);
                    std::vector<std::size_t> expected;
                    for (int n = 0; n < 30; ++n) {
                        bool any = false;
                        for (int k = c; k <= most(d); ++k)
                            any = any || (a * k <= n && n <= most(b) * k);
                        if (any) expected.push_back(index(n));
                    }
                    INFO(pattern);
                    CHECK(lengths(pattern.c_str()) == expected);
                    CHECK(lengths_of_gbnf("root ::= (\"x\"" + numbers(a, b) + ")" +
                                          numbers(c, d)) == expected);
                }
}

TEST_CASE("repetitions of repetitions of a grammar take no set of places for each") {
    const std::clock_t start = std::clock();
    GrammarRecognizer recognizer(compile_gbnf("root ::= [a-c]+{86,}{86,}*", "a test"));
    CHECK(accepts_text(recognizer, std::string(7396, 'a')));
    CHECK(accepts_text(recognizer, std::string(20000, 'a')));
    CHECK_FALSE(accepts_text(recognizer, std::string(7395, 'a')));
    CHECK(accepts_text(recognizer, ""));
    CHECK(std::clock() - start < 10 * CLOCKS_PER_SEC);  // of a second, a twentieth
}

// The rule may be empty, so each of its 15,480 copies is a place at once, with several
// continuations. Comparing each place with all others took minutes and stopped the fuzzers.
TEST_CASE("an empty rule that calls itself in repetitions of repetitions is read in seconds") {
    const std::clock_t start = std::clock();
    GrammarRecognizer recognizer(
        compile_gbnf("root ::= [a-d] root+{36,}{430,}* root \"d\" |", "a test"));
    CHECK(accepts_text(recognizer, ""));
    CHECK(accepts_text(recognizer, "ad"));
    CHECK_FALSE(accepts_text(recognizer, "cab"));
    for (int depth : {2, 4, 8})
        CHECK(accepts_text(recognizer,
                           std::string(index(depth), 'b') + std::string(index(depth), 'd')));
    CHECK(accepts_text(recognizer, "aadbdcccdddd"));
    CHECK(std::clock() - start < 10 * CLOCKS_PER_SEC);  // of a second, a third
}
