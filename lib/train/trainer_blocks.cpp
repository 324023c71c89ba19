#include "lib/train/trainer_blocks.hpp"

#include <string>

#include "lib/core/error.hpp"

namespace tbt::train {
namespace {

// A family's names for the weights of a block. In Llama's layout, matrices with the same input are
// next to each other, so together they are one matrix (outputs, inputs).
struct BlockNames {
    std::string prefix, norm_1, norm_2;
    std::vector<std::string> qkv;
    std::string attention_projection;
    std::vector<std::string> up;
    std::string down;
    MatrixOrder order;
};

BlockNames block_names(const TransformerConfig& config, std::int64_t layer) {
    const std::string number = std::to_string(layer) + ".";
    if (config.architecture.is_gpt2())
        return {"h." + number, "ln_1",       "ln_2",       {"attn.c_attn"},
                "attn.c_proj", {"mlp.c_fc"}, "mlp.c_proj", MatrixOrder::inputs_outputs};
    return {"model.layers." + number,
            "input_layernorm",
            "post_attention_layernorm",
            {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"},
            "self_attn.o_proj",
            {"mlp.gate_proj", "mlp.up_proj"},
            "mlp.down_proj",
            MatrixOrder::outputs_inputs};
}

}  // namespace

ModelWeights find_weights(const TransformerConfig& config, const ParameterLayout& layout) {
    const bool gpt2 = config.architecture.is_gpt2();
    const auto at = [&](const std::string& name) { return layout[name].offset; };
    const auto norm = [&](const std::string& name) {
        return NormOffsets{at(name + ".weight"), gpt2 ? at(name + ".bias") : Linear::no_bias};
    };
    ModelWeights weights;
    for (std::int64_t l = 0; l < config.n_layer; ++l) {
        const BlockNames names = block_names(config, l);
        const bool rows_are_outputs = names.order == MatrixOrder::outputs_inputs;
        const auto linear = [&](const std::vector<std::string>& parts) {
            const ParameterInfo& first = layout[names.prefix + parts[0] + ".weight"];
            const std::int64_t inputs = first.shape[rows_are_outputs ? 1 : 0];
            std::int64_t size = 0;
            for (const std::string& part : parts) {
                const ParameterInfo& weight = layout[names.prefix + part + ".weight"];
                if (weight.offset != first.offset + size)
                    throw Error("train: " + weight.name + " does not follow " + first.name);
                size += weight.size;
            }
            const std::int64_t bias =
                gpt2 ? at(names.prefix + parts[0] + ".bias") : Linear::no_bias;
            return Linear(first.offset, bias, inputs, size / inputs, names.order);
        };
        weights.blocks.push_back({norm(names.prefix + names.norm_1),
                                  norm(names.prefix + names.norm_2), linear(names.qkv),
                                  linear({names.attention_projection}), linear(names.up),
                                  linear({names.down})});
    }
    weights.embedding = at(gpt2 ? "wte.weight" : "model.embed_tokens.weight");
    weights.positions = gpt2 ? at("wpe.weight") : -1;
    weights.head = config.tie_word_embeddings ? weights.embedding : at("lm_head.weight");
    weights.last_norm = norm(gpt2 ? "ln_f" : "model.norm");
    return weights;
}

}  // namespace tbt::train
