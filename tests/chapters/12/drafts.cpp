// Chapter 12's parts alone: the residual, a weighted draw, prompt lookup.
#include "tests/catch.hpp"

#include "chapters/12_speculative/drafts.hpp"
#include "chapters/12_speculative/options.hpp"
#include "chapters/12_speculative/speculative.hpp"

using namespace tbt;

TEST_CASE(
    "the residual is what the draft left over; with equal distributions it falls back to the "
    "target's") {
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
    "below 1") {
    const std::vector<double> w{0, 1, 0, 2, 1, 0};
    CHECK(plain_draw(w, 0) == 1);
    CHECK(plain_draw(w, 0.2499) == 1);
    CHECK(plain_draw(w, 0.25) == 3);
    CHECK(plain_draw(w, 0.7499) == 3);
    CHECK(plain_draw(w, 0.75) == 4);
    CHECK(plain_draw(w, 0x1.fffffffffffffp-1) == 4);
}

TEST_CASE("prompt lookup takes what followed the longest and latest match, up to an end") {
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

TEST_CASE("a draft is kept in few bits where the target is, and else as it is stored") {
    REQUIRE(draft_options({2, WeightType::int8}).weights == WeightType::int8);
    REQUIRE(draft_options({2, WeightType::int4}).weights == WeightType::int4);
    REQUIRE(!draft_options({2, WeightType::f32}).weights);
    REQUIRE(!draft_options({2, {}}).weights);
    REQUIRE(draft_options({2, WeightType::int8}).threads == 2);
}

TEST_CASE("what says how to draft has no effect where nothing drafts") {
    DraftSettings tokens, scheduled, ngram, coupled;
    tokens.num_assistant_tokens = 4, ngram.max_matching_ngram_size = 2;
    scheduled.schedule = "adaptive", coupled.coupling = "rejection";
    const std::string drafts = " has no effect: nothing drafts (--assistant-model sketch, say)";
    using Notes = std::vector<std::string>;
    CHECK(without_effect(DraftSettings()).empty());
    for (const auto& [s, name] : {std::pair{tokens, "--num-assistant-tokens"},
                                  {scheduled, "--num-assistant-tokens-schedule"},
                                  {ngram, "--max-matching-ngram-size"},
                                  {coupled, "--coupling"}}) {
        CAPTURE(name);
        CHECK_NOTHROW(check_drafts(s));
        CHECK(without_effect(s) == Notes{name + drafts});
        // Medusa's heads are coupled, and as many as pays.
        const bool heads_have = s.schedule == "adaptive" || s.coupling == "rejection";
        CHECK(without_effect(s, true) == (heads_have ? Notes{} : Notes{name + drafts}));
        DraftSettings model = s, lookup = s;
        model.assistant_model = "sketch", lookup.assistant_model = "lookup";
        CHECK(without_effect(lookup).empty());
        CHECK(
            without_effect(model) ==
            (s.max_matching_ngram_size == 2
                 ? Notes{name + std::string(" has no effect: a model drafts, not the text itself")}
                 : Notes{}));
    }
}

TEST_CASE("options of drafts that are left out have the values of the cheat sheet") {
    const DraftSettings s;
    CHECK_FALSE(s.drafts());
    CHECK(s.max_matching_ngram_size == 3);
    CHECK(s.num_assistant_tokens == 5);
    CHECK(s.schedule == "constant");
    CHECK(s.coupling == "seed");
}

TEST_CASE("how many tokens a lookup guesses is said once") {
    DraftSettings s;
    s.prompt_lookup_num_tokens = 4;
    CHECK_NOTHROW(check_drafts(s));
    s.num_assistant_tokens += 1;
    CHECK_THROWS_AS(check_drafts(s), UsageError);
}

TEST_CASE("drafts of no tokens and n-grams of none are refused by name") {
    for (const int bad : {0, -1}) {
        DraftSettings lookup, ngram;
        lookup.prompt_lookup_num_tokens = bad, ngram.max_matching_ngram_size = bad;
        CHECK_THROWS_WITH(check_drafts(lookup),
                          "--prompt-lookup-num-tokens: got " + std::to_string(bad) +
                              ", expected 1 or more; leave it out to draft nothing");
        CHECK_THROWS_WITH(check_drafts(ngram), "--max-matching-ngram-size: got " +
                                                   std::to_string(bad) + ", expected 1 or more");
    }
    DraftSettings one;
    one.prompt_lookup_num_tokens = one.max_matching_ngram_size = 1;
    CHECK_NOTHROW(check_drafts(one));
    one.assistant_model = "lookup";  // the same thing
    CHECK_NOTHROW(check_drafts(one));
    one.assistant_model = "sketch";
    CHECK_THROWS_WITH(check_drafts(one),
                      Catch::Contains("--assistant-model and --prompt-lookup-num-tokens"));
}
