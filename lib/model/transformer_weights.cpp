#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

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
    static Rows of(const Range& range, std::int64_t unit = 1, std::int64_t from = 0) {
        return {from + range.begin * unit, (range.end - range.begin) * unit};
    }
};

// A weight, and which of its outputs in which order; none: all.
struct Piece {
    std::string name;
    std::vector<Rows> rows = {};
};

// These rows of w, or all.
std::vector<StoredView> rows_of(const StoredView& w, std::span<const Rows> rows) {
    if (rows.empty()) return {w};
    std::vector<StoredView> parts;
    for (const Rows& some : rows) {
        StoredView& part = parts.emplace_back(w);
        part.data = static_cast<const char*>(w.data) + some.first * w.row_stride * bytes_of(w.type);
        part.rows = some.count, part.row_stride = some.step * w.row_stride;
    }
    return parts;
}

BlockRows rows_of(const BlockRows& w, std::span<const Rows> rows) {
    if (rows.empty()) return w;
    BlockRows part = w;
    part.rows.clear();
    for (const Rows& some : rows)
        for (std::int64_t i = 0; i < some.count; ++i)
            part.rows.push_back(w.rows[index(some.first + i * some.step)]);
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

    // Vectors, concatenated.
    Tensor joined(const std::vector<Piece>& pieces) const {
        if (pieces.size() == 1 && pieces[0].rows.empty()) return tensor(pieces[0].name);
        std::vector<float> all;
        for (const Piece& piece : pieces) {
            const Tensor part = tensor(piece.name);
            if (piece.rows.empty()) all.insert(all.end(), part.data(), part.data() + part.size());
            for (const Rows& rows : piece.rows)
                for (std::int64_t i = 0; i < rows.count; ++i)
                    all.push_back(part.data()[rows.first + i * rows.step]);
        }
        return Tensor({length_of(all)}, all);
    }

    std::optional<BlockRows> blocks(const std::string& name) const {
        return store_.blocks(name, shapes_.at(name));
    }

    std::optional<WeightStore::Stored> stored(const std::string& name) const {
        return store_.stored(name, shapes_.at(name));
    }

    // The matrix, if it is stored in this type of 8 or 4 bits.
    std::optional<PackedMatrix> as_stored(const std::string& name, WeightType type) const {
        return store_.packed(name, shapes_.at(name), type, threads_);
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
        if (!result.finite()) {
            read_all();
            throw Error("transformer: " + names[0] + " has a number that is infinite in " +
                        std::string(names_of(type).option) + "; choose --weights f32");
        }
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

    // Packs a matrix of shape (inputs, outputs).
    PackedMatrix packed(const Piece& piece, WeightType type) const {
        const std::string& name = piece.name;
        if (type == WeightType::blocks) {
            if (const auto rows = blocks(name))
                return pack(rows_of(*rows, piece.rows), std::span(&name, 1));
            type = own_type(name, type);
        }
        if (auto codes = as_stored(name, type)) {
            if (piece.rows.empty()) return std::move(*codes);
            throw Error("transformer: " + name + " is stored in " +
                        std::string(names_of(type).option) +
                        ", of which a process cannot keep a part; choose --weights f32, or a model "
                        "that is stored in floats");
        }
        PackedMatrix result;
        matrix(name, [&](const StoredView& w) {
            std::vector<StoredView> parts;
            for (const StoredView& part : rows_of(w.transposed(), piece.rows))
                parts.push_back(part.transposed());
            result = pack(parts, type, std::span(&name, 1));
        });
        return result;
    }

    // Packs matrices of shape (outputs, inputs) as one whose outputs are theirs, concatenated.
    PackedMatrix linear(const std::vector<Piece>& pieces, WeightType type) const {
        if (type == WeightType::blocks) {
            if (auto result = linear_blocks(pieces)) return std::move(*result);
            type = own_type(pieces[0].name, WeightType::blocks);
            for (const Piece& piece : pieces)  // stored in different types: in floats
                if (own_type(piece.name, WeightType::blocks) != type) type = WeightType::f32;
        }
        // If all of them are stored in the same type, they are packed directly from the file.
        std::vector<StoredView> views;
        std::vector<std::shared_ptr<const void>> owners;  // of the views
        std::vector<Tensor> floats;
        for (const Piece& piece : pieces)
            if (const auto in_file = stored(piece.name))
                views.push_back(in_file->view), owners.push_back(in_file->owner);
        const bool as_stored = views.size() == pieces.size() &&
                               std::all_of(views.begin(), views.end(), [&](const StoredView& view) {
                                   return view.type == views[0].type;
                               });
        if (!as_stored) {
            views.clear();
            for (const Piece& piece : pieces) {
                const Tensor& w = floats.emplace_back(tensor(piece.name));
                views.push_back(StoredView(w.data(), WeightType::f32, w.dim(0), w.dim(1)));
            }
        }
        std::vector<StoredView> parts;
        std::vector<std::string> names;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            names.push_back(pieces[i].name);
            for (const StoredView& part : rows_of(views[i], pieces[i].rows))
                parts.push_back(part.transposed());
        }
        PackedMatrix result = pack(parts, type, names);
        if (as_stored)
            for (const std::string& name : names) store_.forget(name);
        return result;
    }

private:
    // As linear(), if the matrices, or some of them, are stored in blocks.
    std::optional<PackedMatrix> linear_blocks(const std::vector<Piece>& pieces) const {
        BlockRows all;
        std::vector<std::string> names;
        bool some = false, same = true;
        for (const Piece& piece : pieces) {
            names.push_back(piece.name);
            const auto stored_rows = blocks(piece.name);
            some = some || stored_rows, same = same && stored_rows;
            if (!stored_rows) continue;
            const BlockRows rows = rows_of(*stored_rows, piece.rows);
            if (!all.type) all.type = rows.type, all.k = rows.k;
            same = same && rows.type == all.type;
            all.rows.insert(all.rows.end(), rows.rows.begin(), rows.rows.end());
            all.owners.insert(all.owners.end(), rows.owners.begin(), rows.owners.end());
        }
        if (!some) return std::nullopt;
        if (same) return pack(all, names);
        std::vector<PackedMatrix> parts;
        for (const Piece& piece : pieces) parts.push_back(linear({piece}, WeightType::blocks));
        return PackedMatrix(std::make_shared<const JoinedMatrix>(std::move(parts)));
    }

    const WeightStore& store_;
    int threads_;
    std::map<std::string, Shape> shapes_;
};

// The outputs of the joined matrices that this process keeps; none: all.
struct OwnRows {
    std::vector<Rows> query, key, value, joined, channels, inner, gate_and_up;

    OwnRows(const TransformerConfig& config, const ModelPart& part, bool alone) {
        const std::int64_t d = config.head_size(), q = config.query_size(), k = config.kv_size();
        // Where q, k and v are stored head by head: first the rows of all q, then k, then v.
        if (config.architecture.heads_in_turn)
            for (int of = 0; of < 3; ++of)
                for (auto head = part.kv_heads.begin; head < part.kv_heads.end; ++head)
                    joined.push_back({(3 * head + of) * d, d});
        if (alone) return;
        if (joined.empty())
            joined = {Rows::of(part.heads, d), Rows::of(part.kv_heads, d, q),
                      Rows::of(part.kv_heads, d, q + k)};
        query = {Rows::of(part.heads, d)};
        key = value = {Rows::of(part.kv_heads, d)};
        channels = {Rows::of(part.channels)};
        inner = {Rows::of(part.inner)};
        gate_and_up = {Rows::of(part.inner), Rows::of(part.inner, 1, config.n_inner)};
    }
};

TransformerBlock gpt2_block(const WeightReader& weights, const std::string& h, WeightType type,
                            const OwnRows& own) {
    TransformerBlock b;
    b.norm1_gamma = weights.tensor(h + "ln_1.weight");
    b.norm1_beta = weights.tensor(h + "ln_1.bias");
    b.qkv = weights.packed({h + "attn.c_attn.weight", own.joined}, type);
    b.qkv_bias = weights.joined({{h + "attn.c_attn.bias", own.joined}});
    b.proj = weights.packed({h + "attn.c_proj.weight", own.channels}, type);
    b.proj_bias = weights.joined({{h + "attn.c_proj.bias", own.channels}});
    b.norm2_gamma = weights.tensor(h + "ln_2.weight");
    b.norm2_beta = weights.tensor(h + "ln_2.bias");
    b.up = weights.packed({h + "mlp.c_fc.weight", own.inner}, type);
    b.up_bias = weights.joined({{h + "mlp.c_fc.bias", own.inner}});
    b.down = weights.packed({h + "mlp.c_proj.weight", own.channels}, type);
    b.down_bias = weights.joined({{h + "mlp.c_proj.bias", own.channels}});
    return b;
}

// Names without prefix and ending, and their rows.
using Parts = std::vector<std::pair<std::string_view, std::vector<Rows>>>;

// Loads the layers of all models but GPT-2, with the names in weight_shapes().
struct TodaysBlocks {
    const WeightReader& weights;
    const Architecture& architecture;
    WeightType type;
    const ModelPart& part;
    const OwnRows& own;
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
                const Parts& parts) const {
        std::vector<Piece> matrices, biases;
        for (const auto& [name, rows] : parts) {
            matrices.push_back({prefix + std::string(name) + ".weight", rows});
            biases.push_back({prefix + std::string(name) + ".bias", rows});
        }
        matrix = weights.linear(matrices, type);
        if (has_bias) bias = weights.joined(biases);
    }

    // The router is kept as floats: rounding it could choose other experts.
    void load_experts(TransformerBlock& b, const std::string& h) const {
        const std::string router = h + std::string(names.router);
        b.router = weights.linear({{router + ".weight"}}, WeightType::f32);
        const bool biases = architecture.expert_biases;
        if (biases) b.router_bias = weights.tensor(router + ".bias");
        // One matrix has the rows of gate and up in turn.
        const std::int64_t f = architecture.expert_inner;
        const std::vector<Rows> in_turn = {{0, f, 2}, {1, f, 2}};
        const bool fused = !names.expert_gate_up.empty();
        for (int e = 0; e < architecture.experts; ++e) {
            const std::string prefix = h + std::string(names.experts) + std::to_string(e) + ".";
            TransformerBlock::Expert& expert = b.experts.emplace_back();
            if (e < part.experts.begin || e >= part.experts.end) continue;
            linear(expert.up, expert.up_bias, biases, prefix,
                   fused ? Parts{{names.expert_gate_up, in_turn}}
                         : Parts{{names.expert_gate, {}}, {names.expert_up, {}}});
            linear(expert.down, expert.down_bias, biases, prefix, {{names.expert_down, {}}});
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
        linear(
            b.qkv, b.qkv_bias, a.qkv_bias, h,
            a.fused_weights
                ? Parts{{names.query_key_value, own.joined}}
                : Parts{{names.query, own.query}, {names.key, own.key}, {names.value, own.value}});
        if (a.query_key_norm != QueryKeyNorm::none) {
            b.query_norm = gamma(h, "self_attn.q_norm");
            b.key_norm = gamma(h, "self_attn.k_norm");
        }
        if (a.sinks) b.sinks = weights.joined({{h + "self_attn.sinks", {Rows::of(part.heads)}}});
        linear(b.proj, b.proj_bias, a.attention_output_bias, h, {{names.output, own.channels}});
        if (has_experts) {
            load_experts(b, h);
            return b;
        }
        linear(b.up, b.up_bias, a.mlp_bias, h,
               !a.gated          ? Parts{{names.up, own.inner}}
               : a.fused_weights ? Parts{{names.gate_up, own.gate_and_up}}
                                 : Parts{{names.gate, own.inner}, {names.up, own.inner}});
        linear(b.down, b.down_bias, a.mlp_bias, h, {{names.down, own.channels}});
        return b;
    }
};

// The embedding (V, C), and the output matrix (C, outputs), which may be the same.
void load_embeddings(TransformerNetwork& n, const WeightReader& weights, const std::string& name,
                     WeightType type) {
    const bool tied = n.config.tie_word_embeddings, in_4_bits = type == WeightType::int4;
    // 4 bits would be too coarse for the output matrix, so it is kept in 8 bits.
    const WeightType output_type = in_4_bits ? WeightType::int8 : type;
    if (tied && n.parts.size() == 1 && n.outputs == n.config.vocab_size)
        if (auto output = weights.as_stored(name, output_type)) {
            n.output = std::move(*output);
            return;
        }
    const auto packed = [&](StoredView embedding, WeightType kept, const std::string& weight) {
        const StoredView columns = embedding.transposed();
        return weights.pack(std::span(&columns, 1), kept, std::span(&weight, 1));
    };
    const auto output_of = [&](StoredView embedding, const std::string& weight) {
        embedding = rows_of(embedding, std::array{Rows::of(n.part.outputs)})[0];
        n.output =
            packed(embedding, type == WeightType::blocks ? embedding.type : output_type, weight);
    };
    const std::string head = std::string(weight_names(n.config.architecture).head) + ".weight";
    const auto load_output = [&](const std::string& weight) {
        auto rows = type == WeightType::blocks ? weights.blocks(weight) : std::nullopt;
        if (!rows)
            return weights.matrix(weight, [&](const StoredView& w) { output_of(w, weight); });
        n.output = weights.pack(rows_of(*rows, std::array{Rows::of(n.part.outputs)}),
                                std::span(&weight, 1));
    };
    if (!tied) load_output(head);
    // Rows of blocks are read from the file.
    if ((n.embedding_blocks = weights.blocks(name))) {
        if (tied) load_output(name);
        return;
    }
    weights.matrix(name, [&](const StoredView& w) {
        if (tied) output_of(w, name);
        // The output matrix serves as the embedding, too, if it has all rows in the stored bits or
        // if the embedding is to have its 8 bits.
        const bool alone = !n.options.processes,
                   same = tied && alone && n.outputs == w.rows &&
                          (in_4_bits || n.output.type() == WeightType::f32 ||
                           n.output.type() == w.type);
        if (same) return;
        n.rounds_embedding = tied && in_4_bits;
        // Rows read from the file are not checked for numbers that are not finite. For a tied
        // embedding, packing the output matrix has checked them already; of several processes, no
        // one keeps them all.
        const auto stored = tied || !alone ? weights.stored(name) : std::nullopt;
        if (stored) n.embedding_file = stored->owner, n.embedding_rows = stored->view;
        else n.token_embedding = packed(w, w.type, name);
    });
}

void load_positions(TransformerNetwork& n, const WeightReader& weights, const std::string& name) {
    if (n.options.processes) n.position_rows = weights.stored(name);
    if (!n.position_rows) n.position_embedding = weights.tensor(name);
}

}  // namespace

void load_weights(TransformerNetwork& n, const WeightStore& store) {
    const WeightReader weights(n.config, store, n.options.threads);
    const WeightType type = n.options.weights.value_or(WeightType::f32);
    const OwnRows own(n.config, n.part, n.parts.size() == 1);
    if (n.config.architecture.is_gpt2()) {
        load_embeddings(n, weights, "wte.weight", type);
        load_positions(n, weights, "wpe.weight");
        for (int layer = 0; layer < n.config.n_layer; ++layer)
            n.blocks.push_back(gpt2_block(weights, "h." + std::to_string(layer) + ".", type, own));
        n.norm_gamma = weights.tensor("ln_f.weight");
        n.norm_beta = weights.tensor("ln_f.bias");
        return;
    }
    const TodaysBlocks blocks{weights, n.config.architecture, type, n.part, own};
    const WeightNames& names = blocks.names;
    load_embeddings(n, weights, std::string(names.embedding) + ".weight", type);
    if (n.config.architecture.learned_positions)
        load_positions(n, weights, std::string(names.positions) + ".weight");
    for (int layer = 0; layer < n.config.n_layer; ++layer)
        n.blocks.push_back(blocks.block(std::string(names.layers) + std::to_string(layer) + ".",
                                        n.config.layer(layer).experts));
    n.norm_gamma = blocks.gamma("", names.norm);
    n.norm_beta = blocks.beta("", names.norm);
}

}  // namespace tbt
