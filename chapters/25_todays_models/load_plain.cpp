#include "chapters/25_todays_models/load_plain.hpp"

#include "lib/core/index.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

PlainLlama plain_llama(const TransformerConfig& config, const WeightSource& source) {
    check_config(config, "plain llama");
    const Architecture& a = config.architecture;
    const LayerKind first = config.layer(0);
    bool plain = (a.model_type == "llama" || a.model_type == "mistral") && first.rotary == 0 &&
                 a.rotaries[0].scaling == RotaryScaling::none && !a.qkv_bias &&
                 !a.attention_output_bias && !a.mlp_bias && a.rotary_size == config.head_size();
    for (const LayerKind& kind : a.layers) plain = plain && kind == first;
    if (!plain)
        throw Error(
            "plain llama: expected a llama or mistral without biases and without scaled "
            "rotary positions, got a " +
            a.model_type + " with other parts");
    PlainLlama llama;
    llama.layers = index(config.n_layer), llama.heads = index(config.n_head);
    llama.kv_heads = index(config.kv_heads()), llama.channels = index(config.n_embd);
    llama.head_size = index(config.head_size()), llama.inner = index(config.n_inner);
    llama.vocab_size = index(config.vocab_size), llama.positions = index(config.n_positions);
    llama.window = index(first.window);
    llama.epsilon = config.layer_norm_epsilon;
    llama.theta = a.rotaries[0].theta;
    llama.tied = config.tie_word_embeddings;
    for (const WeightShape& weight : weight_shapes(config)) {
        const Tensor tensor = source(weight.name, weight.shape);
        llama.weights[weight.name].assign(tensor.values().begin(), tensor.values().end());
    }
    return llama;
}

}  // namespace tbt
