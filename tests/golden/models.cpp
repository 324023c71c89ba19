// Today's architectures against transformers' own numbers: small models with random weights, most
// of them from a config.json of transformers 4 and of 5. golden.json holds logits, the
// residual after each layer, greedy texts and beams, computed in float64; ids are to be equal.
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/10_generate/generate.hpp"
#include "chapters/11_beam_search/diverse_beams.hpp"
#include "chapters/26_serving/engine.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/model.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/transformer.hpp"
#include "lib/model/weight_names.hpp"
#include "lib/quantized/block_matrix.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;

namespace {

const char* const names[] = {"tiny-llama",     "tiny-llama-bf16-sharded",
                             "tiny-llama3",    "tiny-qwen2",
                             "tiny-qwen3",     "tiny-qwen2-window",
                             "tiny-smollm2",   "tiny-smollm3",
                             "tiny-gemma3",    "tiny-gemma3-types",
                             "tiny-mistral",   "tiny-phi3",
                             "tiny-olmo2",     "tiny-qwen3-yarn",
                             "tiny-gemma2",    "tiny-granite",
                             "tiny-olmo3",     "tiny-gpt-neo",
                             "tiny-gpt-neox",  "tiny-phi3-longrope",
                             "tiny-qwen3-moe", "tiny-mixtral",
                             "tiny-gpt-oss"};

// Those from YaRN on have one form of config.json, no batch and no beams.
bool has_all(const std::string& name) {
    const std::span last = std::span(names).subspan(13);
    return std::none_of(last.begin(), last.end(), [&](const char* n) { return n == name; });
}

std::string folder_of(const std::string& name) { return "tests/data/" + name + "/"; }

// With the weights as floats: gpt-oss's MXFP4 would round the activations to 8 bits.
Transformer exact_model(const std::string& name) {
    return load_transformer(folder_of(name), {.weights = WeightType::f32});
}

Json golden_of(const std::string& name) { return read_json(folder_of(name) + "golden.json"); }

// The largest difference; NaN counts as infinite.
double farthest(std::span<const float> got, const Json& expected) {
    REQUIRE(got.size() == expected.size());
    double worst = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        const double d = std::abs(static_cast<double>(got[i]) - expected[i].get<double>());
        if (!(d <= worst)) worst = std::isnan(d) ? INFINITY : d;
    }
    return worst;
}

// Floats: transformers' own stay within 4.5e-5 of its float64.
constexpr double logit_tolerance = 1e-4;

// All rows of a text, or those that are listed. The cache has room for the text and no more: with
// longrope that decides the frequencies.
double worst_logit(Transformer& model, const Json& c) {
    const auto ids = c["ids"].get<std::vector<int>>();
    KvCache cache(model.config(), static_cast<int>(ids.size()));
    const Logits logits = model.forward_all(cache, ids);
    double worst = 0;
    for (std::size_t r = 0; r < c["logits"].size(); ++r)
        worst = std::max(worst, farthest(logits.row(c.contains("rows") ? c["rows"][r].get<int>()
                                                                       : static_cast<int>(r)),
                                         c["logits"][r]));
    return worst;
}

// The last rows of three texts, read in one pass.
double worst_of_batch(Transformer& model, const Json& c) {
    const auto texts = c["ids"].get<std::vector<std::vector<int>>>();
    std::vector<KvCache> caches(texts.size(), KvCache(model.config()));
    std::vector<Step> steps;
    for (std::size_t i = 0; i < texts.size(); ++i) steps.push_back({&caches[i], texts[i]});
    const Logits logits = model.forward(steps);
    double worst = 0;
    for (std::size_t i = 0; i < texts.size(); ++i)
        worst = std::max(worst, farthest(logits.row(static_cast<int>(i)), c["logits"][i][0]));
    return worst;
}

// The residual after `layers` layers, divided by its root mean square: what a model of so many
// layers says with a last norm of ones.
std::vector<float> residual_after(const std::string& name, int layers,
                                  const std::vector<int>& ids) {
    TransformerConfig config = read_model_config(folder_of(name));
    config.n_layer = layers;
    config.architecture.layers.resize(static_cast<std::size_t>(layers));
    const Safetensors file = Safetensors::open_directory(folder_of(name));
    const std::string_view last_norm = weight_names(config.architecture).norm;
    const float one = config.architecture.norm_adds_one ? 0.0f : 1.0f;
    Transformer model(config, [&](const std::string& weight, const Shape& shape) {
        Tensor w = file.read_weight(weight, shape);
        if (weight == std::string(last_norm) + ".weight") w.fill(one);
        if (weight == std::string(last_norm) + ".bias") w.fill(0);
        return w;
    });
    KvCache cache(config, static_cast<int>(ids.size()));
    const Logits logits = model.forward_all(cache, ids);
    return {logits.states.begin(), logits.states.end()};
}

GenerateRequest greedy_request(const Json& c, int context) {
    GenerateRequest r;
    r.stop.max_new_tokens = c["max_new_tokens"];
    r.stop.context = context;
    const Json& eos = c["eos_token_id"];
    if (eos.is_array()) r.stop.eos = eos.get<std::vector<int>>();
    else if (!eos.is_null()) r.stop.eos = {eos.get<int>()};
    SamplingOptions sampling;
    sampling.temperature = 0;
    sampling.repetition_penalty = c.value("repetition_penalty", 1.0);
    r.chain = full_chain(sampling, Dialect::transformers, {});
    return r;
}

}  // namespace

TEST_CASE("every architecture computes transformers' logits, from either form of config.json",
          "[golden][models]") {
    for (const std::string name : names) {
        const Json golden = golden_of(name);
        Transformer model = exact_model(name);
        double worst = has_all(name) ? worst_of_batch(model, golden["forward_batch"][0]) : 0;
        for (const Json& c : golden["forward"]) worst = std::max(worst, worst_logit(model, c));
        INFO(name << ": " << worst);
        CHECK(worst <= logit_tolerance);
        if (!has_all(name)) continue;
        // The newer form: the same model, and so the same bits.
        const test::TemporaryFolder copy;
        for (const auto& entry : std::filesystem::directory_iterator(folder_of(name)))
            std::filesystem::copy_file(entry.path(), copy.file(entry.path().filename()));
        std::filesystem::copy_file(folder_of(name) + "config_v5.json", copy.file("config.json"),
                                   std::filesystem::copy_options::overwrite_existing);
        CHECK(read_model_config(copy.path()) == model.config());
    }
}

TEST_CASE("the residual after every layer is transformers'", "[golden][models]") {
    for (const std::string name : names) {
        const Json layers = golden_of(name)["layers"];
        const auto ids = layers["ids"].get<std::vector<int>>();
        const bool centred = read_model_config(folder_of(name)).architecture.norm == Norm::layer;
        const Json& after = layers["after_layer"];
        for (std::size_t layer = 0; layer < after.size(); ++layer) {
            const std::vector<float> got = residual_after(name, static_cast<int>(layer) + 1, ids);
            const std::size_t c = after[layer][0].size();
            for (std::size_t t = 0; t < ids.size(); ++t) {
                auto row = after[layer][t].get<std::vector<double>>();
                if (centred) {
                    const double mean =
                        std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(c);
                    for (double& x : row) x -= mean;
                }
                double square = 0, largest = 0, worst = 0;
                for (const double x : row)
                    square += x * x, largest = std::max(largest, std::abs(x));
                const double rms = std::sqrt(square / static_cast<double>(c));
                for (std::size_t i = 0; i < c; ++i)
                    worst = std::max(worst, std::abs(got[t * c + i] * rms - row[i]) / largest);
                INFO(name << ", layer " << layer << ", token " << t);
                // Floats; transformers' own differ by 8e-7 of the row's largest. The norm's ε
                // takes 1e-5 / (2 · mean square) from every number alike, which is not an error.
                const double epsilon = 1e-5 / (2 * rms * rms);
                CHECK(worst <= 1e-5 + epsilon);
            }
        }
    }
}

TEST_CASE("every architecture writes transformers' greedy texts, alone and in a batch",
          "[golden][models]") {
    const TokenBytes no_bytes = [](int) { return std::string_view{}; };
    for (const std::string name : names) {
        const Json golden = golden_of(name);
        Transformer model = exact_model(name);
        int compared = 0;
        for (const Json& c : golden["generate"]) {
            if (c["kind"] != "greedy") continue;
            CachedBatch batch(model);
            const GenerateRequest r = greedy_request(c, model.config().n_positions);
            INFO(name << ": " << json_text(c).substr(0, 200));
            CHECK(
                generate_texts(std::ref(batch), no_bytes, c["prompt"].get<std::vector<int>>(), r)[0]
                    .ids == c["v5"]["sequences"][0].get<std::vector<int>>());
            ++compared;
        }
        CHECK(compared >= 7);
    }
}

// As llama.cpp does it: activations in 8 bits.
TEST_CASE("gpt-oss keeps its experts in 4 bits, and its logits nearly", "[golden][models]") {
    const std::string folder = folder_of("tiny-gpt-oss");
    Transformer exact = exact_model("tiny-gpt-oss"), stored = load_transformer(folder);
    const auto size =
        static_cast<std::int64_t>(std::filesystem::file_size(folder + "model.safetensors"));
    CHECK(stored.weight_bytes() <= size * 5 / 4);
    const Safetensors file = Safetensors::open_directory(folder);
    for (const WeightShape& w : weight_shapes(exact.config()))
        if (const auto blocks = file.stored_blocks(w.name, w.shape)) {
            const Tensor floats = file.read_weight(w.name, w.shape);
            std::vector<float> row(static_cast<std::size_t>(w.shape[1]));
            for (std::int64_t r = 0; r < w.shape[0]; ++r) {
                blocks->widen_row(r, row.data());
                CHECK(std::equal(row.begin(), row.end(), floats.data() + r * w.shape[1]));
            }
        }
    const std::vector<int> ids = {1, 5, 9, 33, 22, 7, 8, 60, 2, 3};
    KvCache a(exact.config()), b(stored.config());
    const Logits expected = exact.forward_all(a, ids), got = stored.forward_all(b, ids);
    double apart = 0, all = 0;
    for (std::size_t i = 0; i < got.values.size(); ++i) {
        const auto x = static_cast<double>(expected.values[i]);
        apart += std::pow(static_cast<double>(got.values[i]) - x, 2), all += x * x;
    }
    CHECK(apart > 0);
    CHECK(std::sqrt(apart / all) < 0.05);  // weights of int8 are .04 away
}

// With longrope, a text of at most 32 tokens in the end has other frequencies than a longer one.
TEST_CASE("short and long texts of a longrope model share a batch, its slots and an engine",
          "[golden][models]") {
    const TokenBytes no_bytes = [](int) { return std::string_view{}; };
    const Json golden = golden_of("tiny-phi3-longrope");
    Transformer model = exact_model("tiny-phi3-longrope");
    PrefixCache cache(model);
    CachedBatch slots(model), pages(cache), served(cache);
    Engine engine(&served, no_bytes, model.config().vocab_size, PlainScheduler(3, 8));
    struct Sent {
        int text;
        std::vector<int> ids;
    };
    std::vector<Sent> sent;
    int few = 0, many = 0;
    for (int round = 0; round < 2; ++round)  // the second time from what the caches know
        for (const Json& c : golden["generate"]) {
            const GenerateRequest r = greedy_request(c, model.config().n_positions);
            const auto prompt = c["prompt"].get<std::vector<int>>();
            const auto expected = c["v5"]["sequences"][0].get<std::vector<int>>();
            INFO(json_text(c).substr(0, 200));
            CHECK(generate_texts(std::ref(slots), no_bytes, prompt, r)[0].ids == expected);
            CHECK(generate_texts(std::ref(pages), no_bytes, prompt, r)[0].ids == expected);
            pages.release(0);
            sent.push_back({engine.add(prompt, r, 0, {}), expected});
            ++(longest_text(prompt.size(), r.stop) <= 32 ? few : many);
        }
    while (engine.scheduler().running() + engine.scheduler().waiting() > 0) engine.step();
    for (const Sent& s : sent) CHECK(engine.take(s.text).text.ids == s.ids);
    CHECK(few >= 4);
    CHECK(many >= 4);
}

TEST_CASE("every architecture finds transformers' beams, with their scores", "[golden][models]") {
    for (const std::string name : names) {
        if (!has_all(name)) continue;
        const Json golden = golden_of(name);
        Transformer model = exact_model(name);
        int compared = 0;
        for (const Json& c : golden["generate"]) {
            if (c["kind"] != "beam") continue;
            const GenerateRequest greedy = greedy_request(c, model.config().n_positions);
            BeamRequest r;
            r.stop = greedy.stop;
            r.beams = {c["num_beams"], c.value("length_penalty", 1.0), EarlyStopping::no,
                       c.value("num_return_sequences", 1)};
            const auto prompt = c["prompt"].get<std::vector<int>>();
            CachedBatch batch(model);
            const std::vector<BeamText> texts = beam_search(std::ref(batch), r, prompt);
            INFO(name << ": " << json_text(c).substr(0, 200));
            REQUIRE(texts.size() == c["v5"]["sequences"].size());
            for (std::size_t i = 0; i < texts.size(); ++i) {
                CHECK(texts[i].ids == c["v5"]["sequences"][i].get<std::vector<int>>());
                const double score = c["v5"]["scores"][i];
                CHECK(std::abs(texts[i].score - score) <= 1e-4);
            }
            ++compared;
        }
        CHECK(compared >= 4);
    }
}
