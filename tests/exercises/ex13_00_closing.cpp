// Exercise 13_00: what closes a JSON text that is being written?
#include "13_00_closing.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex13_00;

namespace {

const Checker check_closing("closing(open)", ex13_00::closing);
const Checker check_fits("fits(open, budget)", ex13_00::fits);

}  // namespace

TEST_CASE("the innermost is closed first", "[ex13_00]") {
    check_closing("{[[", "]]}", "the last one that was opened is the first to be closed");
    check_closing("[{", "}]", "the last one that was opened is the first to be closed");
    check_closing("{[", "]}", "the last one that was opened is the first to be closed");
    check_closing("[{[{", "}]}]", "one after the other, from the inside");
}

TEST_CASE("each by its own partner", "[ex13_00]") {
    check_closing("{", "}", "a { is closed by }");
    check_closing("[", "]", "a [ is closed by ]");
    check_closing("{{{", "}}}", "as many as are open");
    check_closing("", "", "nothing is open: the text may end here");
}

TEST_CASE("how many bytes it takes", "[ex13_00]") {
    check_fits("{[[", 3, true, "three brackets, three bytes");
    check_fits("{[[", 2, false, "two bytes are not enough");
    check_fits("{[[", 100, true, "more than enough");
    check_fits("", 0, true, "nothing is open: no bytes are needed");
    check_fits("[", 0, false, "one byte is needed");
    check_fits("[", 1, true, "one byte is needed, and there");
}

TEST_CASE("any brackets: what is closed cancels what is open", "[ex13_00]") {
    Rng rng(1300);
    for (int round = 0; round < 300; ++round) {
        std::string open, expected;
        for (std::size_t n = rng.below(9); n > 0; --n) {
            const bool brace = rng.below(2) == 0;
            open += brace ? '{' : '[';
            expected.insert(expected.begin(), brace ? '}' : ']');
        }
        check_closing(open, expected, "from the inside, each by its own partner");
        const std::size_t budget = rng.below(10);
        check_fits(open, budget, expected.size() <= budget, "a byte for each open bracket");
    }
}
