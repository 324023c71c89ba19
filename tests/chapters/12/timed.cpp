// The length of drafts by the clock: never much slower than without, and fast where it pays.
// Time is made up here, so nothing depends on the machine.
#include "tests/catch.hpp"

#include "chapters/12_speculative/draft_length.hpp"
#include "lib/core/rng.hpp"
#include "tests/api/hostile.hpp"

using namespace tbt;

namespace {

struct Made {
    double seconds = 0;
    int tokens = 0, drafted_rounds = 0, last_length = 0;
};

// A text in a made-up world: a guess is right with probability alpha, a round of n guesses takes
// round(n), give or take a tenth.
template <class Round>
Made write_in(const Round& round, DraftLength length, double alpha, int tokens,
              std::uint64_t seed) {
    Rng rng(seed);
    Made made;
    while (made.tokens < tokens) {
        const int n = length.next();
        const double seconds = round(n) * (0.9 + 0.2 * rng.uniform());
        int right = 0;
        while (right < n && rng.uniform() < alpha) ++right;
        if (n > 0) length.learn(std::min(n, right + 1), right);
        length.took(n, right + 1, seconds);
        made.seconds += seconds, made.tokens += right + 1;
        made.drafted_rounds += n > 0, made.last_length = n;
    }
    return made;
}

// A round of n guesses takes 1 + cost·n.
Made write(DraftLength length, double alpha, double cost, int tokens, std::uint64_t seed) {
    return write_in([&](int n) { return 1 + cost * n; }, std::move(length), alpha, tokens, seed);
}

// As measured with 124 million weights in F16: rounds of four rows, and of eight.
double stairs(int n) {
    static constexpr double milliseconds[] = {3.95, 5.0, 5.7, 6.05, 7.05, 7.1, 7.2,
                                              6.95, 8.4, 8.4, 8.0,  8.2,  8.1};
    return milliseconds[n] / milliseconds[0];
}

}  // namespace

TEST_CASE("by the clock, no draft makes a text more than a twentieth slower") {
    for (const double alpha : {0.0, .3, .5, .7, .9, 1.0})
        for (const double cost : {.05, .15, .4, .8, 1.5})
            for (const int tokens : {120, 400}) {
                double seconds = 0, plain = 0;
                for (std::uint64_t seed = 0; seed < 40; ++seed) {
                    const Made made = write(DraftLength::timed(8), alpha, cost, tokens, seed);
                    seconds += made.seconds, plain += made.tokens;
                }
                INFO("right " << alpha << ", a guess costs " << cost << " tokens, " << tokens);
                CHECK(seconds <= 1.05 * plain);
            }
}

TEST_CASE("by the clock, a draft that pays is used, at about its best length") {
    for (const auto& [alpha, cost] : {std::pair(.9, .15), {.8, .15}, {.9, .3}, {.7, .1}}) {
        double best = 0;
        for (int n = 1; n <= 8; ++n)
            best = std::max(best, expected_tokens(alpha, n) / (1 + cost * n));
        double seconds = 0, tokens = 0;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const Made made = write(DraftLength::timed(8), alpha, cost, 400, seed);
            seconds += made.seconds, tokens += made.tokens;
        }
        INFO("right " << alpha << ", a guess costs " << cost << " tokens");
        CHECK(tokens / seconds >= .88 * best);
    }
}

TEST_CASE("where a draft loses, the length is 0 nearly always, and tries grow rare") {
    const Made made = write(DraftLength::timed(8), .3, .8, 1000, 3);
    CHECK(made.last_length == 0);
    CHECK(made.drafted_rounds >= 2);  // it was tried
    CHECK(made.drafted_rounds <= 30);
    // A draft that begins to be right later is found.
    DraftLength length = DraftLength::timed(4);
    int late = 0;
    for (int round = 0; round < 600; ++round) {
        const int n = length.next();
        const int right = round < 100 ? 0 : n;
        if (n > 0) length.learn(std::min(n, right + 1), right);
        length.took(n, right + 1, 1 + .2 * n);
        late += round >= 400 && n > 0;
    }
    CHECK(late > 150);
}

TEST_CASE("rounds that are mostly quick and sometimes very slow cost no more than the budget") {
    // Every guess is right and three rounds of four are quick, so the medians say that it pays.
    DraftLength length = DraftLength::timed(4);
    double seconds = 0;
    int tokens = 0, drafted = 0;
    while (tokens < 2000) {
        const int n = length.next();
        if (n > 0) length.learn(n, n), ++drafted;
        const double took = n == 0 ? 1 : drafted % 4 == 0 ? 40 : 1.2;
        length.took(n, n + 1, took);
        seconds += took, tokens += n + 1;
    }
    CHECK(drafted >= 4);
    CHECK(seconds <= 1.05 * tokens);
}

TEST_CASE(
    "by the clock, texts share what they learn: a short second text is as fast as a long one") {
    for (const auto& [alpha, cost] : {std::pair(.7, .05), {.8, .05}, {.9, .05}, {.9, .1}}) {
        double best = 0;
        for (int n = 1; n <= 12; ++n)
            best = std::max(best, expected_tokens(alpha, n) / (1 + cost * n));
        double seconds = 0, tokens = 0;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const DraftLength shared = DraftLength::timed(12);
            for (std::uint64_t text = 0; text < 8; ++text) {
                const Made made = write(shared, alpha, cost, 64, 100 * seed + text);
                if (text > 0) seconds += made.seconds, tokens += made.tokens;
            }
        }
        INFO("right " << alpha << ", a guess costs " << cost << " tokens");
        CHECK(tokens / seconds >= .95 * best);
    }
    // Alone, each text has to find out anew.
    const DraftLength shared = DraftLength::timed(12);
    const double first = write(shared, .9, .05, 64, 7).seconds;
    CHECK(write(shared, .9, .05, 64, 7).seconds < first);
}

TEST_CASE("by the clock, lengths that are faster than a line says are found") {
    for (const double alpha : {.7, .8, .9}) {
        double best = 0;
        for (int n = 1; n <= 12; ++n) best = std::max(best, expected_tokens(alpha, n) / stairs(n));
        double seconds = 0, tokens = 0;
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            const Made made = write_in(stairs, DraftLength::timed(12), alpha, 2000, seed);
            seconds += made.seconds, tokens += made.tokens;
        }
        INFO("right " << alpha);
        CHECK(tokens / seconds >= .93 * best);
    }
}

TEST_CASE("without the clock nothing of it is asked") {
    DraftLength fixed = DraftLength::fixed(5);
    fixed.took(5, 1, 100);
    CHECK(fixed.next() == 5);
    CHECK(!fixed.is_timed());
    CHECK(DraftLength::timed(5).is_timed());
    REFUSES(DraftLength::timed(0));
}
