// Guidance has the law it says; and a search that reads ahead where a grammar leaves no choice
// finds the same texts in fewer passes.
#include "tests/catch.hpp"

#include <cmath>
#include <map>
#include <vector>

#include "chapters/06_combining/temperature.hpp"
#include "chapters/11_beam_search/diverse_beams.hpp"
#include "chapters/12_speculative/outcomes.hpp"
#include "chapters/12_speculative/speculative.hpp"
#include "chapters/16_json_schema/guide.hpp"
#include "chapters/23_text_generator/guidance.hpp"
#include "chapters/23_text_generator/guided_texts.hpp"
#include "tests/guided.hpp"
#include "tests/toy_models.hpp"

using namespace tbt;

namespace {

using LawOfTexts = std::map<std::vector<int>, double>;

const std::vector<int> prompt{0, 1}, negative{2};
constexpr int length = 3;

// p'(x) ∝ n(x)·(p(x)/n(x))^s, written out with the mathematics library's own functions.
std::vector<double> by_formula(toy::ToyModel model, const std::vector<int>& written, double scale) {
    const auto law = [&](std::vector<int> ids) {
        ids.insert(ids.end(), written.begin(), written.end());
        std::vector<double> p;
        double sum = 0;
        for (const float s : model(ids)) sum += p.emplace_back(std::exp(static_cast<double>(s)));
        for (double& x : p) x /= sum;
        return p;
    };
    std::vector<double> p = law(prompt);
    const std::vector<double> n = law(negative);
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) sum += p[i] = n[i] * std::pow(p[i] / n[i], scale);
    for (double& x : p) x /= sum;
    return p;
}

BatchLogits guided(toy::ToyModel model, double scale) {
    static const GuidancePrompts both{prompt.size(), negative};
    return with_guidance(one_at_a_time(model), scale, 1,
                         [](std::size_t) -> const GuidancePrompts& { return both; });
}

LastLogits rows_of_model(BatchLogits model) {
    return [model, rows = std::vector<float>()](std::span<const int> ids, int count) mutable {
        const BatchText text{0, ids, static_cast<std::size_t>(count)};
        rows.clear();
        for (const std::span<const float> row : model({&text, 1}))
            rows.insert(rows.end(), row.begin(), row.end());
        return Logits{rows, count};
    };
}

void require_equal(const LawOfTexts& law, const LawOfTexts& expected) {
    REQUIRE(law.size() == expected.size());
    double sum = 0;
    for (const auto& [text, p] : law) {
        // Logits are floats: a combined one is off by up to 2^-24 of its size, about 10.
        REQUIRE(std::abs(p - expected.at(text)) <= 2e-6);
        sum += p;
    }
    REQUIRE(std::abs(sum - 1) <= 1e-12);
}

}  // namespace

TEST_CASE("guidance has the law of its formula, every text enumerated, drafts or none",
          "[ch23][guidance]") {
    for (const double scale : {0.0, 0.5, 1.5, 3.0}) {
        CAPTURE(scale);
        const toy::ToyModel model(3, 1.5);
        LawOfTexts expected;
        for (int a = 0; a < toy::V; ++a)
            for (int b = 0; b < toy::V; ++b)
                for (int c = 0; c < toy::V; ++c)
                    expected[{a, b, c}] =
                        by_formula(model, {}, scale)[static_cast<std::size_t>(a)] *
                        by_formula(model, {a}, scale)[static_cast<std::size_t>(b)] *
                        by_formula(model, {a, b}, scale)[static_cast<std::size_t>(c)];
        SpeculativeRules rules;
        rules.max_new_tokens = length;
        rules.context = 100;
        LawOfTexts plain, drafted, looked_up;
        const auto enumerate = [&](LawOfTexts& law, auto make_draft, int drafts) {
            AllOutcomes chance;
            do {
                auto draft = make_draft();
                const std::vector<int> text = speculate(
                    rows_of_model(guided(model, scale)), draft, rules, prompt,
                    DraftLength::fixed(drafts), chance, [](int) { return true; },
                    [](const Round&) {});
                law[text] += chance.probability();
            } while (chance.next());
        };
        // A draft that can read nothing proposes nothing: plain decoding.
        enumerate(
            plain, [] { return ModelDraft(toy::ToyModel(9, 1), 0); }, 1);
        enumerate(
            drafted, [] { return ModelDraft(toy::ToyModel(9, 1), 100); }, 2);
        enumerate(
            looked_up, [] { return PromptLookup(2); }, 2);
        require_equal(plain, expected);
        require_equal(drafted, expected);
        require_equal(looked_up, expected);
    }
}

TEST_CASE("guidance by hand: twice as far from the negative prompt", "[ch23][guidance]") {
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

namespace {

const std::vector<std::string> pieces = {"a", "b", "c", "ab", "x", "yz", ",", "1", "2", ""};
constexpr int eos = 9;

struct Guided {
    std::shared_ptr<GuidedTexts> texts;
    Chain chain;
    explicit Guided(const std::string& regex, int budget, Chain rest = {}) {
        GuideRequest request;
        request.regex = regex;
        const auto language =
            testing::language(machine_for(request), std::make_shared<const TokenTrie>(pieces, eos));
        texts = std::make_shared<GuidedTexts>(language);
        texts->add(std::vector<int>{4}, budget, "");
        chain = guided_chain(rest, texts);
    }
};

// Logits that depend on every id, for the ten pieces; counts its passes.
struct Counting {
    std::uint64_t seed;
    int passes = 0;
    std::vector<float> row = std::vector<float>(pieces.size());
    BatchLogits logits() {
        return [this, inner = one_at_a_time([this](std::span<const int> ids) {
                          std::uint64_t h = seed;
                          for (const int id : ids)
                              h = SplitMix64(h ^ static_cast<std::uint64_t>(id + 1)).next();
                          Rng rng(h);
                          for (float& s : row) s = static_cast<float>(2 * rng.normal());
                          return std::span<const float>(row);
                      })](std::span<const BatchText> texts) {
            ++passes;
            return inner(texts);
        };
    }
};

}  // namespace

TEST_CASE("beams that read ahead where there is no choice find the same texts in fewer passes",
          "[ch23][beam]") {
    int saved = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        for (const int beams : {1, 3}) {
            std::vector<std::vector<BeamText>> found;
            std::vector<int> passes;
            for (const bool ahead : {false, true}) {
                const Guided guide("[abc]{1,2}x,x(yz,1){1,2}[12]?", 16);
                BeamRequest r;
                r.beams.num_beams = r.beams.num_return_sequences = beams;
                r.stop.eos = {eos};
                r.stop.max_new_tokens = 16;
                r.stop.context = 100;
                r.bytes = [](int id) {
                    return std::string_view(pieces[static_cast<std::size_t>(id)]);
                };
                r.processor = processor_of(guide.chain, 1);
                if (ahead)
                    r.forced = [texts = guide.texts](const TextSoFar& text) {
                        return texts->forced(text);
                    };
                Counting model{seed};
                found.push_back(beam_search(model.logits(), r, std::vector<int>{4}));
                passes.push_back(model.passes);
            }
            CAPTURE(seed, beams);
            REQUIRE(found[0].size() == found[1].size());
            for (std::size_t i = 0; i < found[0].size(); ++i) {
                REQUIRE(found[0][i].ids == found[1][i].ids);
                REQUIRE(found[0][i].sum == found[1][i].sum);
                REQUIRE(found[0][i].text == found[1][i].text);
            }
            REQUIRE(passes[1] <= passes[0]);
            saved += passes[0] - passes[1];
        }
    }
    REQUIRE(saved > 100);
}

TEST_CASE("one beam under a guide is greedy decoding under it", "[ch23][beam]") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Guided guide("([abc]{1,3},)*[12]", 12);
        BeamRequest r;
        r.beams.num_beams = 1;
        r.stop.eos = {eos};
        r.stop.max_new_tokens = 12;
        r.stop.context = 100;
        r.processor = processor_of(guide.chain, 1);
        Counting model{seed};
        const BeamText found = beam_search(model.logits(), r, std::vector<int>{4})[0];
        GenerateRequest g;
        g.chain =
            Guided("([abc]{1,3},)*[12]", 12,
                   Chain({{"temperature", "0",
                           [](Candidates& c, const TextSoFar&) { apply_temperature(c, 0); }}}))
                .chain;
        g.stop = r.stop;
        const GeneratedText greedy = generate_texts(
            model.logits(), r.bytes ? r.bytes : [](int) { return std::string_view(); },
            std::vector<int>{4}, g)[0];
        CAPTURE(seed);
        // Beam search stops when nothing can beat what is finished, greedy when the text ends.
        REQUIRE(found.ids == greedy.ids);
    }
}

TEST_CASE("what a guide forces no ban takes away", "[ch23]") {
    const Chain bans({{"ban", "", [](Candidates& c, const TextSoFar&) {
                           for (int id = 0; id < static_cast<int>(pieces.size()); ++id)
                               if (float* s = c.find(id); s && id != 0)
                                   *s = -std::numeric_limits<float>::infinity();
                       }}});
    // After "a", which alone is not banned, all is forced.
    const Guided guide("[ab]x,yz1", 16, bans);
    for (const bool traced : {false, true}) {
        GenerateRequest g;
        g.chain = guide.chain;
        g.stop.eos = {eos};
        g.stop.max_new_tokens = 16;
        g.stop.context = 100;
        g.traced_tokens = traced ? 1 : -1;
        g.foresight.forced = [texts = guide.texts](const TextSoFar& text) {
            return texts->forced(text);
        };
        Counting model{7};
        const TokenBytes bytes = [](int id) {
            return std::string_view(pieces[static_cast<std::size_t>(id)]);
        };
        const GeneratedText text = generate_texts(model.logits(), bytes, std::vector<int>{4}, g)[0];
        REQUIRE(text.text == "ax,yz1");
        REQUIRE(text.reason == FinishReason::eos);
        REQUIRE(model.passes == (traced ? 6 : 1));
    }
}
