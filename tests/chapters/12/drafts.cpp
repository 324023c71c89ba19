// Chapter 12's parts alone: the residual, a weighted draw, prompt lookup.
#include "tests/catch.hpp"

#include <vector>

#include "chapters/12_speculative/drafts.hpp"
#include "chapters/12_speculative/options.hpp"
#include "chapters/12_speculative/speculative.hpp"

using namespace tbt;

TEST_CASE(
    "the residual is what the draft left over; with equal distributions it falls back to the "
    "target's",
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
    CHECK(lookup(3, {4, 4, 4}, 5) == std::vector<int>{4});  // the text ends after what it found
    CHECK(lookup(2, {1, 2, 99, 3, 1, 2}, 4) == std::vector<int>{99});
    CHECK(lookup(3, {1, 2, 3}, 4).empty());
    CHECK(lookup(3, {1}, 4).empty());
    CHECK_THROWS_AS(PromptLookup(0), UsageError);
}

TEST_CASE("a draft is kept in few bits where the target is, and else as it is stored", "[ch12]") {
    REQUIRE(draft_options({2, WeightType::int8}).weights == WeightType::int8);
    REQUIRE(draft_options({2, WeightType::int4}).weights == WeightType::int4);
    REQUIRE(!draft_options({2, WeightType::f32}).weights);
    REQUIRE(!draft_options({2, {}}).weights);
    REQUIRE(draft_options({2, WeightType::int8}).threads == 2);
}

TEST_CASE("what says how to draft has no effect where nothing drafts", "[ch12]") {
    DraftSettings scheduled, coupled;
    scheduled.schedule = "adaptive";
    coupled.coupling = coupled.coupling == "seed" ? "rejection" : "seed";
    for (const DraftSettings& s : {scheduled, coupled}) {
        CHECK_NOTHROW(check_drafts(s));
        CHECK(without_effect(s).size() == 1);
        CHECK(without_effect(s, true).empty());  // Medusa's heads
    }
}

TEST_CASE("options of drafts that are left out have the values of the cheat sheet", "[ch12]") {
    const DraftSettings s;
    CHECK_FALSE(s.drafts());
    CHECK(s.max_matching_ngram_size == 3);
    CHECK(s.num_assistant_tokens == 5);
    CHECK(s.schedule == "constant");
    CHECK(s.coupling == "seed");
}

TEST_CASE("how many tokens a lookup guesses is said once", "[ch12]") {
    DraftSettings s;
    s.prompt_lookup_num_tokens = 4;
    CHECK_NOTHROW(check_drafts(s));
    s.num_assistant_tokens += 1;
    CHECK_THROWS_AS(check_drafts(s), UsageError);
}
