// Dynamic temperature, top-nσ, XTC and mirostat: published numbers, plain against fast, and what
// the chain makes of them.
#include "tests/catch.hpp"

#include "chapters/03_temperature/further/plain_dynamic_temperature.hpp"
#include "chapters/03_temperature/plain_draw.hpp"
#include "chapters/04_top_k/further/plain_top_n_sigma.hpp"
#include "chapters/04_top_k/plain_top_k.hpp"
#include "chapters/05_top_p/further/plain_xtc.hpp"
#include "chapters/06_combining/chain.hpp"
#include "chapters/06_combining/plain_mirostat.hpp"
#include "chapters/06_combining/plain_mirostat_1.hpp"
#include "chapters/06_combining/steps.hpp"
#include "chapters/06_combining/trace.hpp"
#include "lib/core/rng.hpp"
#include "tests/support/candidate_rows.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

void check_distribution(const Row& row, const std::vector<double>& expected) {
    const std::vector<double> distribution = softmax_at(row, 1);
    REQUIRE(distribution.size() == expected.size());
    for (std::size_t i = 0; i < distribution.size(); ++i) {
        INFO("token " << i << ": " << distribution[i] << ", expected " << expected[i]);
        REQUIRE(std::abs(distribution[i] - expected[i]) <=
                1e-6);  // six places, and logits are floats
    }
}

Row random_row(Rng& rng, std::size_t n) {
    const std::uint64_t kind = rng.below(5);
    Row s(n);
    for (float& x : s) {
        const auto z = static_cast<float>(rng.normal());
        x = kind == 0 ? z : kind == 1 ? std::round(z) : kind == 2 ? 8 * z : 0.5f;
        if (kind == 3 && rng.below(2) == 0) x = masked;
    }
    if (kind == 3) s[rng.below(n)] = 1;
    return s;
}

Chain chain_of(const SamplingOptions& o, Dialect dialect = Dialect::ours) {
    return in_order(dialect, truncation_steps(o, dialect));
}

const Row four = logs({.4, .3, .2, .1});

}  // namespace

TEST_CASE("dynamic temperature: all equal gives the highest, one certain token the lowest") {
    REQUIRE(dynamic_temperature_at(Row{3, 3, 3, 3}, 1, .5, 1) == 1.5);
    REQUIRE(dynamic_temperature_at(Row{0, 200, 0}, 1, .5, 1) == .5);
    REQUIRE(dynamic_temperature_at(Row{1, masked, 1, masked}, 1, .5, 1) == 1.5);
    REQUIRE(dynamic_temperature_at(Row{masked, 4, masked}, 1, .5, 1) == .5);
    REQUIRE(dynamic_temperature_at(Row{0, 200, 0}, .3, .5, 1) == 0);  // low is never negative
    // p = .5 .25 .25: h = 1.5 ln 2 / ln 3 = .946395; the result is rounded to 2^-20.
    const Row s = logs({.5, .25, .25});
    REQUIRE(std::abs(dynamic_temperature_at(s, 1, .5, 1) - 1.446395) <= 2e-6);
    REQUIRE(std::abs(dynamic_temperature_at(s, 1, .5, 2) - 1.395663) <= 2e-6);
    REQUIRE(std::abs(dynamic_temperature_at(s, 1, .5, .5) - 1.472828) <= 2e-6);
}

TEST_CASE("top-nσ on the published case of llama.cpp's test-sampling") {
    const Row s = logs({.1, .2, .3, .4});
    check_distribution(top_n_sigma(s, 1), {0, 0, .428571, .571429});
    check_distribution(top_n_sigma(s, 0), {.1, .2, .3, .4});
    check_distribution(top_n_sigma(s, 3), {.1, .2, .3, .4});
    REQUIRE(count_kept(top_n_sigma(Row{0, 0, 0, 4}, 2.3)) == 1);  // mean 1, σ = √3
    REQUIRE(count_kept(top_n_sigma(Row{0, 0, 0, 4}, 2.4)) == 4);
    REQUIRE(count_kept(top_n_sigma(Row{0, masked, 2, masked}, 2)) == 2);
    REQUIRE(count_kept(top_n_sigma(Row{0, masked, 2, masked}, 1.9)) == 1);
    REQUIRE(count_kept(top_n_sigma(Row{5, 5, 5}, 1)) == 3);
}

TEST_CASE("XTC on the published cases of llama.cpp's test-sampling") {
    check_distribution(xtc(four, 1, .99, .09, .5), {0, 0, 0, 1});
    check_distribution(xtc(four, 1, .99, .19, .5), {0, 0, .2 / .3, .1 / .3});
    check_distribution(xtc(four, 1, .99, .29, .5), {0, .3 / .6, .2 / .6, .1 / .6});
    check_distribution(xtc(four, 1, .99, .39, .5), {.4, .3, .2, .1});
    check_distribution(xtc(four, 1, .5, .09, .5),
                       {.4, .3, .2, .1});  // u is not below the probability
    check_distribution(xtc(four, 1, 0, .09, 0), {.4, .3, .2, .1});
    // Of equal ones the last id stays; what is below the threshold stays anyway.
    const Row equal{1, 0, 1, 1, 0};
    REQUIRE(xtc(equal, 1, 1, .2, 0) == Row{masked, 0, masked, 1, 0});
    const Row halves{3, 3};  // exactly at the threshold
    REQUIRE(xtc(halves, 1, 1, .5, 0) == Row{masked, 3});
    Candidates c(halves);
    exclude_top_choices(c, 1, .5, 0);
    REQUIRE(as_row(c) == Row{masked, 3});
}

TEST_CASE("XTC excludes nothing where fewer tokens than the minimum would stay, as in llama.cpp") {
    const auto left = [](std::size_t least, double threshold) {
        Candidates c(four);
        c.keep_at_least(least), exclude_top_choices(c, 1, threshold, 0);
        return as_row(c);
    };
    const Row last_two{masked, masked, four[2], four[3]};
    REQUIRE(left(2, .19) == last_two);
    REQUIRE(left(3, .19) == four);
    REQUIRE(left(2, .09) == four);
    const Row two{4, 4, masked, masked};  // masked tokens are none of those that stay
    Candidates c(two);
    c.keep_at_least(2), exclude_top_choices(c, 1, .1, 0);
    REQUIRE(c.count() == 2);
}

TEST_CASE("a temperature of 0 keeps one token, whatever the minimum of tokens") {
    SamplingOptions o;
    o.min_tokens_to_keep = 3, o.temperature = .8, o.dynatemp_range = .8, o.dynatemp_exponent = 9;
    const Row sure = logs({.01, .98, .005, .005});  // H / ln 4 = .09, and .09^9 is rounded to 0
    for (const Dialect dialect : {Dialect::ours, Dialect::llama_cpp}) {
        Candidates c(sure);
        chain_of(o, dialect).apply(c, {});
        REQUIRE((c.size() == 1 && c.id(0) == 1));
    }
    o.dynatemp_range = 0, o.temperature = 0;
    Candidates c(sure);
    chain_of(o).apply(c, {});
    REQUIRE(c.count() == 1);
}

TEST_CASE("mirostat: the bar follows the surprises, and cuts by bits") {
    REQUIRE(mirostat_mu({}, 1.5, .2) == 3);
    // One bit, half a bit less than wanted: the bar rises by .2 · .5.
    REQUIRE(std::abs(mirostat_mu(std::vector<double>{-ln_2}, 1.5, .2) - 3.1) <= 1e-12);
    REQUIRE(mirostat_mu(std::vector<double>{not_known}, 1.5, .2) == 3);
    REQUIRE(std::abs(mirostat_mu(std::vector<double>{-ln_2, -4 * ln_2}, 1.5, .2) - 2.6) <= 1e-12);
    const Row halves = logs({.5, .25, .125, .125});
    check_distribution(mirostat(halves, 1, 2.5), {2.0 / 3, 1.0 / 3, 0, 0});
    check_distribution(mirostat(halves, 1, .3), {1, 0, 0, 0});  // the largest always stays
    check_distribution(mirostat(halves, 1, 3.01), {.5, .25, .125, .125});
}

TEST_CASE("mirostat 1: its k is that of the paper's formula, computed apart") {
    const auto k = [](const Row& s, double mu, double T = 1) {
        return count_kept(mirostat_1(s, T, mu));
    };
    // ((.1·2^6)/(1 − 2000^−.1))^(1/1.1) = 9.589, and so on: the formula in Python.
    REQUIRE(k(zipf(1.1, 2000), 4) == 2);
    REQUIRE(k(zipf(1.1, 2000), 6) == 9);
    REQUIRE(k(zipf(2, 1000), 3) == 2);
    REQUIRE(k(zipf(0.8, 50257), 10) == 60);
    REQUIRE(k(zipf(1.5, 32000), 10) == 64);
    // A temperature of 2 halves the exponent.
    REQUIRE(k(zipf(1.6, 50257), 10, 2) == 60);
    // Distributions that are not Zipf's: ŝ = 1.0466 gives k = 1.46, 2.84, 5.50;
    // ŝ = .7741 gives .53, 3.19.
    REQUIRE(k(logs({.5, .25, .125, .125}), 1) == 1);
    REQUIRE(k(logs({.5, .25, .125, .125}), 2) == 2);
    REQUIRE(k(logs({.5, .25, .125, .125}), 3) == 4);
    REQUIRE(k(logs({.4, .3, .2, .1}), 0) == 1);
    REQUIRE(k(logs({.4, .3, .2, .1}), 2) == 3);
    // The most probable stay, of equal ones the first.
    check_distribution(mirostat_1(logs({.1, .4, .2, .3}), 1, 2), {0, 4 / 9.0, 2 / 9.0, 3 / 9.0});
    // ŝ = 1: (2^mu / ln V)^1 = 16 / ln 1000 = 2.32
    REQUIRE(k(zipf(1, 1000), 4) == 2);
    // Only 100 tokens are looked at: what comes after them is no matter.
    Row cliff = zipf(1.1, 2000);
    for (std::size_t i = 100; i < cliff.size(); ++i) cliff[i] = -90;
    REQUIRE(k(cliff, 6) == 9);
}

TEST_CASE("mirostat 1 where its formula breaks down: one token, all equal, any bar") {
    const auto k = [](const Row& s, double mu) { return count_kept(mirostat_1(s, 1, mu)); };
    REQUIRE(k(Row{3}, 5) == 1);
    REQUIRE(k(Row{masked, 3, masked}, 5) == 1);
    REQUIRE(k(Row{2, 2, 2, 2}, 5) == 4);   // more bits than four tokens have
    REQUIRE(k(Row{2, 2, 2, 2}, -5) == 1);  // fewer
    REQUIRE(k(zipf(1.1, 50), 1e6) == 50);
    REQUIRE(k(zipf(1.1, 50), -1e6) == 1);
    REQUIRE(k(Row{0, 900, masked, 0}, 2) == 1);
}

TEST_CASE("plain and fast agree on thousands of rows") {
    Rng rng(61);
    for (int i = 0; i < 3000; ++i) {
        const Row s = random_row(rng, i % 4 == 0 ? 1 + rng.below(2) : 1 + rng.below(300));
        const double T = i % 3 == 0 ? 1 : 0.2 + 2 * rng.uniform(), x = rng.uniform(),
                     u = rng.uniform(), mu = 12 * rng.uniform() - 1;
        INFO("V = " << s.size() << ", T = " << T << ", x = " << x << ", mu = " << mu);
        Candidates c(s);
        apply_dynamic_temperature(c, T, x, 0.5 + u);
        REQUIRE(draw(c, u) == draw(s, dynamic_temperature_at(s, T, x, 0.5 + u), u));
        c.reset(s), apply_temperature(c, T), keep_top_n_sigma(c, 3 * x);
        REQUIRE(as_row(c) == top_n_sigma(s, 3 * x));
        c.reset(s), apply_temperature(c, T), exclude_top_choices(c, 0.7, x / 3, u);
        REQUIRE(as_row(c) == xtc(s, T, 0.7, x / 3, u));
        c.reset(s), apply_temperature(c, T), keep_unsurprising(c, mu);
        REQUIRE(as_row(c) == mirostat(s, T, mu));
        c.reset(s), apply_temperature(c, T), keep_zipf_top_k(c, mu);
        REQUIRE(as_row(c) == mirostat_1(s, T, mu));
    }
}

TEST_CASE("a coin is decided by seed and text, and falls evenly") {
    const std::vector<int> text{5, 3, 8};
    REQUIRE(coin(1, text) == coin(1, text));
    REQUIRE(coin(1, text) != coin(2, text));
    REQUIRE(coin(1, text) != coin(1, std::vector<int>{5, 8, 3}));
    REQUIRE(coin(1, text) != coin(1, std::vector<int>{5, 3, 8, 0}));
    int below = 0;
    for (int i = 0; i < 10000; ++i) below += coin(7, std::vector<int>{i / 100, i % 100}) < 0.3;
    REQUIRE(std::abs(below - 3000) <= 229);  // 5 σ: a false alarm once in 1.7 million
}

TEST_CASE("in a chain XTC happens with its probability over seeds, and is replayed exactly") {
    SamplingOptions o;
    o.xtc_probability = 0.3, o.xtc_threshold = 0.15;
    int happened = 0;
    for (std::uint64_t seed = 0; seed < 10000; ++seed) {
        o.seed = seed;
        const Chain chain = chain_of(o);
        Candidates c(four), again(four);
        const std::vector<int> ids{1, 2};
        chain.apply(c, {ids, 1}), chain.apply(again, {ids, 1});
        REQUIRE(as_row(c) == as_row(again));
        happened += c.size() == 2;
    }
    REQUIRE(std::abs(happened - 3000) <= 229);  // 5 σ
    const std::vector<int> ids{1, 2};
    Candidates scratch;
    const Chain chain = chain_of(o);
    const int id = chain.pick(four, {ids, 1}, 0.9, scratch);
    const Trace t = trace(chain, four, {ids, 1}, 0.9, id);
    REQUIRE(t.steps[0].name == "xtc");
    REQUIRE(t.steps[0].chosen_after.rank > 0);
}

TEST_CASE("mirostat in a chain reads the log-probabilities of the text, or says what is missing") {
    SamplingOptions o;
    o.mirostat = 2, o.mirostat_tau = 1.6, o.mirostat_eta = .2;
    const Chain chain = chain_of(o);
    const Row halves = logs({.5, .25, .125, .125});
    const std::vector<int> ids{9, 1, 2};
    const std::vector<double> sure{-0.01, -0.01}, wild{-9, -9};
    Candidates c(halves);
    chain.apply(c, {ids, 1, sure});
    REQUIRE(c.size() == 4);  // mu = 3.2 + 2 · .32: all that surprise by 3 bits and less
    c.reset(halves);
    chain.apply(c, {ids, 1, wild});
    REQUIRE(c.size() == 1);
    c.reset(halves);
    REQUIRE_THROWS_WITH(chain.apply(c, {ids, 1}), Catch::Contains("beams and drafts"));
    c.reset(halves);
    chain.apply(c, {ids, 3});  // nothing generated yet
    REQUIRE(c.size() == 4);
}

TEST_CASE("mirostat holds the surprise of a long text at its target") {
    const Row row = zipf(1.1, 2000);
    SamplingOptions o;
    o.mirostat = GENERATE(1, 2), o.mirostat_tau = 4;
    const Chain chain = chain_of(o);
    Candidates scratch, distribution(row);
    std::vector<int> ids;
    std::vector<double> log_probabilities;
    Rng rng(5);
    double bits = 0;
    for (int i = 0; i < 3000; ++i) {
        ids.push_back(chain.pick(row, {ids, 0, log_probabilities}, rng.uniform(), scratch));
        log_probabilities.push_back(distribution.log_probability(index(ids.back())));
        bits -= log_probabilities.back() / ln_2;
    }
    // mu stays within a few bits, so the mean can be off by (mu_0 − mu_n)/(eta·n) < .05.
    REQUIRE(std::abs(bits / 3000 - 4) <= 0.05);
}

TEST_CASE("the further cuts stand where the dialects have them, and are refused elsewhere") {
    SamplingOptions o;
    o.temperature = 0.8, o.dynatemp_range = 0.3, o.top_n_sigma = 1, o.top_k = 40, o.min_p = 0.05,
    o.xtc_probability = 0.5;
    REQUIRE(chain_of(o, Dialect::llama_cpp).to_string() ==
            "top-n-sigma 1 → top-k 40 → min-p 0.05 → xtc 0.5/0.1 → dynamic-temperature 0.8±0.3 → "
            "draw");
    REQUIRE(chain_of(o).to_string() ==
            "dynamic-temperature 0.8±0.3 → top-n-sigma 1 → top-k 40 → min-p 0.05 → xtc 0.5/0.1 → "
            "draw");
    REQUIRE_THROWS_AS(chain_of(o, Dialect::transformers), UsageError);
    REQUIRE_THROWS_AS(chain_of(o, Dialect::vllm), UsageError);
}

TEST_CASE("numbers that make no sense are refused with what is allowed") {
    const auto refused = [](auto change, const char* why) {
        SamplingOptions o;
        change(o);
        REQUIRE_THROWS_WITH(chain_of(o), Catch::Contains(why));
    };
    refused([](SamplingOptions& o) { o.dynatemp_range = -1; }, "dynatemp-range: got -1");
    refused([](SamplingOptions& o) { o.dynatemp_exponent = 0; }, "dynatemp-exp: got 0");
    refused([](SamplingOptions& o) { o.top_n_sigma = -1; }, "top-n-sigma: got -1");
    refused([](SamplingOptions& o) { o.xtc_probability = 1.5; }, "xtc-probability: got 1.5");
    refused([](SamplingOptions& o) { o.xtc_threshold = -0.1; }, "xtc-threshold: got -0.1");
    refused([](SamplingOptions& o) { o.mirostat = 3; }, "mirostat: got 3");
    refused([](SamplingOptions& o) { o.mirostat = -1; }, "mirostat: got -1");
    refused([](SamplingOptions& o) { o.mirostat_tau = std::nan(""); }, "mirostat-tau: got");
    refused([](SamplingOptions& o) { o.mirostat_eta = 0; }, "mirostat-eta: got 0");
    refused([](SamplingOptions& o) { o.mirostat = 2, o.top_k = 5; }, "another truncation");
    refused([](SamplingOptions& o) { o.mirostat = 2, o.temperature = 0; }, "temperature 0");
}
