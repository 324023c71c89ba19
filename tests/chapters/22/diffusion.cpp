// The model that fills masks: its passes, its texts, its gaps.
#include "tests/catch.hpp"

#include "chapters/22_diffusion/masked_model.hpp"
#include "chapters/22_diffusion/tools/judged.hpp"
#include "lib/model/layers.hpp"
#include "lib/train/trainer.hpp"
#include "tests/api/hostile.hpp"
#include "tests/support/masked_world.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using tbt::test::noise;
using tbt::test::World;

namespace {

std::vector<float> copy_of(const Logits& logits) {
    return {logits.values.begin(), logits.values.end()};
}

}  // namespace

TEST_CASE("of one layer, the last place gets the bits of a causal model, and the mask no logit") {
    const TransformerConfig config = gpt_config(1, 2, 32, 70, 50);
    Transformer causal(config, noise, {1});
    MaskedGpt both(config, noise, {1});
    std::vector<int> ids;
    for (int i = 0; i < 67; ++i) ids.push_back(i * 7 % 50);
    KvCache cache(config);
    const auto expected = causal.forward(cache, ids);
    const Logits got = both.forward(ids);
    REQUIRE(got.rows == 67);
    REQUIRE(got.last().size() == 49);
    for (std::size_t v = 0; v < 49; ++v) REQUIRE(got.last()[v] == expected[v]);
}

TEST_CASE("logits have the same bits with any number of threads, and after any other pass") {
    const test::FullTeams full;
    const TransformerConfig config = gpt_config(2, 2, 32, 70, 50);
    const std::vector<int> ids = {1, 2, 49, 49, 5, 6, 7};
    MaskedGpt one(config, noise, {1}), three(config, noise, {3});
    const std::vector<float> expected = copy_of(one.forward(ids));
    CHECK(copy_of(three.forward(ids)) == expected);
    one.forward(std::vector<int>(70, 3));
    CHECK(copy_of(one.forward(ids)) == expected);
    // Every place reaches every other.
    for (std::size_t i = 0; i < ids.size(); ++i) {
        std::vector<int> changed = ids;
        changed[i] = 30;
        const Logits logits = one.forward(changed);
        for (std::int64_t row = 0; row < 7; ++row) {
            const auto first = expected.begin() + row * 49;
            CHECK(!std::equal(first, first + 49, logits.row(row).begin()));
        }
    }
}

TEST_CASE("the trainer's losses are those of the finished model") {
    const TransformerConfig config = gpt_config(2, 2, 32, 40, 50);
    train::Trainer trainer(config, 1, 1, true);
    for (const train::ParameterInfo& t : trainer.layout().tensors) {
        const Tensor values = noise(t.name, t.shape);
        std::copy_n(values.data(), t.size, trainer.of(t).begin());
    }
    trainer.parameters_changed();
    MaskedGpt model(config, noise, {1});
    std::vector<std::int32_t> ids, targets;
    for (int i = 0; i < 37; ++i) {
        ids.push_back(i % 3 == 0 ? 49 : i * 11 % 49);
        targets.push_back(i % 3 == 0 ? i % 49 : -1);
    }
    const std::vector<double> losses = trainer.losses(ids, targets, 1, 37);
    const Logits logits = model.forward(ids);
    std::vector<float> log_p(49);
    for (std::size_t i = 0; i < 37; i += 3) {
        log_softmax(logits.row(static_cast<std::int64_t>(i)), log_p);
        // Two layers of float sums, each in an order of its own.
        const double expected = -static_cast<double>(log_p[index(targets[i])]);
        CHECK(std::abs(losses[i] - expected) <= 2e-5 * (1 + expected));
    }
}

TEST_CASE("one pass serves all places of a row, and a step of several is one pass") {
    const World world;
    MaskedModel model(MaskedGpt(gpt_config(1, 2, 32, 24, 301), noise, {1}), World().tokenizer);
    int shown = 0;
    model.on_pass = [&](const Canvas&) { ++shown; };
    Canvas row = model.canvas(world.tokenizer.encode("Ada walked to Elm."));
    std::fill(row.begin() + 2, row.begin() + 9, mask_token);
    const std::vector<double> p = model(row, 3);
    CHECK(p.size() == 300);
    double sum = 0;
    for (const double p_i : p) sum += p_i;
    CHECK(std::abs(sum - 1) <= 1e-12);
    CHECK(model(row, 3) == p);
    model(row, 4);
    CHECK(model.passes() == 1);
    Rng rng(1);
    Canvas filled = row;
    fill_at_random(filled, model.distribution(), drawing(rng), 3);
    CHECK(model.passes() == 3);  // 7 places: 3, 3 and 1, and the first row was known
    CHECK(shown == 3);
    CHECK(masked_places(filled, 24).empty());
    for (const std::size_t i : {0u, 1u, 9u, 23u}) CHECK(filled[i] == row[i]);
    fill_by_confidence(row, model.distribution(), most_probable(), 2);
    CHECK(model.passes() == 7);  // 2, 2, 2 and 1
    // Hostile arguments.
    REFUSES(model(row, 24));
    REFUSES(model({}, 0));
    REFUSES(model({301}, 0));
    REFUSES(model({-2}, 0));
    REFUSES(model(Canvas(25, mask_token), 0));
    REFUSES(model.canvas(std::vector<int>(25, 1)));
    REFUSES(model.canvas({300}));
    REFUSES(model.canvas({1}, 25));
    REFUSES(model.canvas({1}, -1));
    REFUSES(MaskedModel(MaskedGpt(gpt_config(1, 2, 32, 24, 300), noise, {1}), World().tokenizer));
    REFUSES(MaskedGpt(gpt_config(1, 2, 32, 24, 1), noise, {1}));
}

TEST_CASE("gaps are held out, fit, and have both ends; the same every time") {
    const World world;
    MaskedModel model(MaskedGpt(gpt_config(1, 2, 32, 24, 301), noise, {1}), World().tokenizer);
    const std::vector<Gap> found = gaps(world.corpus, {"walk", "greeting"}, model, 3, 2);
    REQUIRE(found.size() == 6);
    for (std::size_t i = 0; i < 6; ++i) {
        const Gap& gap = found[i];
        CHECK(gap.genre == (i < 3 ? 0 : 2));
        CHECK(gap.end - gap.begin == 2);
        CHECK((gap.begin >= 1 && gap.end < gap.tokens.size()));
        CHECK(masked_places(gap.row(model), 24) == std::vector{gap.begin, gap.begin + 1});
    }
    CHECK(gaps(world.corpus, {"walk"}, model, 3, 2)[1].tokens == found[1].tokens);
    REFUSES(gaps(world.corpus, {"long"}, model, 1, 2));
    REFUSES(gaps(world.corpus, {"walk"}, model, 0, 2));
    REFUSES(gaps(world.corpus, {"walk"}, model, 1, 0));
    const std::vector<double> f = cross_entropies(model, found, 1);
    REQUIRE(f.size() == 2);
    CHECK(f[0] > 0);
    REFUSES(cross_entropies(model, {}, 1));
    REFUSES(cross_entropies(model, found, 0));
}

TEST_CASE("a configuration that makes no sense is refused") {
    const test::TemporaryFolder folder;
    const std::string good =
        R"({"model_type": "gpt2_masked", "n_layer": 1, "n_head": 2, "n_embd": 32, )"
        R"("n_positions": 24, "vocab_size": 301, "mask_token_id": 300, "eos_token_id": 0})";
    folder.write("config.json", good);
    CHECK(read_masked_config(folder.path()).vocab_size == 301);
    const std::pair<const char*, const char*> changes[] = {
        {"gpt2_masked", "gpt2"},
        {": 300", ": 299"},
        {"\"n_layer\": 1", "\"n_layer\": 0"},
        {"\"n_embd\": 32", "\"n_embd\": 33"},
        {"\"eos_token_id\": 0", "\"eos_token_id\": 300"},
        {"\"eos_token_id\": 0", "\"eos\": 0"},
        {": 24", ": \"24\""}};
    for (const auto& [from, to] : changes) {
        std::string bad = good;
        bad.replace(bad.find(from), std::string(from).size(), to);
        folder.write("config.json", bad);
        INFO(bad);
        REFUSES(read_masked_config(folder.path()));
    }
    folder.write("config.json", "[1]");
    REFUSES(read_masked_config(folder.path()));
    TransformerConfig no_end = gpt_config(1, 2, 32, 24, 301);
    REFUSES(write_masked_config(folder.path(), no_end));
}
