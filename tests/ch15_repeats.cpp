// Repetitions of repetitions (expression.hpp).
#include <ctime>
#include <string>
#include <vector>

#include "chapters/15_regular/regex.hpp"
#include "lib/index.hpp"
#include "tests/catch.hpp"

using namespace tbt;

TEST_CASE("a repetition of a repetition is one, where no number is left out between", "[ch15]") {
    const std::clock_t start = std::clock();
    const Dfa long_line = regex_whole("(.{0,100}){100}");
    CHECK(std::clock() - start < 10 * CLOCKS_PER_SEC);  // of a second, a twentieth
    CHECK(long_line.states.size() == 10001);
    const auto lengths = [](const char* pattern) {
        const Dfa dfa = regex_whole(pattern);
        std::vector<std::size_t> all;
        for (std::size_t n = 0; n < 30; ++n)
            if (dfa.accepts(std::string(n, 'x'))) all.push_back(n);
        return all;
    };
    for (int a = 0; a < 4; ++a)
        for (int b = a; b < 4; ++b)
            for (int c = 0; c < 4; ++c)
                for (int d = c; d < 4; ++d) {
                    const auto numbers = [](int low, int high) {
                        return "{" + std::to_string(low) + "," + std::to_string(high) + "}";
                    };
                    const std::string pattern = "(x" + numbers(a, b) + ")" + numbers(c, d);
                    std::vector<std::size_t> expected;
                    for (int n = 0; n < 30; ++n) {
                        bool any = false;
                        for (int k = c; k <= d; ++k) any = any || (a * k <= n && n <= b * k);
                        if (any) expected.push_back(index(n));
                    }
                    INFO(pattern);
                    CHECK(lengths(pattern.c_str()) == expected);
                }
}
