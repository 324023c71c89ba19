#include "chapters/18_transformer/load_plain.hpp"

#include "lib/core/index.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

PlainGpt load_plain_gpt(const std::string& directory) {
    const TransformerConfig config = read_model_config(directory);
    require_gpt2(config, directory + ": the plain model of this chapter");
    const Safetensors file = Safetensors::open_directory(directory);
    if (!config.tie_word_embeddings)
        throw Error(directory +
                    ": lm_head.weight is not the embedding; this chapter's plain model "
                    "reads the embedding again as output");
    PlainGpt gpt;
    const auto size = [](int n) { return index(n); };
    gpt.layers = size(config.n_layer), gpt.heads = size(config.n_head);
    gpt.channels = size(config.n_embd), gpt.inner = size(config.n_inner);
    gpt.vocab_size = size(config.vocab_size), gpt.positions = size(config.n_positions);
    gpt.epsilon = config.layer_norm_epsilon;
    for (const WeightShape& weight : weight_shapes(config)) {
        const Tensor tensor = file.read_weight(weight.name, weight.shape);
        gpt.weights[weight.name].assign(tensor.values().begin(), tensor.values().end());
    }
    return gpt;
}

}  // namespace tbt
