// Memory: the forecast made of sizes alone against what is really allocated,
// and models that don't fit, refused in time.
#include "tests/catch.hpp"

#include <filesystem>
#include <fstream>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/files/model.hpp"
#include "lib/files/random_model.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/memory.hpp"
#include "lib/model/model_config.hpp"
#include "lib/model/transformer.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using test::contains;
using test::error_of;

namespace {

TransformerConfig some_config() {
    TransformerConfig config = preset_config("sketch");
    config.vocab_size = 3000;
    config.n_positions = 300;
    config.bos_token_id.reset();
    config.eos_token_ids.clear();
    return config;
}

// A model directory whose config.json was changed afterwards.
struct Directory {
    test::TemporaryFolder folder;
    Directory() {
        TransformerConfig config = some_config();
        config.vocab_size = 300;
        config.n_embd = 24, config.n_inner = 96;
        write_random_model(folder.path(), config);
    }
    std::string error_with(const std::string& key, const std::string& value) const {
        std::string json = read_file(folder.file("config.json"));
        const std::string before = "\"" + key + "\": ";
        const std::size_t at = json.find(before) + before.size();
        json.replace(at, json.find_first_of(",\n", at) - at, value);
        std::ofstream(folder.file("config.json")) << json;
        const std::int64_t held = tensor_bytes();
        reset_peak_tensor_bytes();
        const std::string message = error_of([&] { load_transformer(folder.path()); });
        return peak_tensor_bytes() == held ? message : "allocated before it complained: " + message;
    }
};

}  // namespace

TEST_CASE("the plan of GPT-2 124M has the numbers that its formulas give by hand", "[memory]") {
    const MemoryPlan f32 = plan_memory(preset_config("gpt2"), WeightType::f32, 1024, 1);
    REQUIRE(f32.matrices == 12ll * 12 * 768 * 768 * 4);
    REQUIRE(f32.output == 768ll * 50272 * 4);     // 50,257 columns in registers of sixteen
    REQUIRE(f32.embeddings == 1024ll * 768 * 4);  // that of the tokens is the output matrix
    REQUIRE(f32.cache == 2ll * 12 * 768 * 1024 * 4);
    REQUIRE(f32.logits == 50257 * 4);
    // All numbers of the model once; fifteen columns of zeros fill the output's last register.
    REQUIRE(f32.weights() == (parameter_count(preset_config("gpt2")) + 768ll * 15) * 4);
    const MemoryPlan f16 = plan_memory(preset_config("gpt2"), WeightType::f16, 512, 8);
    REQUIRE(f16.matrices * 2 == f32.matrices);
    REQUIRE(f16.output * 2 == f32.output);
    // Rounded from floats: the embedding is kept beside it, as it is stored.
    REQUIRE(f16.embeddings == f32.embeddings + 768ll * 50272 * 4);
    TransformerConfig stored = preset_config("gpt2");
    stored.torch_dtype = "float16";
    REQUIRE(plan_memory(stored, WeightType::f16, 512, 8).embeddings == f32.embeddings);
    REQUIRE(plan_memory(stored, WeightType::int8, 512, 8).embeddings ==
            f32.embeddings + 768ll * 50272 * 2);
    REQUIRE(plan_memory(stored, WeightType::int4, 512, 8).embeddings == f32.embeddings);
    REQUIRE(f16.cache == 4 * f32.cache);
    REQUIRE(f16.logits == 8 * f32.logits);
}

TEST_CASE("what a model and its caches really take is what the plan says", "[memory]") {
    const WeightType types[] = {WeightType::f32, WeightType::f16, WeightType::bf16,
                                WeightType::int8, WeightType::int4};
    for (const WeightType type : types) {
        // The working memory that each thread keeps for large products is allocated once: not here.
        Transformer warm_up(some_config(), random_weights(some_config(), 1), {1, type});
        KvCache cache(some_config());
        warm_up.forward(cache, std::vector<int>(200, 3));
    }
    for (const WeightType type : types) {
        for (const int batch : {1, 5}) {
            const TransformerConfig config = some_config();
            const int context = 200;
            const MemoryPlan plan = plan_memory(config, type, context, batch);
            const std::int64_t before = tensor_bytes();
            Transformer gpt(config, random_weights(config, 1), {1, type});
            const auto weights = static_cast<double>(tensor_bytes() - before);
            std::vector<KvCache> caches;
            const std::vector<int> prompt(static_cast<std::size_t>(context - 1), 7), next = {9};
            std::vector<Step> steps;
            caches.reserve(static_cast<std::size_t>(batch));
            for (int i = 0; i < batch; ++i) {
                gpt.forward(caches.emplace_back(config, context), prompt);
                steps.push_back({&caches.back(), next});
            }
            gpt.forward(steps);
            const auto total = static_cast<double>(tensor_bytes() - before);
            INFO("type " << static_cast<int>(type) << ", batch " << batch);
            // Small buffers of the attention and the ends of cache lines are not in the plan.
            REQUIRE(std::abs(weights / static_cast<double>(plan.weights()) - 1) <= 0.02);
            REQUIRE(std::abs(total / static_cast<double>(plan.total()) - 1) <= 0.03);
            std::int64_t cache_bytes = 0;
            for (const KvCache& cache : caches) cache_bytes += cache.pool_bytes();
            REQUIRE(cache_bytes == plan.cache);
        }
    }
}

TEST_CASE("a plan is refused for a context or a batch that cannot be, and huge ones don't overflow",
          "[memory]") {
    const TransformerConfig config = some_config();
    REQUIRE(contains(error_of([&] { plan_memory(config, WeightType::f32, 301, 1); }),
                     "301 tokens, expected 1 to 300"));
    REQUIRE(contains(error_of([&] { plan_memory(config, WeightType::f32, 0, 1); }),
                     "0 tokens, expected 1 to 300"));
    REQUIRE(contains(error_of([&] { plan_memory(config, WeightType::f32, 10, 0); }),
                     "a batch of 0, expected at least 1"));
    for (const int border : {1, 300})
        REQUIRE(plan_memory(config, WeightType::f32, border, 1).cache > 0);
    TransformerConfig large = some_config();
    large.n_head = 1;
    large.n_embd = large.n_positions = 1 << 18;
    large.n_inner = 1;
    large.n_layer = 1;
    const MemoryPlan plan = plan_memory(large, WeightType::f32, 1 << 18, 1 << 30);
    REQUIRE(plan.cache == std::int64_t{1} << 60);
    REQUIRE(plan.total() > std::int64_t{1} << 60);
}

TEST_CASE("a model larger than the memory is refused in one line", "[memory]") {
    REQUIRE_NOTHROW(check_memory("m", 100, 100));
    REQUIRE_NOTHROW(check_memory("m", 1ll << 60, 0));  // unknown: try
    REQUIRE(error_of([] { check_memory("models/big", 3ll << 30, 1ll << 30); }) ==
            "models/big: the model needs about 3072 MiB of memory, 1024 MiB are available; use a "
            "smaller model, "
            "context or "
            "batch, or weights of fewer bits");
    // 2^30 positions of context are a config that may be, but no machine has that memory.
    // Nothing is allocated.
    REQUIRE(contains(Directory().error_with("n_positions", "16777216"), "expected (16777216, 24)"));
}

TEST_CASE("a config.json that doesn't fit the weights is refused before anything is allocated",
          "[memory]") {
    struct Wrong {
        const char *key, *value, *message;
    };
    for (const Wrong& w : std::vector<Wrong>{
             {"vocab_size", "50257", "\"wte.weight\" has shape (300, 24), expected (50257, 24)"},
             {"n_embd", "48", "has shape (300, 24), expected (300, 48)"},
             {"n_layer", "3", "has no tensor \"h.2.ln_1.weight\" of shape (24)"},
             {"n_layer", "1", "n_layer 1, but the weights go on with h.1.ln_1.weight"},
             {"n_layer", "16777216", "n_layer 16777216, but the weights are only 28 tensors"},
             {"n_inner", "100", "\"h.0.mlp.c_fc.weight\" has shape (24, 96), expected (24, 100)"},
             {"n_embd", "1152921504606846976", "n_embd is the integer 1152921504606846976"},
             {"n_layer", "18446744073709551616", "n_layer is the number"},
             {"n_positions", "-1", "n_positions is the integer -1"}}) {
        INFO(w.message);
        REQUIRE(contains(Directory().error_with(w.key, w.value), w.message));
    }
}
