// Of chapter 24: decoders that need more than the model's own logits, and the whole run.
#include "tests/catch.hpp"

#include <fstream>
#include <regex>
#include <sstream>

#include "chapters/23_text_generator/guidance.hpp"
#include "chapters/24_which_decoder/measure.hpp"
#include "chapters/24_which_decoder/tools/results.hpp"
#include "chapters/24_which_decoder/tools/whole_run.hpp"
#include "chapters/24_which_decoder/write_texts.hpp"
#include "lib/files/random_model.hpp"
#include "lib/machine/files.hpp"
#include "solutions/18_3_dola.hpp"
#include "tests/support/temporary.hpp"
#include "tests/support/tiny_gpt.hpp"

using namespace tbt;

namespace {

using FloatRow = std::vector<float>;

FloatRow random_row(Rng& rng, std::size_t size) {
    FloatRow row(size);
    for (float& s : row) s = static_cast<float>(3 * rng.normal());
    return row;
}

ex18_3::Row wide(const FloatRow& row) { return {row.begin(), row.end()}; }

BatchLogits logits_of(Transformer& gpt) {
    return [batch = std::make_shared<CachedBatch>(gpt)](std::span<const BatchText> texts) {
        return (*batch)(texts);
    };
}

// The lines without their times, which differ from run to run.
std::string untimed(const std::string& file) {
    return std::regex_replace(read_file(file), std::regex(",\"microseconds\":[0-9.e+-]*"), "");
}

}  // namespace

TEST_CASE("dola: the distribution of exercise 18_3") {
    Rng rng(7);
    for (int round = 0; round < 200; ++round) {
        const FloatRow last = random_row(rng, 20), low = random_row(rng, 20),
                       high = random_row(rng, 20);
        const double alpha = .02 + .5 * rng.uniform();
        FloatRow made(20);
        dola_logits(last, {low, high}, alpha, made);
        const ex18_3::Row expected = ex18_3::dola({wide(low), wide(high)}, wide(last), alpha);
        Candidates c;
        c.reset(made);
        const std::vector<double> p = c.probabilities();
        // The logits are floats: 2^-24 of numbers of some 10.
        for (std::size_t i = 0; i < p.size(); ++i) CHECK(std::abs(p[i] - expected[i]) < 2e-6);
    }
    FloatRow row(3), other(3);
    CHECK_THROWS_AS(dola_logits(row, {}, .1, other), Error);
    CHECK_THROWS_AS(dola_logits(row, {row}, 0, other), Error);
    CHECK_THROWS_AS(dola_logits(row, {FloatRow(4)}, .1, other), Error);
    FloatRow few(2);
    CHECK_THROWS_AS(dola_logits(row, {row}, .1, few), Error);
}

TEST_CASE("dola: its early layers are every second one of the lower, or of the upper half") {
    const test::TemporaryFolder folder;
    write_random_model(folder.path(), gpt_config(6, 2, 16, 32, 300), {7, WeightType::f32});
    Model model = load_model(folder.path());
    OtherModels others(model, folder.path());
    const std::vector<int> ids{0, 40, 299};
    const std::vector<float> last = fresh_logits(model.transformer, ids);
    for (Setting& setting : settings("DoLa")) {
        std::vector<FloatRow> early;
        for (const int l : setting.amateur == "low" ? std::vector{1, 3} : std::vector{3, 5}) {
            Transformer layers = first_layers(folder.path(), l);
            early.push_back(fresh_logits(layers, ids));
        }
        FloatRow expected(last.size());
        dola_logits(last, {early[0], early[1]}, setting.contrast.plausible, expected);
        const BatchText text{0, ids};
        const BatchLogits logits = others.logits(setting);
        const std::span<const float> row = logits({&text, 1})[0];
        CHECK(FloatRow(row.begin(), row.end()) == expected);
    }
}

TEST_CASE("first layers: all of them are the model; fewer say something else") {
    const auto directory = shipped_model("sketch");
    Model model = load_model(directory);
    const std::vector<int> ids{0, 40, 300};
    Transformer all = first_layers(directory, model.config().n_layer),
                one = first_layers(directory, 1);
    CHECK(fresh_logits(all, ids) == fresh_logits(model.transformer, ids));
    CHECK(fresh_logits(one, ids) != fresh_logits(model.transformer, ids));
    CHECK_THROWS_AS(first_layers(directory, 0), Error);
    CHECK_THROWS_AS(first_layers(directory, model.config().n_layer + 1), Error);
}

TEST_CASE("together: every decoder writes what it writes alone, and what is common is read once") {
    Transformer gpt = tiny_gpt();
    const TokenBytes bytes = [](int) { return std::string_view("x"); };
    std::vector<std::vector<int>> prompts;
    for (int i = 0; i < 30; ++i) prompts.push_back({1 + i % 3, 2, 5});
    std::vector<GenerateRequest> requests;
    long alone = 0;
    for (const Setting& setting : settings()) {
        if (!setting.draws_own()) continue;
        GenerateRequest& request = requests.emplace_back();
        request.chain = setting.chain();
        request.stop.eos = {0};
        request.stop.context = gpt.config().n_positions;
        request.stop.max_new_tokens = 6 + to_int(requests.size() % 5);
        request.seed = 4;
    }
    REQUIRE(requests.size() > 80);
    const WrittenTogether together = write_together(logits_of(gpt), bytes, prompts, requests);
    for (std::size_t r = 0; r < requests.size(); ++r) {
        const auto texts = write_texts(logits_of(gpt), bytes, prompts, requests[r]);
        for (std::size_t i = 0; i < prompts.size(); ++i) {
            CHECK(together.ids[r][i] == texts[i].ids);
            alone += to_int(texts[i].ids.size());
        }
    }
    CHECK(together.rows < alone / 2);
    CHECK(write_together(logits_of(gpt), bytes, {}, requests).rows == 0);
    CHECK(write_together(logits_of(gpt), bytes, prompts, {}).rows == 0);
}

TEST_CASE("score: of contrasted logits, too, all texts add up to one") {
    Transformer gpt = tiny_gpt(), amateur = tiny_gpt();
    const BatchLogits model = logits_of(gpt);
    const BatchLogits shifted = [&, other = logits_of(amateur),
                                 made = FloatRow()](std::span<const BatchText> texts) mutable {
        // The amateur: logits halved.
        const auto rows = other(texts);
        made.clear();
        for (const auto& row : rows)
            for (const float s : row) made.push_back(s / 2);
        std::vector<std::span<const float>> result;
        for (std::size_t r = 0; r < rows.size(); ++r)
            result.push_back(std::span(made).subspan(r * rows[0].size(), rows[0].size()));
        return result;
    };
    const BatchLogits contrasted = with_contrast(model, shifted, {.5, .1});
    Setting plain{"temperature", "1", {}};
    plain.options.temperature = 1;
    double sum = 0;
    int different = 0;
    for (int a = 0; a < 50; ++a)
        for (int b = 0; b < 50; ++b) {
            const std::vector<int> ids{7, 3, a, b};
            const double bits = score(contrasted, ids, 2, {plain.mixture()}).q[0];
            sum += std::exp2(-bits);
            different += std::abs(bits - score(gpt, ids, 2, {plain.mixture()}).q[0]) > 1e-3;
        }
    CHECK(std::abs(sum - 1) < 1e-12);
    CHECK(different > 1000);
}

TEST_CASE(
    "whole run: the same file from any number of threads, and stopped within a line and gone on") {
    const test::TemporaryFolder folder;
    WholeRun run;
    run.models = {"sketch"};
    run.genres = {"hello", "weather_log"};  // longer than the canvas of a model that fills
    run.decoder = "min-p";
    run.texts = 3;
    run.file = folder.file("whole.jsonl");
    set_default_threads(1);
    measure_what_is_missing(run);
    const std::string whole = untimed(run.file);
    CHECK(read_results(run.file).size() == 20);
    for (const Measured& m : read_results(run.file)) CHECK(m.texts == 3);
    set_default_threads(3);  // more than there are genres: each is shared
    run.file = folder.file("shared.jsonl");
    measure_what_is_missing(run);
    set_default_threads(0);
    CHECK(untimed(run.file) == whole);
    std::istringstream lines(read_file(run.file));
    std::string first, second;
    std::getline(lines, first), std::getline(lines, second);
    run.file = folder.write("stopped.jsonl", first + "\n" + second.substr(0, 100));
    measure_what_is_missing(run);
    CHECK(untimed(run.file) == whole);
    measure_what_is_missing(run);  // nothing is missing: nothing changes
    CHECK(untimed(run.file) == whole);
    run.texts = 4;
    CHECK_THROWS_WITH(measure_what_is_missing(run),
                      Catch::Contains("of 3 texts each, and 4 are asked for"));
}

TEST_CASE("whole run: of searched texts those are counted that the search decided") {
    const test::TemporaryFolder folder;
    WholeRun run;
    run.models = {"storyteller"};
    run.genres = {"three"};
    run.decoder = "best of all";
    run.texts = 2, run.searched = 1;
    run.file = folder.file("searched.jsonl");
    measure_what_is_missing(run);
    const std::vector<Measured> rows = read_results(run.file);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].texts == 1);
    CHECK(rows[0].undecided == 0);
}

TEST_CASE("whole run: a genre of which no text fits the canvas is refused") {
    const test::TemporaryFolder folder;
    WholeRun run;
    run.models = {"diffusion"};
    run.genres = {"weather"};
    run.texts = 1, run.seed = 4;
    run.file = folder.file("canvas.jsonl");
    CHECK_THROWS_WITH(measure_what_is_missing(run), Catch::Contains("fits the canvas"));
}
