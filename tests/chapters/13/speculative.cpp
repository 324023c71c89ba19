// Speculative decoding under a grammar: the mask is the first step of both distributions,
// along the drafted prefix too.
#include "tests/catch.hpp"

#include "chapters/12_speculative/drafts.hpp"
#include "chapters/12_speculative/speculative.hpp"
#include "chapters/13_json_grammar/grammar_step.hpp"
#include "lib/grammar/recognizer/json_recognizer.hpp"
#include "tests/support/beams.hpp"
#include "tests/support/guided.hpp"

using namespace tbt;
using namespace tbt::testing;

namespace {

const std::vector<std::string> tokens = {"[", "]", "1", ",1", "[1", ""};
constexpr int eos = 5, V = 6, budget = 4;
const std::vector<int> prompt{0, 2, 1, 0};  // lets prompt lookup find something, some of it illegal
using TextDistribution = std::map<std::vector<int>, double>;

// The logits after each of the last ids.
struct ToyModel {
    std::uint64_t seed;
    std::vector<float> values;

    Logits rows(std::span<const int> ids, int count) {
        values.clear();
        test::RandomModel model(seed, V, 1.5);
        for (std::size_t n = ids.size() + 1 - index(count); n <= ids.size(); ++n) {
            const std::span<const float> row = model(ids.first(n));
            values.insert(values.end(), row.begin(), row.end());
        }
        return {values, count};
    }
    std::span<const float> operator()(std::span<const int> ids) { return rows(ids, 1).values; }
};

SpeculativeRules masked_rules(double temperature) {
    const auto shared = language(std::make_shared<JsonRecognizer>(JsonOptions{0, false, false}),
                                 std::make_shared<const TokenTrie>(tokens, eos));
    SpeculativeRules rules;
    rules.chain = in_order(Dialect::ours,
                           {grammar_step(GrammarMatcher(shared, budget)),
                            {"temperature", "", [temperature](Candidates& c, const TextSoFar&) {
                                 c.multiply_temperature(temperature);
                             }}});
    rules.max_new_tokens = budget;
    rules.context = 100;
    rules.eos = {eos};
    return rules;
}

TextDistribution grammar_alone(ToyModel model, const SpeculativeRules& rules) {
    TextDistribution distribution;
    AllOutcomes chance;
    do {
        std::vector<int> ids = prompt;
        Candidates c;
        for (int i = 0; i < budget && ids.back() != eos; ++i) {
            c.reset(model(ids));
            rules.chain.apply(c, {ids, prompt.size()});
            ids.push_back(chance.draw(c));
        }
        distribution[{ids.begin() + static_cast<std::ptrdiff_t>(prompt.size()), ids.end()}] +=
            chance.probability();
    } while (chance.next());
    return distribution;
}

template <class Draft>
TextDistribution drafted(ToyModel target, Draft draft, const SpeculativeRules& rules, int length) {
    TextDistribution distribution;
    AllOutcomes chance;
    const LastLogits last = [&](std::span<const int> ids, int count) {
        return target.rows(ids, count);
    };
    do {
        const std::vector<int> text = speculate(
            last, draft, rules, prompt, DraftLength::fixed(length), chance,
            [](int) { return true; }, [](const Round&) {});
        distribution[text] += chance.probability();
    } while (chance.next());
    return distribution;
}

// Products of up to eight probabilities, each rounded to a few units of 1e-16.
void require_equal(const TextDistribution& distribution, const TextDistribution& expected) {
    double sum = 0;
    for (const auto& [text, p] : distribution) {
        const auto other = expected.find(text);
        REQUIRE(std::abs(p - (other == expected.end() ? 0.0 : other->second)) <= 1e-12);
        sum += p;
    }
    REQUIRE(std::abs(sum - 1) <= 1e-12);
}

}  // namespace

TEST_CASE(
    "chapter 12's speculative decoding under a grammar has the distribution of the grammar alone") {
    for (const double temperature : {1.0, 0.6}) {
        const SpeculativeRules rules = masked_rules(temperature);
        const TextDistribution expected = grammar_alone({1, {}}, rules);
        REQUIRE(expected.size() > 10);
        JsonRecognizer recognizer;
        for (const auto& [text, p] : expected) {
            std::string plain;
            for (const int id : text) plain += tokens[index(id)];
            CAPTURE(plain);
            REQUIRE(accepts_text(recognizer, plain));
        }
        for (const int length : {1, 2, 3}) {
            CAPTURE(temperature, length);
            require_equal(drafted({1, {}}, ModelDraft(ToyModel{2, {}}, 100), rules, length),
                          expected);
            require_equal(drafted({1, {}}, PromptLookup(3), rules, length), expected);
        }
    }
}
