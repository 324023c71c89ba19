#include "lib/files/gguf_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/json.hpp"
#include "lib/core/unicode.hpp"
#include "lib/files/config_file.hpp"
#include "lib/model/model_config.hpp"
#include "lib/model/rotary.hpp"

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
                               {"pre_feedforward_layernorm", "ffn_norm"},
                               {"post_feedforward_layernorm", "post_ffw_norm"}};
const NamePairs whole_names = {
    {"wte.weight", "token_embd.weight"},        {"wpe.weight", "position_embd.weight"},
    {"ln_f.weight", "output_norm.weight"},      {"ln_f.bias", "output_norm.bias"},
    {"lm_head.weight", "output.weight"},        {"model.embed_tokens.weight", "token_embd.weight"},
    {"model.norm.weight", "output_norm.weight"}};

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
    for (const char* unknown :
         {"gemma2", "granite", "olmo3", "gpt_neo", "gpt_neox", "qwen3_moe", "mixtral", "gpt_oss"})
        if (model_type == unknown)
            throw Error("gguf: models of model_type " + model_type +
                        " are not read or written in this format");
    if (model_type == "mistral") return "llama";
    if (model_type == "gemma3_text") return "gemma3";
    return model_type;
}

WeightType gguf_weight_type(const GgufFile& file) {
    std::set<std::string_view> types;
    bool quantised = false;
    for (const auto& [name, tensor] : file.tensors()) {
        if (tensor.shape.size() < 2 || name == "position_embd.weight") continue;
        types.insert(tensor.block->name);
        quantised = quantised || tensor.block->bits > 0;
    }
    if (types == std::set<std::string_view>{"BF16"}) return WeightType::bf16;
    return quantised || types == std::set<std::string_view>{"F16"} ? WeightType::f16
                                                                   : WeightType::f32;
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

class GgufWeights final : public WeightStore {
public:
    GgufWeights(const GgufFile& file, const TransformerConfig& config)
        : file_(file), config_(config) {}
    Tensor read(const std::string& name, const Shape& shape) const override {
        return read_weight(file_, config_, {name, shape});
    }

private:
    const GgufFile& file_;
    TransformerConfig config_;
};

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

std::unique_ptr<const WeightStore> gguf_weights(const GgufFile& file,
                                                const TransformerConfig& config) {
    check_weights(file, config);
    return std::make_unique<GgufWeights>(file, config);
}

namespace {

constexpr const char* supported =
    "gpt2, llama (Mistral too), qwen2, qwen3, gemma3, smollm3, olmo2 "
    "or phi3";

class ConfigMaker {
public:
    explicit ConfigMaker(const GgufFile& file) : file_(file) {
        architecture_ = file.text_or("general.architecture", "");
        if (architecture_.empty())
            file.fail("has no general.architecture, expected a model's weights");
    }

    TransformerConfig make() {
        check_architecture();
        copy("vocab_size", rows_of("token_embd.weight"));
        json_["tie_word_embeddings"] = is_tied();
        if (architecture_ == "gpt2") make_gpt2();
        else make_llama();
        add_special_ids();
        TransformerConfig config = read_config_text(json_text(json_), file_.path());
        if (config.architecture.model_type == "gemma3_text")
            config.architecture.norm_adds_one = false;  // the file holds γ, not γ − 1
        add_llama3_scaling(config);
        return config;
    }

private:
    void check_architecture() const {
        std::string why;
        if (architecture_.find("moe") != std::string::npos || integer("expert_count", 0) > 0 ||
            architecture_ == "deepseek2" || architecture_ == "dbrx")
            why = ", a mixture of experts";
        else if (architecture_ == "clip" || architecture_.find("vl") != std::string::npos)
            why = ", a model that reads pictures";
        bool known = false;
        for (const char* name :
             {"gpt2", "llama", "qwen2", "qwen3", "gemma3", "smollm3", "olmo2", "phi3"})
            known = known || architecture_ == name;
        if (!known || !why.empty())
            file_.fail("general.architecture is " + shown(architecture_) + why + "; expected " +
                       supported);
    }

    // ---- values -------------------------------------------------------------------------------
    std::string key(const char* name) const { return architecture_ + "." + name; }
    std::int64_t integer(const char* name, std::int64_t otherwise) const {
        return file_.integer_or(key(name), otherwise);
    }
    std::optional<double> number(const char* name) const {
        const GgufFile::Value* value = file_.find(key(name));
        if (!value) return std::nullopt;
        if (const auto* real = std::get_if<double>(value)) return *real;
        return static_cast<double>(integer(name, 0));
    }
    bool has(const std::string& tensor) const { return file_.tensors().contains(tensor); }
    std::int64_t rows_of(const char* tensor) const {
        if (!has(tensor)) file_.fail(std::string("has no tensor \"") + tensor + "\"");
        return file_.tensors().find(tensor)->second.shape[0];
    }

    void copy(const char* ours, std::int64_t value) { json_[ours] = value; }
    void copy_size(const char* ours, const char* theirs) {
        const std::int64_t missing = -1, value = integer(theirs, missing);
        if (value == missing)
            file_.fail("has no value \"" + key(theirs) + "\", expected a positive integer");
        if (value < 1 || value > largest_size)
            file_.fail("value \"" + key(theirs) + "\" is " + std::to_string(value) +
                       ", expected 1 to " + std::to_string(largest_size));
        copy(ours, value);
    }
    void copy_number(const char* ours, const char* theirs) {
        if (const auto value = number(theirs)) json_[ours] = *value;
    }

    // Some programs store the output matrix even if it equals the embedding.
    bool is_tied() const {
        const auto output = file_.tensors().find("output.weight");
        if (output == file_.tensors().end()) return true;
        const auto table = file_.tensors().find("token_embd.weight");
        return table->second.block == output->second.block &&
               table->second.shape == output->second.shape &&
               std::equal(output->second.bytes.begin(), output->second.bytes.end(),
                          table->second.bytes.begin());
    }

    void make_gpt2() {
        json_["model_type"] = "gpt2";
        copy_size("n_positions", "context_length");
        copy_size("n_embd", "embedding_length");
        copy_size("n_inner", "feed_forward_length");
        copy_size("n_layer", "block_count");
        copy_size("n_head", "attention.head_count");
        copy_number("layer_norm_epsilon", "attention.layer_norm_epsilon");
    }

    void make_llama() {
        const std::int64_t window = integer("attention.sliding_window", 0);
        const bool gemma = architecture_ == "gemma3";
        json_["model_type"] = gemma                                    ? "gemma3_text"
                              : architecture_ == "llama" && window > 0 ? "mistral"
                                                                       : architecture_;
        copy_size("max_position_embeddings", "context_length");
        copy_size("hidden_size", "embedding_length");
        copy_size("intermediate_size", "feed_forward_length");
        copy_size("num_hidden_layers", "block_count");
        copy_size("num_attention_heads", "attention.head_count");
        const std::int64_t heads = integer("attention.head_count", 0);
        copy("num_key_value_heads", integer("attention.head_count_kv", heads));
        copy_number("rms_norm_eps", "attention.layer_norm_rms_epsilon");
        const std::int64_t head =
            integer("attention.key_length",
                    integer("embedding_length", 0) / std::max<std::int64_t>(1, heads));
        copy("head_dim", head);
        if (integer("attention.value_length", head) != head)
            file_.fail("value \"" + key("attention.value_length") + "\" is not key_length, " +
                       std::to_string(head) + "; expected heads of one size");
        json_["attention_bias"] = architecture_ != "qwen2" && has("blk.0.attn_q.bias");
        json_["mlp_bias"] = has("blk.0.ffn_gate.bias");
        json_["sliding_window"] = window > 0 ? Json(window) : Json();
        if (gemma) json_["query_pre_attn_scalar"] = head;
        make_rotary(head);
    }

    void make_rotary(std::int64_t head) {
        copy_number("rope_theta", "rope.freq_base");
        copy_number("rope_local_base_freq", "rope.freq_base_swa");
        const std::int64_t rotated = integer("rope.dimension_count", head);
        if (rotated != head && head > 0) {
            if (architecture_ != "phi3")
                file_.fail("value \"" + key("rope.dimension_count") + "\" is " +
                           std::to_string(rotated) + ", expected the head size, " +
                           std::to_string(head));
            // The reader rounds partial_rotary_factor · head down; + 0.5 makes that give `rotated`.
            json_["partial_rotary_factor"] =
                (static_cast<double>(rotated) + 0.5) / static_cast<double>(head);
        }
        const std::string scaling = file_.text_or(key("rope.scaling.type"), "none");
        if (has("rope_factors_long.weight") || has("rope_factors_short.weight"))
            file_.fail(
                "has rope_factors_long.weight (longrope), expected rotary positions without "
                "scaling, linear or llama3");
        if (scaling == "none") return;
        json_["rope_scaling"] = {{"rope_type", scaling}};
        if (const auto factor = number("rope.scaling.factor"))
            json_["rope_scaling"]["factor"] = *factor;
    }

    // ---- llama3's scaling ---------------------------------------------------------------------
    // The file has the numbers that the frequencies are divided by, not the parameters from which
    // they were computed. So we try the parameters of published models until the numbers agree.
    void add_llama3_scaling(TransformerConfig& config) const {
        const auto found = file_.tensors().find("rope_freqs.weight");
        if (found == file_.tensors().end()) return;
        const int size = config.architecture.rotary_size;
        const Tensor divisors = file_.read("rope_freqs.weight", {size / 2});
        Rotary rotary = config.architecture.rotaries.at(0);
        const std::vector<double> plain = rotary_frequencies(rotary, size);
        rotary.scaling = RotaryScaling::llama3;
        for (const float d : divisors.values())
            rotary.factor = std::max(rotary.factor, static_cast<double>(d));
        for (int original = 16; original <= 1 << 20; original *= 2) {
            for (const double high : {4.0, 2.0, 8.0}) {
                rotary.original_positions = original;
                rotary.high_frequency_factor = high;
                const std::vector<double> scaled = rotary_frequencies(rotary, size);
                bool same = true;
                for (std::size_t i = 0; i < scaled.size(); ++i)
                    same = same &&
                           std::abs(plain[i] / scaled[i] / static_cast<double>(divisors.data()[i]) -
                                    1) < 1e-5;
                if (!same) continue;
                config.architecture.rotaries[0] = rotary;
                return;
            }
        }
        file_.fail(
            "rope_freqs.weight is not a scaling of the llama3 kind with low_freq_factor 1 and "
            "high_freq_factor 4, expected one");
    }

    void add_special_ids() {
        const auto id = [&](const char* name) { return file_.integer_or(name, -1); };
        if (const auto bos = id("tokenizer.ggml.bos_token_id"); bos >= 0)
            json_["bos_token_id"] = bos;
        Json ends = Json::array();
        for (const char* name : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"})
            if (const auto end = id(name); end >= 0 && (ends.empty() || ends[0] != end))
                ends.push_back(end);
        if (!ends.empty()) json_["eos_token_id"] = ends;
    }

    const GgufFile& file_;
    std::string architecture_;
    Json json_ = Json::object();
};

}  // namespace

TransformerConfig gguf_config(const GgufFile& file) { return ConfigMaker(file).make(); }

}  // namespace tbt
