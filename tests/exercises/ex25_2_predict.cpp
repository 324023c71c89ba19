// Exercise 25_2: the answers, by the library's formula.
#include "25_2_predict.hpp"
#include "lib/model/kv_cache.hpp"
#include "lib/model/model_config.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;

namespace {

long long bytes(TransformerConfig config, int head_size) {
    config.architecture.head_size = head_size;
    config.cache_type = WeightType::f16;
    return KvCache::bytes_per_token(config);
}

}  // namespace

TEST_CASE("SmolLM2 135M", "[ex25_2]") {
    check_predicted(ex25_2::smollm2(), bytes(llama_config(30, 9, 3, 576, 1536, 64, 300), 64),
                    "queries are not kept: how many key heads are there?");
}

TEST_CASE("GPT-2", "[ex25_2]") {
    check_predicted(ex25_2::gpt2(), bytes(gpt_config(12, 12, 768, 64, 300), 0),
                    "twelve heads of 64 components are as many numbers as there are channels");
}

TEST_CASE("Qwen3 0.6B", "[ex25_2]") {
    check_predicted(ex25_2::qwen3(), bytes(llama_config(28, 16, 8, 1024, 3072, 64, 300), 128),
                    "head_dim is given");
}

TEST_CASE("one key head for eight query heads", "[ex25_2]") {
    check_predicted(ex25_2::one_key_head(),
                    1000 * bytes(llama_config(1, 8, 1, 512, 64, 64, 300), 64),
                    "one key and one value for each token");
}

TEST_CASE("a window", "[ex25_2]") {
    check_predicted(ex25_2::with_a_window(),
                    100 * bytes(llama_config(1, 8, 1, 512, 64, 64, 300), 64),
                    "how many tokens can the next one see?");
}

TEST_CASE("a wider MLP", "[ex25_2]") {
    check_predicted(ex25_2::with_a_wider_mlp(),
                    1000 * bytes(llama_config(1, 8, 1, 512, 128, 64, 300), 64),
                    "what of the MLP does a later token read?");
}
