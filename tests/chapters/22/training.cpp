// How a model that fills masks is trained: canvases, checkpoints, validation.
#include "tests/catch.hpp"

#include "chapters/19_training/tools/adopt.hpp"
#include "chapters/19_training/tools/export.hpp"
#include "chapters/19_training/training.hpp"
#include "chapters/22_diffusion/masked_model.hpp"
#include "lib/corpus/batches.hpp"
#include "lib/corpus/validation.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/files.hpp"
#include "tests/api/hostile.hpp"
#include "tests/support/masked_world.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using tbt::test::contains;
using tbt::test::error_of;
using tbt::test::World;

namespace {

TrainingOptions small_options() {
    TrainingOptions options;
    options.shape = gpt_config(1, 2, 32, 24, 0);
    options.batch = 4;
    options.steps = 30;
    options.warm_up = 3;
    options.learning_rate = 5e-3;
    options.threads = 1;
    options.parts = 2;
    options.fill_masks = true;
    return options;
}

std::vector<float> weights_of(Training& training) {
    const auto w = training.model().parameters();
    return {w.begin(), w.end()};
}

// The text of a row of 24 places, with what is hidden.
std::vector<int> text_of(const World& world, const Batch& batch, std::size_t row) {
    std::vector<int> text;
    for (std::size_t i = row * 24; i < (row + 1) * 24; ++i) {
        const int id = batch.targets[i] >= 0 ? batch.targets[i] : batch.ids[i];
        if (id != world.tokenizer.eos_id()) text.push_back(id);
    }
    return text;
}

// The first document of a seed that is not held out and fits into 24 places.
std::vector<int> first_trained(const World& world, std::uint64_t seed) {
    for (std::uint64_t i = 0;; ++i) {
        const Document d = world.corpus.document(seed, i);
        if (!d.held_out && canvas_of(d, world.tokenizer, 24)) return world.tokenizer.encode(d.text);
    }
}

// A source that counts how far it was read.
struct Counted : DocumentSource {
    explicit Counted(const DocumentSource& all) : source(&all) { genres = all.genres; }
    Document document(std::uint64_t seed, std::uint64_t i) const override {
        read = std::max(read, i + 1);
        return source->document(seed, i);
    }
    std::string hash() const override { return source->hash(); }
    const DocumentSource* source;
    mutable std::uint64_t read = 0;
};

}  // namespace

TEST_CASE("a canvas holds the text, and ends after it") {
    const World world;
    const Document document = world.corpus.document_of(0, 1, 1);
    const std::vector<int> tokens = world.tokenizer.encode(document.text);
    const auto canvas = canvas_of(document, world.tokenizer, 24);
    REQUIRE(canvas);
    REQUIRE(canvas->size() == 24);
    for (std::size_t i = 0; i < 24; ++i)
        CHECK((*canvas)[i] == (i < tokens.size() ? tokens[i] : world.tokenizer.eos_id()));
    CHECK(canvas_of(document, world.tokenizer, length_of(tokens) + 1));
    CHECK(!canvas_of(document, world.tokenizer, length_of(tokens)));  // no room for an end
}

TEST_CASE("k hidden places are k, each as often as any other") {
    Rng rng(3);
    std::vector<int> hidden(6);
    constexpr int rounds = 6000;
    for (int round = 0; round < rounds; ++round) {
        std::vector<std::int32_t> canvas = {10, 11, 12, 13, 14, 15}, targets(6);
        hide(2, 99, rng, canvas, targets);
        int k = 0;
        for (std::size_t i = 0; i < 6; ++i) {
            const bool is_hidden = canvas[i] == 99;
            REQUIRE(targets[i] == (is_hidden ? 10 + static_cast<int>(i) : -1));
            REQUIRE((is_hidden || canvas[i] == 10 + static_cast<int>(i)));
            k += is_hidden, hidden[i] += is_hidden;
        }
        REQUIRE(k == 2);
    }
    // 2000 ± 36.5; beyond five of these once in 300,000 runs of six.
    for (const int n : hidden) CHECK(std::abs(n - rounds / 3) < 183);
    std::vector<std::int32_t> canvas = {1, 2}, targets(2), short_targets(1);
    REFUSES(hide(0, 9, rng, canvas, targets));
    REFUSES(hide(3, 9, rng, canvas, targets));
    REFUSES(hide(1, 9, rng, canvas, short_targets));
}

TEST_CASE("a batch spreads k over 1 … T, trains on nothing held out, and follows from its number") {
    const World world;
    CanvasSource source(world.corpus, world.tokenizer, 5), again(world.corpus, world.tokenizer, 5);
    std::set<std::string> held_out;
    for (std::uint64_t i = 0; i < 400; ++i)
        if (const Document d = world.corpus.document(5, i); d.held_out) held_out.insert(d.text);
    std::vector<int> of_k(25);
    for (int round = 0; round < 20; ++round) {
        const std::uint64_t position = source.position();
        const Batch batch = source.next(12, 24);
        again.seek(position);
        const Batch same = again.next(12, 24);
        REQUIRE((same.ids == batch.ids && same.targets == batch.targets));
        std::vector<int> ks;
        if (round == 0) REQUIRE(text_of(world, batch, 0) == first_trained(world, 5));
        for (std::size_t b = 0; b < 12; ++b) {
            int k = 0;
            for (std::size_t i = b * 24; i < (b + 1) * 24; ++i) k += batch.targets[i] >= 0;
            ks.push_back(k);
            REQUIRE(!held_out.contains(world.tokenizer.decode(text_of(world, batch, b))));
        }
        // One in each twelfth of 1 … 24.
        std::sort(ks.begin(), ks.end());
        for (std::size_t i = 0; i < 12; ++i) {
            REQUIRE(std::abs(ks[i] - static_cast<int>(2 * i) - 1) <= 1);
            ++of_k[index(ks[i])];
        }
    }
    CHECK(of_k[0] == 0);
    CHECK(std::count(of_k.begin() + 1, of_k.end(), 0) <= 2);
}

TEST_CASE("training goes on from a checkpoint bit for bit, and its recipe makes the same model") {
    const World world;
    const test::TemporaryFolder folder;
    const GenreMix mix(world.corpus, "walk=2,greeting");
    TrainingOptions options = small_options();
    options.genres = "walk=2,greeting";
    Training whole(mix, world.tokenizer, options), half(mix, world.tokenizer, options),
        rest(mix, world.tokenizer, options);
    const double first = whole.step();
    double last = 0;
    for (int i = 1; i < 30; ++i) last = whole.step();
    CHECK(last < first - 1);
    for (int i = 0; i < 12; ++i) half.step();
    half.save(folder.file("checkpoint"));
    rest.load(folder.file("checkpoint"));
    for (int i = 12; i < 30; ++i) rest.step();
    CHECK(weights_of(rest) == weights_of(whole));
    // A causal training does not go on from it.
    TrainingOptions causal = options;
    causal.fill_masks = false;
    Training other(mix, world.tokenizer, causal);
    CHECK(error_of([&] { other.load(folder.file("checkpoint")); }) != "");

    export_model(whole, mix, world.tokenizer, folder.file("model"), {"here", false, {}, {}});
    MaskedModel model = MaskedModel::load(folder.file("model"), {1});
    CHECK(model.gpt.mask_id() == world.tokenizer.vocab_size());
    CHECK(model.gpt.config().eos_token_ids == std::vector<int>{world.tokenizer.eos_id()});
    CHECK(contains(read_file(folder.file("model/recipe.json")), "\"fill_masks\": true"));
    CHECK(adoption_table(folder.file("model"), folder.file("none")) != "");
    // Neither kind of program takes the other's model.
    CHECK(contains(error_of([&] { load_transformer(folder.file("model")); }), "fills masks"));
    export_model(other, mix, world.tokenizer, folder.file("causal"), {"here", false, {}, {}});
    CHECK(contains(error_of([&] { MaskedModel::load(folder.file("causal")); }), "gpt2_masked"));
}

TEST_CASE("validation: a model that says the same of all tokens needs log2 V bits for each") {
    const World world;
    const GenreMix mix(world.corpus, "walk,long,greeting");
    const CanvasValidation validation(mix, world.tokenizer, 1, 5, 24);
    int rows = 0;
    const auto results = validation.run(
        [&](const auto& ids, const auto& targets, std::int64_t B, std::int64_t T) {
            CHECK((ids.size() == targets.size() && T == 24));
            rows += static_cast<int>(B);
            std::vector<double> losses(ids.size(), 1e9);  // of a place that is not asked
            for (std::size_t i = 0; i < ids.size(); ++i) {
                CHECK((ids[i] == world.tokenizer.vocab_size()) == (targets[i] >= 0));
                if (targets[i] >= 0) losses[i] = std::log(300.0);
            }
            return losses;
        },
        24);
    CHECK(rows == 80);
    REQUIRE(results.size() == 3);
    CHECK(results[1].documents == 0);  // "long" does not fit
    for (const std::size_t g : {0u, 2u}) {
        CHECK(results[g].documents == 5);
        // 24 places a text, ends included.
        CHECK(std::abs(results[g].bits - 5 * 24 * std::log2(300.0)) <= 1e-9);
        CHECK(results[g].floor_bits > 5);
    }
}

TEST_CASE("validation reads no further than it must for its documents") {
    const World world;
    const GenreMix mix(world.corpus, "walk,greeting");
    const Counted counted(mix);
    const CanvasValidation validation(counted, world.tokenizer, 1, 5, 24);
    CHECK(counted.read > 10);
    CHECK(counted.read < 5000);  // one in fifty is held out
}

TEST_CASE("a mix has its genres only, by their shares, and counts the bits of the choice") {
    const World world;
    const GenreMix mix(world.corpus, "greeting=1,walk=3");
    REQUIRE(mix.genres == std::vector<std::string>{"greeting", "walk"});
    int walks = 0;
    for (std::uint64_t i = 0; i < 400; ++i) {
        const Document document = mix.document(2, i);
        walks += document.genre;
        REQUIRE(document.text.starts_with("Hello") == (document.genre == 0));
        const double alone = world.corpus.document_of(document.genre == 0 ? 2 : 0, 2, i).bits;
        REQUIRE(std::abs(document.bits - alone - std::log2(document.genre == 0 ? 4 : 4.0 / 3)) <=
                1e-12);
    }
    CHECK(std::abs(walks - 300) < 44);  // five standard deviations of 8.7
    CHECK(mix.hash() != GenreMix(world.corpus, "greeting=1,walk=2").hash());
    for (const char* bad : {"", "walk=0", "walk=x", "walk=1x", "walk=-1", "nobody", "walk,,long"})
        REFUSES(GenreMix(world.corpus, bad));
}
