#include "lib/model/model_config.hpp"

#include <algorithm>

#include "lib/error.hpp"
#include "lib/index.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/json_file.hpp"
#include "lib/model/int4_file.hpp"
#include "lib/model/int8_file.hpp"

namespace tbt {

namespace {

constexpr int most_layers = 65536;
constexpr int largest_size =
    1 << 24;  // of any dimension: a hundred times what the largest models have

class ConfigReader {
public:
    explicit ConfigReader(std::string path) : path_(std::move(path)), json_(read_json(path_)) {
        if (!json_.is_object()) fail("is " + kind_of(json_) + ", expected an object");
    }

    [[noreturn]] void fail(const std::string& what) const { throw Error(path_ + ": " + what); }
    [[noreturn]] void fail(const char* key, const Json& got, const std::string& expected) const {
        fail(std::string(key) + " is " + kind_of(got) + ", expected " + expected);
    }

    // Null where the key is missing or its value is null.
    const Json* find(const char* key) const {
        const auto member = json_.find(key);
        return member == json_.end() || member->is_null() ? nullptr : &*member;
    }

    int size(const char* key) const {
        if (!find(key)) fail(std::string(key) + " is missing, expected a positive integer");
        return integer(key, *find(key), 1, largest_size);
    }
    int size_or(const char* key, int otherwise) const { return find(key) ? size(key) : otherwise; }

    int integer(const char* key, const Json& value, int least, int most) const {
        return integer_of(value, path_ + ": " + key, least, most);
    }

    bool flag_or(const char* key, bool otherwise) const {
        const Json* value = find(key);
        if (value && !value->is_boolean()) fail(key, *value, "true or false");
        return value ? value->get<bool>() : otherwise;
    }

    std::string text_or(const char* key, const std::string& otherwise) const {
        const Json* value = find(key);
        if (value && !value->is_string()) fail(key, *value, "a string");
        return value ? value->get<std::string>() : otherwise;
    }

    // One token id, or a list of them.
    std::vector<int> ids(const char* key, int vocab_size) const {
        const Json* value = find(key);
        if (!value) return {};
        std::vector<int> result;
        for (const Json& id : value->is_array() ? *value : Json::array({*value})) {
            result.push_back(integer(key, id, 0, vocab_size - 1));
        }
        return result;
    }

private:
    std::string path_;
    Json json_;
};

// Everything that would make other numbers than the GPT-2 computed here.
void check_variant(const ConfigReader& file) {
    const std::string type = file.text_or("model_type", "missing");
    if (type == "gpt2_masked")
        file.fail("this model fills masks (--decoder diffusion), expected one of model_type gpt2");
    if (type != "gpt2") file.fail("model_type is " + shown(type) + ", expected gpt2");
    const std::string activation = file.text_or("activation_function", "gelu_new");
    if (activation != "gelu_new" && activation != "gelu_pytorch_tanh") {
        file.fail("activation_function is " + shown(activation) +
                  ", expected gelu_new (or gelu_pytorch_tanh)");
    }
    if (!file.flag_or("scale_attn_weights", true))
        file.fail("scale_attn_weights is false, expected true");
    for (const char* key : {"scale_attn_by_inverse_layer_idx", "add_cross_attention"}) {
        if (file.flag_or(key, false)) file.fail(std::string(key) + " is true, expected false");
    }
    // Our own kinds of 8 and 4 bits (int8_file.hpp, int4_file.hpp), and no other.
    if (const Json* quantized = file.find("quantization_config")) {
        const Json method =
            quantized->is_object() ? quantized->value("quant_method", Json()) : Json();
        if (method != std::string(int8_method) && method != std::string(int4_method))
            file.fail("quantization_config is there, expected plain weights or the method " +
                      std::string(int8_method) + " or " + std::string(int4_method));
    }
    const Json* pruned = file.find("pruned_heads");
    if (pruned && !pruned->empty())
        file.fail("pruned_heads is not empty, expected a model with all its heads");
}

void read_special_ids(const ConfigReader& file, GptConfig& config) {
    const auto bos = file.ids("bos_token_id", config.vocab_size);
    const auto eos = file.ids("eos_token_id", config.vocab_size);
    if (bos.size() > 1) file.fail("bos_token_id is a list, expected one id");
    if (!bos.empty()) config.bos_token_id = bos[0];
    if (!eos.empty()) config.eos_token_ids = eos;
}

}  // namespace

GptConfig gpt_config(int layers, int heads, int channels, int positions, int vocabulary) {
    GptConfig config;
    config.vocab_size = vocabulary;
    config.n_positions = positions;
    config.n_embd = channels;
    config.n_layer = layers;
    config.n_head = heads;
    config.n_inner = 4 * channels;
    return config;
}

GptConfig read_config_file(const std::string& path) {
    const ConfigReader file(path);
    check_variant(file);
    GptConfig config;
    config.vocab_size = file.size("vocab_size");
    config.n_positions = file.size("n_positions");
    config.n_embd = file.size("n_embd");
    config.n_layer = file.size("n_layer");
    config.n_head = file.size("n_head");
    config.n_inner =
        file.size_or("n_inner", to_int(std::min<std::int64_t>(4ll * config.n_embd, largest_size)));
    config.tie_word_embeddings = file.flag_or("tie_word_embeddings", true);
    config.torch_dtype = file.text_or("torch_dtype", file.text_or("dtype", "float32"));
    if (const Json* epsilon = file.find("layer_norm_epsilon")) {
        if (!epsilon->is_number())
            file.fail("layer_norm_epsilon", *epsilon, "a small positive number");
        config.layer_norm_epsilon = epsilon->get<float>();
    }
    read_special_ids(file, config);
    check_config(config, path);
    return config;
}

GptConfig read_model_config(const std::string& directory) {
    GptConfig config = read_config_file(join_path(directory, "config.json"));
    const std::string generation = join_path(directory, "generation_config.json");
    if (file_exists(generation)) read_special_ids(ConfigReader(generation), config);
    return config;
}

void check_config(const GptConfig& config, const std::string& name) {
    const auto fail = [&](const std::string& what) { throw Error(name + ": " + what); };
    const auto check_size = [&](const char* key, int value) {
        if (value >= 1 && value <= largest_size) return;
        fail(std::string(key) + " is " + std::to_string(value) + ", expected 1 to " +
             std::to_string(largest_size));
    };
    check_size("vocab_size", config.vocab_size);
    check_size("n_positions", config.n_positions);
    check_size("n_embd", config.n_embd);
    check_size("n_layer", config.n_layer);
    check_size("n_head", config.n_head);
    check_size("n_inner", config.n_inner);
    if (config.n_embd % config.n_head != 0) {
        fail("n_embd is " + std::to_string(config.n_embd) + ", expected a multiple of n_head, " +
             std::to_string(config.n_head));
    }
    if (!(config.layer_norm_epsilon > 0 && config.layer_norm_epsilon < 1)) {
        fail("layer_norm_epsilon is " + std::to_string(config.layer_norm_epsilon) +
             ", expected a small positive number");
    }
    const auto check_id = [&](const char* key, int id) {
        if (id >= 0 && id < config.vocab_size) return;
        fail(std::string(key) + " is " + std::to_string(id) + ", expected 0 to " +
             std::to_string(config.vocab_size - 1));
    };
    if (config.bos_token_id) check_id("bos_token_id", *config.bos_token_id);
    for (const int id : config.eos_token_ids) check_id("eos_token_id", id);
    constexpr std::int64_t most = std::int64_t{1} << 40;
    if (parameter_count(config) > most) {
        fail("these sizes make more than 2^40 weights (n_embd " + std::to_string(config.n_embd) +
             ", n_layer " + std::to_string(config.n_layer) + ", vocab_size " +
             std::to_string(config.vocab_size) + "), expected a GPT-2");
    }
}

std::vector<WeightShape> weight_shapes(const GptConfig& config) {
    if (config.n_layer < 0 || config.n_layer > most_layers)
        throw Error("n_layer is " + std::to_string(config.n_layer) + ", expected at most " +
                    std::to_string(most_layers));
    const std::int64_t c = config.n_embd, f = config.n_inner, v = config.vocab_size;
    std::vector<WeightShape> all = {{"wte.weight", {v, c}},
                                    {"wpe.weight", {config.n_positions, c}}};
    for (int layer = 0; layer < config.n_layer; ++layer) {
        const std::string h = "h." + std::to_string(layer) + ".";
        for (const auto& [name, shape] :
             std::initializer_list<WeightShape>{{"ln_1.weight", {c}},
                                                {"ln_1.bias", {c}},
                                                {"attn.c_attn.weight", {c, 3 * c}},
                                                {"attn.c_attn.bias", {3 * c}},
                                                {"attn.c_proj.weight", {c, c}},
                                                {"attn.c_proj.bias", {c}},
                                                {"ln_2.weight", {c}},
                                                {"ln_2.bias", {c}},
                                                {"mlp.c_fc.weight", {c, f}},
                                                {"mlp.c_fc.bias", {f}},
                                                {"mlp.c_proj.weight", {f, c}},
                                                {"mlp.c_proj.bias", {c}}}) {
            all.push_back({h + name, shape});
        }
    }
    all.push_back({"ln_f.weight", {c}});
    all.push_back({"ln_f.bias", {c}});
    if (!config.tie_word_embeddings) all.push_back({"lm_head.weight", {v, c}});
    return all;
}

std::int64_t parameter_count(const GptConfig& config) {
    // Products of three sizes of up to 2^24 exceed 64 bits; beyond 2^60 the number is "too
    // many" all the same.
    constexpr double too_many = 0x1p60;
    const auto with_layers = [&](int layers) {
        GptConfig c = config;
        c.n_layer = layers;
        double sum = 0;
        for (const WeightShape& w : weight_shapes(c)) {
            double size = 1;
            for (const std::int64_t d : w.shape) size *= static_cast<double>(d);
            sum += size;
        }
        return sum;
    };
    const double none = with_layers(0), layer = with_layers(1) - none;
    return static_cast<std::int64_t>(std::min(none + config.n_layer * layer, too_many));
}

}  // namespace tbt
