#include "chapters/18_transformer/load_plain.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/gpt.hpp"
#include "lib/core/index.hpp"
#include "lib/core/safetensors.hpp"

namespace tbt {

// The weights of a GPT-2 by their names on the hub, and their shapes.
static std::vector<std::pair<std::string, Shape>> weights_of(const GptConfig& config) {
    const std::int64_t C = config.n_embd, F = config.n_inner;
    std::vector<std::pair<std::string, Shape>> all = {{"wte.weight", {config.vocab_size, C}},
                                                      {"wpe.weight", {config.n_positions, C}},
                                                      {"ln_f.weight", {C}},
                                                      {"ln_f.bias", {C}}};
    for (int layer = 0; layer < config.n_layer; ++layer) {
        const std::string h = "h." + std::to_string(layer) + ".";
        for (const char* name : {"ln_1", "ln_2"}) {
            all.push_back({h + name + ".weight", {C}});
            all.push_back({h + name + ".bias", {C}});
        }
        const auto matrix = [&](const char* name, std::int64_t inputs, std::int64_t outputs) {
            all.push_back({h + name + ".weight", {inputs, outputs}});
            all.push_back({h + name + ".bias", {outputs}});
        };
        matrix("attn.c_attn", C, 3 * C), matrix("attn.c_proj", C, C);
        matrix("mlp.c_fc", C, F), matrix("mlp.c_proj", F, C);
    }
    return all;
}

PlainGpt load_plain_gpt(const std::string& directory) {
    const GptConfig config = read_gpt_config(directory);
    if (!config.tie_word_embeddings)
        throw Error(directory +
                    ": lm_head.weight is not the embedding; this chapter's plain model "
                    "reads the embedding again as output");
    const StoredWeights file = StoredWeights::open(directory);
    PlainGpt gpt;
    gpt.layers = index(config.n_layer), gpt.heads = index(config.n_head);
    gpt.channels = index(config.n_embd), gpt.inner = index(config.n_inner);
    gpt.vocab_size = index(config.vocab_size), gpt.positions = index(config.n_positions);
    gpt.epsilon = config.layer_norm_epsilon;
    for (const auto& [name, shape] : weights_of(config)) {
        const Tensor tensor = file.read(name, shape);
        gpt.weights[name].assign(tensor.values().begin(), tensor.values().end());
    }
    return gpt;
}

}  // namespace tbt
