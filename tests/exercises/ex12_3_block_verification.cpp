// Exercise 12_3: block verification. The published example, and distributions by enumeration.
#include "12_3_block_verification.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex12_3;

namespace {

using Model = std::function<Distribution(const std::vector<int>&)>;

// Some distribution of three tokens for each text.
Model random_model(std::uint64_t seed) {
    return [seed](const std::vector<int>& text) {
        Rng rng(seed_of(text, seed));
        Distribution p;
        for (int v = 0; v < 3; ++v) p.push_back(0.05 + rng.uniform());
        return divided_by_sum(p);
    };
}

Draft draft_of(const Model& target, const Model& small, const std::vector<int>& tokens) {
    Draft d{tokens, {}, {}};
    for (std::size_t i = 0; i <= tokens.size(); ++i) {
        const std::vector<int> text(tokens.begin(),
                                    tokens.begin() + static_cast<std::ptrdiff_t>(i));
        d.p.push_back(target(text));
        if (i < tokens.size()) d.q.push_back(small(text));
    }
    return d;
}

// How many of its tokens are accepted where each is judged by itself.
double stay_one_by_one(const Draft& d) {
    double all = 1, tokens = 0;
    for (std::size_t i = 0; i < d.tokens.size(); ++i) {
        const auto x = static_cast<std::size_t>(d.tokens[i]);
        tokens += all *= std::min(1.0, d.p[i][x] / d.q[i][x]);
    }
    return tokens;
}

// Calls use(draft, probability) for each draft of γ tokens.
void each_draft(const Model& target, const Model& small, int gamma, int V,
                const std::function<void(const Draft&, double)>& use) {
    std::vector<int> tokens;
    const std::function<void(double)> go = [&](double probability) {
        if (static_cast<int>(tokens.size()) == gamma)
            return use(draft_of(target, small, tokens), probability);
        const Distribution q = small(tokens);
        for (int v = 0; v < V; ++v) {
            tokens.push_back(v);
            go(probability * q[static_cast<std::size_t>(v)]);
            tokens.pop_back();
        }
    };
    go(1);
}

// Calls use(verdict, probability) for each way the u of a draft can fall: below or above its h.
void each_verdict(const Draft& draft, const std::function<void(const Verdict&, double)>& use) {
    INPUT(draft.tokens, draft.p, draft.q);
    const std::vector<double> h = chances(draft);
    REQUIRE(h.size() == draft.tokens.size());
    for (unsigned ways = 0; ways < 1u << h.size(); ++ways) {
        double probability = 1;
        std::vector<double> u;
        for (std::size_t i = 0; i < h.size(); ++i) {
            const bool yes = (ways >> i & 1) != 0;
            probability *= yes ? h[i] : 1 - h[i];
            u.push_back(yes ? h[i] / 2 : (h[i] + 1) / 2);
        }
        if (probability > 0) use(judge(draft, u), probability);
    }
}

}  // namespace

TEST_CASE("the example of the paper: 11/9 tokens stay where one by one it is 10/9", "[ex12_3]") {
    THINK("the longest prefix that says yes stays, whatever shorter ones said");
    const Model target = [](const std::vector<int>&) { return Distribution{1.0 / 3, 2.0 / 3}; };
    const Model small = [](const std::vector<int>&) { return Distribution{2.0 / 3, 1.0 / 3}; };
    double block = 0, one_by_one = 0;
    each_draft(target, small, 2, 2, [&](const Draft& d, double probability) {
        each_verdict(d, [&](const Verdict& v, double chance) {
            block += probability * chance * static_cast<double>(v.accepted);
        });
        one_by_one += probability * stay_one_by_one(d);
    });
    INFO("drafts of two tokens, p = (1/3, 2/3) and q = (2/3, 1/3) everywhere: tokens that stay");
    CHECK_NEAR(one_by_one, 10.0 / 9, 1e-12);
    CHECK_NEAR(block, 11.0 / 9, 1e-12);
}

TEST_CASE("weights: a running product that is never more than 1", "[ex12_3]") {
    THINK("the product runs on from the cut value, not from the ratio");
    // Ratios .5, 4, .25: w = .5, then 2, cut to 1, then .25.
    const Draft d{
        {0, 0, 0}, {{.25, .75}, {.8, .2}, {.1, .9}, {.5, .5}}, {{.5, .5}, {.2, .8}, {.4, .6}}};
    INPUT(d.tokens, d.p, d.q);
    CHECK_NEAR(weights(d), (Distribution{1, .5, 1, .25}), 1e-12);
}

TEST_CASE("what is lacking, and the chances, by hand", "[ex12_3]") {
    THINK("what is lacking is w times p, minus q, and never below 0");
    const Draft d{{0, 1}, {{.3, .7}, {.2, .8}, {.5, .5}}, {{.6, .4}, {.5, .5}}};
    INPUT(d.tokens, d.p, d.q);
    // w_1 = .5: .5·(.2, .8) − (.5, .5) is below 0 everywhere.
    CHECK_NEAR(lacking(d, 1), (Distribution{0, 0}), 1e-12);
    CHECK_NEAR(lacking(d, 0)[1], .3, 1e-12);
    CHECK_NEAR(chances(d), (std::vector<double>{0, .8}), 1e-12);
    THINK("the second prefix may stay although the first alone would not");
    REQUIRE(judge(d, {.99, .1}).accepted == 2);
    REQUIRE(judge(d, {.99, .85}).accepted == 0);
    CHECK_NEAR(judge(d, {.99, .85}).next[1], 1, 1e-12);
    CHECK_NEAR(judge(d, {.99, .1}).next[0], .5, 1e-12);
}

TEST_CASE("the longest prefix counts, and each u belongs to its own", "[ex12_3]") {
    THINK("walk over all u, and remember the last i with u_i below h_i");
    // The target likes both tokens better than the draft does: everything is accepted.
    const Draft sure{{0, 0}, {{.9, .1}, {.9, .1}, {.4, .6}}, {{.5, .5}, {.5, .5}}};
    INFO("p = (.9, .1), q = (.5, .5), twice; the tokens 0 0; u = .999, .999");
    REQUIRE(judge(sure, {.999, .999}).accepted == 2);
    // Ratios .4 and 1: .4·(.5, .5) is below (.5, .5) everywhere, so h_1 = 0; h_2 = w_2 = .4.
    const Draft d{{0, 0}, {{.2, .8}, {.5, .5}, {1, 0}}, {{.5, .5}, {.5, .5}}};
    INPUT(d.tokens, d.p, d.q);
    CHECK_NEAR(chances(d), (std::vector<double>{0, .4}), 1e-12);
    const Draft e{{0, 0}, {{.2, .8}, {.1, .9}, {1, 0}}, {{.5, .5}, {.8, .2}}};
    INPUT(e.tokens, e.p, e.q);
    // w_1 = .4: .4·(.1, .9) − (.8, .2) = (0, .16): h_1 = .16/.76; w_2 = .4·.1/.8 = .05.
    CHECK_NEAR(chances(e), (std::vector<double>{.16 / .76, .05}), 1e-12);
    REQUIRE(judge(e, {.2, .5}).accepted == 1);
    CHECK_NEAR(judge(e, {.2, .5}).next[1], 1, 1e-12);
    REQUIRE(judge(e, {.5, .04}).accepted == 2);
}

TEST_CASE("a chance of 0 is no chance, not even for u = 0", "[ex12_3]") {
    THINK("u_i < h_i: where h_i is 0, no u is below it");
    const Draft d{{0}, {{0, 1}, {.5, .5}}, {{.5, .5}}};
    INFO("one token, which the target never writes, and u = 0");
    CHECK(judge(d, {0}).accepted == 0);
    CHECK_NEAR(judge(d, {0}).next[1], 1, 1e-12);
}

TEST_CASE("nothing drafted: one token from p", "[ex12_3]") {
    THINK("without a draft there is no q: the next distribution is p itself");
    const Draft d{{}, {{.3, .7}}, {}};
    INFO("no tokens, p = {(.3, .7)}");
    REQUIRE(chances(d).empty());
    REQUIRE(judge(d, {}).accepted == 0);
    CHECK_NEAR(judge(d, {}).next[0], .3, 1e-12);
}

TEST_CASE("where target and draft are the same, all of it stays", "[ex12_3]") {
    THINK("where S + 1 - w is 0 nothing can be lacking, and the chance is 1");
    const Model target = random_model(4);
    each_draft(target, target, 3, 3, [&](const Draft& d, double) {
        INPUT(d.tokens, d.p, d.q);
        CHECK_NEAR(chances(d), (std::vector<double>{1, 1, 1}), 1e-12);
        REQUIRE(judge(d, {.999, .999, .999}).accepted == 3);
        for (const double x : judge(d, {.5, .5, .5}).next) EXPECT(std::isfinite(x), "a number", x);
    });
}

TEST_CASE("the distribution of the text is the target's, to the last token", "[ex12_3]") {
    THINK("each accepted prefix with its correction must add up to the target's distribution");
    constexpr int gamma = 3, V = 3;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const Model target = random_model(seed), small = random_model(seed + 40);
        // Texts of γ + 1 tokens: what a round adds, and the rest by the target alone.
        std::map<std::vector<int>, double> distribution;
        const std::function<void(std::vector<int>, double)> finish = [&](std::vector<int> text,
                                                                         double probability) {
            if (static_cast<int>(text.size()) == gamma + 1)
                return void(distribution[text] += probability);
            const Distribution p = target(text);
            for (int v = 0; v < V; ++v) {
                text.push_back(v);
                finish(text, probability * p[static_cast<std::size_t>(v)]);
                text.pop_back();
            }
        };
        double block = 0, one_by_one = 0;
        each_draft(target, small, gamma, V, [&](const Draft& d, double probability) {
            one_by_one += probability * stay_one_by_one(d);
            each_verdict(d, [&](const Verdict& v, double chance) {
                block += probability * chance * static_cast<double>(v.accepted);
                std::vector<int> text(d.tokens.begin(),
                                      d.tokens.begin() + static_cast<std::ptrdiff_t>(v.accepted));
                for (int next = 0; next < V; ++next) {
                    const double p = v.next[static_cast<std::size_t>(next)];
                    if (p == 0) continue;
                    text.push_back(next);
                    finish(text, probability * chance * p);
                    text.pop_back();
                }
            });
        });
        double distance = 0;
        for (const auto& [text, probability] : distribution) {
            double p = 1;
            std::vector<int> before;
            for (const int id : text) {
                p *= target(before)[static_cast<std::size_t>(id)];
                before.push_back(id);
            }
            distance += std::abs(probability - p);
        }
        THINK("an accepted prefix and its correction must add up to p");
        INFO("all drafts of 3 tokens of 3, distributions made by seed " << seed);
        REQUIRE(distribution.size() == 81);
        EXPECT(distance <= 1e-12, "the distribution of the texts is the target's: a distance of 0",
               distance);
        THINK("more stays than token by token");
        EXPECT(block > one_by_one + 1e-3, "more tokens stay than one by one", block);
    }
}
