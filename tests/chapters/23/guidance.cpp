// One model made of two distributions, by guidance or by contrast, has the distribution that the
// formula says.
#include "tests/catch.hpp"

#include "chapters/12_speculative/drafts.hpp"
#include "chapters/12_speculative/speculative.hpp"
#include "chapters/23_text_generator/guidance.hpp"
#include "tests/support/toy_models.hpp"

using namespace tbt;

namespace {

using TextDistribution = std::map<std::vector<int>, double>;

const std::vector<int> prompt{0, 1}, negative{2};
constexpr int length = 3;

std::vector<double> normalised(std::vector<double> weights) {
    double sum = 0;
    for (const double w : weights) sum += w;
    for (double& w : weights) w /= sum;
    return weights;
}

// With the mathematics library's own functions.
std::vector<double> distribution_after(toy::ToyModel model, std::vector<int> ids,
                                       const std::vector<int>& written) {
    ids.insert(ids.end(), written.begin(), written.end());
    std::vector<double> p;
    for (const float s : model(ids)) p.push_back(std::exp(static_cast<double>(s)));
    return normalised(std::move(p));
}

// p'(x) ∝ n(x)·(p(x)/n(x))^s, written out.
std::vector<double> by_formula(const toy::ToyModel& model, const std::vector<int>& written,
                               double scale) {
    std::vector<double> p = distribution_after(model, prompt, written);
    const std::vector<double> n = distribution_after(model, negative, written);
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = n[i] * std::pow(p[i] / n[i], scale);
    return normalised(std::move(p));
}

LastLogits rows_of_model(BatchLogits model) {
    return [model, rows = std::vector<float>()](std::span<const int> ids, int count) mutable {
        const BatchText text{0, ids, index(count)};
        rows.clear();
        for (const std::span<const float> row : model({&text, 1}))
            rows.insert(rows.end(), row.begin(), row.end());
        return Logits{rows, count};
    };
}

// The distribution of texts that is written with a model in rounds of drafts, every way enumerated.
template <class MakeDraft>
TextDistribution distribution_of(const std::function<BatchLogits()>& model, MakeDraft make_draft,
                                 int drafts) {
    SpeculativeRules rules;
    rules.max_new_tokens = length;
    rules.context = 100;
    TextDistribution distribution;
    AllOutcomes chance;
    do {
        auto draft = make_draft();
        const std::vector<int> text = speculate(
            rows_of_model(model()), draft, rules, prompt, DraftLength::fixed(drafts), chance,
            [](int) { return true; }, [](const Round&) {});
        distribution[text] += chance.probability();
    } while (chance.next());
    return distribution;
}

// Of all texts, when this is the distribution of the next token.
TextDistribution product_of(
    const std::function<std::vector<double>(const std::vector<int>&)>& next) {
    TextDistribution distribution;
    for (int a = 0; a < toy::V; ++a)
        for (int b = 0; b < toy::V; ++b)
            for (int c = 0; c < toy::V; ++c) {
                const double p = next({})[index(a)] * next({a})[index(b)] * next({a, b})[index(c)];
                if (p > 0) distribution[{a, b, c}] = p;
            }
    return distribution;
}

// A draft that can read nothing proposes nothing: plain decoding. And one that is right at times.
const auto no_draft = [] { return ModelDraft(toy::ToyModel(9, 1), 0); };
const auto model_draft = [] { return ModelDraft(toy::ToyModel(9, 1), 100); };

BatchLogits guided(toy::ToyModel model, double scale) {
    static const GuidancePrompts both{prompt.size(), negative};
    return with_guidance(one_at_a_time(model), scale, 1,
                         [](std::size_t) -> const GuidancePrompts& { return both; });
}

void require_equal(const TextDistribution& distribution, const TextDistribution& expected) {
    REQUIRE(distribution.size() == expected.size());
    double sum = 0;
    for (const auto& [text, p] : distribution) {
        // Logits are floats: a combined one is off by up to 2^-24 of its size, about 10.
        REQUIRE(std::abs(p - expected.at(text)) <= 2e-6);
        sum += p;
    }
    REQUIRE(std::abs(sum - 1) <= 1e-12);
}

}  // namespace

TEST_CASE("guidance has the distribution of its formula, every text enumerated, drafts or none") {
    for (const double scale : {0.0, 0.5, 1.5, 3.0}) {
        CAPTURE(scale);
        const toy::ToyModel model(3, 1.5);
        const TextDistribution expected = product_of(
            [&](const std::vector<int>& written) { return by_formula(model, written, scale); });
        const auto made = [&] { return guided(model, scale); };
        require_equal(distribution_of(made, no_draft, 1), expected);
        require_equal(distribution_of(made, model_draft, 2), expected);
        require_equal(distribution_of(
                          made, [] { return PromptLookup(2); }, 2),
                      expected);
    }
}

TEST_CASE(
    "two models contrasted have the distribution of the formula, every text enumerated, drafts or "
    "none") {
    for (const Contrast contrast : {Contrast{.5, .1}, Contrast{0, 0}, Contrast{1, .4}}) {
        CAPTURE(contrast.strength, contrast.plausible);
        const toy::ToyModel model(3, 1.5), amateur(4, 1);
        // p·(p/a)^β, where p is at least α of its largest.
        const TextDistribution expected = product_of([&](const std::vector<int>& written) {
            std::vector<double> p = distribution_after(model, prompt, written);
            const std::vector<double> a = distribution_after(amateur, prompt, written);
            const double border = contrast.plausible * *std::max_element(p.begin(), p.end());
            for (std::size_t i = 0; i < p.size(); ++i)
                p[i] = p[i] < border ? 0 : p[i] * std::pow(p[i] / a[i], contrast.strength);
            return normalised(std::move(p));
        });
        // The border cuts some texts, so that this can fail.
        REQUIRE((expected.size() < 27) == (contrast.plausible > 0));
        const auto made = [&] {
            return with_contrast(one_at_a_time(model), one_at_a_time(amateur), contrast);
        };
        require_equal(distribution_of(made, no_draft, 1), expected);
        require_equal(distribution_of(made, model_draft, 2), expected);
    }
}

TEST_CASE("contrast by hand: what both find absurd does not win") {
    // p .6 .39 .01, a .8 .199 .001
    const std::vector<float> p{std::log(.6f), std::log(.39f), std::log(.01f)},
        a{std::log(.8f), std::log(.199f), std::log(.001f)};
    std::vector<float> out(3);
    contrast_logits(p, a, {1, .1}, out);
    // p²/a: .45, .764, .1
    REQUIRE(std::abs(std::exp(out[1] - out[0]) - .76432 / .45) <= 1e-4);
    REQUIRE(out[2] < out[0] - 900);
    // Where the border is so high that two are after it, they keep the model's distribution.
    contrast_logits(p, a, {1, .9}, out);
    REQUIRE(std::abs(out[1] - out[2] - std::log(39.0)) <= 1e-3);
    // At 1 the most probable token is the border itself, and stays.
    contrast_logits(p, a, {1, 1}, out);
    REQUIRE(out[0] > out[1] + 900);
    contrast_logits(p, a, {3, 0}, out);
    // Without the border: p⁴/a³: .253, 2.94, 10
    REQUIRE(out[2] > out[1]);
    REQUIRE_THROWS_AS(contrast_logits(p, a, {-1, .1}, out), UsageError);
    REQUIRE_THROWS_AS(contrast_logits(p, a, {1, 1.1}, out), UsageError);
}

TEST_CASE("guidance by hand: twice as far from the negative prompt") {
    const std::vector<float> p{std::log(.5f), std::log(.3f), std::log(.2f)},
        n{std::log(.2f), std::log(.3f), std::log(.5f)};
    std::vector<float> out(3);
    guide_logits(p, n, 2, out);
    // n·(p/n)²: 1.25, .3, .08
    REQUIRE(std::abs(std::exp(out[0] - out[1]) - 1.25 / .3) <= 1e-5);
    REQUIRE(std::abs(std::exp(out[2] - out[1]) - .08 / .3) <= 1e-6);
    guide_logits(p, n, 1, out);
    for (std::size_t i = 0; i < 3; ++i) REQUIRE(std::abs(out[i] - p[i]) <= 1e-6);
    guide_logits(p, n, 0, out);
    for (std::size_t i = 0; i < 3; ++i) REQUIRE(std::abs(out[i] - n[i]) <= 1e-6);
    std::vector<float> banned = p;
    banned[1] = -INFINITY;
    guide_logits(banned, n, 2, out);
    REQUIRE(out[1] == -INFINITY);
    REQUIRE_THROWS_AS(guide_logits(p, n, 2, std::span<float>(out).first(2)), Error);
}

TEST_CASE("a token that either prompt bans stays banned, whatever the scale") {
    constexpr float no = -INFINITY;
    const std::vector<float> p{0, no, 1, no}, n{0, 1, no, no};
    for (const double scale : {-1.0, 0.0, 0.5, 1.0, 2.0}) {
        CAPTURE(scale);
        std::vector<float> out(4);
        guide_logits(p, n, scale, out);
        REQUIRE(std::isfinite(out[0]));
        for (std::size_t i = 1; i < 4; ++i) REQUIRE(out[i] == no);
    }
}
