#include "lib/files/gguf_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/files/stored_experts.hpp"
#include "lib/machine/threads.hpp"
#include "lib/model/model_config.hpp"
#include "lib/model/weight_names.hpp"

namespace tbt {

namespace {

using NamePairs = std::vector<std::pair<std::string_view, std::string_view>>;

const NamePairs gpt2_names = {{"ln_1", "attn_norm"},          {"attn.c_attn", "attn_qkv"},
                              {"attn.c_proj", "attn_output"}, {"ln_2", "ffn_norm"},
                              {"mlp.c_fc", "ffn_up"},         {"mlp.c_proj", "ffn_down"}};
const NamePairs llama_names = {{"input_layernorm", "attn_norm"},
                               {"self_attn.q_proj", "attn_q"},
                               {"self_attn.k_proj", "attn_k"},
                               {"self_attn.v_proj", "attn_v"},
                               {"self_attn.qkv_proj", "attn_qkv"},
                               {"self_attn.o_proj", "attn_output"},
                               {"self_attn.q_norm", "attn_q_norm"},
                               {"self_attn.k_norm", "attn_k_norm"},
                               {"mlp.gate_proj", "ffn_gate"},
                               {"mlp.up_proj", "ffn_up"},
                               {"mlp.gate_up_proj", "ffn_up"},
                               {"mlp.down_proj", "ffn_down"},
                               {"mlp.gate", "ffn_gate_inp"},
                               {"mlp.router", "ffn_gate_inp"},
                               {"block_sparse_moe.gate", "ffn_gate_inp"},
                               {"attention.query_key_value", "attn_qkv"},
                               {"attention.dense", "attn_output"},
                               {"mlp.dense_h_to_4h", "ffn_up"},
                               {"mlp.dense_4h_to_h", "ffn_down"},
                               {"pre_feedforward_layernorm", "ffn_norm"},
                               {"post_feedforward_layernorm", "post_ffw_norm"}};
const NamePairs whole_names = {{"wte.weight", "token_embd.weight"},
                               {"wpe.weight", "position_embd.weight"},
                               {"ln_f.weight", "output_norm.weight"},
                               {"ln_f.bias", "output_norm.bias"},
                               {"lm_head.weight", "output.weight"},
                               {"model.embed_tokens.weight", "token_embd.weight"},
                               {"model.norm.weight", "output_norm.weight"},
                               {"gpt_neox.embed_in.weight", "token_embd.weight"},
                               {"gpt_neox.final_layer_norm.weight", "output_norm.weight"},
                               {"gpt_neox.final_layer_norm.bias", "output_norm.bias"},
                               {"embed_out.weight", "output.weight"}};
// All experts' weights are in one tensor; gpt-oss's gate and up in two.
const NamePairs expert_names = {{"gate_proj", "ffn_gate_exps"},   {"w1", "ffn_gate_exps"},
                                {"up_proj", "ffn_up_exps"},       {"w3", "ffn_up_exps"},
                                {"down_proj", "ffn_down_exps"},   {"w2", "ffn_down_exps"},
                                {"gate_up_proj", "ffn_gate_exps"}};

const std::string_view* find(const NamePairs& names, std::string_view ours) {
    for (const auto& [from, to] : names)
        if (from == ours) return &to;
    return nullptr;
}

bool ends_with(const std::string& name, std::initializer_list<std::string_view> ends) {
    return std::any_of(ends.begin(), ends.end(),
                       [&](std::string_view end) { return name.ends_with(end); });
}

}  // namespace

std::string gguf_weight_name(const TransformerConfig& config, const std::string& name) {
    if (const auto* found = find(whole_names, name)) return std::string(*found);
    // h.3.attn.c_attn.weight, model.layers.3.self_attn.q_proj.weight
    const bool gpt2 = config.architecture.is_gpt2();
    const std::size_t layer = gpt2 ? 2 : weight_names(config.architecture).layers.size(),
                      part = name.find('.', layer) + 1, end = name.rfind('.');
    const std::string begin = "blk." + name.substr(layer, part - layer);
    if (name.ends_with(".self_attn.sinks")) return begin + "attn_sinks.weight";
    const std::string_view ours = std::string_view(name).substr(part, end - part);
    const bool of_expert = stored_expert(name).has_value();
    const auto* found = of_expert ? find(expert_names, ours.substr(ours.rfind('.') + 1))
                                  : find(gpt2 ? gpt2_names : llama_names, ours);
    std::string_view theirs = found ? *found : std::string_view();
    // This name is the norm before the MLP in Llama, but the norm after attention in other models.
    // In gpt-oss it is the former, with the latter's name.
    if (ours == "post_attention_layernorm")
        theirs = config.architecture.norm_place == NormPlace::input &&
                         config.architecture.model_type != "gpt_oss"
                     ? "ffn_norm"
                     : "post_attention_norm";
    if (theirs.empty()) throw Error("gguf: the weight " + name + " has no name in GGUF");
    return begin + std::string(theirs) + name.substr(end);
}

GgufLayout gguf_layout(const TransformerConfig& config, const WeightShape& weight) {
    const std::string& type = config.architecture.model_type;
    if (config.architecture.is_gpt2())
        return weight.shape.size() == 2 && weight.name.starts_with("h.") ? GgufLayout::transposed
                                                                         : GgufLayout::same;
    if (config.architecture.heads_in_turn &&
        weight.name.find("query_key_value") != std::string::npos)
        return GgufLayout::parts;
    const bool pairs = type == "llama" || type == "mistral" || type == "mixtral" ||
                       type == "smollm3" || type == "granite";
    return pairs && ends_with(weight.name,
                              {"q_proj.weight", "q_proj.bias", "k_proj.weight", "k_proj.bias"})
               ? GgufLayout::pairs
               : GgufLayout::same;
}

GgufPlace gguf_place(const TransformerConfig& config, const WeightShape& weight) {
    GgufPlace place{.tensors = {gguf_weight_name(config, weight.name)},
                    .layout = gguf_layout(config, weight),
                    .head_size = config.head_size(),
                    .heads = config.n_head};
    const Shape& shape = weight.shape;
    const bool transposed = place.layout == GgufLayout::transposed, matrix = shape.size() == 2;
    place.rows = shape[transposed ? 1 : 0];
    place.columns = matrix ? shape[transposed ? 0 : 1] : 1;
    const auto expert = stored_expert(weight.name);
    if (expert && expert->tensor.ends_with("gate_up_proj")) {
        std::string up = place.tensors[0];
        place.tensors.push_back(up.replace(up.find("gate"), 4, "up"));
    }
    place.shape = {place.rows / length_of(place.tensors)};
    if (expert) {
        place.first = expert->expert * place.shape[0];
        place.shape.insert(place.shape.begin(), config.architecture.experts);
    }
    if (matrix) place.shape.push_back(place.columns);
    return place;
}

std::pair<std::size_t, std::int64_t> GgufPlace::at(std::int64_t r) const {
    const std::int64_t in_turn = length_of(tensors), head = r / head_size;
    std::int64_t row = r / in_turn;
    if (layout == GgufLayout::pairs) row = pair_row(row, head_size);
    if (layout == GgufLayout::parts)
        row = (head % 3 * heads + head / 3) * head_size + r % head_size;
    return {index(r % in_turn), first + row};
}

std::int64_t pair_row(std::int64_t row, std::int64_t head_size) {
    const std::int64_t in_head = row % head_size, half = head_size / 2;
    return row - in_head + in_head % half * 2 + in_head / half;
}

WeightType gguf_weight_type(const GgufFile& file) {
    std::set<std::string_view> types;
    bool quantised = false;
    for (const auto& [name, tensor] : file.tensors()) {
        if (tensor.shape.size() < 2 || name == "position_embd.weight" ||
            name.ends_with("ffn_gate_inp.weight"))
            continue;
        types.insert(tensor.block->name);
        quantised = quantised || tensor.block->is_quantised();
    }
    if (types == std::set<std::string_view>{"BF16"}) return WeightType::bf16;
    if (quantised) return WeightType::blocks;
    return types == std::set<std::string_view>{"F16"} ? WeightType::f16 : WeightType::f32;
}

namespace {

class GgufWeights final : public WeightStore {
public:
    GgufWeights(const GgufFile& file, const TransformerConfig& config)
        : file_(file), config_(config) {}

    Tensor read(const std::string& name, const Shape& shape) const override {
        const BlockRows rows = rows_of(name, shape);
        const bool transposed = gguf_layout(config_, {name, shape}) == GgufLayout::transposed;
        Tensor result(shape);
        run_team(result.size() < 1 << 16 ? 1 : default_threads(), [&](const Worker& worker) {
            const auto [begin, end] = worker.share(length_of(rows.rows));
            std::vector<float> row(index(rows.k));
            for (std::int64_t r = begin; r < end; ++r) {
                rows.widen_row(r, transposed ? row.data() : result.data() + r * rows.k);
                for (std::int64_t c = 0; transposed && c < rows.k; ++c)
                    result.data()[c * length_of(rows.rows) + r] = row[index(c)];
            }
        });
        forget(name);
        for (std::int64_t i = 0; i < result.size(); ++i)
            if (!std::isfinite(result.data()[i]))
                file_.fail("tensor \"" + gguf_weight_name(config_, name) + "\": number " +
                           std::to_string(i) + " is not finite, expected finite weights");
        return result;
    }
    std::optional<BlockRows> blocks(const std::string& name, const Shape& shape) const override {
        if (shape.size() != 2) return std::nullopt;
        BlockRows rows = rows_of(name, shape);
        if (!rows.type->is_quantised()) return std::nullopt;
        return rows;
    }
    // A view without a copy, where the numbers are floats in the order of the hub.
    std::optional<Stored> stored(const std::string& name, const Shape& shape) const override {
        const BlockRows rows = rows_of(name, shape);
        const auto type = weight_type_named(rows.type->name);
        const std::byte* const first = rows.rows[0];
        if (!type || shape.size() != 2 ||
            reinterpret_cast<std::uintptr_t>(first) % index(bytes_of(*type)) != 0)
            return std::nullopt;
        for (std::int64_t r = 0; r < length_of(rows.rows); ++r)
            if (rows.rows[index(r)] != first + r * rows.k * bytes_of(*type)) return std::nullopt;
        const StoredView view(first, *type, length_of(rows.rows), rows.k);
        return Stored{
            gguf_layout(config_, {name, shape}) == GgufLayout::transposed ? view.transposed()
                                                                          : view,
            std::make_shared<const std::vector<std::shared_ptr<const void>>>(rows.owners)};
    }
    void forget(const std::string& name) const override {
        file_.forget(file_.tensors().find(gguf_weight_name(config_, name))->second);
    }

private:
    // The outputs of a matrix, or the numbers of a vector, in the order of the hub.
    BlockRows rows_of(const std::string& name, const Shape& shape) const {
        const GgufPlace place = gguf_place(config_, {name, shape});
        std::vector<const GgufFile::TensorEntry*> tensors;
        for (const std::string& tensor : place.tensors)
            tensors.push_back(&file_.expect(tensor, place.shape));
        BlockRows rows{tensors[0]->block, place.columns, {}, file_.owners()};
        for (const auto* tensor : tensors)
            if (tensor->block != rows.type || place.columns % rows.type->numbers != 0)
                file_.fail("tensor \"" + place.tensors[0] + "\" is of " + rows.type->name +
                           ", expected " + (place.columns > 1 ? "one type" : "floats"));
        const std::int64_t bytes = place.columns / rows.type->numbers * rows.type->bytes;
        for (std::int64_t r = 0; r < place.rows; ++r) {
            const auto [tensor, row] = place.at(r);
            rows.rows.push_back(tensors[tensor]->bytes.data() + row * bytes);
        }
        return rows;
    }

    const GgufFile& file_;
    TransformerConfig config_;
};

// Throws Error unless the file has all weights of this configuration and no others.
void check_weights(const GgufFile& file, const TransformerConfig& config) {
    if (file.tensors().contains("blk.0.ffn_gate.0.weight"))
        file.fail(
            "has a tensor for each expert, as files from before April 2024; expected a newer "
            "file of this model, with all experts of a layer in one tensor");
    std::set<std::string, std::less<>> known;
    for (const WeightShape& w : weight_shapes(config)) {
        const GgufPlace place = gguf_place(config, w);
        for (const std::string& tensor : place.tensors) {
            known.insert(tensor);
            file.expect(tensor, place.shape);
        }
    }
    for (const auto& [name, tensor] : file.tensors())
        if ((name.starts_with("blk.") || name == "output.bias") && !known.contains(name))
            file.fail("has a tensor \"" + name + "\", which a " + config.architecture.model_type +
                      " of these sizes doesn't; they don't belong together");
}

}  // namespace

std::unique_ptr<const WeightStore> gguf_weights(const GgufFile& file,
                                                const TransformerConfig& config) {
    check_weights(file, config);
    return std::make_unique<GgufWeights>(file, config);
}

}  // namespace tbt
