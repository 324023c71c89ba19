#include "tests/catch.hpp"

#include <filesystem>
#include <numbers>

#include <unistd.h>

#include "chapters/19_training/recipe.hpp"
#include "chapters/19_training/tools/export.hpp"
#include "chapters/19_training/tools/training_loop.hpp"
#include "lib/json/json.hpp"
#include "tests/support/small_training.hpp"

using namespace tbt;
using tbt::test::error_of;
using namespace tbt::test::training;

TEST_CASE(
    "a row starts where a document starts, half of them after a separator; targets are the next "
    "tokens") {
    const World world;
    BatchSource source(world.corpus, world.tokenizer, 3);
    const std::int64_t B = 64, T = 40;
    const Batch batch = source.next(B, T);
    REQUIRE(batch.ids.size() == index(B * T));
    const std::int32_t separator = world.tokenizer.eos_id();
    int with_separator = 0;
    std::int64_t bytes = 0;
    for (std::int64_t b = 0; b < B; ++b) {
        const auto row = batch.ids.begin() + b * T;
        const auto next = batch.targets.begin() + b * T;
        REQUIRE(std::equal(row + 1, row + T, next));
        with_separator += *row == separator;
        const auto begin = row + (*row == separator);
        const std::vector<int> tokens(begin, std::find(begin, row + T, separator));
        const std::string first = world.tokenizer.decode(tokens);
        REQUIRE((first.find(" walked to ") != std::string::npos || first.starts_with("After ")));
        REQUIRE(first.ends_with("."));  // 40 tokens hold any of these documents
        for (std::int64_t t = 0; t < T; ++t)
            bytes += next[t] == separator
                         ? 0
                         : static_cast<std::int64_t>(world.tokenizer.token_bytes(next[t]).size());
    }
    CHECK(batch.bytes == bytes);
    // A fair coin, 64 times: outside 32 ± 16 once in 15,000; and the seed is fixed.
    CHECK(std::abs(with_separator - 32) <= 16);
}

TEST_CASE("held-out documents are never trained on, and are what validation reads") {
    const World world;
    std::set<std::string> held_out, seen;
    for (std::uint64_t i = 0; i < 3000; ++i) {
        const auto document = world.corpus.document(11, i);
        if (document.held_out) held_out.insert(document.text);
    }
    REQUIRE(held_out.size() > 3);
    BatchSource source(world.corpus, world.tokenizer, 3);
    const Batch batch = source.next(100, 200);
    std::vector<int> tokens(batch.ids.begin(), batch.ids.end());
    const std::string text = world.tokenizer.decode(tokens);
    for (const std::string& document : held_out) REQUIRE_FALSE(test::contains(text, document));
}

TEST_CASE("batches go on from a position as if they had never stopped") {
    const World world;
    BatchSource all(world.corpus, world.tokenizer, 3), later(world.corpus, world.tokenizer, 3),
        other(world.corpus, world.tokenizer, 4);
    const Batch first = all.next(3, 30);
    later.seek(all.position());
    const Batch second = all.next(3, 30);
    CHECK(later.next(3, 30).ids == second.ids);
    CHECK(first.ids != second.ids);
    CHECK(other.next(3, 30).ids != first.ids);
}

TEST_CASE(
    "validation counts every token of a document and the separator after it once, whatever the "
    "context") {
    const World world;
    const Validation validation(world.corpus, world.tokenizer, 5, 6);
    const std::int64_t context = GENERATE(1, 4, 7, 512);
    // One bit a token: the model's bits are the number of tokens.
    const auto results = validation.run(
        [](const std::vector<std::int32_t>& ids, const std::vector<std::int32_t>& targets,
           std::int64_t B, std::int64_t T) {
            REQUIRE(ids.size() == index(B * T));
            std::vector<double> losses(targets.size());
            for (std::size_t i = 0; i < targets.size(); ++i)
                losses[i] = targets[i] < 0 ? 0 : std::numbers::ln2;
            return losses;
        },
        context);
    REQUIRE(results.size() == 2);
    std::vector<double> tokens(2), bytes(2), bits(2), documents(2);
    for (std::uint64_t i = 0; documents[0] < 6 || documents[1] < 6; ++i) {
        const auto document = world.corpus.document(5, i);
        const auto g = index(document.genre);
        if (!document.held_out || documents[g] == 6) continue;
        documents[g] += 1;
        tokens[g] += static_cast<double>(world.ids(document.text).size()) + 1;
        bytes[g] += static_cast<double>(document.text.size());
        bits[g] += document.bits;
    }
    for (std::size_t g = 0; g < 2; ++g) {
        CHECK(results[g].documents == 6);
        CHECK(std::abs(results[g].bits - tokens[g]) <= 1e-9);
        CHECK(results[g].bits_per_byte() == Approx(tokens[g] / bytes[g]));
        CHECK(results[g].floor() == Approx(bits[g] / bytes[g]));
    }
    // Documents are drawn 3 : 1, to about one part in ten here.
    const double expected = (3 * tokens[0] + tokens[1]) / (3 * bytes[0] + bytes[1]);
    CHECK(validation.total(results).bits_per_byte() == Approx(expected).epsilon(0.1));
}

TEST_CASE("a table of validation has a line for each genre with documents, the total last") {
    struct Counted : Validator {
        Counted() : Validator({"a", "b", "c"}) { shares_ = {0.75, 0.25, 0}; }
        std::vector<GenreResult> run(const LossFunction&, std::int64_t) const override {
            return {{"a", 2, 4, 16, 8}, {"b", 1, 4, 4, 4}, {"c", 0, 0, 0, 0}};
        }
    } counted;
    const auto results = counted.run({}, 0);
    GenreResult total = counted.total(results);
    // A document has .75 · 8 + .25 · 4 = 7 bits of the model, 4 of the floor, and 2.5 bytes.
    CHECK(total.documents == 3);
    CHECK(total.bytes == 8);
    CHECK(total.bits_per_byte() == Approx(7 / 2.5));
    CHECK(total.floor() == Approx(4 / 2.5));
    total.floor_bits = std::nan("");
    CHECK(validation_table(results, total) ==
          "genre              documents bits/byte     floor       gap\n"
          "a                          2    4.0000    2.0000    2.0000\n"
          "b                          1    1.0000    1.0000    0.0000\n"
          "(as drawn)                 3    2.8000                    \n");
}

TEST_CASE(
    "twenty steps are ten steps, saved, loaded elsewhere, and ten more: bit for bit, with other "
    "threads") {
    const World world;
    const std::string path = join_path(folder(), "checkpoint");
    TrainingOptions options = small_options();
    options.shape = GENERATE(small_options().shape, small_llama());
    Training whole(world.corpus, world.tokenizer, options),
        first(world.corpus, world.tokenizer, options);
    double loss = 0;
    for (int i = 0; i < 20; ++i) loss = whole.step();
    for (int i = 0; i < 10; ++i) first.step();
    first.curve.push_back({10, 960, 1.25, 0.1 + 0.2, 3.5, {0.5, 0.25, 1.0 / 3}});
    first.save(path);
    options.threads = 2;
    Training second(world.corpus, world.tokenizer, options);
    second.step();  // its own state is forgotten
    second.load(path);
    CHECK(second.steps_done() == 10);
    CHECK_FALSE(test::contains(second.recipe(), "init"));  // it began with random weights
    REQUIRE(second.curve.size() == 1);
    CHECK(second.curve[0].step == 10);
    CHECK(second.curve[0].tokens == 960);
    CHECK(second.curve[0].learning_rate == 0.1 + 0.2);
    CHECK(second.curve[0].validation == std::vector<double>{0.5, 0.25, 1.0 / 3});
    double resumed_loss = 0;
    for (int i = 0; i < 10; ++i) resumed_loss = second.step();
    CHECK(resumed_loss == loss);
    CHECK(weights(second) == weights(whole));
    CHECK(second.gradient_norm() == whole.gradient_norm());
    std::filesystem::remove_all(folder());
}

TEST_CASE("a plan that was changed on the way is kept, and followed again gives the same bits") {
    const World world;
    const std::string path = join_path(folder(), "checkpoint");
    TrainingOptions options = small_options();
    options.steps = 40;
    Training first(world.corpus, world.tokenizer, options);
    for (int i = 0; i < 7; ++i) first.step();
    first.save(path);
    options.steps = 16;
    Training second(world.corpus, world.tokenizer, options);
    second.load(path, true);
    CHECK_FALSE(second.replanned());
    const std::vector<EarlierPlan> plans = second.options().earlier_plans;
    REQUIRE(plans.size() == 1);
    CHECK(plans[0].until == 7);
    CHECK(plans[0].steps == 40);
    second.step();
    second.save(path);  // what was noted stays noted
    Training third(world.corpus, world.tokenizer, options);
    third.load(path);
    for (int i = 8; i < 16; ++i) third.step();
    options.earlier_plans =
        earlier_plans_of(json_value(json_text(earlier_plans_json(plans))), "recipe.json");
    Training again(world.corpus, world.tokenizer, options);
    options.earlier_plans.clear();
    Training without(world.corpus, world.tokenizer, options);
    for (int i = 0; i < 16; ++i) again.step(), without.step();
    CHECK(weights(again) == weights(third));
    CHECK(weights(without) != weights(third));
    // The recipe says how it was planned before, where it was.
    const auto earlier = [&](Training& training, const std::string& out) {
        export_model(training, world.corpus, world.tokenizer, join_path(folder(), out),
                     {"here", false, {}, {}});
        return read_json(join_path(folder(), out + "/recipe.json"))["options"].contains(
            "earlier_plans");
    };
    CHECK(earlier(third, "replanned") == 1);
    CHECK(earlier(without, "once") == 0);
    std::filesystem::remove_all(folder());
}

TEST_CASE("a checkpoint of other options is refused and changes nothing") {
    const World world;
    const std::string path = join_path(folder(), "checkpoint");
    Training first(world.corpus, world.tokenizer, small_options());
    first.step();
    first.save(path);
    const auto refused = [&](auto change, const char* reason) {
        TrainingOptions options = small_options();
        change(options);
        Training other(world.corpus, world.tokenizer, options);
        const std::vector<float> before = weights(other);
        CHECK(test::contains(error_of([&] { other.load(path); }), reason));
        CHECK(weights(other) == before);
        CHECK(other.steps_done() == 0);
    };
    refused([](TrainingOptions& o) { o.seed = 2; }, "other options");
    refused([](TrainingOptions& o) { o.batch = 5; }, "other options");
    refused([](TrainingOptions& o) { o.shape.n_layer = 2; }, "other options");
    refused([](TrainingOptions& o) { o.shape = small_llama(); }, "other options: architecture");
    refused([](TrainingOptions& o) { o.steps = 21; }, "--replan");
    refused([](TrainingOptions& o) { o.learning_rate = 1e-3; }, "--replan");
    TrainingOptions longer = small_options();
    longer.steps = 30;
    Training other(world.corpus, world.tokenizer, longer);
    other.load(path, true);
    CHECK(other.steps_done() == 1);
    CHECK_FALSE(other.replanned());
    longer.batch = 5;
    Training larger(world.corpus, world.tokenizer, longer);
    larger.load(path, true);
    CHECK(larger.replanned());
    // Muon's moments are nothing to AdamW, not even with --replan.
    longer.optimizer = "muon";
    Training muon(world.corpus, world.tokenizer, longer);
    CHECK(test::contains(error_of([&] { muon.load(path, true); }),
                         "with --optimizer adamw, now muon"));
    longer.optimizer = "lion";
    CHECK(error_of([&] { Training(world.corpus, world.tokenizer, longer); }) ==
          "train: optimizer is 'lion', expected adamw or muon");
    write_file(path, "no checkpoint");
    CHECK(test::contains(error_of([&] { other.load(path); }), "not a checkpoint"));
    CHECK(other.steps_done() == 1);
    std::filesystem::remove_all(folder());
}

TEST_CASE("an exported model opens in the library and gives the losses of the trainer") {
    const World world;
    TrainingOptions options = small_options();
    options.shape = GENERATE(small_options().shape, small_llama());
    Training training(world.corpus, world.tokenizer, options);
    for (int i = 0; i < 15; ++i) training.step();
    training.curve.push_back({15, 1440, 1.5, 1e-3, 2, {}});
    ExportInfo info;
    info.folder = "here";
    export_model(training, world.corpus, world.tokenizer, folder(), info);
    for (const char* name : {"config.json", "model.safetensors", "tokenizer.json", "recipe.json",
                             "curve.csv", "curve.svg"}) {
        CHECK(file_exists(join_path(folder(), name)));
    }
    Model model = load_model(folder());
    CHECK(model.config().architecture == options.shape.architecture);
    const std::vector<std::int32_t> ids = world.ids("Ada walked to Glen and came ");
    const auto T = static_cast<std::int64_t>(ids.size()) - 1;
    const std::vector<double> losses = training.model().losses(std::span(ids).first(ids.size() - 1),
                                                               std::span(ids).subspan(1), 1, T);
    KvCache cache(model.config());
    const Logits logits =
        model.transformer.forward_all(cache, std::vector<int>(ids.begin(), ids.end() - 1));
    std::vector<float> log_p(index(model.config().vocab_size));
    for (std::int64_t t = 0; t < T; ++t) {
        log_softmax(logits.row(t), log_p);
        // Two float implementations that sum in different orders; log-probabilities of about −5.
        const double difference =
            losses[index(t)] + static_cast<double>(log_p[index(ids[index(t + 1)])]);
        REQUIRE(std::abs(difference) <= 2e-5);
    }
    CHECK(test::contains(evaluate_directory(world.corpus, folder(), 1, 2), "walk "));
    std::filesystem::remove_all(folder());
}

TEST_CASE("the curve is a table with empty cells where nothing was measured") {
    const std::vector<CurvePoint> curve = {{10, 960, 1.25, 0.001, 3.5, {}},
                                           {20, 1920, 0.5, 0.0005, 7, {0.75, 1}}};
    CHECK(curve_csv(curve, {"walk"}) ==
          "step,tokens,seconds,learning_rate,training,held_out,walk\n"
          "10,960,3.5,0.001,1.25000,,\n"
          "20,1920,7.0,0.0005,0.50000,0.75000,1.00000\n");
}

TEST_CASE("a few steps on the real corpus bring the loss well below that of knowing nothing") {
    const Corpus corpus = Corpus::load("data/corpus");
    TokenizerTrainer trainer;
    for (std::uint64_t i = 0; i < 300; ++i) trainer.add_text(corpus.document(1, i).text);
    TokenizerOptions tokens;
    tokens.vocab_size = 512;
    const Tokenizer tokenizer = trainer.train(tokens);
    TrainingOptions options;
    options.shape = gpt_config(1, 2, 32, 64, 0);
    options.batch = 8;
    options.steps = 200;
    options.warm_up = 10;
    options.learning_rate = 1e-2;
    options.threads = 0;
    // What a model reaches that knows only how often each token occurs.
    const Batch sample = BatchSource(corpus, tokenizer, 2).next(64, 64);
    std::map<std::int32_t, double> counts;
    for (const std::int32_t id : sample.targets) counts[id] += 1;
    double unigram = 0;
    for (const auto& [id, count] : counts) unigram -= count / 4096 * std::log(count / 4096);
    Training training(corpus, tokenizer, options);
    const double first = training.step();
    CHECK(std::abs(first - std::log(tokenizer.vocab_size())) < 0.2);  // a uniform guess: ln V
    double loss = 0;  // the mean of the last ten steps: batches differ
    while (training.steps_done() < options.steps) {
        const double now = training.step();
        if (training.steps_done() > options.steps - 10) loss += now / 10;
    }
    CHECK(loss < unigram - 0.3);
}
