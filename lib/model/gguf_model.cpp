#include "lib/model/gguf_model.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/machine/memory.hpp"
#include "lib/model/memory_plan.hpp"
#include "lib/model/weight_reader.hpp"

namespace tbt {

bool is_model_file(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored);
}

namespace {

using Names = std::vector<std::pair<std::string_view, std::string_view>>;

const Names gpt2_names = {{"ln_1", "attn_norm"},          {"attn.c_attn", "attn_qkv"},
                          {"attn.c_proj", "attn_output"}, {"ln_2", "ffn_norm"},
                          {"mlp.c_fc", "ffn_up"},         {"mlp.c_proj", "ffn_down"}};
const Names llama_names = {{"input_layernorm", "attn_norm"},
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
                           {"pre_feedforward_layernorm", "ffn_norm"},
                           {"post_feedforward_layernorm", "post_ffw_norm"}};
const Names whole_names = {
    {"wte.weight", "token_embd.weight"},        {"wpe.weight", "position_embd.weight"},
    {"ln_f.weight", "output_norm.weight"},      {"ln_f.bias", "output_norm.bias"},
    {"lm_head.weight", "output.weight"},        {"model.embed_tokens.weight", "token_embd.weight"},
    {"model.norm.weight", "output_norm.weight"}};

const std::string_view* find(const Names& names, std::string_view ours) {
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
    const std::size_t layer = gpt2 ? 2 : std::string_view("model.layers.").size(),
                      part = name.find('.', layer) + 1, end = name.rfind('.');
    const std::string_view ours = std::string_view(name).substr(part, end - part);
    const auto* found = find(gpt2 ? gpt2_names : llama_names, ours);
    std::string_view theirs = found ? *found : std::string_view();
    // This name is the norm before the MLP in Llama, but the norm after attention in other models.
    if (ours == "post_attention_layernorm")
        theirs =
            config.architecture.norm_place == NormPlace::input ? "ffn_norm" : "post_attention_norm";
    if (theirs.empty()) throw Error("gguf: the weight " + name + " has no name in GGUF");
    return "blk." + name.substr(layer, part - layer) + std::string(theirs) + name.substr(end);
}

GgufLayout gguf_layout(const TransformerConfig& config, const WeightShape& weight) {
    const std::string& type = config.architecture.model_type;
    if (config.architecture.is_gpt2())
        return weight.shape.size() == 2 && weight.name.starts_with("h.") ? GgufLayout::transposed
                                                                         : GgufLayout::same;
    const bool pairs = type == "llama" || type == "mistral" || type == "smollm3";
    return pairs && ends_with(weight.name,
                              {"q_proj.weight", "q_proj.bias", "k_proj.weight", "k_proj.bias"})
               ? GgufLayout::pairs
               : GgufLayout::same;
}

std::int64_t pair_row(std::int64_t row, std::int64_t head_size) {
    const std::int64_t in_head = row % head_size, half = head_size / 2;
    return row - in_head + in_head % half * 2 + in_head / half;
}

std::string gguf_architecture(const std::string& model_type) {
    if (model_type == "mistral") return "llama";
    if (model_type == "gemma3_text") return "gemma3";
    return model_type;
}

WeightType gguf_weight_type(const GgufFile& file) {
    std::set<GgufType> types;
    for (const auto& [name, tensor] : file.tensors())
        if (tensor.shape.size() == 2 && name != "position_embd.weight") types.insert(tensor.type);
    if (types == std::set{GgufType::f16}) return WeightType::f16;
    return types == std::set{GgufType::bf16} ? WeightType::bf16 : WeightType::f32;
}

namespace {

Tensor read_weight(const GgufFile& file, const TransformerConfig& config,
                   const WeightShape& weight) {
    const std::string name = gguf_weight_name(config, weight.name);
    const GgufLayout layout = gguf_layout(config, weight);
    if (layout == GgufLayout::same) return file.read(name, weight.shape);
    const std::int64_t rows = weight.shape[0],
                       columns = weight.shape.size() == 2 ? weight.shape[1] : 1;
    Tensor result(weight.shape);
    if (layout == GgufLayout::pairs) {
        const Tensor stored = file.read(name, weight.shape);
        for (std::int64_t r = 0; r < rows; ++r)
            std::copy_n(stored.data() + pair_row(r, config.head_size()) * columns, columns,
                        result.data() + r * columns);
        return result;
    }
    const Tensor stored = file.read(name, {columns, rows});
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c)
            result.data()[r * columns + c] = stored.data()[c * rows + r];
    return result;
}

// Throws Error unless the file has all weights of this configuration and no others in its layers.
void check_weights(const GgufFile& file, const TransformerConfig& config) {
    std::set<std::string, std::less<>> known;
    for (const WeightShape& w : weight_shapes(config)) {
        const std::string name = gguf_weight_name(config, w.name);
        known.insert(name);
        const bool transposed = gguf_layout(config, w) == GgufLayout::transposed;
        file.expect(name, transposed ? Shape{w.shape[1], w.shape[0]} : w.shape);
    }
    for (const auto& [name, tensor] : file.tensors())
        if (name.starts_with("blk.") && !known.contains(name))
            file.fail("has a tensor \"" + name + "\", which a " + config.architecture.model_type +
                      " of these sizes doesn't; they don't belong together");
}

}  // namespace

GgufWeights::GgufWeights(const GgufFile& file, const TransformerConfig& config,
                         const TransformerOptions& chosen)
    : source([&file, &config](const std::string& name, const Shape& shape) {
          return read_weight(file, config, {name, shape});
      }),
      options(chosen) {
    if (!options.weights) options.weights = gguf_weight_type(file);
    check_weights(file, config);
    check_planned_memory(file.path(), config, options);
}

}  // namespace tbt
