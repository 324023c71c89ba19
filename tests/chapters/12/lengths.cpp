// The length of drafts without a clock: by what a guess costs and what was accepted.
#include "tests/catch.hpp"

#include "chapters/12_speculative/draft_length.hpp"
#include "lib/core/rng.hpp"

using namespace tbt;

TEST_CASE("tokens a round: 2.941170 at acceptance .7 and five drafted") {
    CHECK(expected_tokens(0.7, 5) == Approx(2.941170).margin(5e-7));
    CHECK(expected_tokens(1, 4) == 5);
    CHECK(expected_tokens(0, 4) == 1);
}

TEST_CASE(
    "the best length gains most tokens for its time, and is 0 unless acceptance exceeds cost") {
    CHECK(plain_best_length(1.0, 0.1, 8) == 8);
    CHECK(plain_best_length(0.5, 0.5, 8) == 0);
    // By hand: 1.8 tokens in 1.4, 2.44 in 1.8, 2.952 in 2.2.
    CHECK(plain_best_length(0.8, 0.4, 1) == 1);
    CHECK(plain_best_length(0.8, 0.4, 8) == 2);
    for (const double alpha : {0.0, 0.1, 0.3, 0.45, 0.6, 0.8, 0.95})
        for (const double cost : {0.02, 0.15, 0.4, 0.7, 1.2}) {
            int best = 0;
            double most = 1;
            for (int n = 1; n <= 10; ++n) {
                const double gain = (1 - std::pow(alpha, n + 1)) / (1 - alpha) / (1 + cost * n);
                if (gain > most + 1e-12) most = gain, best = n;  // a dozen roundings
            }
            INFO("acceptance " << alpha << ", a guess costs " << cost);
            CHECK(plain_best_length(alpha, cost, 10) == best);
            CHECK((best > 0) == (alpha > cost));
        }
}

TEST_CASE("a guess costs a pass over the draft's weights and a row of the target's") {
    CHECK(cost_of_guess(0, 4'000'000) == .6);                // lookup
    CHECK(cost_of_guess(1'000'000, 4'000'000) == .25 + .6);  // both in the caches
    CHECK(cost_of_guess(0, 32'000'000) == .6);
    CHECK(cost_of_guess(16'000'000, 160'000'000) == .1 + .1);  // the target comes from memory
}

TEST_CASE("round by round the length is what the plain code says of all rounds") {
    Rng rng(12);
    int at_zero = 0, above = 0;
    for (int turn = 0; turn < 200; ++turn) {
        const double cost = 0.05 + 0.8 * rng.uniform(), alpha = rng.uniform();
        const int most = 1 + static_cast<int>(rng.below(12));
        DraftLength length = DraftLength::adaptive(most, cost);
        std::vector<JudgedRound> rounds;
        for (int i = 0; i < 300; ++i) {
            const int n = length.next();
            REQUIRE(n == plain_draft_length(rounds, cost, most));
            REQUIRE(length.next() == n);  // asking changes nothing
            JudgedRound round;
            const bool drafted = n > 0 && rng.below(10) > 0;  // a lookup may find nothing
            while (drafted && round.judged < n && round.judged == round.accepted)
                ++round.judged, round.accepted += rng.uniform() < alpha;
            length.learn(round.judged, round.accepted);
            rounds.push_back(round);
            ++(n > 0 ? above : at_zero);
        }
    }
    CHECK(at_zero > 1000);
    CHECK(above > 1000);
}

TEST_CASE("a draft that loses is tried after 16 tokens more, then after 128, then after 1024") {
    DraftLength length = DraftLength::adaptive(4, 0.79);
    std::vector<int> begins;  // of tries: the tokens before them
    int last = 0;
    for (int token = 0; token < 1300; ++token) {
        const int n = length.next();
        if (n > 0 && last == 0) begins.push_back(token);
        length.learn(n, 0);
        last = n;
    }
    CHECK(begins == std::vector<int>{0, 17, 146, 1171});
}

TEST_CASE("a draft that begins to be right is found, and one too dear is never asked") {
    DraftLength length = DraftLength::adaptive(4, 0.6);
    int late = 0;
    for (int round = 0; round < 400; ++round) {
        const int n = length.next();
        length.learn(n, round < 100 ? 0 : n);
        late += round >= 200 && n == 4;
    }
    CHECK(late == 200);
    DraftLength dear = DraftLength::adaptive(4, 0.85);
    for (int round = 0; round < 1000; ++round) {
        REQUIRE(dear.next() == 0);
        dear.learn(0, 0);
    }
}

namespace {

// Times as fast as plain decoding, in a made-up world: a guess is right with probability alpha, a
// round of n takes 1 + cost·n, and the draft reads what was written without it, .065 a token.
double speed(double alpha, double cost, double said, int tokens, std::uint64_t seed) {
    Rng rng(seed);
    DraftLength length = DraftLength::adaptive(12, said);
    double seconds = 0;
    int written = 0, unread = 6;
    while (written < tokens) {
        const int n = length.next();
        int right = 0;
        while (right < n && rng.uniform() < alpha) ++right;
        length.learn(std::min(n, right + 1), right);
        seconds += 1 + cost * n + (n > 0 ? .065 * unread : 0);
        unread = n > 0 ? 0 : unread + 1;
        written += right + 1;
    }
    return written / seconds;
}

}  // namespace

TEST_CASE("no draft makes a text more than a twentieth slower, though its cost is only guessed") {
    for (const double alpha : {0.0, .3, .5, .7, .8, .9, 1.0})
        for (const double cost : {.3, .5, .65, .8})
            for (const int tokens : {120, 400}) {
                double sum = 0;
                for (std::uint64_t seed = 0; seed < 40; ++seed)
                    sum += speed(alpha, cost, 0.79, tokens, seed);
                INFO("right " << alpha << ", a guess costs " << cost << " tokens, " << tokens);
                CHECK(sum / 40 >= .95);
                if (alpha == 1) CHECK(sum / 40 >= 1.15);
            }
}
