// Chapter 12: speculative decoding has the target's distribution, whoever drafts.
#include "tests/catch.hpp"

#include "chapters/02_greedy/greedy.hpp"
#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/12_speculative/drafts.hpp"
#include "chapters/12_speculative/speculative.hpp"
#include "tests/support/toy_models.hpp"

using namespace tbt;
using toy::TableModel;
using toy::ToyModel;

namespace {

constexpr int eos = 0;
using TextDistribution = std::map<std::vector<int>, double>;

const std::vector<int> prompt{1, 2, 1};

SpeculativeRules rules_of(Chain chain, int max_new_tokens, std::vector<int> ends = {},
                          int context = 100) {
    SpeculativeRules rules;
    rules.chain = std::move(chain);
    rules.max_new_tokens = max_new_tokens;
    rules.context = context;
    rules.eos = std::move(ends);
    return rules;
}

// What plain decoding writes, with its probabilities.
template <class Model>
TextDistribution plain_distribution(Model model, const SpeculativeRules& rules,
                                    const std::vector<int>& begin = prompt) {
    TextDistribution distribution;
    AllOutcomes chance;
    do {
        std::vector<int> ids = begin;
        Candidates c;
        for (int i = 0; i < rules.max_new_tokens && to_int(ids.size()) < rules.context; ++i) {
            c.reset(model(ids));
            rules.chain.apply(c, {ids, begin.size()});
            ids.push_back(chance.draw(c));
            if (std::find(rules.eos.begin(), rules.eos.end(), ids.back()) != rules.eos.end()) break;
        }
        distribution[ids] += chance.probability();
    } while (chance.next());
    return distribution;
}

template <class Model, class Draft>
TextDistribution speculative_distribution(Model target, Draft draft, const SpeculativeRules& rules,
                                          DraftLength length,
                                          const std::vector<int>& begin = prompt) {
    TextDistribution distribution;
    AllOutcomes chance;
    do {
        std::vector<int> ids = begin;
        for (const int id : speculate(
                 target.last(), draft, rules, begin, length, chance, [](int) { return true; },
                 [](const Round&) {}))
            ids.push_back(id);
        distribution[ids] += chance.probability();
    } while (chance.next());
    return distribution;
}

double largest_difference(const TextDistribution& a, const TextDistribution& b) {
    double largest = 0;
    const auto compare = [&](const TextDistribution& x, const TextDistribution& y) {
        for (const auto& [text, p] : x) {
            const auto other = y.find(text);
            largest = std::max(largest, std::abs(p - (other == y.end() ? 0.0 : other->second)));
        }
    };
    compare(a, b), compare(b, a);
    return largest;
}

double mass(const TextDistribution& distribution) {
    double sum = 0;
    for (const auto& [text, p] : distribution) sum += p;
    return sum;
}

Chain chain_of(double temperature, int top_k, double top_p, double repetition) {
    SamplingOptions o;
    o.temperature = temperature, o.top_k = top_k, o.top_p = top_p,
    o.repetition_penalty = repetition;
    return full_chain(o, Dialect::ours);
}

// Products of up to eight probabilities, each rounded to a few units of 1e-16,
// and units of 2^-44 in the distributions of both sides.
constexpr double rounding = 1e-12;

}  // namespace

TEST_CASE(
    "the distribution of the texts is the target's: any draft, any length, with cuts, penalties "
    "and an end") {
    const std::vector<Chain> chains = {chain_of(1, 0, 1, 1), chain_of(0.7, 2, 1, 1),
                                       chain_of(1.3, 0, 0.8, 1), chain_of(1, 0, 1, 1.5),
                                       chain_of(0.8, 3, 0.9, 1.3)};
    double tested = 0;
    for (std::size_t c = 0; c < chains.size(); ++c) {
        for (const int length : {1, 2, 3, 5}) {
            for (const bool ends : {false, true}) {
                const SpeculativeRules rules =
                    rules_of(chains[c], 4, ends ? std::vector<int>{eos} : std::vector<int>{});
                const ToyModel target(c + 1, 1.5), near(c + 1, 1.2), far(77, 2);
                const TextDistribution expected = plain_distribution(target, rules);
                REQUIRE(std::abs(mass(expected) - 1) <= rounding);
                INFO("chain " << rules.chain.to_string() << ", length " << length << ", EOS "
                              << ends);
                for (const ToyModel& draft : {near, far}) {
                    const TextDistribution distribution = speculative_distribution(
                        target, ModelDraft(draft, 100), rules, DraftLength::fixed(length));
                    REQUIRE(largest_difference(distribution, expected) <= rounding);
                    tested += static_cast<double>(distribution.size());
                }
            }
        }
    }
    CHECK(tested > 1000);
}

TEST_CASE("prompt lookup and adaptive lengths have the target's distribution too") {
    for (const bool ends : {false, true}) {
        const ToyModel target(5, 1.5), draft(6, 1.5);
        const std::vector<int> begin{1, 2, 0, 2, 1, 2, 1, 2};  // looks back at several places
        const auto off_by = [&](int tokens, auto drafts, DraftLength length) {
            const SpeculativeRules rules =
                rules_of(chain_of(0.9, 3, 1, 1.2), tokens,
                         ends ? std::vector<int>{eos} : std::vector<int>{});
            return largest_difference(
                speculative_distribution(target, std::move(drafts), rules, length, begin),
                plain_distribution(target, rules, begin));
        };
        CHECK(off_by(5, PromptLookup(3), DraftLength::fixed(3)) <= rounding);
        CHECK(off_by(5, PromptLookup(1), DraftLength::fixed(2)) <= rounding);
        CHECK(off_by(4, ModelDraft(draft, 100), DraftLength::adaptive(3, 0.1)) <= rounding);
        // Drafts nothing after a rejection, so both kinds of rounds are in its texts.
        CHECK(off_by(4, ModelDraft(draft, 100), DraftLength::adaptive(3, 0.7)) <= rounding);
    }
}

TEST_CASE(
    "where the context ends, speculative texts end as plain ones do, also when the draft reads "
    "less") {
    const SpeculativeRules rules = rules_of(chain_of(1, 0, 1, 1), 10, {}, 6);
    const ToyModel target(9, 1.5), draft(10, 1);
    const TextDistribution expected = plain_distribution(target, rules);
    REQUIRE(expected.begin()->first.size() == 6);
    for (const int read : {6, 4, 1}) {
        INFO("the draft reads " << read);
        CHECK(largest_difference(speculative_distribution(target, ModelDraft(draft, read), rules,
                                                          DraftLength::fixed(4)),
                                 expected) <= rounding);
    }
}

TEST_CASE(
    "two steps: the exact distribution is .42 .28 .06 .24, the tutorial's is .2928 .3172 .1014 "
    ".2886") {
    // A first token "2" stands for the beginning: P0 = (.7, .3), P(·|0) = (.6, .4),
    // P(·|1) = (.2, .8).
    const TableModel target({{.6, .4}, {.2, .8}, {.7, .3}}), draft({{.3, .7}, {.5, .5}, {.4, .6}});
    SpeculativeRules rules = rules_of(Chain(), 2);
    const auto distribution_of = [&] {
        const TextDistribution distribution = speculative_distribution(
            target, ModelDraft(draft, 9), rules, DraftLength::fixed(2), {2});
        return std::vector<double>{distribution.at({2, 0, 0}), distribution.at({2, 0, 1}),
                                   distribution.at({2, 1, 0}), distribution.at({2, 1, 1})};
    };
    // Logits are floats: ln p is rounded to 6e-8 of itself.
    const auto near = [](const std::vector<double>& a, const std::vector<double>& b) {
        for (std::size_t i = 0; i < 4; ++i) REQUIRE(std::abs(a[i] - b[i]) <= 2e-7);
    };
    near(distribution_of(), {.42, .28, .06, .24});
    // Two tokens leave room for one drafted token in the first round;
    // the tutorial's numbers are of two drafted ones.
    rules.max_new_tokens = 3;
    rules.correction = Correction::target;
    const TextDistribution longer =
        speculative_distribution(target, ModelDraft(draft, 9), rules, DraftLength::fixed(2), {2});
    std::vector<double> firsts(4);
    for (const auto& [text, p] : longer) firsts[index(2 * text[1] + text[2])] += p;
    near(firsts, {.2928, .3172, .1014, .2886});
}

TEST_CASE(
    "one step: p = (.5, .3, .2), q = (.2, .3, .5) accepts .7; the tutorial's rule gives .35 .39 "
    ".26") {
    const TableModel target({{.5, .3, .2}}), draft({{.2, .3, .5}});
    SpeculativeRules rules = rules_of(Chain(), 2);
    rules.overlaps = true;
    for (const bool right : {true, false}) {
        rules.correction = right ? Correction::residual : Correction::target;
        std::vector<double> distribution(3);
        double accepted = 0, overlap = 0;
        AllOutcomes chance;
        do {
            TableModel t = target;
            ModelDraft d(draft, 9);
            const std::vector<int> ids{0};
            const Round round = speculate_once(t.last(), d, rules, ids, 1, 1, chance);
            distribution[index(round.tokens[0])] += chance.probability();
            accepted += chance.probability() * round.accepted();
            overlap = round.overlap;
        } while (chance.next());
        CHECK(accepted == Approx(0.7).margin(1e-7));
        CHECK(overlap == Approx(0.7).margin(1e-7));
        const std::vector<double> expected =
            right ? std::vector<double>{.5, .3, .2} : std::vector<double>{.35, .39, .26};
        for (std::size_t i = 0; i < 3; ++i)
            REQUIRE(std::abs(distribution[i] - expected[i]) <= 1e-7);
    }
}

TEST_CASE("an accepted end of text is the last token of its round") {
    const TableModel model({{.9, .05, .05}});
    SpeculativeRules rules = rules_of(Chain(), 9, {eos});
    int ended = 0;
    AllOutcomes chance;
    do {
        TableModel t = model;
        ModelDraft d(model, 9);
        const std::vector<int> ids{1};
        const Round round = speculate_once(t.last(), d, rules, ids, 1, 3, chance);
        const auto end = std::find(round.tokens.begin(), round.tokens.end(), eos);
        if (end == round.tokens.end()) continue;
        ++ended;
        REQUIRE(end + 1 == round.tokens.end());
    } while (chance.next());
    CHECK(ended >= 3);
}
