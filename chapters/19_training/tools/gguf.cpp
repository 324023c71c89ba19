#include "chapters/19_training/tools/gguf.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <vector>

#include "lib/chat/chat_template.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/math.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/gguf_model.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/model_config.hpp"
#include "lib/model/rotary.hpp"
#include "lib/text/piece_encoder.hpp"
#include "lib/text/tokenizer.hpp"
#include "lib/text/tokenizer_save.hpp"
#include "lib/text/vocabulary.hpp"

namespace tbt {

namespace {

// The types of values, as numbered in the format.
constexpr std::uint32_t u32_type = 4, i32_type = 5, f32_type = 6, bool_type = 7, string_type = 8,
                        array_type = 9;

}  // namespace

GgufBytes& GgufValues::start(const std::string& key, std::uint32_t type) {
    ++count;
    bytes.text(key);
    bytes.u32(type);
    return bytes;
}
void GgufValues::add(const std::string& key, std::uint32_t value) {
    start(key, u32_type).u32(value);
}
void GgufValues::add(const std::string& key, float value) {
    start(key, f32_type).u32(std::bit_cast<std::uint32_t>(value));
}
void GgufValues::add(const std::string& key, const std::string& value) {
    start(key, string_type).text(value);
}
void GgufValues::add_flag(const std::string& key, bool value) {
    start(key, bool_type).all += value ? '\1' : '\0';
}
void GgufValues::add_list(const std::string& key, const std::vector<std::string>& values) {
    GgufBytes& out = start(key, array_type);
    out.u32(string_type);
    out.u64(values.size());
    for (const std::string& value : values) out.text(value);
}
void GgufValues::add_list(const std::string& key, const std::vector<std::uint32_t>& values) {
    GgufBytes& out = start(key, array_type);
    out.u32(i32_type);
    out.u64(values.size());
    for (const std::uint32_t value : values) out.u32(value);
}
void GgufValues::add_list(const std::string& key, const std::vector<float>& values) {
    GgufBytes& out = start(key, array_type);
    out.u32(f32_type);
    out.u64(values.size());
    for (const float value : values) out.u32(std::bit_cast<std::uint32_t>(value));
}

namespace {

std::uint32_t size(std::int64_t n) { return static_cast<std::uint32_t>(n); }

// ---- the tokenizer ------------------------------------------------------------------------------
void add_merges(const Vocabulary& vocabulary, GgufValues& values) {
    std::vector<std::string> merges;
    for (const auto& merge : vocabulary.merges)
        merges.push_back(written_token(vocabulary, merge.left) + " " +
                         written_token(vocabulary, merge.right));
    values.add_list("tokenizer.ggml.merges", merges);
}

// SentencePiece has no list of merges: of all possible merges, the one whose token has the highest
// score is applied first. So a token's score is minus the rank of the first merge that makes it.
void add_scores(const Vocabulary& vocabulary, int vocab_size, GgufValues& values) {
    const auto lowest = -static_cast<float>(vocabulary.merges.size()) - 1;
    std::vector<float> scores(index(vocab_size), lowest);
    TokenIds ids;
    for (int id = 0; id < count(vocabulary.pieces); ++id) ids.add(at(vocabulary.pieces, id), id);
    for (std::size_t rank = 0; rank < vocabulary.merges.size(); ++rank) {
        const auto& merge = vocabulary.merges[rank];
        const std::string text =
            at(vocabulary.pieces, merge.left) + at(vocabulary.pieces, merge.right);
        const int* made = ids.find(text);
        if (made && at(scores, *made) == lowest) at(scores, *made) = -static_cast<float>(rank);
    }
    values.add_list("tokenizer.ggml.scores", scores);
}

void add_rules(const Vocabulary& vocabulary, const std::string& who, GgufValues& values) {
    const TextRules& rules = vocabulary.rules;
    if (rules.symbols == TextRules::Symbols::bytes) {
        values.add("tokenizer.ggml.model", std::string("gpt2"));
        values.add("tokenizer.ggml.pre", gguf_pretokenizer(rules, who));
        return;
    }
    using Kind = TextRules::Normalizer::Kind;
    const auto& steps = rules.normalizers;
    const bool prefix = !steps.empty() && steps[0].kind == Kind::prepend;
    // All spaces have become "▁", so a split at spaces has no effect.
    const bool no_splits = std::all_of(rules.splits.begin(), rules.splits.end(), [](const auto& s) {
        return s.kind == TextRules::Split::Kind::literal && s.pattern == " ";
    });
    if (steps.size() != (prefix ? 2u : 1u) || steps.back().kind != Kind::replace ||
        steps.back().from != " " || steps.back().to != written_space || !no_splits ||
        rules.strips_first_space != prefix)
        throw Error(who +
                    ": GGUF has no value for how this tokenizer rewrites a text, expected "
                    "spaces as \"▁\", with one in front of every text or of none");
    values.add("tokenizer.ggml.model", std::string("llama"));
    values.add("tokenizer.ggml.pre", std::string("default"));
    values.add_flag("tokenizer.ggml.add_space_prefix", prefix);
}

void add_tokens(const Vocabulary& vocabulary, int vocab_size, const std::string& who,
                GgufValues& values) {
    const bool pieces = vocabulary.rules.symbols == TextRules::Symbols::characters;
    std::vector<std::string> tokens;
    std::vector<std::uint32_t> types;
    for (int id = 0; id < count(vocabulary.tokens); ++id) {
        tokens.push_back(pieces ? at(vocabulary.pieces, id) : written_token(vocabulary, id));
        const bool byte = pieces && at(vocabulary.tokens, id).size() == 1 &&
                          tokens.back() == byte_piece(at(vocabulary.tokens, id)[0]);
        types.push_back(size(byte ? gguf_token::byte : gguf_token::normal));
    }
    for (const auto& added : vocabulary.added)
        at(types, added.id) = size(added.special ? gguf_token::control : gguf_token::user);
    // A model may have more rows than tokens. Each row needs a different name.
    for (int id = count(tokens); id < vocab_size; ++id) {
        tokens.push_back("[unused" + std::to_string(id) + "]");
        types.push_back(size(gguf_token::unused));
    }
    add_rules(vocabulary, who, values);
    values.add_list("tokenizer.ggml.tokens", tokens);
    values.add_list("tokenizer.ggml.token_type", types);
    if (pieces) add_scores(vocabulary, vocab_size, values);
    else add_merges(vocabulary, values);
}

void add_tokenizer(const std::string& directory, const TransformerConfig& config,
                   GgufValues& values) {
    Tokenizer tokenizer = Tokenizer::load(directory);
    if (tokenizer.vocab_size() > config.vocab_size && !tokenizer.drop_added_from(config.vocab_size))
        throw Error(directory + ": the tokenizer has " + std::to_string(tokenizer.vocab_size()) +
                    " tokens, the model only " + std::to_string(config.vocab_size));
    const TextRules& rules = tokenizer.vocabulary().rules;
    add_tokens(tokenizer.vocabulary(), config.vocab_size, directory, values);
    const int eos = config.eos_token_ids.empty() ? tokenizer.eos_id() : config.eos_token_ids[0];
    if (config.architecture.is_gpt2())
        values.add("tokenizer.ggml.bos_token_id", size(config.bos_token_id.value_or(eos)));
    else if (!rules.before.empty() || tokenizer.bos_id() || config.bos_token_id)
        values.add("tokenizer.ggml.bos_token_id",
                   size(!rules.before.empty()
                            ? rules.before[0]
                            : tokenizer.bos_id().value_or(config.bos_token_id.value_or(eos))));
    values.add("tokenizer.ggml.eos_token_id", size(eos));
    if (config.eos_token_ids.size() > 1)
        values.add("tokenizer.ggml.eot_token_id", size(config.eos_token_ids[1]));
    values.add_flag("tokenizer.ggml.add_bos_token", !rules.before.empty());
    if (!config.architecture.is_gpt2())
        values.add_flag("tokenizer.ggml.add_eos_token", !rules.after.empty());
    if (const auto chat = read_chat_template(directory))
        values.add("tokenizer.chat_template", *chat);
}

// ---- sizes --------------------------------------------------------------------------------------
// Throws Error if layers differ in a way that GGUF cannot express. It has no values for this;
// programs that read it assume the usual patterns.
void check_layers(const std::string& who, const TransformerConfig& config) {
    const Architecture& a = config.architecture;
    const std::string& type = a.model_type;
    int window = 0;
    for (const LayerKind& kind : a.layers) window = std::max(window, kind.window);
    for (int i = 0; i < count(a.layers); ++i) {
        LayerKind usual{0, 0};
        if (type == "mistral" || type == "phi3") usual.window = window;
        if (type == "gemma3_text" && (i + 1) % 6 != 0) usual = {window, 1};
        if (type == "smollm3" && (i + 1) % 4 == 0) usual.rotary = -1;
        if (!(a.layers[index(i)] == usual))
            throw Error(who + ": layer " + std::to_string(i) +
                        " has a window or rotary positions " +
                        "that GGUF has no value for; this model cannot be written");
    }
    if (type == "gemma3_text" && a.score_scalar != static_cast<float>(config.head_size()))
        throw Error(who + ": query_pre_attn_scalar is not head_dim, and GGUF has no value for it");
}

void add_gpt2_sizes(const TransformerConfig& config, GgufValues& values) {
    values.add("gpt2.context_length", size(config.n_positions));
    values.add("gpt2.embedding_length", size(config.n_embd));
    values.add("gpt2.feed_forward_length", size(config.n_inner));
    values.add("gpt2.block_count", size(config.n_layer));
    values.add("gpt2.attention.head_count", size(config.n_head));
    values.add("gpt2.attention.layer_norm_epsilon", config.layer_norm_epsilon);
}

void add_llama_sizes(const TransformerConfig& config, GgufValues& values) {
    const Architecture& a = config.architecture;
    const std::string prefix = gguf_architecture(a.model_type) + ".";
    const std::pair<const char*, std::int64_t> sizes[] = {
        {"context_length", config.n_positions},
        {"embedding_length", config.n_embd},
        {"feed_forward_length", config.n_inner},
        {"block_count", config.n_layer},
        {"attention.head_count", config.n_head},
        {"attention.head_count_kv", config.kv_heads()},
        {"attention.key_length", config.head_size()},
        {"attention.value_length", config.head_size()},
        {"rope.dimension_count", a.rotary_size},
        {"vocab_size", config.vocab_size}};
    for (const auto& [key, value] : sizes) values.add(prefix + key, size(value));
    values.add(prefix + "attention.layer_norm_rms_epsilon", config.layer_norm_epsilon);
    int window = 0;
    for (const LayerKind& kind : a.layers) window = std::max(window, kind.window);
    if (window > 0) values.add(prefix + "attention.sliding_window", size(window));
    const Rotary& rotary = a.rotaries.at(0);
    if (rotary.scaling == RotaryScaling::yarn || rotary.scaling == RotaryScaling::longrope)
        throw Error("gguf: rotary positions scaled by yarn or longrope are not written here");
    values.add(prefix + "rope.freq_base", static_cast<float>(rotary.theta));
    if (a.rotaries.size() > 1)
        values.add(prefix + "rope.freq_base_swa", static_cast<float>(a.rotaries[1].theta));
    if (rotary.scaling == RotaryScaling::linear) {
        values.add(prefix + "rope.scaling.type", std::string("linear"));
        values.add(prefix + "rope.scaling.factor", static_cast<float>(rotary.factor));
    }
}

}  // namespace

GgufValues gguf_values(const std::string& directory, const TransformerConfig& config,
                       WeightType type) {
    GgufValues values;
    std::filesystem::path folder(directory);
    if (!folder.has_filename()) folder = folder.parent_path();
    values.add("general.architecture", gguf_architecture(config.architecture.model_type));
    values.add("general.type", std::string("model"));
    values.add("general.name", folder.filename().string());
    values.add("general.file_type", type == WeightType::f16 ? 1u : 0u);
    if (config.architecture.is_gpt2()) {
        add_gpt2_sizes(config, values);
    } else {
        check_layers(directory, config);
        add_llama_sizes(config, values);
    }
    add_tokenizer(directory, config, values);
    return values;
}

namespace {

constexpr std::uint32_t version = 3;
constexpr std::uint64_t alignment = 32;
constexpr std::uint32_t f32_tensor = 0, f16_tensor = 1;

std::uint64_t aligned(std::uint64_t n) { return (n + alignment - 1) / alignment * alignment; }

WeightType type_of(const WeightShape& weight, WeightType wanted) {
    return weight.shape.size() == 2 && weight.name != "wpe.weight" ? wanted : WeightType::f32;
}

// The numbers of a tensor in the order of the GGUF file.
Tensor in_order(const TransformerConfig& config, const WeightShape& weight, const Tensor& tensor) {
    const GgufLayout layout = gguf_layout(config, weight);
    Tensor result = tensor;
    const std::int64_t rows = weight.shape[0], columns = tensor.size() / rows;
    for (std::int64_t r = 0; r < rows && layout != GgufLayout::same; ++r)
        for (std::int64_t c = 0; c < columns; ++c)
            result.data()[layout == GgufLayout::transposed
                              ? c * rows + r
                              : pair_row(r, config.head_size()) * columns + c] =
                tensor.data()[r * columns + c];
    if (config.architecture.norm_adds_one && weight.name.ends_with("norm.weight"))
        for (float& gamma : result.values()) gamma = 1.0f + gamma;
    return result;
}

std::string bytes_as(const std::string& name, const Tensor& tensor, WeightType type) {
    const auto values = tensor.values();
    std::string bytes(values.size() * index(bytes_of(type)), '\0');
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (type == WeightType::f32) {
            std::memcpy(bytes.data() + 4 * i, &values[i], 4);
            continue;
        }
        const std::uint16_t half = to_f16(values[i]);
        if (std::isfinite(values[i]) && !std::isfinite(from_f16(half)))
            throw Error("gguf: " + name + " has a number too large for f16: " +
                        std::to_string(values[i]) + "; write f32");
        std::memcpy(bytes.data() + 2 * i, &half, 2);
    }
    return bytes;
}

// The numbers by which llama3's scaling divides the frequencies.
Tensor rotary_divisors(const TransformerConfig& config) {
    const int size = config.architecture.rotary_size;
    const Rotary& rotary = config.architecture.rotaries.at(0);
    Rotary unscaled = rotary;
    unscaled.scaling = RotaryScaling::none;
    const auto plain = rotary_frequencies(unscaled, size),
               scaled = rotary_frequencies(rotary, size);
    Tensor divisors({size / 2});
    for (std::size_t i = 0; i < plain.size(); ++i)
        divisors.data()[i] = static_cast<float>(plain[i] / scaled[i]);
    return divisors;
}

constexpr const char* divisors_name = "rope_freqs.weight";

// The weights of a model directory, to be written to the file.
struct Source {
    Source(const std::string& directory, WeightType wanted)
        : config(read_model_config(directory)),
          weights(Safetensors::open_directory(directory)),
          type(wanted),
          shapes(weight_shapes(config)) {
        // Older programs for GPT-2 need the output matrix even if it equals the embedding.
        if (config.architecture.is_gpt2() && config.tie_word_embeddings)
            shapes.push_back({"lm_head.weight", {config.vocab_size, config.n_embd}});
        for (const WeightShape& weight : shapes) weights.check_weight(stored(weight), weight.shape);
        const auto& rotaries = config.architecture.rotaries;
        if (!rotaries.empty() && rotaries[0].scaling == RotaryScaling::llama3)
            shapes.push_back({divisors_name, {config.architecture.rotary_size / 2}});
    }
    std::string stored(const WeightShape& weight) const {
        return config.tie_word_embeddings && weight.name == "lm_head.weight" ? "wte.weight"
                                                                             : weight.name;
    }
    std::string name(const WeightShape& weight) const {
        return weight.name == divisors_name ? weight.name : gguf_weight_name(config, weight.name);
    }
    // The dimensions, beginning with the fastest.
    Shape dimensions(const WeightShape& weight) const {
        Shape result = weight.shape;
        if (weight.name == divisors_name || gguf_layout(config, weight) != GgufLayout::transposed)
            std::reverse(result.begin(), result.end());
        return result;
    }
    std::string bytes(const WeightShape& weight) const {
        if (weight.name == divisors_name)
            return bytes_as(weight.name, rotary_divisors(config), WeightType::f32);
        const Tensor tensor = weights.read_weight(stored(weight), weight.shape);
        return bytes_as(weight.name, in_order(config, weight, tensor), type_of(weight, type));
    }

    TransformerConfig config;
    Safetensors weights;
    WeightType type;
    std::vector<WeightShape> shapes;
};

}  // namespace

void write_gguf(const std::string& directory, const std::string& path, WeightType type) {
    if (type == WeightType::bf16)
        throw Error("gguf: bf16 is not written here, expected f32 or f16");
    const Source source(directory, type);
    const GgufValues values = gguf_values(directory, source.config, type);
    GgufBytes header;
    header.all = "GGUF";
    header.u32(version);
    header.u64(source.shapes.size());
    header.u64(values.count);
    header.all += values.bytes.all;
    std::uint64_t offset = 0;
    for (const WeightShape& weight : source.shapes) {
        const WeightType stored = type_of(weight, type);
        header.text(source.name(weight));
        header.u32(static_cast<std::uint32_t>(weight.shape.size()));
        for (const std::int64_t d : source.dimensions(weight))
            header.u64(static_cast<std::uint64_t>(d));
        header.u32(stored == WeightType::f16 ? f16_tensor : f32_tensor);
        header.u64(offset);
        offset = aligned(
            offset + static_cast<std::uint64_t>(element_count(weight.shape) * bytes_of(stored)));
    }
    header.all.resize(aligned(header.all.size()));
    AtomicFile file(path);
    file.write(header.all.data(), header.all.size());
    for (const WeightShape& weight : source.shapes) {
        std::string bytes = source.bytes(weight);
        bytes.resize(aligned(bytes.size()));
        file.write(bytes.data(), bytes.size());
    }
    file.commit();
}

}  // namespace tbt
