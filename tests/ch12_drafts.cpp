// Chapter 12's parts alone: lengths of drafts, the residual, a weighted draw, prompt lookup.
#include "tests/catch.hpp"

#include <cmath>
#include <vector>

#include "chapters/12_speculative/outcomes.hpp"
#include "chapters/12_speculative/speculative.hpp"

using namespace tbt;

TEST_CASE(
    "tokens a round: 2.941170 at acceptance .7 and five drafted; the best length weighs them "
    "against their cost",
    "[ch12]") {
    CHECK(expected_tokens(0.7, 5) == Approx(2.941170).margin(5e-7));
    CHECK(expected_tokens(1, 4) == 5);
    CHECK(expected_tokens(0, 4) == 1);
    CHECK(best_length(0.0, 0.1, 8) == 1);
    CHECK(best_length(1.0, 0.1, 8) == 8);
    for (const double a : {0.3, 0.6, 0.8, 0.95}) {
        int best = 1;
        double most = 0;
        for (int n = 1; n <= 10; ++n) {
            const double gain = (1 - std::pow(a, n + 1)) / (1 - a) / (1 + 0.15 * n);
            if (gain > most + 1e-12) most = gain, best = n;
        }
        CHECK(best_length(a, 0.15, 10) == best);
    }
    DraftLength length = DraftLength::adaptive(10, 0.15);
    const int before = length.next();
    for (int i = 0; i < 20; ++i) length.learn(5, 5);
    CHECK(length.next() > before);
    for (int i = 0; i < 30; ++i) length.learn(1, 0);
    CHECK(length.next() == 1);
    CHECK_THROWS_AS(DraftLength::fixed(0), UsageError);
    CHECK_THROWS_AS(DraftLength::adaptive(-1), UsageError);
}

TEST_CASE("the residual is what the draft left over; with equal laws it falls back to the target's",
          "[ch12]") {
    const float p_logits[] = {0.0f, 1.0f, 2.0f}, q_logits[] = {2.0f, 1.0f, 0.0f};
    Candidates p{std::span<const float>(p_logits)}, q{std::span<const float>(q_logits)};
    const std::vector<double> rest = residual(p, {0, &q});
    CHECK(rest[0] == 0);
    CHECK(rest[1] == 0);
    CHECK(rest[2] == Approx(p.probability(2) - q.probability(2)));
    CHECK(residual(p, {0, &p}) == p.probabilities());
    const std::vector<double> without = residual(p, {2, nullptr});
    CHECK(without == std::vector<double>{p.probability(0), p.probability(1), 0.0});
}

TEST_CASE(
    "a weighted draw reaches every weight's share, none of weight zero, and the last at u just "
    "below 1",
    "[ch12]") {
    const std::vector<double> w{0, 1, 0, 2, 1, 0};
    CHECK(plain_draw(w, 0) == 1);
    CHECK(plain_draw(w, 0.2499) == 1);
    CHECK(plain_draw(w, 0.25) == 3);
    CHECK(plain_draw(w, 0.7499) == 3);
    CHECK(plain_draw(w, 0.75) == 4);
    CHECK(plain_draw(w, 0x1.fffffffffffffp-1) == 4);
}

TEST_CASE("prompt lookup takes what followed the longest and latest match, up to an end",
          "[ch12]") {
    AllOutcomes chance;
    const auto lookup = [&](int longest, std::vector<int> ids, int length) {
        PromptLookup draft(longest);
        std::vector<int> found;
        for (const DraftedToken& x : draft.propose(
                 Chain(), ids, 0, length, [](int id) { return id == 99; }, chance))
            found.push_back(x.id);
        return found;
    };
    CHECK(lookup(2, {1, 2, 3, 4, 1, 2}, 3) == std::vector<int>{3, 4, 1});
    CHECK(lookup(2, {1, 2, 3, 9, 2, 5, 1, 2}, 2) ==
          std::vector<int>{3, 9});  // two tokens match before one
    CHECK(lookup(1, {1, 2, 3, 9, 2, 5, 1, 2}, 2) == std::vector<int>{5, 1});
    CHECK(lookup(2, {1, 2, 7, 1, 2, 8, 1, 2}, 1) == std::vector<int>{8});  // the latest
    CHECK(lookup(3, {4, 4, 4}, 5) == std::vector<int>{4});  // the text ends behind what it found
    CHECK(lookup(2, {1, 2, 99, 3, 1, 2}, 4) == std::vector<int>{99});
    CHECK(lookup(3, {1, 2, 3}, 4).empty());
    CHECK(lookup(3, {1}, 4).empty());
    CHECK_THROWS_AS(PromptLookup(0), UsageError);
}
