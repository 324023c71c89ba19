#include "chapters/19_training/hub/gguf.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <vector>

#include "lib/error.hpp"
#include "lib/kernels/half.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/json_file.hpp"
#include "lib/model/model_config.hpp"
#include "lib/model/safetensors.hpp"
#include "lib/text/tokenizer.hpp"
#include "lib/text/tokenizer_save.hpp"

namespace tbt {
namespace {

constexpr std::uint32_t version = 3;
constexpr std::uint64_t alignment = 32;
// Types of values, of tensors and of tokens, by their numbers in the format.
constexpr std::uint32_t u32_type = 4, i32_type = 5, f32_type = 6, bool_type = 7, string_type = 8,
                        array_type = 9;
constexpr std::uint32_t f32_tensor = 0, f16_tensor = 1;
constexpr std::uint32_t normal_token = 1, control_token = 3, user_token = 4, unused_token = 5;

std::uint64_t aligned(std::uint64_t n) { return (n + alignment - 1) / alignment * alignment; }

// Little-endian bytes, one after the other.
class Bytes {
public:
    void u32(std::uint32_t n) { number(n, 4); }
    void u64(std::uint64_t n) { number(n, 8); }
    void text(const std::string& s) {
        u64(s.size());
        all += s;
    }
    std::string all;

private:
    void number(std::uint64_t n, int bytes) {
        for (int i = 0; i < bytes; ++i) all += static_cast<char>(n >> 8 * i & 0xff);
    }
};

// The values, counted.
class Values {
public:
    void add(const std::string& key, std::uint32_t value) { start(key, u32_type).u32(value); }
    void add(const std::string& key, float value) {
        start(key, f32_type).u32(std::bit_cast<std::uint32_t>(value));
    }
    void add(const std::string& key, const std::string& value) {
        start(key, string_type).text(value);
    }
    void add_flag(const std::string& key, bool value) {
        start(key, bool_type).all += value ? '\1' : '\0';
    }
    void add_list(const std::string& key, const std::vector<std::string>& values) {
        Bytes& out = start(key, array_type);
        out.u32(string_type);
        out.u64(values.size());
        for (const std::string& value : values) out.text(value);
    }
    void add_list(const std::string& key, const std::vector<std::uint32_t>& values) {
        Bytes& out = start(key, array_type);
        out.u32(i32_type);
        out.u64(values.size());
        for (const std::uint32_t value : values) out.u32(value);
    }

    std::uint64_t count = 0;
    Bytes bytes;

private:
    Bytes& start(const std::string& key, std::uint32_t type) {
        ++count;
        bytes.text(key);
        bytes.u32(type);
        return bytes;
    }
};

// "h.3.attn.c_attn.weight" is "blk.3.attn_qkv.weight" there.
std::string gguf_name(const std::string& name) {
    const std::pair<const char*, const char*> names[] = {{"wte.weight", "token_embd.weight"},
                                                         {"wpe.weight", "position_embd.weight"},
                                                         {"ln_f.weight", "output_norm.weight"},
                                                         {"ln_f.bias", "output_norm.bias"},
                                                         {"lm_head.weight", "output.weight"},
                                                         {"ln_1", "attn_norm"},
                                                         {"attn.c_attn", "attn_qkv"},
                                                         {"attn.c_proj", "attn_output"},
                                                         {"ln_2", "ffn_norm"},
                                                         {"mlp.c_fc", "ffn_up"},
                                                         {"mlp.c_proj", "ffn_down"}};
    const bool in_block = name.starts_with("h.");
    const std::size_t rest = in_block ? name.find('.', 2) + 1 : 0;
    for (const auto& [ours, theirs] : names) {
        if (name.compare(rest, std::strlen(ours), ours) != 0) continue;
        return (in_block ? "blk." + name.substr(2, rest - 2) : "") + theirs +
               name.substr(rest + std::strlen(ours));
    }
    throw Error("gguf: the weight " + name + " has no name in llama.cpp's gpt2");
}

bool is_transposed(const WeightShape& weight) {
    return weight.shape.size() == 2 && weight.name.starts_with("h.");
}

void add_tokens(const Tokenizer& tokenizer, int vocab_size, Values& values) {
    const Vocabulary& vocabulary = tokenizer.vocabulary();
    std::vector<std::string> tokens, merges;
    std::vector<std::uint32_t> types;
    for (int id = 0; id < tokenizer.vocab_size(); ++id) {
        tokens.push_back(written_token(vocabulary, id));
        types.push_back(normal_token);
    }
    for (const auto& added : vocabulary.added)
        types[static_cast<std::size_t>(added.id)] = added.special ? control_token : user_token;
    // A model may have more rows than tokens; each needs a name of its own.
    for (int id = tokenizer.vocab_size(); id < vocab_size; ++id) {
        tokens.push_back("[unused" + std::to_string(id) + "]");
        types.push_back(unused_token);
    }
    for (const auto& merge : vocabulary.merges)
        merges.push_back(written_token(vocabulary, merge.left) + " " +
                         written_token(vocabulary, merge.right));
    values.add("tokenizer.ggml.model", std::string("gpt2"));
    values.add("tokenizer.ggml.pre", std::string("gpt-2"));
    values.add_list("tokenizer.ggml.tokens", tokens);
    values.add_list("tokenizer.ggml.token_type", types);
    values.add_list("tokenizer.ggml.merges", merges);
}

std::string chat_template_of(const std::string& directory) {
    const std::string path = join_path(directory, "tokenizer_config.json");
    if (!file_exists(path)) return "";
    const Json json = read_json(path);
    const auto found = json.is_object() ? json.find("chat_template") : json.end();
    return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

Values values_of(const std::string& directory, const GptConfig& config, WeightType type) {
    const auto size = [](int n) { return static_cast<std::uint32_t>(n); };
    Values values;
    std::filesystem::path folder(directory);
    if (!folder.has_filename()) folder = folder.parent_path();
    values.add("general.architecture", std::string("gpt2"));
    values.add("general.type", std::string("model"));
    values.add("general.name", folder.filename().string());
    values.add("general.file_type", type == WeightType::f16 ? 1u : 0u);
    values.add("gpt2.context_length", size(config.n_positions));
    values.add("gpt2.embedding_length", size(config.n_embd));
    values.add("gpt2.feed_forward_length", size(config.n_inner));
    values.add("gpt2.block_count", size(config.n_layer));
    values.add("gpt2.attention.head_count", size(config.n_head));
    values.add("gpt2.attention.layer_norm_epsilon", config.layer_norm_epsilon);
    const Tokenizer tokenizer = Tokenizer::load(directory);
    if (tokenizer.vocab_size() > config.vocab_size)
        throw Error(directory + ": the tokenizer has " + std::to_string(tokenizer.vocab_size()) +
                    " tokens, the model only " + std::to_string(config.vocab_size));
    add_tokens(tokenizer, config.vocab_size, values);
    const int eos = config.eos_token_ids.empty() ? tokenizer.eos_id() : config.eos_token_ids[0];
    values.add("tokenizer.ggml.bos_token_id", size(config.bos_token_id.value_or(eos)));
    values.add("tokenizer.ggml.eos_token_id", size(eos));
    values.add_flag("tokenizer.ggml.add_bos_token", false);
    const std::string chat = chat_template_of(directory);
    if (!chat.empty()) values.add("tokenizer.chat_template", chat);
    return values;
}

WeightType type_of(const WeightShape& weight, WeightType wanted) {
    return weight.shape.size() == 2 && weight.name != "wpe.weight" ? wanted : WeightType::f32;
}

// The numbers of a tensor as the file has them.
std::string numbers_of(const WeightShape& weight, const Tensor& tensor, WeightType type) {
    const auto values = tensor.values();
    const std::size_t rows = static_cast<std::size_t>(weight.shape[0]),
                      columns = values.size() / rows;
    const bool transposed = is_transposed(weight);
    std::string bytes(values.size() * static_cast<std::size_t>(bytes_of(type)), '\0');
    for (std::size_t i = 0; i < values.size(); ++i) {
        // The i-th number there is that of (input i % inputs, output i / inputs) here.
        const float value = transposed ? values[i % rows * columns + i / rows] : values[i];
        if (type == WeightType::f32) {
            std::memcpy(bytes.data() + 4 * i, &value, 4);
            continue;
        }
        const std::uint16_t half = to_f16(value);
        if (std::isfinite(value) && !std::isfinite(from_f16(half)))
            throw Error("gguf: " + weight.name + " has a number too large for f16: " +
                        std::to_string(value) + "; write f32");
        std::memcpy(bytes.data() + 2 * i, &half, 2);
    }
    return bytes;
}

}  // namespace

void write_gguf(const std::string& directory, const std::string& path, WeightType type) {
    if (type == WeightType::bf16)
        throw Error("gguf: bf16 is not written here, expected f32 or f16");
    const GptConfig config = read_model_config(directory);
    require_gpt2(config, directory + ": GGUF is written of GPT-2 alone");
    const Safetensors weights = Safetensors::open_directory(directory);
    std::vector<WeightShape> shapes = weight_shapes(config);
    // Older readers want the output matrix also where it is the table of tokens.
    if (config.tie_word_embeddings)
        shapes.push_back({"lm_head.weight", {config.vocab_size, config.n_embd}});
    const auto source = [&](const WeightShape& weight) {
        return config.tie_word_embeddings && weight.name == "lm_head.weight" ? "wte.weight"
                                                                             : weight.name;
    };
    const Values values = values_of(directory, config, type);
    Bytes header;
    header.all = "GGUF";
    header.u32(version);
    header.u64(shapes.size());
    header.u64(values.count);
    header.all += values.bytes.all;
    std::uint64_t offset = 0;
    for (const WeightShape& weight : shapes) {
        weights.check_weight(source(weight), weight.shape);
        const WeightType stored = type_of(weight, type);
        header.text(gguf_name(weight.name));
        header.u32(static_cast<std::uint32_t>(weight.shape.size()));
        Shape dimensions = weight.shape;  // the fastest first
        if (!is_transposed(weight)) std::reverse(dimensions.begin(), dimensions.end());
        for (const std::int64_t d : dimensions) header.u64(static_cast<std::uint64_t>(d));
        header.u32(stored == WeightType::f16 ? f16_tensor : f32_tensor);
        header.u64(offset);
        offset = aligned(
            offset + static_cast<std::uint64_t>(element_count(weight.shape) * bytes_of(stored)));
    }
    header.all.resize(aligned(header.all.size()));
    AtomicFile file(path);
    file.write(header.all.data(), header.all.size());
    for (const WeightShape& weight : shapes) {
        std::string bytes = numbers_of(weight, weights.read_weight(source(weight), weight.shape),
                                       type_of(weight, type));
        bytes.resize(aligned(bytes.size()));
        file.write(bytes.data(), bytes.size());
    }
    file.commit();
}

}  // namespace tbt
