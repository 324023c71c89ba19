// Exercise 08_00: what has been written, and how does it end?
#include "08_00_written.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex08_00;

namespace {

const Checker check_written("written(ids, prompt)", ex08_00::written);
const Checker check_end("ends_in(ids, passage)", ex08_00::ends_in);

}  // namespace

TEST_CASE("after a prompt of two, 3 and 9 were written", "[ex08_00]") {
    check_written({5, 9, 3, 9, 3}, 2, {3, 9}, "9 is in the prompt, and was written as well");
    check_written({5, 9, 3, 3, 3}, 2, {3}, "each once; the prompt's 9 doesn't count");
    check_written({7, 1, 2}, 1, {1, 2}, "from the first token after the prompt to the last");
    check_written({4, 2, 3, 1}, 0, {1, 2, 3, 4}, "no prompt: all; ascending");
    check_written({4, 2}, 2, {}, "nothing was written yet");
    check_written({}, 0, {}, "nothing at all");
    check_written({6, 0}, 1, {0}, "token 0 is a token");
}

TEST_CASE("the text ends in 9 3, but not in 3 9", "[ex08_00]") {
    check_end({5, 9, 3, 9, 3}, {9, 3}, true, "the last two tokens");
    check_end({5, 9, 3, 9, 3}, {3, 9}, false, "in this order");
    check_end({5, 9, 3, 9, 3}, {3}, true, "the last token");
    check_end({5, 9, 3, 9, 3}, {9}, false, "9 is not the last one");
    check_end({5, 9, 3, 9, 3}, {5, 9}, false, "5 9 is its beginning, not its end");
    check_end({5, 9, 3, 9, 3}, {3, 3}, false, "all of the passage, one directly after the other");
    check_end({5, 9, 3, 9, 3}, {4, 3}, false, "all of the passage, its first token too");
    check_end({5, 9, 3, 9, 3}, {5, 9, 3, 9, 3}, true, "the whole text is an end of it");
}

TEST_CASE("passages of no tokens, and longer ones than the text", "[ex08_00]") {
    check_end({5, 9}, {}, true, "every text ends in nothing");
    check_end({}, {}, true, "every text ends in nothing");
    check_end({9, 3}, {5, 9, 3}, false, "the text is too short");
    check_end({}, {1}, false, "the text is too short");
}

TEST_CASE("any tokens, any passage", "[ex08_00]") {
    Rng rng(800);
    for (int round = 0; round < 500; ++round) {
        const Ids ids = random_ids(rng, rng.below(8), 3),
                  passage = random_ids(rng, rng.below(4), 3);
        const std::size_t prompt = rng.below(ids.size() + 1);
        const std::set<int> tokens(ids.begin() + std::ptrdiff_t(prompt), ids.end());
        check_written(ids, prompt, tokens, "from the first token after the prompt to the last");
        bool ends = passage.size() <= ids.size();
        for (std::size_t i = 1; ends && i <= passage.size(); ++i)
            ends = passage[passage.size() - i] == ids[ids.size() - i];
        check_end(ids, passage, ends, "the last tokens, in this order");
    }
}
