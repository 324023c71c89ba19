#include "lib/model/transformer_weights.hpp"

#include <string>

#include "lib/model/transformer_network.hpp"
#include "lib/model/weight_reader.hpp"

namespace tbt {

namespace {

TransformerBlock gpt2_block(const WeightReader& weights, const std::string& h, WeightType type) {
    TransformerBlock b;
    b.norm1_gamma = weights.tensor(h + "ln_1.weight");
    b.norm1_beta = weights.tensor(h + "ln_1.bias");
    b.qkv = weights.packed(h + "attn.c_attn.weight", type);
    b.qkv_bias = weights.tensor(h + "attn.c_attn.bias");
    b.proj = weights.packed(h + "attn.c_proj.weight", type);
    b.proj_bias = weights.tensor(h + "attn.c_proj.bias");
    b.norm2_gamma = weights.tensor(h + "ln_2.weight");
    b.norm2_beta = weights.tensor(h + "ln_2.bias");
    b.up = weights.packed(h + "mlp.c_fc.weight", type);
    b.up_bias = weights.tensor(h + "mlp.c_fc.bias");
    b.down = weights.packed(h + "mlp.c_proj.weight", type);
    b.down_bias = weights.tensor(h + "mlp.c_proj.bias");
    return b;
}

// Loads the layers of Llama and similar models, with the names in weight_shapes.cpp.
struct LlamaBlocks {
    const WeightReader& weights;
    const Architecture& architecture;
    WeightType type;

    Tensor gamma(const std::string& name) const {
        Tensor w = weights.tensor(name + ".weight");
        if (architecture.norm_adds_one)
            for (float& value : w.values()) value = 1.0f + value;
        return w;
    }

    // Joins several matrices of the file into one, and their biases, too.
    void linear(PackedMatrix& matrix, Tensor& bias, bool has_bias, const std::string& prefix,
                std::vector<std::string> names) const {
        std::vector<std::string> biases;
        for (std::string& name : names) {
            biases.push_back(prefix + name + ".bias");
            name = prefix + name + ".weight";
        }
        matrix = weights.linear(names, type);
        if (has_bias) bias = weights.joined(biases);
    }

    TransformerBlock block(const std::string& h) const {
        const Architecture& a = architecture;
        using Names = std::vector<std::string>;
        TransformerBlock b;
        // In Llama, post_attention_layernorm is the norm before the MLP.
        if (a.norm_place != NormPlace::output) b.norm1_gamma = gamma(h + "input_layernorm");
        if (a.norm_place == NormPlace::input) b.norm2_gamma = gamma(h + "post_attention_layernorm");
        else {
            b.attention_out_gamma = gamma(h + "post_attention_layernorm");
            b.mlp_out_gamma = gamma(h + "post_feedforward_layernorm");
        }
        if (a.norm_place == NormPlace::both) b.norm2_gamma = gamma(h + "pre_feedforward_layernorm");
        linear(b.qkv, b.qkv_bias, a.qkv_bias, h + "self_attn.",
               a.fused_weights ? Names{"qkv_proj"} : Names{"q_proj", "k_proj", "v_proj"});
        if (a.query_key_norm != QueryKeyNorm::none) {
            b.query_norm = gamma(h + "self_attn.q_norm");
            b.key_norm = gamma(h + "self_attn.k_norm");
        }
        linear(b.proj, b.proj_bias, a.attention_output_bias, h + "self_attn.", {"o_proj"});
        linear(b.up, b.up_bias, a.mlp_bias, h + "mlp.",
               a.fused_weights ? Names{"gate_up_proj"} : Names{"gate_proj", "up_proj"});
        linear(b.down, b.down_bias, a.mlp_bias, h + "mlp.", {"down_proj"});
        return b;
    }
};

// The embedding (V, C), and the output matrix (C, outputs), which may be the same.
void load_embeddings(TransformerNetwork& n, const WeightReader& weights, const std::string& name,
                     WeightType type) {
    const auto packed = [&](StoredView embedding, WeightType kept, const std::string& weight) {
        const StoredView columns = embedding.transposed();
        return weights.pack(std::span(&columns, 1), kept, std::span(&weight, 1));
    };
    const auto output_of = [&](StoredView embedding, const std::string& weight) {
        embedding.rows = n.outputs;
        // 4 bits would be too coarse for the output matrix, so it is kept in 8 bits.
        n.output = packed(embedding, type == WeightType::int4 ? WeightType::int8 : type, weight);
    };
    const bool tied = n.config.tie_word_embeddings;
    const std::string head = "lm_head.weight";
    weights.matrix(name, [&](const StoredView& w) {
        if (tied) output_of(w, name);
        // The output matrix serves as the embedding, too, if it has all rows in the stored bits.
        const bool same = tied && n.outputs == w.rows &&
                          (n.output.type() == WeightType::f32 || n.output.type() == w.type);
        if (same) return;
        // Rows read from the file are not checked for numbers that are not finite. For a tied
        // embedding, packing the output matrix has checked them already.
        const auto stored = tied ? weights.rows(name) : std::nullopt;
        if (stored) n.embedding_file = stored->file, n.embedding_rows = stored->rows;
        else n.token_embedding = packed(w, w.type, name);
    });
    if (!tied) weights.matrix(head, [&](const StoredView& w) { output_of(w, head); });
}

}  // namespace

void load_weights(TransformerNetwork& n, const WeightReader& weights) {
    const WeightType type = n.options.weights.value_or(WeightType::f32);
    if (n.config.architecture.is_gpt2()) {
        load_embeddings(n, weights, "wte.weight", type);
        n.position_embedding = weights.tensor("wpe.weight");
        for (int layer = 0; layer < n.config.n_layer; ++layer)
            n.blocks.push_back(gpt2_block(weights, "h." + std::to_string(layer) + ".", type));
        n.norm_gamma = weights.tensor("ln_f.weight");
        n.norm_beta = weights.tensor("ln_f.bias");
        return;
    }
    load_embeddings(n, weights, "model.embed_tokens.weight", type);
    const LlamaBlocks blocks{weights, n.config.architecture, type};
    for (int layer = 0; layer < n.config.n_layer; ++layer)
        n.blocks.push_back(blocks.block("model.layers." + std::to_string(layer) + "."));
    n.norm_gamma = blocks.gamma("model.norm");
}

}  // namespace tbt
