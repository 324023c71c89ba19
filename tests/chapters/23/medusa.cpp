// --medusa in the one generator: the same text whatever the heads guess,
// its distribution by rejection, and what is refused.
#include "tests/catch.hpp"

#include "chapters/20_quantization/tools/quantized_model.hpp"
#include "chapters/23_text_generator/text_generator.hpp"
#include "tests/support/random_models.hpp"
#include "tests/support/same_text.hpp"

using namespace tbt;
using tbt::test::contains;
using tbt::test::error_of;
using tbt::test::ids_of;

namespace {

const test::RandomModels& models() {
    static const test::RandomModels all(48);
    return all;
}

// Options that change what is written.
TextOptions random_options(Rng& rng) {
    const auto one_in = [&](std::uint64_t n) { return rng.below(n) == 0; };
    TextOptions o;
    o.seed = rng.below(1000);
    o.max_new_tokens = 6 + to_int(rng.below(26));
    if (one_in(4)) o.temperature = 0;
    else o.temperature = 0.4 + rng.uniform(), o.top_p = 0.5 + rng.uniform() / 2;
    if (*o.temperature > 0 && one_in(3)) o.samples = 3;
    if (one_in(3)) o.repetition_penalty = 1.3;
    if (one_in(4)) o.no_repeat_ngram_size = 2;
    if (one_in(4)) o.presence_penalty = 0.5;
    if (one_in(3)) o.stop_strings = {"a", " b"};
    if (one_in(4)) o.guide.regex = "(ab|ac)*[0-9]{2,5}(xyz){1,3}";
    else if (one_in(4)) o.context = "slide", o.max_new_tokens = 70;
    else if (one_in(4)) o.guidance_scale = 1.5, o.negative_prompt = "so";
    return o;
}

}  // namespace

TEST_CASE("the text is plain decoding's, whatever the heads guess") {
    TextGenerator generator(models().target);
    Rng rng(21);
    long guessed = 0, right = 0;
    for (int turn = 0; turn < 300; ++turn) {
        TextOptions o = random_options(rng);
        const std::vector<std::string> prompts = {"once a", "b"};
        const auto plain = ids_of(generator.generate(prompts, o));
        o.medusa = true, o.medusa_heads = models().heads;
        o.medusa_nodes = 1 + to_int(rng.below(20));
        if (rng.below(4) == 0) o.schedule = "adaptive";
        CAPTURE(turn, o.medusa_nodes, o.schedule);
        REQUIRE(ids_of(generator.generate(prompts, o)) == plain);
        guessed += generator.effort().guessed, right += generator.effort().right;
    }
    CHECK(guessed > 10000);
    CHECK(right > 20);  // of both kinds
    CHECK(right < guessed);
}

TEST_CASE("before each pass it is asked whether to go on, by seed and by rejection") {
    TextGenerator generator(models().target);
    TextOptions o;
    o.medusa = true, o.medusa_heads = models().heads, o.max_new_tokens = 20, o.seed = 1;
    for (const char* coupling : {"seed", "rejection"}) {
        o.coupling = coupling;
        int asked = 0;
        GenerateObserver observer;
        observer.go_on = [&] { return ++asked < 4; };
        const GeneratedText text = generator.generate("a", o, observer)[0];
        CAPTURE(coupling);
        CHECK(asked == 4);
        CHECK(generator.effort().passes == 3);
        CHECK(text.ids.size() >= 3);  // a pass gives the target's token at least
        CHECK(text.reason == FinishReason::interrupted);
    }
}

TEST_CASE("heads that do not belong to the model are refused in one line") {
    TextGenerator generator(models().draft);
    TextOptions o;
    o.medusa = true, o.medusa_heads = models().heads, o.max_new_tokens = 3;
    CHECK(contains(error_of([&] { generator.generate("a", o); }), "these heads belong to a model"));
    o.medusa_heads = models().folder.file("none");
    CHECK(contains(error_of([&] { generator.generate("a", o); }), "no such heads"));
    // A model that was opened elsewhere has no directory to compare with.
    TextGenerator bare(load_model(models().target));
    o.medusa_heads = models().heads;
    CHECK(contains(error_of([&] { bare.generate("a", o); }), "--medusa: heads"));
}

TEST_CASE("a model written in few bits keeps the heads of the model that it was made from") {
    const std::vector<std::string> prompts = {"a", "once"};
    for (const int bits : {8, 4}) {
        const std::string rounded = models().folder.file("rounded" + std::to_string(bits)),
                          other = models().folder.file("other" + std::to_string(bits));
        write_quantized_model(models().target, rounded, {bits});
        write_quantized_model(models().draft, other, {bits});
        TextOptions o;
        o.max_new_tokens = 20;
        TextGenerator generator(rounded);
        const auto plain = ids_of(generator.generate(prompts, o));
        o.medusa = true, o.medusa_heads = models().heads;
        CHECK(ids_of(generator.generate(prompts, o)) == plain);
        CHECK(generator.effort().guessed > 0);
        CHECK(contains(error_of([&] { TextGenerator(other).generate("a", o); }),
                       "these heads belong to a model"));
    }
}

TEST_CASE("a tree deeper than the heads is refused in one line") {
    HeadsConfig config = read_heads_config(models().heads);
    config.acceptance.assign(5, {.9});
    const std::string deep = models().folder.file("deep");
    make_directory(deep);
    write_heads_config(deep, config);
    write_file(join_path(deep, "model.safetensors"),
               read_file(join_path(models().heads, "model.safetensors")));
    TextGenerator generator(models().target);
    TextOptions o;
    o.medusa = true, o.medusa_heads = deep, o.max_new_tokens = 3;
    CHECK(contains(error_of([&] { generator.generate("a", o); }), "there are 3 heads"));
}

TEST_CASE("options of heads that contradict others are refused by name") {
    TextGenerator generator(models().target);
    const auto refusal = [&](const auto& ask) {
        TextOptions o;
        o.medusa = true, o.medusa_heads = models().heads, o.max_new_tokens = 3;
        ask(o);
        return error_of([&] { generator.generate("a", o); });
    };
    using O = TextOptions;
    const std::vector<std::pair<const char*, void (*)(O&)>> changes = {
        {"--medusa-nodes: got 0", [](O& o) { o.medusa_nodes = 0; }},
        {"expected 1 to 64", [](O& o) { o.medusa_nodes = 65; }},
        {"without --medusa", [](O& o) { o.medusa = false; }},
        {"--num-beams and --medusa", [](O& o) { o.num_beams = 2; }},
        {"--medusa and prompt lookup", [](O& o) { o.assistant_model = "lookup"; }},
        {"the clock would choose the text",
         [](O& o) { o.coupling = "rejection", o.schedule = "adaptive"; }}};
    for (const auto& [part, change] : changes) {
        INFO(part);
        CHECK(contains(refusal(change), part));
    }
    CHECK(refusal([](TextOptions& o) { o.coupling = "rejection"; }).empty());
}
