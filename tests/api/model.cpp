// Hostile arguments to lib/model.
#include "tests/catch.hpp"

#include <climits>
#include <map>
#include <utility>
#include <vector>

#include "lib/core/rows.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/model.hpp"
#include "lib/files/random_model.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/files/safetensors_write.hpp"
#include "lib/model/kv_cache.hpp"
#include "lib/model/model_config.hpp"
#include "lib/model/transformer.hpp"
#include "tests/api/hostile.hpp"

using namespace tbt;
using namespace tbt::api;

namespace {

TransformerConfig tiny() { return gpt_config(1, 2, 8, 16, 11); }
Transformer tiny_gpt() { return Transformer(tiny(), random_weights(tiny(), 1), {1, {}}); }

// Llamas with an architecture that none has.
std::vector<TransformerConfig> hostile_llamas() {
    std::vector<TransformerConfig> all;
    const auto with = [&](const auto& change) {
        all.push_back(llama_config(1, 2, 1, 8, 12, 16, 11));
        change(all.back(), all.back().architecture);
    };
    const auto with_each = [&](int Architecture::*size, std::initializer_list<int> values) {
        for (const int value : values)
            with([&](TransformerConfig&, Architecture& a) { a.*size = value; });
    };
    with_each(&Architecture::kv_heads, {-1, 3, INT_MIN, INT_MAX});
    with_each(&Architecture::head_size, {-1, 3, INT_MIN, INT_MAX});
    with_each(&Architecture::rotary_size, {-2, 0, 3, 6, INT_MIN, INT_MAX});
    for (const double theta : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity()})
        with([&](TransformerConfig&, Architecture& a) { a.rotaries[0].theta = theta; });
    with([](TransformerConfig&, Architecture& a) { a.rotaries.clear(); });
    with([](TransformerConfig&, Architecture& a) { a.layers.resize(5); });
    with([](TransformerConfig&, Architecture& a) { a.layers[0].window = -1; });
    for (const int rotary : {-2, 1, INT_MIN, INT_MAX})
        with([&](TransformerConfig&, Architecture& a) { a.layers[0].rotary = rotary; });
    with([](TransformerConfig&, Architecture& a) { a.score_scalar = not_a_number; });
    with([](TransformerConfig&, Architecture& a) { a.embedding_scale = infinity; });
    with([](TransformerConfig&, Architecture& a) { a.gated = false; });
    with([](TransformerConfig&, Architecture& a) { a.norm = Norm::layer; });
    with([](TransformerConfig&, Architecture& a) { a.activation = Activation::gelu_erf; });
    for (const NormPlace place : {NormPlace::output, NormPlace::both})
        with([&](TransformerConfig&, Architecture& a) {
            a.norm_place = place;
            a.experts = 2, a.experts_per_token = 1, a.expert_inner = 12;
            a.layers[0].experts = true;
        });
    with([](TransformerConfig&, Architecture& a) {
        a.norm_place = NormPlace::both, a.parallel = true;
    });
    // GPT-NeoX has an MLP without a gate, and layer norm.
    const auto with_neox = [&](const auto& change) {
        with([&](TransformerConfig&, Architecture& a) {
            a.model_type = "gpt_neox", a.norm = Norm::layer, a.gated = false;
            change(a);
        });
    };
    for (const Activation gate : {Activation::silu, Activation::limited_swiglu})
        with_neox([&](Architecture& a) { a.activation = gate; });
    with_neox(
        [](Architecture& a) { a.activation = Activation::gelu, a.norm_place = NormPlace::output; });
    with_neox([](Architecture& a) {
        a.activation = Activation::gelu, a.query_key_norm = QueryKeyNorm::token;
    });
    with_neox([](Architecture& a) {
        a.activation = Activation::gelu;
        a.experts = 2, a.experts_per_token = 1, a.expert_inner = 12;
        a.layers[0].experts = true;
    });
    with([](TransformerConfig&, Architecture& a) { a.learned_positions = true; });
    for (const char* type : {"", "gpt2", "no such type"})
        with([&](TransformerConfig&, Architecture& a) { a.model_type = type; });
    with([](TransformerConfig& config, Architecture&) { config.n_layer = 2; });
    with([](TransformerConfig& config, Architecture&) { config.n_head = 1 << 24; });
    return all;
}

// Configurations that no model has.
std::vector<TransformerConfig> hostile_configs() {
    std::vector<TransformerConfig> all;
    for (int TransformerConfig::*size :
         {&TransformerConfig::vocab_size, &TransformerConfig::n_positions,
          &TransformerConfig::n_embd, &TransformerConfig::n_layer, &TransformerConfig::n_head,
          &TransformerConfig::n_inner}) {
        for (const int value : {0, -1, INT_MIN, INT_MAX}) {
            all.push_back(tiny());
            all.back().*size = value;
        }
    }
    for (const float epsilon : {0.0f, -1.0f, not_a_number, infinity}) {
        all.push_back(tiny());
        all.back().layer_norm_epsilon = epsilon;
    }
    for (const int id : hostile_ids) {
        all.push_back(tiny());
        all.back().eos_token_ids = {id};
        all.push_back(tiny());
        all.back().bos_token_id = id;
    }
    all.push_back(tiny());
    all.back().n_head = 3;
    all.emplace_back();
    for (TransformerConfig& config : hostile_llamas()) all.push_back(std::move(config));
    return all;
}

}  // namespace

TEST_CASE("api: configurations", "[api]") {
    const test::TemporaryFolder folder;
    for (const TransformerConfig& config : hostile_configs()) {
        REFUSES(check_config(config, "test"), Transformer(config, random_weights(tiny(), 1)),
                random_weights(config, 1), write_model_config(folder.path(), config),
                plan_memory(config, WeightType::f32, 1, 1));
        HOLDS(KvCache{config});
        HOLDS(config.head_size());
        HOLDS(parameter_count(config));
        HOLDS(KvCache::bytes_per_token(config));
        if (config.n_layer < 100000) HOLDS(weight_shapes(config));
        TransformerConfig random = config;
        random.eos_token_ids.clear(), random.bos_token_id.reset();
        if (random != tiny()) REFUSES(write_random_model(folder.file("model"), random));
    }
    for (const int heads : {0, -1, INT_MIN})
        REFUSES(check_config(llama_config(1, heads, 1, 8, 12, 16, 11), "test"));
    for (const std::string& text : hostile_texts) {
        REFUSES(preset_config(text), read_model_config(text),
                read_config_file(folder.write("config.json", text)));
        HOLDS(shipped_model(text));
        REFUSES(load_model(text), load_transformer(text));
    }
    for (const int context : {0, -1, 17, INT_MAX})
        REFUSES(plan_memory(tiny(), WeightType::f16, context, 1));
    for (const int batch : {0, -1, INT_MIN})
        REFUSES(plan_memory(tiny(), WeightType::f16, 1, batch));
    HOLDS(plan_memory(tiny(), WeightType::f16, 1, INT_MAX));
    REFUSES(check_memory("test", INT64_MAX, 1));
    HOLDS(check_memory("test", INT64_MIN, INT64_MIN));
}

TEST_CASE("api: random weights", "[api]") {
    std::vector<float> values(3), none;
    REFUSES(fill_random_weight(tiny(), 1, "wte.weight", -1, values),
            fill_random_weight(tiny(), 1, "wte.weight", INT64_MIN, values),
            fill_random_weight(tiny(), 1, "wte.weight", INT64_MAX, values));
    HOLDS(fill_random_weight(tiny(), 1, "", 0, none));
    HOLDS(fill_random_weight(tiny(), 1, "no such weight", 5, values));
    const WeightSource weights = random_weights(tiny(), 1);
    REFUSES(weights("wte.weight", {-1, 8}));
    for (const int size : {-1, 0, 256, INT_MIN}) REFUSES(babble_tokenizer(size));
}

TEST_CASE("api: caches", "[api]") {
    REFUSES(KvCache(tiny(), -1), KvCache(tiny(), INT_MIN));
    KvCache cache(tiny(), INT_MAX);
    REQUIRE(cache.capacity() == 16);
    REFUSES(cache.truncate(1), cache.truncate(-1), cache.make_room(17), cache.make_room(-1),
            cache.make_room(INT_MAX), cache.advance(1));
    REFUSES(cache.advance(-1), cache.keys(0, 0, 0));
    cache.make_room(3);
    HOLDS(cache.keys(0, 0, 1));
    for (const int i : {-1, 2, INT_MAX, INT_MIN})
        REFUSES(cache.keys(i, 0, 0), cache.values(0, i, 0), cache.keys(0, 0, i));
    cache.advance(3);
    KvCache taken = std::move(cache);
    REQUIRE(taken.length() == 3);
    REQUIRE(cache.length() == 0);
    REQUIRE(cache.bytes() == 0);
    REQUIRE(cache.pool_bytes() == 0);
    REFUSES(cache.make_room(1));
    HOLDS(cache.clear(), KvCache(cache));
    HOLDS(cache = taken, taken = std::move(cache));
}

TEST_CASE("api: forward passes", "[api]") {
    Transformer gpt = tiny_gpt();
    KvCache cache(gpt.config());
    const std::vector<int> three{1, 2, 3}, long_text(17, 1);
    for (const int id : hostile_ids) REFUSES(gpt.forward(cache, std::vector<int>{1, id}));
    REFUSES(gpt.forward(cache, std::vector<int>{11}), gpt.forward(cache, {}),
            gpt.forward(cache, long_text), gpt.forward(std::span<const Step>{}));
    const Step nowhere{nullptr, three, false};
    REFUSES(gpt.forward({&nowhere, 1}));
    const std::vector<Step> twice{{&cache, three, false}, {&cache, three, false}};
    REFUSES(gpt.forward(twice));
    for (const TransformerConfig& other :
         {gpt_config(2, 2, 8, 16, 11), gpt_config(1, 1, 8, 16, 11), gpt_config(1, 2, 40, 16, 11),
          gpt_config(1, 2, 8, 32, 11)}) {
        KvCache foreign(other);
        REFUSES(gpt.forward(foreign, three));
    }
    const Logits logits = gpt.forward_all(cache, three);
    for (const std::int64_t row : {std::int64_t{3}, std::int64_t{-1}, INT64_MAX})
        REFUSES(logits.row(row));
    REFUSES(Logits{}.last());
    const Transformer taken = std::move(gpt);
    REFUSES(gpt.config(), gpt.forward(cache, three), gpt.weight_bytes(),
            Transformer(tiny(), WeightSource{}),
            Transformer(tiny(), [](const std::string&, const Shape&) { return Tensor(Shape{1}); }));
    HOLDS(Transformer(tiny(), random_weights(tiny(), 1), {INT_MIN, {}}));
}

TEST_CASE("api: layers of one row", "[api]") {
    std::vector<float> row{1, 2, 3}, two(2), none;
    REFUSES(softmax(row, two), log_softmax(row, two));
    HOLDS(softmax(none, none), log_softmax(none, none));
    std::vector<float> broken{not_a_number, infinity, -infinity};
    HOLDS(softmax(broken, row), log_softmax(broken, row));
}

TEST_CASE("api: prompts", "[api]") {
    const Model model{tiny_gpt(), babble_tokenizer(300)};
    for (const int room : {-1, INT_MIN, INT_MAX, 17}) REFUSES(encode_prompt(model, "a", room));
    REFUSES(encode_prompt(model, "\xff"));
    HOLDS(encode_prompt(model, ""));
}

TEST_CASE("api: files of tensors", "[api]") {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("t.safetensors");
    const std::vector<float> values{1, 2, 3};
    REFUSES(write_safetensors(path, {{"a", {4}, values}}),
            write_safetensors(path, {{"a", {-3}, values}}),
            write_safetensors(path, {{"a", {INT64_MAX, INT64_MAX}, values}}),
            write_safetensors(path, {{"a", {3}, values}, {"a", {3}, values}}),
            write_safetensors("", {{"a", {3}, values}}));
    HOLDS(write_safetensors(path, {}));
    for (const std::string& name : hostile_texts) {
        HOLDS(write_safetensors(path, {{name, {3}, values}}));
        HOLDS(Safetensors::open(path));
        REFUSES(Safetensors::open(folder.write("bad", name)), Safetensors::open_directory(name));
    }
    write_safetensors(path, {{"a", {3}, values}});
    const Safetensors file = Safetensors::open(path);
    REFUSES(file.read("b", {3}), file.read("a", {1, 3}), file.read_weight("", {}),
            file.check_weight("a", {-1}), file.read("a", Shape(100, 1)));
    std::vector<float> two(2);
    REFUSES(widen(*file.find("a"), 2, two), widen(*file.find("a"), std::int64_t{1} << 62, two),
            widen(StoredTensor{"F32", {3}, {}, "x"}, 0, two),
            widen(StoredTensor{"", {3}, {}, "x"}, 0, two));
}
