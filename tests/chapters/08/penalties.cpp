#include "tests/catch.hpp"

#include "chapters/03_temperature/plain_temperature.hpp"
#include "chapters/06_combining/steps.hpp"
#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/08_penalties/penalties.hpp"
#include "lib/core/rng.hpp"

using namespace tbt;

namespace {

template <class F>
std::vector<float> after(const std::vector<float>& s, F&& f) {
    Candidates c(s);
    f(c);
    return {c.logits().begin(), c.logits().end()};
}
std::vector<int> banned_by_ngram(const std::vector<int>& ids, int n) {
    const std::vector<float> s =
        after(std::vector<float>(10, 1.0f), [&](Candidates& c) { ban_repeated_ngrams(c, ids, n); });
    std::vector<int> out;
    for (int i = 0; i < 10; ++i) {
        if (s[index(i)] == banned) out.push_back(i);
    }
    return out;
}

const std::vector<float> five{5, 3, 2, 1, -1};  // the cat sat on a

}  // namespace

TEST_CASE("the repetition penalty gives the tutorial's numbers") {
    const std::vector<int> seen{0, 1, 2};
    const auto penalize = [&](Candidates& c) { penalize_repetition(c, seen, 1.5); };
    const std::vector<float> s = after(five, penalize);
    const float expected[] = {10.0f / 3, 2, 4.0f / 3, 1, -1};
    for (std::size_t i = 0; i < 5; ++i) REQUIRE(std::abs(s[i] - expected[i]) <= 1e-6f);
    Candidates c(five);
    penalize(c);
    const double distribution[] = {.662678, .174680, .089684, .064261, .008697};
    for (std::size_t i = 0; i < 5; ++i)
        REQUIRE(std::abs(c.probability(i) - distribution[i]) <= 5.1e-7);
}

TEST_CASE("a penalized token can become more probable, because others lose more") {
    // "cat" rises from .112 to .175: "the" loses more.
    REQUIRE(std::abs(softmax_at(five, 1)[1] - .112) <= 5e-4);
    Candidates c(five);
    penalize_repetition(c, std::vector<int>{0, 1, 2}, 1.5);
    REQUIRE(c.probability(1) > .174);
}

TEST_CASE(
    "a penalty of 1.2 takes a sixth off a positive logit and adds a fifth to a negative one") {
    const std::vector<float> s = after({6, -6, 0}, [](Candidates& c) {
        penalize_repetition(c, std::vector<int>{0, 1, 2}, 1.2);
    });
    REQUIRE(std::abs(s[0] - 5.0f) <= 1e-6f);
    REQUIRE(std::abs(s[1] + 7.2f) <= 1e-6f);
    REQUIRE(s[2] == 0.0f);
}

TEST_CASE("the repetition penalty counts each token once, however often it occurs") {
    const std::vector<float> once = after(five, [](Candidates& c) {
        penalize_repetition(c, std::vector<int>{0, 4}, 1.3);
    });
    const std::vector<float> often = after(five, [](Candidates& c) {
        penalize_repetition(c, std::vector<int>{0, 4, 0, 4, 4, 0}, 1.3);
    });
    REQUIRE(once == often);
}

TEST_CASE("the repetition penalty is not invariant to a shift of all logits") {
    std::vector<float> shifted = five;
    for (float& x : shifted) x -= 4;
    const std::vector<int> seen{0};
    Candidates a(five), b(shifted);
    penalize_repetition(a, seen, 1.5);
    penalize_repetition(b, seen, 1.5);
    REQUIRE(std::abs(a.probability(0) - b.probability(0)) > .05);
}

TEST_CASE("frequency counts occurrences and presence counts once") {
    const std::vector<int> text{0, 1, 0, 0};
    const std::vector<float> s =
        after(five, [&](Candidates& c) { penalize_frequency_presence(c, text, .5, .3); });
    const float expected[] = {3.2f, 2.2f, 2, 1, -1};
    for (std::size_t i = 0; i < 5; ++i) REQUIRE(std::abs(s[i] - expected[i]) <= 1e-6f);
}

TEST_CASE("no-repeat n-gram bans what would complete an n-gram of the text") {
    REQUIRE(banned_by_ngram({1, 2, 3, 1, 2}, 3) == std::vector<int>{3});
    REQUIRE(banned_by_ngram({1, 2, 3, 4, 1, 2, 5, 1, 2}, 3) == std::vector<int>{3, 5});
    REQUIRE(banned_by_ngram({1, 2}, 3).empty());
    REQUIRE(banned_by_ngram({}, 1).empty());
    REQUIRE(banned_by_ngram({7, 7, 2}, 1) == std::vector<int>{2, 7});
    REQUIRE(banned_by_ngram({4, 4}, 2) == std::vector<int>{4});
    REQUIRE(banned_by_ngram({4}, 2).empty());
    REQUIRE(banned_by_ngram({1, 2, 1}, 2) == std::vector<int>{2});
    REQUIRE(banned_by_ngram({1, 2, 3, 4, 1, 2, 3}, 4) == std::vector<int>{4});
    REQUIRE(banned_by_ngram({1, 2, 1}, 0).empty());
}

TEST_CASE("a bias is added, an infinite one bans, a sequence is biased only after its beginning") {
    const auto biased = [](const std::vector<int>& ids, const std::vector<SequenceBias>& list) {
        return after(five, [&](Candidates& c) { add_bias(c, ids, list); });
    };
    REQUIRE(biased({}, {{{1}, 2.5f}}) == std::vector<float>{5, 5.5f, 2, 1, -1});
    REQUIRE(biased({}, {{{0}, banned}})[0] == banned);
    REQUIRE(biased({3, 4}, {{{3, 4, 2}, 1.0f}})[2] == 3.0f);
    REQUIRE(biased({4}, {{{3, 4, 2}, 1.0f}})[2] == 2.0f);
    REQUIRE(biased({4, 3}, {{{3, 4, 2}, 1.0f}})[2] == 2.0f);
    REQUIRE(biased({}, {{{2}, 1.0f}, {{2}, 2.0f}})[2] == 5.0f);
    REQUIRE_THROWS_WITH(biased({}, {{{5}, 1.0f}}), Catch::Contains("expected an id from 0 to 4"));
    REQUIRE_THROWS_AS(biased({}, {{{}, 1.0f}}), UsageError);
    REQUIRE_THROWS_AS(biased({}, {{{1}, std::nanf("")}}), UsageError);
    REQUIRE_THROWS_AS(biased({}, {{{1}, -banned}}), UsageError);
}

TEST_CASE("the end of the text is banned until enough was generated") {
    const std::vector<int> eos{1, 3};
    for (std::size_t generated = 0; generated < 5; ++generated) {
        const std::vector<float> s =
            after(five, [&](Candidates& c) { ban_eos_until(c, generated, 3, eos); });
        REQUIRE((s[1] == banned) == (generated < 3));
        REQUIRE((s[3] == banned) == (generated < 3));
        REQUIRE(s[0] == 5.0f);
    }
}

TEST_CASE("banning everything is an error that says so") {
    Candidates c(five);
    ban_repeated_ngrams(c, std::vector<int>{0, 1, 2, 3, 4}, 1);
    REQUIRE_THROWS_WITH(c.total_weight(), Catch::Contains("every token is masked"));
}

TEST_CASE("penalties after a cut touch only what is left") {
    Candidates c(five);
    keep_top_k(c, 2);
    penalize_repetition(c, std::vector<int>{0, 4, 3}, 2);
    REQUIRE(c.size() == 2);
    REQUIRE((c.logits()[0] == 2.5f && c.logits()[1] == 3.0f));
}

TEST_CASE("the scope decides which tokens count, and dialects differ in it") {
    std::vector<int> ids(100, 2);
    ids[0] = 0;   // in the prompt, more than 64 tokens ago
    ids[50] = 1;  // in the prompt, fewer
    ids[99] = 3;  // generated
    const TextSoFar text{ids, 90};
    SamplingOptions o;
    o.repetition_penalty = 2;
    const auto halved = [&](Dialect d, std::optional<Scope> scope = {}) {
        PenaltyOptions more;
        more.scope = scope;
        Candidates c(five);
        full_chain(o, d, more).apply(c, text);
        std::vector<int> changed;
        for (std::size_t i = 0; i < 5; ++i) {
            if (c.logits()[i] != five[i]) changed.push_back(static_cast<int>(i));
        }
        return changed;
    };
    REQUIRE(halved(Dialect::ours) == std::vector<int>{2, 3});
    REQUIRE(halved(Dialect::transformers) == std::vector<int>{0, 1, 2, 3});
    REQUIRE(halved(Dialect::vllm) == std::vector<int>{0, 1, 2, 3});
    REQUIRE(halved(Dialect::llama_cpp) == std::vector<int>{1, 2, 3});
    // The last 64 are exactly 64: the token at 36 counts, the one before does not.
    ids[35] = 4;
    REQUIRE(halved(Dialect::llama_cpp) == std::vector<int>{1, 2, 3});
    ids[36] = 4;
    REQUIRE(halved(Dialect::llama_cpp) == std::vector<int>{1, 2, 3, 4});
    REQUIRE(halved(Dialect::ours, Scope::last_of(65)) == std::vector<int>{1, 2, 3, 4});
    REQUIRE(halved(Dialect::ours, Scope::last_of(1)) == std::vector<int>{3});
    REQUIRE(halved(Dialect::llama_cpp, Scope::last_of(0)).empty());
    ids[35] = ids[36] = 2;
    REQUIRE(halved(Dialect::ours, Scope::all) == std::vector<int>{0, 1, 2, 3});
    REQUIRE(halved(Dialect::transformers, Scope::generated) == std::vector<int>{2, 3});
    REQUIRE(scope_named("last-300").last == 300);
    REQUIRE(scope_named("last-0").last == 0);
    for (const char* name : {"prompt", "last", "last-", "last--1", "last-6x", "last-99999999999"})
        REQUIRE_THROWS_AS(scope_named(name), UsageError);
}

TEST_CASE("the full chain puts every step where the dialect has it") {
    SamplingOptions o;
    o.temperature = .8, o.top_k = 40, o.top_p = .9, o.repetition_penalty = 1.2,
    o.frequency_penalty = .5;
    PenaltyOptions more;
    more.bias = {{{1}, -1.0f}};
    REQUIRE(full_chain(o, Dialect::ours, more).to_string() ==
            "bias of 1 → repetition 1.2 → frequency-presence 0.5/0 → temperature 0.8 → top-k 40 → "
            "top-p 0.9 → draw");
    REQUIRE(full_chain(o, Dialect::llama_cpp, more).to_string() ==
            "bias of 1 → repetition 1.2 → frequency-presence 0.5/0 → top-k 40 → top-p 0.9 → "
            "temperature 0.8 → draw");
    REQUIRE_THROWS_WITH(full_chain(o, Dialect::transformers, more),
                        Catch::Contains("frequency-presence"));
    o.frequency_penalty = 0, o.no_repeat_ngram_size = 3, o.min_new_tokens = 5;
    more.eos = {0};
    more.bad_words = {{1, 2}};
    REQUIRE(full_chain(o, Dialect::transformers, more).to_string() ==
            "bias of 1 → repetition 1.2 → no-repeat-ngram 3 → bad-words 1 → min-new-tokens 5 → "
            "temperature 0.8 → "
            "top-k 40 → top-p 0.9 → draw");
    REQUIRE(
        full_chain(o, Dialect::ours, more, {{"grammar", "", [](Candidates&, const TextSoFar&) {}}})
            .steps()
            .front()
            .name == "grammar");
}

TEST_CASE("penalty options outside their range are refused") {
    const auto refused = [](auto&& change) {
        SamplingOptions o;
        change(o);
        REQUIRE_THROWS_AS(full_chain(o, Dialect::ours), UsageError);
    };
    refused([](SamplingOptions& o) { o.repetition_penalty = 0; });
    refused([](SamplingOptions& o) { o.repetition_penalty = -1; });
    refused([](SamplingOptions& o) { o.repetition_penalty = std::nan(""); });
    refused([](SamplingOptions& o) { o.frequency_penalty = INFINITY; });
    refused([](SamplingOptions& o) { o.presence_penalty = std::nan(""); });
    refused([](SamplingOptions& o) { o.no_repeat_ngram_size = -1; });
    refused([](SamplingOptions& o) { o.min_new_tokens = -1; });
    refused([](SamplingOptions& o) { o.min_new_tokens = 1; });  // no EOS known
    REQUIRE_THROWS_WITH(
        after(five, [](Candidates& c) { penalize_repetition(c, std::vector<int>{7}, 2); }),
        Catch::Contains("token 7"));
}

TEST_CASE(
    "counts kept from text to text are those counted anew, while texts grow, part and shrink") {
    Rng rng(8);
    TokenCounts kept;
    std::vector<int> text;
    for (int round = 0; round < 2000; ++round) {
        // Mostly a token more; at times another beginning, as when several texts take turns,
        // or a window that slides.
        const auto what = rng.below(8);
        if (what == 0) text.resize(rng.below(text.size() + 1));
        if (what == 1 && !text.empty()) text.erase(text.begin());
        if (what > 1) text.push_back(to_int(rng.below(12)));
        kept.count(text, 12);
        TokenCounts anew;
        anew.count(text, 12);
        REQUIRE(kept.distinct().size() == anew.distinct().size());
        for (std::size_t i = 0; i < anew.distinct().size(); ++i) {
            REQUIRE(kept.distinct()[i].id == anew.distinct()[i].id);
            REQUIRE(kept.distinct()[i].times == anew.distinct()[i].times);
        }
    }
}
