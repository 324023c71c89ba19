// DRY, and how a text must begin and end: plain against fast, and in the chain.
#include "tests/catch.hpp"

#include "chapters/03_temperature/plain_temperature.hpp"
#include "chapters/06_combining/steps.hpp"
#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/08_penalties/penalties.hpp"
#include "chapters/08_penalties/plain_dry.hpp"
#include "chapters/08_penalties/plain_endings.hpp"
#include "lib/core/rng.hpp"
#include "tests/support/candidate_rows.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

using Ids = std::vector<int>;

Row dried(Row s, const Ids& text, const Dry& dry) {
    plain_dry(s, text, dry);
    return s;
}

// What the chain makes of a row after `generated` tokens after a prompt of two.
Row after(const Row& s, int generated, const SamplingOptions& o, const PenaltyOptions& more,
          Dialect dialect = Dialect::ours) {
    Ids ids{0, 1};
    ids.resize(ids.size() + index(generated), 2);
    Candidates c(s);
    full_chain(o, dialect, more).apply(c, {ids, 2});
    return as_row(c);
}

}  // namespace

TEST_CASE("DRY on the published cases of llama.cpp's test-sampling") {
    const auto check = [](std::size_t V, const Ids& text, const Dry& dry,
                          const std::vector<double>& expected) {
        const std::vector<double> distribution = softmax_at(dried(Row(V, 0.0f), text, dry), 1);
        for (std::size_t t = 0; t < V; ++t)
            REQUIRE(std::abs(distribution[t] - expected[t]) <= 1e-6);
    };
    check(4, {0, 1}, {1, 1.1, 2, {}}, {.25, .25, .25, .25});
    check(4, {0, 1, 2, 0, 1}, {1, 1.1, 2, {}}, {.296923, .296923, .109232, .296923});
    check(5, {0, 1, 3, 4, 0, 1}, {1, 1.1, 2, {3}}, {.2, .2, .2, .2, .2});
    check(5, {0, 1, 2, 0, 1}, {2, 1.1, 2, {}}, {.241818, .241818, .032727, .241818, .241818});
    check(5, {0, 1, 2, 3, 4, 0, 1}, {1, 1.1, 4, {}}, {.2, .2, .2, .2, .2});
}

TEST_CASE("each further token of a passage costs base times more, up to a limit") {
    REQUIRE(dried(Row(5, 0), {3, 4, 1, 4}, {1, 2, 1, {}})[1] == -1);
    REQUIRE(dried(Row(5, 0), {2, 3, 4, 1, 3, 4}, {1, 2, 1, {}})[1] == -2);
    REQUIRE(dried(Row(5, 0), {2, 3, 4, 1, 2, 3, 4}, {1, 2, 1, {}})[1] == -4);
    REQUIRE(dried(Row(5, 0), {2, 3, 4, 1, 2, 3, 4}, {1, 2, 4, {}})[1] == 0);
    REQUIRE(dried(Row(6, 0), {2, 3, 4, 1, 2, 3, 4}, {1, 2, 1, {3}})[1] == -1);
    REQUIRE(dried(Row(2, 0), Ids(600, 1), {1, 4, 1, {}})[1] == -1e30f);
}

TEST_CASE("DRY on candidates is the plain one on any text, with breakers and tokens gone") {
    Rng rng(81);
    for (int i = 0; i < 3000; ++i) {
        const std::size_t V = 2 + rng.below(4);
        Row s(V);
        for (float& x : s) x = rng.below(6) ? static_cast<float>(rng.normal()) : banned;
        s[rng.below(V)] = 0.5f;
        Ids text(rng.below(40));
        for (int& id : text) id = to_int(rng.below(V));
        Dry dry{rng.uniform(), 1 + rng.uniform(), 1 + to_int(rng.below(4)), {}};
        if (rng.below(2)) dry.breakers = {to_int(rng.below(V))};
        Candidates c(s);
        penalize_passages(c, text, dry);
        REQUIRE(as_row(c) == dried(s, text, dry));
        // After a cut the tokens that are gone stay gone.
        c.reset(s), keep_top_k(c, 2);
        const Row two = as_row(c);
        penalize_passages(c, text, dry);
        REQUIRE(as_row(c) == dried(two, text, dry));
    }
}

TEST_CASE("suppressed tokens never come, and some not as the first") {
    const Row s{1, 2, 3, 4};
    PenaltyOptions more;
    more.suppress = {3}, more.begin_suppress = {0, 1};
    REQUIRE(after(s, 0, {}, more) == Row{banned, banned, 3, banned});
    REQUIRE(after(s, 1, {}, more) == Row{1, 2, 3, banned});
    more.forced_bos = 2;  // then the second is the first that is free
    REQUIRE(after(s, 0, {}, more) == Row{banned, banned, 0, banned});
    REQUIRE(after(s, 1, {}, more) == Row{banned, banned, 3, banned});
    REQUIRE(after(s, 2, {}, more) == Row{1, 2, 3, banned});
}

TEST_CASE("the first and the last token can be forced, but not against a ban of ours") {
    const Row s{1, 2, 3, 4};
    PenaltyOptions more;
    more.forced_bos = 0, more.forced_eos = 1, more.max_new_tokens = 5;
    REQUIRE(after(s, 0, {}, more) == Row{0, banned, banned, banned});
    REQUIRE(after(s, 3, {}, more) == s);
    REQUIRE(after(s, 4, {}, more) == Row{banned, 0, banned, banned});
    REQUIRE(after(s, 5, {}, more) == s);
    const Row without{1, banned, 3, 4};
    REQUIRE(after(without, 4, {}, more) == without);
    REQUIRE(after(without, 4, {}, more, Dialect::transformers) == Row{banned, 0, banned, banned});
}

TEST_CASE("the end grows more likely with each token after the start") {
    PenaltyOptions more;
    more.eos = {1};
    SamplingOptions o;
    o.decay_start = 3, o.decay_factor = 2;
    REQUIRE(after({1, 2}, 3, o, more) == Row{1, 2});
    REQUIRE(after({1, 2}, 4, o, more) == Row{1, 4});   // 2 + 2·(2 − 1)
    REQUIRE(after({1, 2}, 6, o, more) == Row{1, 16});  // 2 + 2·(8 − 1)
    REQUIRE(after({1, -2}, 5, o, more) == Row{1, 4});  // −2 + 2·(4 − 1)
    REQUIRE(after({1, banned}, 5, o, more) == Row{1, banned});
    o.decay_factor = 0.5;  // below 1 the end is put off
    REQUIRE(after({1, 2}, 4, o, more) == Row{1, 1});
}

TEST_CASE("the fast endings are the plain ones") {
    Rng rng(82);
    for (int i = 0; i < 2000; ++i) {
        Row s(1 + rng.below(6));
        for (float& x : s) x = rng.below(4) ? static_cast<float>(3 * rng.normal()) : banned;
        s[rng.below(s.size())] = 0.25f;
        const int id = to_int(rng.below(s.size()));
        const EndingDecay decay{to_int(rng.below(4)), 0.5 + rng.uniform()};
        const int generated = to_int(rng.below(10));
        Row plain = s;
        Candidates c(s);
        plain_decay(plain, generated, decay, {id});
        favour_ending(c, index(generated), decay, Ids{id});
        REQUIRE(as_row(c) == plain);
        plain_suppress(plain, {id});
        suppress(c, Ids{id});
        REQUIRE(as_row(c) == plain);
        plain = s, c.reset(s);
        plain_force(plain, id);
        force(c, id, true);
        REQUIRE(as_row(c) == plain);
    }
}

TEST_CASE("the new steps stand where the dialects have them, and their numbers are checked") {
    SamplingOptions o;
    o.dry_multiplier = 0.8, o.repetition_penalty = 1.1, o.top_k = 40;
    REQUIRE(full_chain(o, Dialect::llama_cpp).to_string() ==
            "repetition 1.1 → dry 0.8 → top-k 40 → draw");
    REQUIRE_THROWS_AS(full_chain(o, Dialect::transformers), UsageError);
    PenaltyOptions more;
    more.eos = {1}, more.suppress = {2}, more.begin_suppress = {3}, more.forced_bos = 0,
    more.forced_eos = 1, more.max_new_tokens = 9;
    SamplingOptions t;
    t.decay_start = 4, t.decay_factor = 1.1, t.temperature = 0.7;
    REQUIRE(full_chain(t, Dialect::transformers, more).to_string() ==
            "forced-bos 0 → forced-eos 1 → exponential-decay 4/1.1 → suppress 1 → begin-suppress "
            "1 → temperature 0.7 → draw");
    const auto refused = [](auto change, const char* why) {
        SamplingOptions bad;
        PenaltyOptions none;
        change(bad, none);
        REQUIRE_THROWS_WITH(full_chain(bad, Dialect::ours, none), Catch::Contains(why));
    };
    refused([](auto& s, auto&) { s.dry_multiplier = std::nan(""); }, "dry-multiplier: got");
    refused([](auto& s, auto&) { s.dry_base = 0.5; }, "dry-base: got 0.5");
    refused([](auto& s, auto&) { s.dry_allowed_length = 0; }, "dry-allowed-length: got 0");
    refused([](auto& s, auto&) { s.decay_factor = 0; }, "got the factor 0");
    refused([](auto& s, auto&) { s.decay_start = -1; }, "got -1");
    refused([](auto& s, auto&) { s.decay_factor = 2; }, "no end-of-text token");
    refused([](auto&, auto& m) { m.forced_eos = 1; }, "no limit was given");
    Candidates c(Row{1, 2});
    REQUIRE_THROWS_AS(suppress(c, Ids{2}), Error);
    REQUIRE_THROWS_AS(force(c, -1), Error);
    REQUIRE_THROWS_AS(penalize_passages(c, Ids{0, 7}, {1, 2, 1, {}}), Error);
}

TEST_CASE("a token that is forced and banned at once is refused") {
    const auto refused = [](auto&& change) {
        SamplingOptions o;
        PenaltyOptions more;
        more.max_new_tokens = 5, more.eos = {1};
        change(o, more);
        REQUIRE_THROWS_WITH(full_chain(o, Dialect::ours, more),
                            Catch::Contains("forced and banned"));
    };
    refused([](auto&, auto& more) { more.forced_bos = 3, more.suppress = {3}; });
    refused([](auto&, auto& more) { more.forced_bos = 3, more.bias = {{{3}, banned}}; });
    refused([](auto&, auto& more) { more.forced_eos = 3, more.bad_words = {{3}}; });
    refused([](auto& o, auto& more) { more.forced_eos = 1, o.min_new_tokens = 5; });
}

TEST_CASE("transformers forces the first token of prompt and text together") {
    PenaltyOptions more;
    more.forced_bos = 0, more.begin_suppress = {1};
    const auto row = [&](std::vector<int> ids, std::size_t prompt_length) {
        const Row s{1, 2, 3};
        Candidates c(s);
        full_chain({}, Dialect::transformers, more).apply(c, {ids, prompt_length});
        return as_row(c);
    };
    REQUIRE(row({5}, 1) == Row{0, banned, banned});
    // The token after a forced one is the first that is free.
    REQUIRE(row({5, 0}, 1) == Row{1, banned, 3});
    REQUIRE(row({5, 6}, 2) == Row{1, banned, 3});  // after a longer prompt nothing is forced
    more.forced_eos = 2, more.max_new_tokens = 1;
    REQUIRE(row({5}, 1) == Row{banned, banned, 0});  // the last step wins, where both apply
}
