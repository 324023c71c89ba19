#include "lib/model/gguf_config.hpp"

#include <cmath>
#include <optional>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/model/config_reader.hpp"
#include "lib/model/rotary.hpp"

namespace tbt {

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
        TransformerConfig config = read_config(ConfigReader(file_.path(), json_));
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
        return table->second.type == output->second.type &&
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
