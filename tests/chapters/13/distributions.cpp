// The distribution of texts under a mask, enumerated: every text with its probability,
// for each way of decoding.
#include "tests/catch.hpp"

#include "chapters/02_greedy/greedy.hpp"
#include "chapters/10_generate/generate.hpp"
#include "chapters/13_json_grammar/grammar_step.hpp"
#include "lib/grammar/recognizer/json_recognizer.hpp"
#include "tests/support/guided.hpp"

using namespace tbt;
using namespace tbt::testing;

namespace {

using Distribution = std::map<std::string, double>;
using Row = std::vector<double>;

// Six tokens and the end: small enough to try everything.
const std::vector<std::string> tokens = {"[", "]", "1", ",1", "[]", "[1", ""};
constexpr int eos = 6, V = 7, budget = 5;

std::shared_ptr<CompiledGrammar> small_json() {
    return language(std::make_shared<JsonRecognizer>(JsonOptions{0, false, false}),
                    std::make_shared<const TokenTrie>(tokens, eos));
}

// A distribution for each last token; `flavour` makes different models.
Row model(const std::vector<int>& ids, int flavour) {
    Rng rng(static_cast<std::uint64_t>(flavour),
            static_cast<std::uint64_t>(ids.empty() ? V : ids.back()));
    Row p(V);
    double sum = 0;
    for (double& x : p) sum += x = rng.uniform() + 0.05;
    for (double& x : p) x /= sum;
    return p;
}

Row masked(Row p, GrammarMatcher& constraint) {
    const TokenMask mask = constraint.mask();
    double sum = 0;
    for (int id = 0; id < V; ++id) sum += p[index(id)] *= mask.test(id) ? 1 : 0;
    for (double& x : p) x /= sum;
    return p;
}

bool over(const GrammarMatcher& c) { return c.ended() || c.remaining() == 0; }

std::string text_of(const std::vector<int>& ids) {
    std::string text;
    for (const int id : ids) text += id == eos ? "." : tokens[index(id)] + "|";
    return text;
}

void sample_distribution(const GrammarMatcher& constraint, const std::vector<int>& ids,
                         double weight, Distribution& distribution) {
    if (over(constraint)) {
        distribution[text_of(ids)] += weight;
        return;
    }
    GrammarMatcher here = constraint;
    const Row p = masked(model(ids, 1), here);
    for (int id = 0; id < V; ++id) {
        if (p[index(id)] == 0) continue;
        GrammarMatcher next = constraint;
        next.advance(id);
        std::vector<int> longer = ids;
        longer.push_back(id);
        sample_distribution(next, longer, weight * p[index(id)], distribution);
    }
}

// Speculative decoding with both distributions masked: `draft` tokens from q, accepted with min(1,
// p/q), else the residual of p − q.
void speculative_distribution(const GrammarMatcher& constraint, const std::vector<int>& ids,
                              int left, double weight, Distribution& distribution) {
    if (over(constraint)) {
        distribution[text_of(ids)] += weight;
        return;
    }
    GrammarMatcher here = constraint;
    const Row p = masked(model(ids, 1), here), q = masked(model(ids, 2), here);
    const auto go_on = [&](int id, int drafts, double w) {
        if (w == 0) return;
        GrammarMatcher next = constraint;
        next.advance(id);
        std::vector<int> longer = ids;
        longer.push_back(id);
        speculative_distribution(next, longer, drafts, w, distribution);
    };
    if (left == 0) {  // all drafts accepted: one more from the target
        for (int id = 0; id < V; ++id) go_on(id, 2, weight * p[index(id)]);
        return;
    }
    double rejected = 0, residual = 0;
    for (std::size_t i = 0; i < V; ++i) {
        go_on(static_cast<int>(i), left - 1, weight * std::min(p[i], q[i]));
        rejected += q[i] - std::min(p[i], q[i]);
        residual += std::max(0.0, p[i] - q[i]);
    }
    for (std::size_t i = 0; i < V && residual > 0; ++i)
        go_on(static_cast<int>(i), 2, weight * rejected * std::max(0.0, p[i] - q[i]) / residual);
}

}  // namespace

TEST_CASE(
    "the distribution under a mask: each step renormalised over what is legal, and all of it "
    "complete JSON") {
    Distribution distribution;
    sample_distribution(GrammarMatcher(small_json(), budget), {}, 1, distribution);
    double sum = 0;
    JsonRecognizer recognizer;
    for (const auto& [text, p] : distribution) {
        std::string plain;
        for (const char c : text) plain += c == '|' || c == '.' ? "" : std::string(1, c);
        INFO(text);
        REQUIRE(accepts_text(recognizer, plain));
        sum += p;
    }
    REQUIRE(std::abs(sum - 1) <= 1e-12);  // a few hundred additions of doubles below 1
    REQUIRE(distribution.size() > 30);
    // By hand: 1 out of what may begin a text, then the end out of what may follow a number at the
    // top: another digit or the end.
    const Row first = model({}, 1), second = model({2}, 1);
    const double begins = first[0] + first[2] + first[4] + first[5],
                 follows = second[2] + second[eos];
    REQUIRE(std::abs(distribution.at("1|.") - first[2] / begins * second[eos] / follows) <= 1e-15);
}

TEST_CASE("grammar and speculative decoding have the distribution of the grammar alone") {
    Distribution alone, drafted;
    sample_distribution(GrammarMatcher(small_json(), budget), {}, 1, alone);
    speculative_distribution(GrammarMatcher(small_json(), budget), {}, 2, 1, drafted);
    REQUIRE(alone.size() == drafted.size());
    for (const auto& [text, p] : alone) {
        INFO(text);
        REQUIRE(std::abs(drafted.at(text) - p) <= 1e-12);
    }
}

TEST_CASE("a mask does not give the model's distribution of texts that happen to be legal") {
    // [ with .6, 1 with .4; after [ the token ] with .1. Two tokens at most.
    const auto shared =
        language(std::make_shared<JsonRecognizer>(JsonOptions{0, false, false}),
                 std::make_shared<const TokenTrie>(std::vector<std::string>{"[", "]", "1"}, -1));
    GrammarMatcher constraint(shared, 2);
    REQUIRE((constraint.mask().test(0) && constraint.mask().test(2) && !constraint.mask().test(1)));
    constraint.advance(0);
    REQUIRE(constraint.forced() ==
            1);  // so "[]" has all of the .6, where the model's own distribution has .06 of .46
}

TEST_CASE(
    "the mask as a step of the chain comes first in every dialect, and every text is complete") {
    const auto shared = small_json();
    const std::vector<ChainStep> steps = {
        {"temperature", "2", [](Candidates& c, const TextSoFar&) { c.multiply_temperature(2); }},
        grammar_step(GrammarMatcher(shared, budget))};
    for (const auto& [name, dialect] : dialects())
        REQUIRE(in_order(dialect, steps).steps()[0].name == "grammar");

    GenerateRequest request;
    request.chain = in_order(Dialect::ours, steps);
    request.stop.eos = {eos};
    request.stop.max_new_tokens = budget;
    request.samples = 200;
    std::vector<float> row;
    const BatchLogits logits = [&](std::span<const BatchText> texts) {
        row.assign(V, 0.0f);
        return std::vector<std::span<const float>>(texts.size(), row);
    };
    const std::vector<int> prompt{2};
    JsonRecognizer recognizer;
    std::map<std::string, int> seen;
    for (const GeneratedText& text : generate_texts(
             logits, [](int id) { return std::string_view(tokens[index(id)]); }, prompt, request)) {
        INFO(text.text);
        REQUIRE(accepts_text(recognizer, text.text));
        ++seen[text.text];
    }
    REQUIRE(seen.size() > 20);
}

TEST_CASE("greedy under the mask takes the most probable legal token at each step") {
    GrammarMatcher constraint(small_json(), budget);
    std::vector<float> logits = {3, 5, 1, 4, 0, 2, 9};
    const auto text = generate_guided(
        [&](std::span<const int>) { return std::span<const float>(logits); }, {}, constraint,
        [](std::span<const float> s, std::span<const int>) { return argmax(s); },
        [](int) { return true; });
    // "[" is the best beginning (3); then "]" (5); then the end (9).
    REQUIRE(text.ids == std::vector<int>{0, 1});
    REQUIRE((text.complete && constraint.ended()));
}

TEST_CASE("a text that a stop string or a reader cuts off says whether it is complete") {
    GrammarMatcher constraint(small_json(), 20);
    std::vector<float> logits = {3, 0, 5, 4, 0, 2, -9};
    int left = 3;
    const auto text = generate_guided(
        [&](std::span<const int>) { return std::span<const float>(logits); }, {}, constraint,
        [](std::span<const float> s, std::span<const int>) {
            return argmax(std::span<const float>(s));
        },
        [&](int) { return --left > 0; });
    REQUIRE(text.ids.size() <= 3);
    REQUIRE(text.complete == constraint.complete());
}
