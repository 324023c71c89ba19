#include "chapters/19_training/tools/gguf.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <utility>
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
    // Where a space is put in front of a text, who reads the file puts one after such a token, too.
    const bool prefix =
        pieces && !vocabulary.rules.normalizers.empty() &&
        vocabulary.rules.normalizers.front().kind != TextRules::Normalizer::Kind::replace;
    for (const auto& added : vocabulary.added) {
        if (at(types, added.id) == gguf_token::byte) continue;
        const bool spaces =
            pieces && !added.special && at(tokens, added.id) != at(vocabulary.tokens, added.id);
        if (spaces && prefix) continue;
        at(types, added.id) = size(added.special ? gguf_token::control : gguf_token::user);
        // With spaces instead of "▁", as llama.cpp's converter writes them.
        if (!added.special) at(tokens, added.id) = at(vocabulary.tokens, added.id);
    }
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
    if (const auto chat = read_chat_template(directory, "tool_use"))
        values.add("tokenizer.chat_template.tool_use", *chat);
}

// ---- sizes --------------------------------------------------------------------------------------
// A layer of this kind is usual for the model's type.
LayerKind usual_layer(const Architecture& a, int i, int window) {
    const std::string& type = a.model_type;
    const int pattern = type == "gemma3_text"                   ? 6
                        : type == "olmo3"                       ? 4
                        : type == "gemma2" || type == "gpt_oss" ? 2
                                                                : 0;
    LayerKind usual{0, 0};
    if (type == "mistral" || type == "phi3" || (pattern > 0 && (i + 1) % pattern != 0))
        usual.window = window;
    return usual;
}

// Which layers have a window, if GGUF's programs do not assume it: 0 or 1 for each. Throws Error if
// layers differ in a way for which there is no value.
std::vector<std::uint32_t> window_pattern(const std::string& who, const TransformerConfig& config,
                                          int window) {
    const Architecture& a = config.architecture;
    const bool local = a.rotaries.size() > 1;
    std::vector<std::uint32_t> slides;
    bool usual = true;
    for (int i = 0; i < count(a.layers); ++i) {
        const LayerKind& kind = a.layers[index(i)];
        const bool none = a.model_type == "smollm3" && (i + 1) % 4 == 0;
        if (kind.rotary != (none ? -1 : local && kind.window > 0 ? 1 : 0))
            throw Error(who + ": layer " + std::to_string(i) +
                        " has rotary positions that GGUF has no value for; this model cannot be "
                        "written");
        slides.push_back(kind.window > 0);
        usual = usual && kind.window == usual_layer(a, i, window).window;
    }
    return usual ? std::vector<std::uint32_t>{} : slides;
}

void add_gpt2_sizes(const TransformerConfig& config, GgufValues& values) {
    values.add("gpt2.context_length", size(config.n_positions));
    values.add("gpt2.embedding_length", size(config.n_embd));
    values.add("gpt2.feed_forward_length", size(config.n_inner));
    values.add("gpt2.block_count", size(config.n_layer));
    values.add("gpt2.attention.head_count", size(config.n_head));
    values.add("gpt2.attention.layer_norm_epsilon", config.layer_norm_epsilon);
}

// Soft caps, Granite's multipliers and the experts, where the model has them.
void add_numbers(const TransformerConfig& config, const std::string& prefix, GgufValues& values) {
    const Architecture& a = config.architecture;
    if (a.score_cap > 0) values.add(prefix + "attn_logit_softcapping", a.score_cap);
    if (a.logit_cap > 0) values.add(prefix + "final_logit_softcapping", a.logit_cap);
    if (a.model_type == "granite") {
        values.add(prefix + "embedding_scale", a.embedding_scale);
        values.add(prefix + "residual_scale", a.residual_scale);
        values.add(prefix + "logit_scale", 1 / a.logit_scale);
        values.add(prefix + "attention.scale", 1 / std::sqrt(a.score_scalar));
    }
    if (a.experts == 0) return;
    values.add(prefix + "expert_count", size(a.experts));
    values.add(prefix + "expert_used_count", size(a.experts_per_token));
    if (a.model_type != "mixtral")  // its feed_forward_length
        values.add(prefix + "expert_feed_forward_length", size(a.expert_inner));
}

void add_rotary(const std::string& who, const Rotary& rotary, const std::string& prefix,
                GgufValues& values) {
    values.add(prefix + "rope.freq_base", static_cast<float>(rotary.theta));
    const bool yarn = rotary.scaling == RotaryScaling::yarn;
    const auto scaling = [&](const char* key, double value) {
        values.add(prefix + "rope.scaling." + key, static_cast<float>(value));
    };
    if (rotary.scaling == RotaryScaling::linear || yarn) {
        values.add(prefix + "rope.scaling.type", std::string(yarn ? "yarn" : "linear"));
        scaling("factor", rotary.factor);
    }
    if (yarn || rotary.scaling == RotaryScaling::longrope)
        values.add(prefix + "rope.scaling.original_context_length",
                   size(rotary.original_positions));
    if (rotary.scaling == RotaryScaling::longrope) scaling("attn_factor", rotary.amplitude);
    if (!yarn) return;
    scaling("yarn_beta_fast", rotary.high_frequency_factor);
    scaling("yarn_beta_slow", rotary.low_frequency_factor);
    const double usual = 0.1 * std::log(rotary.factor) + 1;
    if (rotary.whole_dimensions == (prefix == "gpt-oss.") ||
        std::abs(rotary.amplitude - usual) > 1e-6)
        throw Error(who +
                    ": YaRN with settings that GGUF has no value for; this model cannot be "
                    "written");
}

void add_llama_sizes(const std::string& who, const TransformerConfig& config, GgufValues& values) {
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
    if (a.norm == Norm::layer) {
        values.add(prefix + "attention.layer_norm_epsilon", config.layer_norm_epsilon);
        values.add_flag(prefix + "use_parallel_residual", a.parallel);
    }
    int window = 0;
    for (const LayerKind& kind : a.layers) window = std::max(window, kind.window);
    if (window > 0 || a.model_type == "gemma2")  // a Gemma 2 without the value has windows
        values.add(prefix + "attention.sliding_window", size(window));
    const std::vector<std::uint32_t> slides = window_pattern(who, config, window);
    if (!slides.empty()) values.add_list(prefix + "attention.sliding_window_pattern", slides);
    add_numbers(config, prefix, values);
    if (a.model_type.starts_with("gemma") &&
        a.score_scalar != static_cast<float>(config.head_size()))
        throw Error(who + ": query_pre_attn_scalar is not head_dim, and GGUF has no value for it");
    add_rotary(who, a.rotaries.at(0), prefix, values);
    if (a.rotaries.size() > 1)
        values.add(prefix + "rope.freq_base_swa", static_cast<float>(a.rotaries[1].theta));
}

// All values of the model in this directory, including its tokenizer and chat template.
GgufValues gguf_values(const std::string& directory, const TransformerConfig& config,
                       WeightType type) {
    GgufValues values;
    std::filesystem::path folder(directory);
    if (!folder.has_filename()) folder = folder.parent_path();
    values.add("general.architecture", gguf_architecture(config.architecture.model_type));
    values.add("general.type", std::string("model"));
    values.add("general.name", folder.filename().string());
    values.add("general.file_type", type == WeightType::f16 ? 1u : 0u);
    if (config.architecture.is_gpt2()) add_gpt2_sizes(config, values);
    else add_llama_sizes(directory, config, values);
    add_tokenizer(directory, config, values);
    return values;
}

constexpr std::uint32_t version = 3;
constexpr std::uint64_t alignment = 32;
constexpr std::uint32_t f32_tensor = 0, f16_tensor = 1;

std::uint64_t aligned(std::uint64_t n) { return (n + alignment - 1) / alignment * alignment; }

WeightType type_of(const WeightShape& weight, WeightType wanted) {
    return weight.shape.size() == 2 && weight.name != "wpe.weight" ? wanted : WeightType::f32;
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
std::vector<double> rotary_divisors(const TransformerConfig& config) {
    const int size = config.architecture.rotary_size;
    const Rotary& rotary = config.architecture.rotaries.at(0);
    Rotary unscaled = rotary;
    unscaled.scaling = RotaryScaling::none;
    std::vector<double> divisors = rotary_frequencies(unscaled, size);
    const std::vector<double> scaled = rotary_frequencies(rotary, size);
    for (std::size_t i = 0; i < divisors.size(); ++i) divisors[i] /= scaled[i];
    return divisors;
}

// A tensor of the file: the weights whose rows it has, or numbers that frequencies are divided by.
struct Part {
    std::string name;
    Shape shape;
    WeightType type = WeightType::f32;
    std::vector<WeightShape> weights = {};
    std::vector<double> divisors = {};
};

// The weights of a model directory, to be written to the file.
struct Source {
    Source(const std::string& directory, WeightType type)
        : config(read_model_config(directory)), weights(Safetensors::open_directory(directory)) {
        gguf_architecture(config.architecture.model_type);  // throws Error if it has no name
        std::vector<WeightShape> shapes = weight_shapes(config);
        // Older programs for GPT-2 need the output matrix even if it equals the embedding.
        if (config.architecture.is_gpt2() && config.tie_word_embeddings)
            shapes.push_back({"lm_head.weight", {config.vocab_size, config.n_embd}});
        std::map<std::string, std::size_t> places;
        for (const WeightShape& weight : shapes) {
            weights.check_weight(stored(weight), weight.shape);
            const GgufPlace place = gguf_place(config, weight);
            for (const std::string& name : place.tensors) {
                const auto [found, is_new] = places.emplace(name, parts.size());
                // The router is kept exactly, as llama.cpp keeps it.
                const bool router = name.ends_with("ffn_gate_inp.weight");
                if (is_new)
                    parts.push_back(
                        {name, place.shape, router ? WeightType::f32 : type_of(weight, type)});
                parts[found->second].weights.push_back(weight);
            }
        }
        add_divisors();
    }
    void add_divisors() {
        const auto& rotaries = config.architecture.rotaries;
        if (rotaries.empty()) return;
        const Rotary& rotary = rotaries[0];
        const auto add = [&](const char* name, const std::vector<double>& numbers) {
            parts.push_back({name, {length_of(numbers)}, WeightType::f32, {}, numbers});
        };
        if (rotary.scaling == RotaryScaling::llama3)
            add("rope_freqs.weight", rotary_divisors(config));
        if (rotary.scaling != RotaryScaling::longrope) return;
        add("rope_factors_long.weight", rotary.long_factors);
        add("rope_factors_short.weight", rotary.short_factors);
    }
    std::string stored(const WeightShape& weight) const {
        return config.tie_word_embeddings && weight.name == "lm_head.weight" ? "wte.weight"
                                                                             : weight.name;
    }
    std::string bytes(const Part& part) const {
        Tensor all(part.shape);
        for (std::size_t i = 0; i < part.divisors.size(); ++i)
            all.data()[i] = static_cast<float>(part.divisors[i]);
        for (const WeightShape& weight : part.weights) {
            const GgufPlace place = gguf_place(config, weight);
            const Tensor tensor = weights.read_weight(stored(weight), weight.shape);
            const bool transposed = place.layout == GgufLayout::transposed,
                       adds_one = config.architecture.norm_adds_one &&
                                  weight.name.ends_with("norm.weight");
            for (std::int64_t r = 0; r < place.rows; ++r) {
                const auto [which, row] = place.at(r);
                if (place.tensors[which] != part.name) continue;
                for (std::int64_t c = 0; c < place.columns; ++c) {
                    const float value =
                        tensor.data()[transposed ? c * place.rows + r : r * place.columns + c];
                    all.data()[row * place.columns + c] = adds_one ? 1.0f + value : value;
                }
            }
        }
        return bytes_as(part.name, all, part.type);
    }

    TransformerConfig config;
    Safetensors weights;
    std::vector<Part> parts;
};

}  // namespace

std::string skipped_by_llama_cpp(const TransformerConfig& config) {
    const Architecture& a = config.architecture;
    for (int i = 0; a.model_type == "qwen3_moe" && i < config.n_layer; ++i)
        if (!config.layer(i).experts)
            return "llama.cpp does not open a qwen3_moe whose layer " + std::to_string(i) +
                   " has no experts";
    if (a.model_type != "mistral" && a.model_type != "qwen2" && a.model_type != "phi3") return {};
    int window = 0;
    for (const LayerKind& kind : a.layers) window = std::max(window, kind.window);
    if (window == 0 || window >= config.n_positions) return {};
    return "llama.cpp reads a " + a.model_type + " without its window of " +
           std::to_string(window) + " tokens: longer texts differ";
}

void write_gguf(const std::string& directory, const std::string& path, WeightType type) {
    if (type != WeightType::f32 && type != WeightType::f16)
        throw UsageError("gguf: the type of matrices is " + std::string(names_of(type).option) +
                         ", expected f32 or f16");
    const Source source(directory, type);
    const GgufValues values = gguf_values(directory, source.config, type);
    GgufBytes header;
    header.all = "GGUF";
    header.u32(version);
    header.u64(source.parts.size());
    header.u64(values.count);
    header.all += values.bytes.all;
    std::uint64_t offset = 0;
    for (const Part& part : source.parts) {
        header.text(part.name);
        header.u32(static_cast<std::uint32_t>(part.shape.size()));
        // The dimensions, beginning with the fastest.
        for (std::size_t i = part.shape.size(); i-- > 0;)
            header.u64(static_cast<std::uint64_t>(part.shape[i]));
        header.u32(part.type == WeightType::f16 ? f16_tensor : f32_tensor);
        header.u64(offset);
        offset = aligned(
            offset + static_cast<std::uint64_t>(element_count(part.shape) * bytes_of(part.type)));
    }
    header.all.resize(aligned(header.all.size()));
    AtomicFile file(path);
    file.write(header.all.data(), header.all.size());
    for (const Part& part : source.parts) {
        std::string bytes = source.bytes(part);
        bytes.resize(aligned(bytes.size()));
        file.write(bytes.data(), bytes.size());
    }
    file.commit();
}

}  // namespace tbt
