// Hostile arguments to 20, 22 and 23: rounded matrices, canvases of masks, the one generator and
// its pages.
#include "tests/catch.hpp"

#include <climits>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "chapters/10_generate/tools/page.hpp"
#include "chapters/20_quantization/demo.hpp"
#include "chapters/20_quantization/plain_quantize.hpp"
#include "chapters/20_quantization/rounding.hpp"
#include "chapters/22_diffusion/distributions.hpp"
#include "chapters/22_diffusion/masked_model.hpp"
#include "chapters/22_diffusion/plain_diffusion.hpp"
#include "chapters/23_text_generator/guidance.hpp"
#include "chapters/23_text_generator/text_generator.hpp"
#include "chapters/23_text_generator/writing.hpp"
#include "lib/files/random_model.hpp"
#include "tests/api/hostile.hpp"
#include "tests/support/masked_world.hpp"
#include "tests/support/small_model.hpp"

using namespace tbt;
using namespace tbt::api;

namespace {

const MaskedDistribution halves = [](const Canvas&, std::size_t) {
    return std::vector<double>{0.5, 0.5};
};

}  // namespace

TEST_CASE("api: rows in few bits", "[api]") {
    const std::vector<float> row{1, -2, 3};
    for (const int bad : {0, 1, 9, 40, -1, INT_MIN, INT_MAX}) REFUSES(quantize(row, bad));
    for (const float bad : {infinity, not_a_number, 3e38f, 1e-45f}) {
        HOLDS(restored(quantize({1, bad}, 8)), quantize({bad}, 2), product(quantize({bad}), {}));
    }
    HOLDS(quantize({}), dot({}, {}));
    REFUSES(dot(quantize(row), quantize({1})), product(quantize(row), quantize({})));
}

TEST_CASE("api: matrices in few bits", "[api]") {
    const Tensor matrix({4, 6}), other({4, 5}), row({4});
    for (const int bad : {0, 1, -1, 40, INT_MIN, INT_MAX}) {
        Rounding how;
        how.bits = bad;
        REFUSES(rounded(matrix, how), bits_of(how, 4, 6));
    }
    Rounding groups;
    groups.share = Rounding::Share::group;
    for (const int bad : {0, -1, INT_MIN}) {
        groups.group = bad;
        REFUSES(rounded(matrix, groups), bits_of(groups, 4, 6));
    }
    REFUSES(rounded(row, {}), signal_to_noise(matrix, other));
    const TransformerConfig config = gpt_config(1, 2, 8, 16, 11),
                            wider = gpt_config(1, 2, 8, 16, 12);
    Transformer gpt(config, random_weights(config, 1), {1, {}}),
        wide(wider, random_weights(wider, 1), {1, {}});
    REFUSES(compare_distributions(gpt, gpt, {}), compare_distributions(gpt, gpt, {{1}}),
            compare_distributions(gpt, wide, {{1, 2, 3}}),
            compare_distributions(gpt, gpt, {std::vector<int>(17, 1)}));
    for (const int id : hostile_ids) REFUSES(compare_distributions(gpt, gpt, {{1, id}}));
}

TEST_CASE("api: canvases", "[api]") {
    Canvas row{mask_token, 1, mask_token};
    const Draw first = [](const std::vector<double>&) { return 0; };
    REFUSES(masked_loss(halves, row, {1}), masked_loss(halves, {1, 1}, {1, 1}));
    for (const int id : hostile_ids) {
        if (id != mask_token) REFUSES(masked_loss(halves, row, {id, 1, id}));
        const Draw wild = [id](const std::vector<double>&) { return id; };
        Canvas one = row, two = row;
        REFUSES(fill_at_random(one, halves, wild, 1), fill_by_confidence(two, halves, wild, 1));
    }
    for (const std::size_t bad : {std::size_t{0}, SIZE_MAX})
        REFUSES(fill_at_random(row, halves, first, bad),
                fill_by_confidence(row, halves, first, bad),
                fill_by_blocks(row, bad, [](Canvas&, std::size_t) {}));
    HOLDS(masked_places(row, SIZE_MAX), masked_places({}, 0));
    for (const int bad : {0, -1, INT_MIN}) REFUSES(conditionals({}, bad));
    for (const int id : hostile_ids)
        if (id != mask_token) REFUSES(conditionals({{{id}, 1.0}}, 2)({mask_token}, 0));
    REFUSES(conditionals({{{0, 1}, 1.0}}, 2)({0, mask_token}, 2), cost_of_steps({1, 2}, 0));
    HOLDS(cost_of_steps({}, 1), cost_of_steps({1, 2}, SIZE_MAX));
    const std::vector<double> nothing;
    REFUSES(most_probable()(nothing));
    Rng rng(1);
    REFUSES(drawing(rng)(nothing), drawing(rng)({not_a_number, 1}));
}

TEST_CASE("api: a model that fills masks", "[api]") {
    MaskedModel model(MaskedGpt(gpt_config(1, 2, 32, 24, 301), test::noise, {1}),
                      test::World().tokenizer);
    for (const int length : {-1, 25, INT_MIN, INT_MAX}) REFUSES(model.canvas({1, 2}, length));
    REFUSES(model.canvas(std::vector<int>(25, 1)), model.canvas({1, 2, 3}, 2));
    for (const std::size_t place : {std::size_t{1}, SIZE_MAX}) REFUSES(model({mask_token}, place));
    REFUSES(model({}, 0));
    for (const int id : hostile_ids) {
        if (id == mask_token) continue;
        REFUSES(model.gpt.forward(std::vector<int>{id}), model({id}, 0), model.text({id}));
    }
    for (const std::string& text : hostile_texts)
        if (!text.empty()) REFUSES(MaskedModel::load("/nowhere/" + text));
}

TEST_CASE("api: guidance by a second prompt", "[api]") {
    const std::vector<float> a{1, 2, 3}, b{1, 2};
    std::vector<float> guided(3);
    REFUSES(guide_logits(a, b, 2, guided), guide_logits(b, b, 2, guided));
    for (const double bad : hostile_numbers) HOLDS(guide_logits(a, a, bad, guided));
    HOLDS(guide_logits({}, {}, 2, {}));
    const GuidancePrompts none{1, {}}, some{1, {1}};
    const auto ask = [](const GuidancePrompts& prompts, std::size_t slots, const BatchText& text) {
        const BatchLogits model = [](std::span<const BatchText>) {
            return std::vector<std::span<const float>>{};
        };
        with_guidance(model, 2, slots, [&](std::size_t) -> const GuidancePrompts& {
            return prompts;
        })(std::vector<BatchText>{text});
    };
    const std::vector<int> ids{1, 2};
    REFUSES(ask(some, 1, {1, ids}));      // a slot that is the negative prompt's
    REFUSES(ask(none, 1, {0, ids}));      // no negative prompt
    REFUSES(ask({3, {1}}, 1, {0, ids}));  // a text shorter than its prompt
    REFUSES(ask(some, 1, {0, ids}));      // a model that answers nothing
    REFUSES(ask(some, 1, {0, ids, SIZE_MAX}));
}

TEST_CASE("api: the one generator", "[api]") {
    TextGenerator generator(small_model());
    const auto generate = [&](auto&& change, const std::string& prompt = "hi") {
        TextOptions o;
        o.max_new_tokens = 3;
        change(o);
        return outcome([&] { generator.generate(prompt, o); });
    };
    REQUIRE(generate([](TextOptions&) {}) == "");
    for (const std::string& text : hostile_texts) {
        HOLDS(generate([](TextOptions&) {}, text));
        HOLDS(generate([&](TextOptions& o) { o.negative_prompt = text, o.guidance_scale = 2; }));
        REFUSES(TextGenerator("/nowhere/" + text));
        HOLDS(generate([&](TextOptions& o) { o.coupling = text; }));  // nothing drafts
        REQUIRE(generate([&](TextOptions& o) { o.assistant_model = "/nowhere" + text; }) != "");
        REQUIRE(generate([&](TextOptions& o) { o.guide.schema = "/nowhere" + text; }) != "");
        REQUIRE(generate([&](TextOptions& o) { o.guide.grammar = "/nowhere" + text; }) != "");
    }
    for (const double bad : hostile_numbers)
        REQUIRE(generate([&](TextOptions& o) { o.guidance_scale = bad; }) != "");
    for (const int bad : {-1, INT_MIN}) {
        REQUIRE(generate([&](TextOptions& o) { o.num_beams = bad; }) != "");
        REQUIRE(generate([&](TextOptions& o) { o.prompt_lookup_num_tokens = bad; }) != "");
        REQUIRE(generate([&](TextOptions& o) { o.samples = bad; }) != "");
    }
    for (const int id : hostile_ids) {
        const std::vector<std::vector<int>> prompts{{id}};
        REFUSES(generator.generate_ids(prompts, {}), generator.answer({id}, {}));
    }
    REFUSES(generator.generate_ids(std::vector<std::vector<int>>{{}}, {}));
    HOLDS(generator.generate(std::vector<std::string>{}, {}));
    TextOptions endless;
    endless.max_new_tokens = INT_MAX;
    REFUSES(generator.conversation(endless));
}

TEST_CASE("api: pages and traces", "[api]") {
    for (const std::string& text : hostile_texts) {
        HOLDS(for_script(text), trace_page({{text, text}}));
        REFUSES(read_trace("/nowhere/" + text));
    }
    HOLDS(trace_page({}), shell_line(0, nullptr));
    TextGenerator generator(small_model());
    // Nothing was recorded.
    HOLDS(trace_lines(generator, {}, {}, {}, {GeneratedText{}}, "\xff"));
}
