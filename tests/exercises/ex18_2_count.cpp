// Exercise 18_2: the size of a GPT-2.
#include "18_2_count.hpp"
#include "lib/files/random_model.hpp"
#include "lib/model/model_config.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex18_2;

namespace {

Sizes sizes_of(const TransformerConfig& c) {
    return {c.vocab_size, c.n_positions, c.n_embd, c.n_layer, c.n_inner};
}

}  // namespace

TEST_CASE("parameters: the published GPT-2s, and a tiny one by hand", "[ex18_2]") {
    // V = 3, P = 2, C = 1, F = 1, one layer: 3 + 2 + (3 + 3 + 1 + 1) + (1 + 1 + 1 + 1) + 2·2 + 2.
    INFO("V = 3, P = 2, C = 1, L = 1, F = 1; think about: the biases and the three norms");
    REQUIRE(parameters({3, 2, 1, 1, 1}) == 23);
    for (const char* name :
         {"gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl", "storyteller", "sketch"}) {
        INFO(name);
        const TransformerConfig config = preset_config(name);
        REQUIRE(parameters(sizes_of(config)) == parameter_count(config));
    }
    REQUIRE(parameters({50257, 1024, 768, 12, 3072}) == 124439808);
    INFO("F is not always 4 · C");
    REQUIRE(parameters({10, 10, 4, 2, 5}) == 80 + 2 * (60 + 20 + 20 + 5 + 20 + 4 + 16) + 8);
}

TEST_CASE("the cache keeps a key and a value of every layer", "[ex18_2]") {
    THINK("layers · 2 · channels numbers for each token");
    REQUIRE(cache_floats({50257, 1024, 768, 12, 3072}) == 18432);
    REQUIRE(cache_floats({4096, 512, 192, 6, 768}) == 2304);
}

TEST_CASE("multiplications: matrices always, attention the more the later", "[ex18_2]") {
    THINK(
        "4 C² + 2 C F a layer, V · C at the end; attention 2 C for each of the t + 1 keys of each "
        "layer");

    // C = 2, F = 3, one layer, V = 5: 4·4 + 2·6 + 5·2 = 38, and 2·(t + 1)·2 for attention.
    INFO("V, P, C, L, F, and the position");
    REQUIRE(multiplications({5, 9, 2, 1, 3}, 0) == 42);
    REQUIRE(multiplications({5, 9, 2, 1, 3}, 7) == 70);
    REQUIRE(multiplications({5, 9, 2, 3, 3}, 0) == 3 * 32 + 10);
    INFO("GPT-2 XL at position 1023: the product does not fit into 32 bits");
    REQUIRE(multiplications({50257, 1024, 1600, 48, 6400}, 1023) == 1712257600);
    REQUIRE(multiplications({50257, 1024, 1600, 480, 6400}, 1023) == 16398875200);
}

TEST_CASE("GPT-3 does not fit into 32 bits", "[ex18_2]") {
    INFO("V = 50257, P = 2048, C = 12288, L = 96, F = 49152");
    const Sizes large{50257, 2048, 12288, 96, 49152};
    REQUIRE(parameters(large) == 174604259328);
    REQUIRE(cache_floats(large) == 2359296);
    REQUIRE(multiplications(large, 2047) == 179395571712);
}
