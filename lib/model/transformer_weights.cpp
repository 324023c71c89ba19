#include <algorithm>
#include <map>
#include <string>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/model/transformer_network.hpp"
#include "lib/model/weight_names.hpp"
#include "lib/quantized/integer_matrix.hpp"

namespace tbt {

namespace {

// Some rows of a matrix, or numbers of a vector: first, first + step, …
struct Rows {
    std::int64_t first = 0, count = 0, step = 1;
};

// These rows of w.
StoredView rows_of(const StoredView& w, const Rows& rows) {
    StoredView part = w;
    part.data = static_cast<const char*>(w.data) + rows.first * w.row_stride * bytes_of(w.type);
    part.rows = rows.count, part.row_stride = rows.step * w.row_stride;
    return part;
}

// Reads single weights by name, in the shapes that the configuration requires, and packs matrices.
// All functions throw Error if a weight is missing or has another shape.
class WeightReader {
public:
    WeightReader(const TransformerConfig& config, const WeightStore& store, int threads)
        : store_(store), threads_(threads) {
        for (const WeightShape& w : weight_shapes(config)) shapes_[w.name] = w.shape;
    }

    Tensor tensor(const std::string& name) const {
        Tensor weight = store_.read(name, shapes_.at(name));
        check_shape("transformer", name.c_str(), weight.shape(), shapes_.at(name));
        return weight;
    }

    // Several vectors, concatenated; or one, in this order of its numbers.
    Tensor joined(const std::vector<std::string>& names, std::span<const Rows> order = {}) const {
        if (names.size() == 1 && order.empty()) return tensor(names[0]);
        if (!order.empty()) {
            const Tensor all = tensor(names.at(0));
            std::vector<float> ordered;
            for (const Rows& rows : order)
                for (std::int64_t i = 0; i < rows.count; ++i)
                    ordered.push_back(all.data()[rows.first + i * rows.step]);
            return Tensor({length_of(ordered)}, ordered);
        }
        std::vector<float> all;
        for (const std::string& name : names) {
            const Tensor part = tensor(name);
            all.insert(all.end(), part.data(), part.data() + part.size());
        }
        return Tensor({length_of(all)}, all);
    }

    std::optional<BlockRows> blocks(const std::string& name) const {
        return store_.blocks(name, shapes_.at(name));
    }

    std::optional<WeightStore::Stored> stored(const std::string& name) const {
        return store_.stored(name, shapes_.at(name));
    }

    // Calls use(view) with a view of a matrix as it is stored or, as floats, in memory. The view is
    // valid during the call.
    template <class Use>
    void matrix(const std::string& name, Use use) const {
        if (const auto in_file = stored(name)) {
            use(in_file->view);
            store_.forget(name);
        } else {
            const Tensor w = tensor(name);
            use(StoredView(w.data(), WeightType::f32, w.dim(0), w.dim(1)));
        }
    }

    // Packs the matrices `parts` side by side as one. `names` are their names, for messages. Throws
    // Error with the name if a weight is not finite.
    PackedMatrix pack(std::span<const StoredView> parts, WeightType type,
                      std::span<const std::string> names) const {
        // tensor() throws Error with the name of the weight and the number that is not finite.
        const auto read_all = [&] {
            for (const std::string& name : names) tensor(name);
        };
        PackedMatrix result;
        try {
            result = pack_weights(parts, type, threads_);
        } catch (const Error&) {
            read_all();
            throw;
        }
        if (!result.finite()) read_all();
        return result;
    }

    // Packs the outputs of matrices in blocks, whose names are these.
    PackedMatrix pack(const BlockRows& rows, std::span<const std::string> names) const {
        try {
            PackedMatrix result(std::make_shared<const BlockMatrix>(rows, threads_));
            for (const std::string& name : names) store_.forget(name);
            return result;
        } catch (const Error&) {
            for (const std::string& name : names) tensor(name);  // says which number is not finite
            throw;
        }
    }

    // The type in memory of a matrix that is not in blocks.
    WeightType own_type(const std::string& name, WeightType type) const {
        if (type != WeightType::blocks) return type;
        const auto in_file = stored(name);
        return in_file ? in_file->view.type : WeightType::f32;
    }

    PackedMatrix packed(const std::string& name, WeightType type) const {
        if (type == WeightType::blocks) {
            if (const auto rows = blocks(name)) return pack(*rows, std::span(&name, 1));
            type = own_type(name, type);
        }
        if (auto as_stored = store_.packed(name, shapes_.at(name), type, threads_))
            return std::move(*as_stored);
        PackedMatrix result;
        matrix(name, [&](const StoredView& w) {
            result = pack(std::span(&w, 1), type, std::span(&name, 1));
        });
        return result;
    }

    // Packs matrices of shape (outputs, inputs) as one whose outputs are theirs, concatenated; or
    // one matrix, in this order of its rows.
    PackedMatrix linear(const std::vector<std::string>& names, WeightType type,
                        std::span<const Rows> order = {}) const {
        if (type == WeightType::blocks) {
            if (auto result = linear_blocks(names, order)) return std::move(*result);
            type = own_type(names[0], type);
        }
        // If all of them are stored in the same type, they are packed directly from the file.
        std::vector<StoredView> parts;
        std::vector<Tensor> floats;
        for (const std::string& name : names)
            if (const auto in_file = stored(name)) parts.push_back(in_file->view);
        const bool as_stored = parts.size() == names.size() &&
                               std::all_of(parts.begin(), parts.end(), [&](const StoredView& part) {
                                   return part.type == parts[0].type;
                               });
        if (!as_stored) {
            parts.clear();
            for (const std::string& name : names) {
                const Tensor& w = floats.emplace_back(tensor(name));
                parts.push_back(StoredView(w.data(), WeightType::f32, w.dim(0), w.dim(1)));
            }
        }
        if (!order.empty()) {
            const StoredView all = parts.at(0);
            parts.clear();
            for (const Rows& rows : order) parts.push_back(rows_of(all, rows));
        }
        for (StoredView& part : parts) part = part.transposed();
        PackedMatrix result = pack(parts, type, names);
        if (as_stored)
            for (const std::string& name : names) store_.forget(name);
        return result;
    }

private:
    // As linear(), if the matrices, or some of them, are stored in blocks.
    std::optional<PackedMatrix> linear_blocks(const std::vector<std::string>& names,
                                              std::span<const Rows> order) const {
        BlockRows all;
        bool some = false, same = true;
        for (const std::string& name : names) {
            const auto rows = blocks(name);
            some = some || rows, same = same && rows;
            if (!rows) continue;
            if (!all.type) all.type = rows->type, all.k = rows->k;
            same = same && rows->type == all.type;
            all.rows.insert(all.rows.end(), rows->rows.begin(), rows->rows.end());
            all.owners.insert(all.owners.end(), rows->owners.begin(), rows->owners.end());
        }
        if (!some) return std::nullopt;
        if (!same) {
            std::vector<PackedMatrix> parts;
            for (const std::string& name : names)
                parts.push_back(linear({name}, WeightType::blocks));
            return PackedMatrix(std::make_shared<const JoinedMatrix>(std::move(parts)));
        }
        std::vector<const std::byte*> ordered;
        for (const Rows& rows : order)
            for (std::int64_t i = 0; i < rows.count; ++i)
                ordered.push_back(all.rows[index(rows.first + i * rows.step)]);
        if (!order.empty()) all.rows = std::move(ordered);
        return pack(all, names);
    }

    const WeightStore& store_;
    int threads_;
    std::map<std::string, Shape> shapes_;
};

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

using Parts = std::vector<std::string_view>;

// Loads the layers of all models but GPT-2, with the names in weight_shapes().
struct TodaysBlocks {
    const WeightReader& weights;
    const Architecture& architecture;
    WeightType type;
    const WeightNames& names = weight_names(architecture);

    Tensor gamma(const std::string& prefix, std::string_view name) const {
        Tensor w = weights.tensor(prefix + std::string(name) + ".weight");
        if (architecture.norm_adds_one)
            for (float& value : w.values()) value = 1.0f + value;
        return w;
    }

    Tensor beta(const std::string& prefix, std::string_view name) const {
        if (architecture.norm == Norm::rms) return {};
        return weights.tensor(prefix + std::string(name) + ".bias");
    }

    // Joins several matrices of the file into one, and their biases, too.
    void linear(PackedMatrix& matrix, Tensor& bias, bool has_bias, const std::string& prefix,
                const Parts& parts, std::span<const Rows> order = {}) const {
        std::vector<std::string> matrices, biases;
        for (const std::string_view part : parts) {
            matrices.push_back(prefix + std::string(part) + ".weight");
            biases.push_back(prefix + std::string(part) + ".bias");
        }
        matrix = weights.linear(matrices, type, order);
        if (has_bias) bias = weights.joined(biases, order);
    }

    // Where q, k and v are stored head by head, the rows of all q, then of all k, then of all v.
    std::vector<Rows> qkv_order() const {
        std::vector<Rows> order;
        for (int part = 0; architecture.heads_in_turn && part < 3; ++part)
            for (int head = 0; head < architecture.kv_heads; ++head)
                order.push_back({std::int64_t{3 * head + part} * architecture.head_size,
                                 architecture.head_size});
        return order;
    }

    // The router is kept as floats: rounding it could choose other experts.
    void load_experts(TransformerBlock& b, const std::string& h) const {
        const std::string router = h + std::string(names.router);
        b.router = weights.linear({router + ".weight"}, WeightType::f32);
        const bool biases = architecture.expert_biases;
        if (biases) b.router_bias = weights.tensor(router + ".bias");
        // One matrix has the rows of gate and up in turn.
        const std::int64_t f = architecture.expert_inner;
        const Rows in_turn[] = {{0, f, 2}, {1, f, 2}};
        const bool fused = !names.expert_gate_up.empty();
        for (int e = 0; e < architecture.experts; ++e) {
            const std::string prefix = h + std::string(names.experts) + std::to_string(e) + ".";
            TransformerBlock::Expert& expert = b.experts.emplace_back();
            if (fused)
                linear(expert.up, expert.up_bias, biases, prefix, {names.expert_gate_up}, in_turn);
            else
                linear(expert.up, expert.up_bias, biases, prefix,
                       {names.expert_gate, names.expert_up});
            linear(expert.down, expert.down_bias, biases, prefix, {names.expert_down});
        }
    }

    TransformerBlock block(const std::string& h, bool has_experts) const {
        const Architecture& a = architecture;
        TransformerBlock b;
        if (a.norm_place != NormPlace::output)
            b.norm1_gamma = gamma(h, names.norm1), b.norm1_beta = beta(h, names.norm1);
        if (a.norm_place == NormPlace::input) {
            b.norm2_gamma = gamma(h, names.norm2), b.norm2_beta = beta(h, names.norm2);
        } else {
            b.attention_out_gamma = gamma(h, names.norm2);
            b.mlp_out_gamma = gamma(h, "post_feedforward_layernorm");
        }
        if (a.norm_place == NormPlace::both) b.norm2_gamma = gamma(h, "pre_feedforward_layernorm");
        linear(b.qkv, b.qkv_bias, a.qkv_bias, h,
               a.fused_weights ? Parts{names.query_key_value}
                               : Parts{names.query, names.key, names.value},
               qkv_order());
        if (a.query_key_norm != QueryKeyNorm::none) {
            b.query_norm = gamma(h, "self_attn.q_norm");
            b.key_norm = gamma(h, "self_attn.k_norm");
        }
        if (a.sinks) b.sinks = weights.tensor(h + "self_attn.sinks");
        linear(b.proj, b.proj_bias, a.attention_output_bias, h, {names.output});
        if (has_experts) {
            load_experts(b, h);
            return b;
        }
        linear(b.up, b.up_bias, a.mlp_bias, h,
               !a.gated          ? Parts{names.up}
               : a.fused_weights ? Parts{names.gate_up}
                                 : Parts{names.gate, names.up});
        linear(b.down, b.down_bias, a.mlp_bias, h, {names.down});
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
        const WeightType kept = type == WeightType::int4     ? WeightType::int8
                                : type == WeightType::blocks ? embedding.type
                                                             : type;
        n.output = packed(embedding, kept, weight);
    };
    const bool tied = n.config.tie_word_embeddings;
    const std::string head = std::string(weight_names(n.config.architecture).head) + ".weight";
    const auto load_output = [&](const std::string& weight) {
        auto rows = type == WeightType::blocks ? weights.blocks(weight) : std::nullopt;
        if (!rows)
            return weights.matrix(weight, [&](const StoredView& w) { output_of(w, weight); });
        rows->rows.resize(index(n.outputs));
        n.output = weights.pack(*rows, std::span(&weight, 1));
    };
    if (!tied) load_output(head);
    // Rows of blocks are read from the file.
    if ((n.embedding_blocks = weights.blocks(name))) {
        if (tied) load_output(name);
        return;
    }
    weights.matrix(name, [&](const StoredView& w) {
        if (tied) output_of(w, name);
        // The output matrix serves as the embedding, too, if it has all rows in the stored bits.
        const bool same = tied && n.outputs == w.rows &&
                          (n.output.type() == WeightType::f32 || n.output.type() == w.type);
        if (same) return;
        // Rows read from the file are not checked for numbers that are not finite. For a tied
        // embedding, packing the output matrix has checked them already.
        const auto stored = tied ? weights.stored(name) : std::nullopt;
        if (stored) n.embedding_file = stored->owner, n.embedding_rows = stored->view;
        else n.token_embedding = packed(w, w.type, name);
    });
}

}  // namespace

void load_weights(TransformerNetwork& n, const WeightStore& store) {
    const WeightReader weights(n.config, store, n.options.threads);
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
    const TodaysBlocks blocks{weights, n.config.architecture, type};
    const WeightNames& names = blocks.names;
    load_embeddings(n, weights, std::string(names.embedding) + ".weight", type);
    if (n.config.architecture.learned_positions)
        n.position_embedding = weights.tensor(std::string(names.positions) + ".weight");
    for (int layer = 0; layer < n.config.n_layer; ++layer)
        n.blocks.push_back(blocks.block(std::string(names.layers) + std::to_string(layer) + ".",
                                        n.config.layer(layer).experts));
    n.norm_gamma = blocks.gamma("", names.norm);
    n.norm_beta = blocks.beta("", names.norm);
}

}  // namespace tbt
