// A search that reads ahead where a grammar leaves no choice finds the same texts in fewer passes.
#include "tests/catch.hpp"

#include "chapters/06_combining/steps.hpp"
#include "chapters/11_beam_search/diverse_beams.hpp"
#include "chapters/16_json_schema/guide.hpp"
#include "chapters/23_text_generator/guided_texts.hpp"
#include "tests/support/guided.hpp"

using namespace tbt;

namespace {

const std::vector<std::string> pieces = {"a", "b", "c", "ab", "x", "yz", ",", "1", "2", ""};
constexpr int eos = 9;

struct Guided {
    std::shared_ptr<GuidedTexts> texts;
    Chain chain;
    explicit Guided(const std::string& regex, int budget, Chain rest = {}) {
        GuideRequest request;
        request.regex = regex;
        const auto language = testing::language(recognizer_for(request),
                                                std::make_shared<const TokenTrie>(pieces, eos));
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

TEST_CASE("beams that read ahead where there is no choice find the same texts in fewer passes") {
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
                r.bytes = [](int id) { return std::string_view(pieces[index(id)]); };
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

TEST_CASE("one beam under a guide is greedy decoding under it") {
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

TEST_CASE("what a guide forces no ban takes away") {
    const Chain bans({{"ban", "", [](Candidates& c, const TextSoFar&) {
                           for (int id = 0; id < to_int(pieces.size()); ++id)
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
        const TokenBytes bytes = [](int id) { return std::string_view(pieces[index(id)]); };
        const GeneratedText text = generate_texts(model.logits(), bytes, std::vector<int>{4}, g)[0];
        REQUIRE(text.text == "ax,yz1");
        REQUIRE(text.reason == FinishReason::eos);
        REQUIRE(model.passes == (traced ? 6 : 1));
    }
}
