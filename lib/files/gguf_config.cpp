#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/math.hpp"
#include "lib/core/unicode.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/gguf_model.hpp"
#include "lib/json/json.hpp"
#include "lib/model/model_config.hpp"
#include "lib/model/rotary.hpp"

namespace tbt {

namespace {

// The names of model types in GGUF; mistral and mixtral are llama's, too, and olmo3 olmo2's.
const std::vector<std::pair<std::string_view, std::string_view>> architectures = {
    {"gpt2", "gpt2"},       {"llama", "llama"},        {"mistral", "llama"},
    {"mixtral", "llama"},   {"qwen2", "qwen2"},        {"qwen3", "qwen3"},
    {"gemma2", "gemma2"},   {"gemma3_text", "gemma3"}, {"smollm3", "smollm3"},
    {"olmo2", "olmo2"},     {"olmo3", "olmo2"},        {"phi3", "phi3"},
    {"granite", "granite"}, {"gpt_neox", "gptneox"},   {"qwen3_moe", "qwen3moe"},
    {"gpt_oss", "gpt-oss"}};

}  // namespace

std::string gguf_architecture(const std::string& model_type) {
    for (const auto& [type, name] : architectures)
        if (type == model_type) return std::string(name);
    throw Error("gguf: models of model_type " + model_type +
                " are not read or written in this format");
}

namespace {

// "gpt2, llama, … or gpt-oss"
std::string supported_architectures() {
    std::string list;
    for (const auto& [type, name] : architectures)
        if (list.find(name) == std::string::npos)
            list += (list.empty()                           ? ""
                     : &type == &architectures.back().first ? " or "
                                                            : ", ") +
                    std::string(name);
    return list;
}

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
        config.architecture.norm_adds_one = false;  // Gemma's file holds γ, not γ − 1
        add_divisors(config);
        return config;
    }

private:
    void check_architecture() const {
        bool known = false;
        for (const auto& [type, name] : architectures) known = known || architecture_ == name;
        if (known) return;
        std::string why;
        if (architecture_.find("moe") != std::string::npos || integer("expert_count", 0) > 0 ||
            architecture_ == "deepseek2" || architecture_ == "dbrx")
            why = ", a mixture of experts";
        else if (architecture_ == "clip" || architecture_.find("vl") != std::string::npos)
            why = ", a model that reads pictures";
        file_.fail("general.architecture is " + shown(architecture_) + why + "; expected " +
                   supported_architectures());
    }

    // ---- values -------------------------------------------------------------------------------
    std::string key(const char* name) const { return architecture_ + "." + name; }
    // The value may be a list with one number for each layer, if all of them are equal.
    std::int64_t integer(const char* name, std::int64_t otherwise) const {
        const GgufFile::Value* value = file_.find(key(name));
        const auto* each = value ? std::get_if<std::vector<double>>(value) : nullptr;
        if (!each) return file_.integer_or(key(name), otherwise);
        const double first = each->empty() ? -1 : each->front();
        if (!(first >= 0 && first <= largest_size) || first != std::floor(first) ||
            std::count(each->begin(), each->end(), first) != length_of(*each))
            file_.fail("value \"" + key(name) +
                       "\" is a list: layers of different sizes are not supported, expected one "
                       "number, or the same for each layer");
        return static_cast<std::int64_t>(first);
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

    std::string model_type(std::int64_t window) const {
        if (architecture_ == "llama" && integer("expert_count", 0) > 0) return "mixtral";
        if (architecture_ == "llama" && window > 0) return "mistral";
        if (architecture_ == "olmo2" && window > 0) return "olmo3";
        for (const auto& [type, name] : architectures)
            if (name == architecture_) return std::string(type);
        return architecture_;
    }

    void make_llama() {
        const std::int64_t window =
            integer("attention.sliding_window", architecture_ == "gemma2" ? 4096 : 0);
        json_["model_type"] = model_type(window);
        copy_size("max_position_embeddings", "context_length");
        copy_size("hidden_size", "embedding_length");
        copy_size("intermediate_size", architecture_ == "gpt-oss" ? "expert_feed_forward_length"
                                                                  : "feed_forward_length");
        if (integer("expert_count", 0) > 0) make_experts();
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
        json_["attention_bias"] =
            architecture_ != "qwen2" && (has("blk.0.attn_q.bias") || has("blk.0.attn_qkv.bias"));
        json_["mlp_bias"] = has("blk.0.ffn_gate.bias");
        json_["sliding_window"] = window > 0 ? Json(window) : Json();
        // The largest Gemmas divide by another number, for which there is no value.
        const std::int64_t layers = integer("block_count", 0),
                           width = integer("embedding_length", 0);
        json_["query_pre_attn_scalar"] = (architecture_ == "gemma2" && layers == 46) ||
                                                 (architecture_ == "gemma3" && layers == 62)
                                             ? width / std::max<std::int64_t>(1, heads)
                                             : head;
        for (const auto& [ours, theirs] :
             std::initializer_list<std::pair<const char*, const char*>>{
                 {"attn_logit_softcapping", "attn_logit_softcapping"},
                 {"final_logit_softcapping", "final_logit_softcapping"},
                 {"embedding_multiplier", "embedding_scale"},
                 {"residual_multiplier", "residual_scale"},
                 {"logits_scaling", "logit_scale"},
                 {"attention_multiplier", "attention.scale"},
                 {"layer_norm_eps", "attention.layer_norm_epsilon"}})
            copy_number(ours, theirs);
        json_["use_parallel_residual"] = file_.flag_or(key("use_parallel_residual"), true);
        make_windows();
        make_rotary(head);
    }

    void make_experts() {
        const bool qwen = architecture_ == "qwen3moe";
        copy_size(qwen ? "num_experts" : "num_local_experts", "expert_count");
        copy_size("num_experts_per_tok", "expert_used_count");
        json_["norm_topk_prob"] = true;
        if (qwen) copy_size("moe_intermediate_size", "expert_feed_forward_length");
        json_["mlp_only_layers"] = Json::array();
        for (std::int64_t i = 0; i < std::min<std::int64_t>(integer("block_count", 0), max_layers);
             ++i)
            if (!has("blk." + std::to_string(i) + ".ffn_gate_inp.weight"))
                json_["mlp_only_layers"].push_back(i);
    }

    void make_windows() {
        // Which layers have the window, where that is not the usual pattern.
        const std::string pattern = key("attention.sliding_window_pattern");
        const GgufFile::Value* value = file_.find(pattern);
        if (value && std::holds_alternative<std::vector<double>>(*value)) {
            json_["layer_types"] = Json::array();
            for (const double slides : file_.numbers(pattern))
                json_["layer_types"].push_back(slides != 0 ? "sliding_attention"
                                                           : "full_attention");
            json_["use_sliding_window"] = true;
        } else if (value) {
            copy_size("sliding_window_pattern", "attention.sliding_window_pattern");
        }
    }

    void make_rotary(std::int64_t head) {
        copy_number("rope_theta", "rope.freq_base");
        copy_number("rotary_emb_base", "rope.freq_base");
        copy_number("rope_local_base_freq", "rope.freq_base_swa");
        const std::int64_t rotated = integer("rope.dimension_count", head);
        if ((rotated != head || architecture_ == "gptneox") && head > 0) {
            if (architecture_ != "phi3" && architecture_ != "gptneox")
                file_.fail("value \"" + key("rope.dimension_count") + "\" is " +
                           std::to_string(rotated) + ", expected the head size, " +
                           std::to_string(head));
            // The reader rounds partial_rotary_factor · head down; + 0.5 makes that give `rotated`.
            json_["partial_rotary_factor"] =
                (static_cast<double>(rotated) + 0.5) / static_cast<double>(head);
        }
        make_scaling();
    }

    // As in llama.cpp, scaling without a type is linear, and older files have its factor under
    // another key; a factor of 0 is none.
    void make_scaling() {
        const std::string type = file_.text_or(key("rope.scaling.type"), "linear");
        std::optional<double> factor = number("rope.scaling.factor");
        if (!factor) factor = number("rope.scale_linear");
        if (factor == 0.0) factor.reset();
        if (type == "none" || type == "longrope") return;
        if (type == "linear" && factor.value_or(1) == 1) return;
        Json& object = json_["rope_scaling"] = {{"rope_type", type}};
        if (factor) object["factor"] = *factor;
        if (type != "yarn") return;
        object["original_max_position_embeddings"] =
            integer("rope.scaling.original_context_length", integer("context_length", 0));
        object["truncate"] = architecture_ != "gpt-oss";
        if (const auto fast = number("rope.scaling.yarn_beta_fast")) object["beta_fast"] = *fast;
        if (const auto slow = number("rope.scaling.yarn_beta_slow")) object["beta_slow"] = *slow;
        // This multiplies YaRN's usual amplitude. llama.cpp ignores yarn_attn_factor.
        if (const auto times = number("rope.scaling.attn_factor"); times && factor)
            object["attention_factor"] =
                *times * (*factor > 1 ? 0.1 * portable_log(*factor) + 1 : 1);
    }

    // ---- numbers that frequencies are divided by ------------------------------------------------
    // The file has the numbers that the frequencies are divided by, not the parameters from which
    // they were computed. So we try the parameters of published models until the numbers agree. If
    // none do, the frequencies are divided by these numbers.
    std::optional<Rotary> llama3_rotary(Rotary rotary, int size,
                                        const std::vector<double>& divisors) const {
        const std::vector<double> plain = rotary_frequencies(rotary, size);
        rotary.scaling = RotaryScaling::llama3;
        rotary.factor =
            std::max(rotary.factor, *std::max_element(divisors.begin(), divisors.end()));
        for (int original = 16; original <= 1 << 20; original *= 2) {
            for (const double high : {4.0, 2.0, 8.0}) {
                rotary.original_positions = original;
                rotary.high_frequency_factor = high;
                const std::vector<double> scaled = rotary_frequencies(rotary, size);
                bool same = true;
                for (std::size_t i = 0; i < scaled.size(); ++i)
                    same = same && std::abs(plain[i] / scaled[i] / divisors[i] - 1) < 1e-5;
                if (same) return rotary;
            }
        }
        return std::nullopt;
    }

    // rope_freqs.weight has the numbers of llama3's scaling, rope_factors_short.weight and
    // rope_factors_long.weight those of longrope.
    void add_divisors(TransformerConfig& config) const {
        const int size = config.architecture.rotary_size;
        const auto divisors = [&](const std::string& name) {
            const Tensor numbers = file_.read(name, {size / 2});
            return std::vector<double>(numbers.data(), numbers.data() + numbers.size());
        };
        const bool llama3 = has("rope_freqs.weight");
        if (!llama3 && !has("rope_factors_long.weight")) return;
        Rotary& rotary = config.architecture.rotaries.at(0);
        if (rotary.scaling != RotaryScaling::none)
            file_.fail("has two scalings of rotary positions, expected one");
        rotary.short_factors = divisors(llama3 ? "rope_freqs.weight" : "rope_factors_short.weight");
        if (llama3) {
            if (const auto known = llama3_rotary(rotary, size, rotary.short_factors)) {
                rotary = *known;
                rotary.short_factors.clear();
                return;
            }
        }
        rotary.scaling = RotaryScaling::longrope;
        rotary.long_factors = llama3 ? rotary.short_factors : divisors("rope_factors_long.weight");
        rotary.original_positions =
            llama3 ? config.n_positions
                   : to_int(std::clamp<std::int64_t>(
                         integer("rope.scaling.original_context_length", config.n_positions), 1,
                         largest_size));
        rotary.amplitude = llama3 ? 1 : number("rope.scaling.attn_factor").value_or(1);
        check_config(config, file_.path());
        for (const int context : {1, largest_size}) rotary_frequencies(rotary, size, context);
    }

    void add_special_ids() {
        const auto id = [&](const char* name) { return file_.integer_or(name, -1); };
        if (const auto bos = id("tokenizer.ggml.bos_token_id"); bos >= 0)
            json_["bos_token_id"] = bos;
        std::vector<std::int64_t> ends;
        const auto add = [&](std::int64_t end) {
            if (end >= 0 && std::find(ends.begin(), ends.end(), end) == ends.end())
                ends.push_back(end);
        };
        for (const char* name : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"})
            add(id(name));
        // Most files name only one of the tokens that end a text. We know the others by their
        // texts, as llama.cpp does. In gpt-oss, <|end|> only ends a part of an answer.
        static const std::set<std::string_view> known = {
            "<|eot_id|>",    "<|eom_id|>", "<|im_end|>",    "<|end|>",        "<|return|>",
            "<end_of_turn>", "<|call|>",   "<|endoftext|>", "<|end_of_text|>"};
        if (file_.find("tokenizer.ggml.tokens")) {
            const auto& tokens = file_.texts("tokenizer.ggml.tokens");
            const std::int64_t rows = rows_of("token_embd.weight");
            for (std::int64_t i = 0; i < std::min(length_of(tokens), rows); ++i)
                if (const std::string_view token = tokens[index(i)];
                    known.contains(token) && (token != "<|end|>" || architecture_ != "gpt-oss"))
                    add(i);
        }
        for (const std::int64_t end : ends) json_["eos_token_id"].push_back(end);
    }

    const GgufFile& file_;
    std::string architecture_;
    Json json_ = Json::object();
};

}  // namespace

TransformerConfig gguf_config(const GgufFile& file) { return ConfigMaker(file).make(); }

}  // namespace tbt
