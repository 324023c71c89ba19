#include "tests/catch.hpp"

#include "chapters/06_combining/chain.hpp"
#include "chapters/06_combining/trace.hpp"
#include "lib/core/rng.hpp"
#include "tests/support/logits.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

std::vector<double> distribution(const std::vector<float>& s, const SamplingOptions& options,
                                 Dialect dialect = Dialect::ours) {
    Candidates c(s);
    in_order(dialect, truncation_steps(options, dialect)).apply(c, {});
    return c.probabilities();
}
std::size_t kept(const std::vector<float>& s, int k, double p) {
    SamplingOptions o;
    o.top_k = k, o.top_p = p;
    Candidates c(s);
    in_order(Dialect::ours, truncation_steps(o, Dialect::ours)).apply(c, {});
    return c.count();
}
std::size_t count(const std::vector<double>& p) {
    return static_cast<std::size_t>(
        std::count_if(p.begin(), p.end(), [](double x) { return x > 0; }));
}

const std::vector<float> cat_dog{10, 8, 5, 2, 1, 0.5f};  // cat dog car house tree book

}  // namespace

TEST_CASE("the tutorials' complete example comes out as computed by hand") {
    SamplingOptions o;
    o.top_k = 3, o.top_p = .9;
    const Chain chain = in_order(Dialect::ours, truncation_steps(o, Dialect::ours));
    REQUIRE(chain.to_string() == "top-k 3 → top-p 0.9 → draw");
    const std::vector<double> p = distribution(cat_dog, o);
    REQUIRE(count(p) == 2);
    REQUIRE(std::abs(p[0] - .880797) <= 5.1e-7);
    REQUIRE(std::abs(p[1] - .119203) <= 5.1e-7);
    Candidates scratch;
    REQUIRE(chain.pick(cat_dog, {}, .75, scratch) == 0);
    REQUIRE(chain.pick(cat_dog, {}, .8807, scratch) == 0);
    REQUIRE(chain.pick(cat_dog, {}, .8809, scratch) == 1);
    Rng rng(1);
    int cats = 0;
    for (int i = 0; i < 100000; ++i) cats += chain.pick(cat_dog, {}, rng.uniform(), scratch) == 0;
    REQUIRE(std::abs(cats - 88080) <=
            5 * 102.5);  // five standard deviations: a false alarm in 1.7 million seeds
    o.temperature = .5;
    REQUIRE(count(distribution(cat_dog, o)) == 1);
    o.temperature = 1.5;
    REQUIRE(std::abs(distribution(cat_dog, o)[0] - .791391) <= 5.1e-7);
    o.temperature = 2;
    REQUIRE(std::abs(distribution(cat_dog, o)[1] - .268941) <= 5.1e-7);
}

TEST_CASE("top-k and top-p together keep the numbers of the tables") {
    REQUIRE(kept(eight, 3, .9) == 2);
    REQUIRE(kept(eight, 5, .95) == 3);
    REQUIRE(kept(eight, 1, 1) == 1);
    const std::vector<float> z = zipf(1, 1000);
    REQUIRE(kept(z, 50, .9) == 32);
    REQUIRE(kept(z, 50, .95) == 40);
    REQUIRE(kept(z, 50, .5) == 5);
    REQUIRE(kept(z, 20, .9) == 14);
    REQUIRE(kept(z, 10, .9) == 8);
    REQUIRE(kept(z, 10, .5) == 2);
    Rng rng(2);
    std::vector<float> s(1000);
    for (float& x : s) x = static_cast<float>(rng.normal());
    REQUIRE(std::abs(static_cast<double>(kept(s, 0, .9)) - 611.7) <= 5 * 9.5);
    REQUIRE(std::abs(static_cast<double>(kept(s, 50, .9)) - 42.6) <= 5 * .62);
}

TEST_CASE("the same request keeps different tokens in different dialects") {
    SamplingOptions o;
    o.temperature = .5, o.top_p = .8;
    const std::vector<float> s{3, 2, 1};
    REQUIRE(count(distribution(s, o, Dialect::ours)) == 1);
    REQUIRE(count(distribution(s, o, Dialect::transformers)) == 1);
    REQUIRE(count(distribution(s, o, Dialect::llama_cpp)) == 2);
    REQUIRE(count(distribution(s, o, Dialect::vllm)) == 1);
    o = {};
    o.top_k = 2;
    const std::vector<float> ties{1, 1, 1, 1};
    REQUIRE(count(distribution(ties, o, Dialect::ours)) == 2);
    REQUIRE(count(distribution(ties, o, Dialect::transformers)) == 4);
    REQUIRE(count(distribution(ties, o, Dialect::llama_cpp)) == 2);
    REQUIRE(count(distribution(ties, o, Dialect::vllm)) == 4);
}

TEST_CASE("a token that is no candidate has no rank") {
    REQUIRE((Standing().rank == 0 && Standing().probability == 0));
}

TEST_CASE("each dialect has its order") {
    SamplingOptions o;
    o.temperature = .8, o.top_k = 40, o.top_p = .9, o.min_p = .05;
    const auto line = [&](Dialect d) { return in_order(d, truncation_steps(o, d)).to_string(); };
    REQUIRE(line(Dialect::ours) == "temperature 0.8 → top-k 40 → top-p 0.9 → min-p 0.05 → draw");
    REQUIRE(line(Dialect::transformers) ==
            "temperature 0.8 → top-k 40 → top-p 0.9 → min-p 0.05 → draw");
    REQUIRE(line(Dialect::llama_cpp) ==
            "top-k 40 → top-p 0.9 → min-p 0.05 → temperature 0.8 → draw");
    REQUIRE(line(Dialect::vllm) == "temperature 0.8 → min-p 0.05 → top-k 40 → top-p 0.9 → draw");
    REQUIRE(in_order(Dialect::ours, {}).to_string() == "draw");
    REQUIRE(defaults_of(Dialect::transformers).top_k == 50);
    const SamplingOptions llama = defaults_of(Dialect::llama_cpp);
    REQUIRE((llama.temperature == .8 && llama.top_k == 40 && llama.top_p == .95));
    REQUIRE(llama.min_p == .05);
    REQUIRE(truncation_steps(defaults_of(Dialect::vllm), Dialect::vllm).empty());
}

TEST_CASE("a step that a dialect does not have is refused, not dropped") {
    SamplingOptions o;
    o.eta_cutoff = .001;
    REQUIRE_THROWS_WITH(in_order(Dialect::vllm, truncation_steps(o, Dialect::vllm)),
                        Catch::Contains("no step 'eta'"));
    REQUIRE_THROWS_WITH(dialect_named("llama"), Catch::Contains("llama.cpp"));
    REQUIRE(dialect_named("llama.cpp") == Dialect::llama_cpp);
    for (const auto& [name, dialect] : dialects()) REQUIRE(name_of(dialect) == name);
}

TEST_CASE("every option is checked, with what was given and what is allowed") {
    const auto refused = [](auto&& change) {
        SamplingOptions o;
        change(o);
        REQUIRE_THROWS_AS(truncation_steps(o, Dialect::ours), UsageError);
    };
    refused([](SamplingOptions& o) { o.temperature = -1; });
    refused([](SamplingOptions& o) { o.temperature = std::nan(""); });
    refused([](SamplingOptions& o) { o.top_k = -1; });
    refused([](SamplingOptions& o) { o.top_p = 1.5; });
    refused([](SamplingOptions& o) { o.top_p = -.5; });
    refused([](SamplingOptions& o) { o.min_p = 2; });
    refused([](SamplingOptions& o) { o.typical_p = 0; });
    refused([](SamplingOptions& o) { o.epsilon_cutoff = 1; });
    refused([](SamplingOptions& o) { o.eta_cutoff = std::nan(""); });
}

TEST_CASE("options at their off values make no steps and leave the model's own distribution") {
    REQUIRE(truncation_steps({}, Dialect::ours).empty());
    const std::vector<double> p = distribution(eight, {});
    REQUIRE(std::abs(p[0] - .821030) <= 5.1e-7);
}

TEST_CASE("a trace tells what every step removed and where the chosen token stood") {
    SamplingOptions o;
    o.temperature = 2, o.top_k = 3, o.top_p = .9;
    const Chain chain = in_order(Dialect::ours, truncation_steps(o, Dialect::ours));
    Candidates scratch;
    const double u = .95;
    const int chosen = chain.pick(cat_dog, {}, u, scratch);
    REQUIRE(chosen == 1);
    const Trace t = trace(chain, cat_dog, {}, u, chosen, 4);
    REQUIRE(t.steps.size() == 3);
    REQUIRE((t.raw_candidates == 6 && t.final_candidates == 2 && t.chosen == 1 && t.u == u));
    REQUIRE(t.steps[0].mass_removed == 0);
    REQUIRE((t.steps[1].candidates_before == 6 && t.steps[1].candidates_after == 3));
    // At T = 2: e^5 e^4 e^2.5 e^1 e^.5 e^.25; the last three are removed.
    double all = 0, gone = 0;
    for (std::size_t i = 0; i < 6; ++i) (i < 3 ? all : gone) += std::exp(cat_dog[i] / 2.0);
    REQUIRE(std::abs(t.steps[1].mass_removed - gone / (all + gone)) <= 1e-9);
    REQUIRE((t.steps[2].chosen_before.rank == 2 && t.steps[2].chosen_after.rank == 2));
    REQUIRE(std::abs(t.steps[2].chosen_after.probability - .268941) <= 5.1e-7);
    REQUIRE(std::abs(t.final_log_probability - std::log(.2689414)) <= 1e-6);
    REQUIRE((t.top.size() == 4 && t.top[0].removed_by == -1 && t.top[2].removed_by == 2 &&
             t.top[3].removed_by == 1));
    REQUIRE(t.steps[2].entropy_after == t.final_entropy);
}

TEST_CASE("a trace blames no step for a token that the model's own row masks") {
    SamplingOptions o;
    o.temperature = 2, o.top_k = 1;
    const std::vector<float> s{2, masked, 1};
    const Chain chain = in_order(Dialect::ours, truncation_steps(o, Dialect::ours));
    const Trace t = trace(chain, s, {}, 0, 0, 3);
    REQUIRE((t.top[1].id == 2 && t.top[1].removed_by == 1));
    REQUIRE((t.top[2].id == 1 && t.top[2].removed_by == -1 && t.top[2].final_probability == 0));
}

TEST_CASE("a chosen token that the chain removed has probability 0 after it") {
    SamplingOptions o;
    o.top_k = 2;
    const Chain chain = in_order(Dialect::ours, truncation_steps(o, Dialect::ours));
    const Trace t = trace(chain, cat_dog, {}, 0, 2);  // as in a text that another chain wrote
    REQUIRE(t.raw_rank == 3);
    REQUIRE(t.steps[0].chosen_after.rank == 0);
    REQUIRE(t.final_log_probability == -std::numeric_limits<double>::infinity());
}

TEST_CASE("renormalised logits are log-probabilities, whatever the temperature") {
    SamplingOptions o;
    o.renormalize = true;
    for (const double T : {1.0, .5, 3.0}) {
        o.temperature = T;
        Candidates c(cat_dog), plain(cat_dog);
        in_order(Dialect::ours, truncation_steps(o, Dialect::ours)).apply(c, {});
        apply_temperature(plain, T);
        double sum = 0;
        for (const float s : c.logits()) sum += std::exp(static_cast<double>(s));
        INFO("T = " << T << ", the sum of e^s: " << sum);
        REQUIRE(c.temperature() == 1);
        REQUIRE(std::abs(sum - 1) <= 1e-6);  // logits are floats
        for (std::size_t i = 0; i < c.size(); ++i)
            REQUIRE(std::abs(static_cast<double>(c.logits()[i]) - plain.log_probability(i)) <=
                    2e-6 * (1 + std::abs(plain.log_probability(i))));
    }
}

TEST_CASE("top-k with a larger minimum keeps ties at that border where ties stay") {
    const std::vector<float> s{5, 4, 3, 3, 3, 1};
    SamplingOptions o;
    o.top_k = 1, o.min_tokens_to_keep = 3;
    const auto kept = [&](Dialect dialect) {
        Candidates c(s);
        in_order(dialect, truncation_steps(o, dialect)).apply(c, {});
        return c.count();
    };
    REQUIRE(kept(Dialect::ours) == 3);
    REQUIRE(kept(Dialect::transformers) == 5);
}

TEST_CASE("mirostat asks for the surprise of the model, in llama.cpp's dialect of the draw") {
    SamplingOptions o;
    o.mirostat = 2;
    REQUIRE(in_order(Dialect::ours, truncation_steps(o, Dialect::ours)).surprise() ==
            Surprise::raw);
    REQUIRE(in_order(Dialect::llama_cpp, truncation_steps(o, Dialect::llama_cpp)).surprise() ==
            Surprise::at_draw);
    o.mirostat = 0;
    REQUIRE(in_order(Dialect::ours, truncation_steps(o, Dialect::ours)).surprise() ==
            Surprise::none);
}
