// Exercise 26_01: a pass, shared out.
#include "26_01_share_out.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex26_01;

TEST_CASE("two prompts and two texts that write", "[ex26_01]") {
    THINK("those who write come first, wherever they are in the list");
    const std::vector<int> unread = {30, 0, 5, 0}, tight = {14, 1, 0, 1}, wide = {30, 1, 5, 1},
                           between = {30, 1, 3, 1};
    INPUT(unread);
    CHECK(share_out(unread, 16) == tight);
    CHECK(share_out(unread, 40) == wide);
    CHECK(share_out(unread, 35) == between);
}

TEST_CASE("nobody, and writers only", "[ex26_01]") {
    THINK("a text that writes takes one token, however much is left");
    const std::vector<int> none, two = {0, 0}, ones = {1, 1};
    CHECK(share_out(none, 8) == none);
    CHECK(share_out(two, 8) == ones);
    CHECK(share_out(two, 2) == ones);
}

TEST_CASE("random texts: the budget holds, and nothing of use is left", "[ex26_01]") {
    THINK("take off the budget what each one gets");
    Rng rng(2);
    for (int round = 0; round < 300; ++round) {
        std::vector<int> unread;
        for (std::uint64_t n = 1 + rng.below(7); n > 0; --n)
            unread.push_back(rng.below(2) == 0 ? 0 : static_cast<int>(rng.below(12)));
        const int budget = static_cast<int>(unread.size() + rng.below(30));
        INPUT(unread, budget);
        const std::vector<int> tokens = share_out(unread, budget);
        EXPECT(tokens.size() == unread.size(), "a number for each text", tokens.size());
        int sum = 0;
        bool short_of = false;
        for (std::size_t i = 0; i < unread.size(); ++i) {
            sum += tokens[i];
            if (unread[i] == 0) {
                EXPECT(tokens[i] == 1, "one token for each text that writes", tokens);
                continue;
            }
            EXPECT(tokens[i] >= 0 && tokens[i] <= unread[i], "no more than is unread", tokens);
            EXPECT(!short_of || tokens[i] == 0, "the oldest prompt first", tokens);
            short_of = short_of || tokens[i] < unread[i];
        }
        EXPECT(sum <= budget, "no more than the budget in all", sum);
        EXPECT(!short_of || sum == budget, "all of the budget while somebody can use it", sum);
    }
}
