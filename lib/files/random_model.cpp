#include "lib/files/random_model.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "lib/core/tokenizer.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/safetensors_write.hpp"
#include "lib/kernels/hash.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/threads.hpp"
#include "lib/model/model_config.hpp"
#include "lib/text/tokenizer_save.hpp"

namespace tbt {

namespace {

// A weight is filled in pieces of this many numbers; each piece has its own random stream.
constexpr std::int64_t piece_values = 4096;

// Writes to `values` those numbers of one piece that are in [first, first + values.size()).
void fill_piece(std::uint64_t seed, std::uint64_t stream, double deviation, std::int64_t piece,
                std::int64_t first, std::span<float> values) {
    Rng rng(seed, stream + static_cast<std::uint64_t>(piece));
    const std::int64_t end = std::min((piece + 1) * piece_values, first + length_of(values));
    for (std::int64_t i = piece * piece_values; i < end; ++i) {
        const auto value = static_cast<float>(deviation * rng.normal());
        if (i >= first) values[index(i - first)] = value;
    }
}

void check_room_on_disk(const std::string& directory, std::int64_t needed) {
    std::error_code unknown;
    const auto space = std::filesystem::space(directory, unknown);
    if (!unknown && static_cast<std::uint64_t>(needed) > space.available) {
        throw Error(directory + ": the model takes " + std::to_string(needed >> 20) +
                    " MiB, the disk has " + std::to_string(space.available >> 20) +
                    " MiB free; choose fewer layers or channels, or F16");
    }
}

void copy_tokenizer(const std::string& from, const std::string& to) {
    for (const char* name : {"tokenizer.json", "vocab.json", "merges.txt", "added_tokens.json",
                             "tokenizer_config.json", "special_tokens_map.json"}) {
        if (file_exists(join_path(from, name)))
            write_file(join_path(to, name), read_file(join_path(from, name)));
    }
}

// Writes the tokenizer's files and sets its special ids in `config`.
void add_tokenizer(const std::string& directory, const std::string& from,
                   TransformerConfig& config) {
    const Tokenizer tokenizer =
        from.empty() ? babble_tokenizer(config.vocab_size) : Tokenizer::load(from);
    if (tokenizer.vocab_size() > config.vocab_size) {
        throw Error(from + ": the tokenizer has " + std::to_string(tokenizer.vocab_size()) +
                    " tokens, expected at most " + std::to_string(config.vocab_size) +
                    ", the model's vocab_size");
    }
    const Vocabulary& vocabulary = tokenizer.vocabulary();
    if (vocabulary.eos_id) config.eos_token_ids = {*vocabulary.eos_id};
    config.bos_token_id = vocabulary.bos_id ? vocabulary.bos_id : vocabulary.eos_id;
    make_directory(directory);
    if (from.empty()) {
        tokenizer.save(directory, config.n_positions);
    } else {
        copy_tokenizer(from, directory);
    }
}

// The published sizes of three of today's models, without special token ids.
std::optional<TransformerConfig> todays_preset(std::string_view name) {
    TransformerConfig config;
    if (name == "smollm2-135m") {
        config = llama_config(30, 9, 3, 576, 1536, 8192, 49152);
        config.architecture.rotaries[0].theta = 1e5;
    } else if (name == "qwen2.5-0.5b") {
        config = llama_config(24, 14, 2, 896, 4864, 32768, 151936);
        config.architecture.model_type = "qwen2";
        config.architecture.qkv_bias = true;
        config.architecture.rotaries[0].theta = 1e6;
        config.layer_norm_epsilon = 1e-6f;
    } else if (name == "llama-3.2-1b") {
        config = llama_config(16, 32, 8, 2048, 8192, 131072, 128256);
        config.architecture.rotaries = {{5e5, RotaryScaling::llama3, 32, 1, 4, 8192}};
    } else {
        return {};
    }
    return config;
}

}  // namespace

TransformerConfig preset_config(std::string_view name) {
    struct Preset {
        std::string_view name;
        int layers, heads, channels, vocabulary, context;
    };
    constexpr std::array<Preset, 6> presets = {{{"gpt2", 12, 12, 768, 50257, 1024},
                                                {"gpt2-medium", 24, 16, 1024, 50257, 1024},
                                                {"gpt2-large", 36, 20, 1280, 50257, 1024},
                                                {"gpt2-xl", 48, 25, 1600, 50257, 1024},
                                                {"storyteller", 8, 8, 256, 8192, 512},
                                                {"sketch", 2, 4, 128, 8192, 512}}};
    const auto found = std::find_if(presets.begin(), presets.end(),
                                    [&](const Preset& p) { return p.name == name; });
    if (const std::optional<TransformerConfig> today = todays_preset(name)) return *today;
    if (found == presets.end()) {
        throw Error(
            "preset '" + std::string(name) +
            "' is unknown, expected gpt2, gpt2-medium, gpt2-large, gpt2-xl, storyteller, sketch, "
            "smollm2-135m, qwen2.5-0.5b or llama-3.2-1b");
    }
    TransformerConfig config =
        gpt_config(found->layers, found->heads, found->channels, found->context, found->vocabulary);
    config.bos_token_id = found->vocabulary - 1;
    config.eos_token_ids = {found->vocabulary - 1};
    return config;
}

void fill_random_weight(const TransformerConfig& config, std::uint64_t seed,
                        const std::string& name, std::int64_t first, std::span<float> values) {
    if (first < 0 || first > std::int64_t{1} << 60)
        throw Error("random weights: values of " + name + " from the " + std::to_string(first) +
                    "th on, expected 0 or more");
    const WeightStart start = weight_start(config, name);
    if (start.deviation == 0 || values.empty())
        return std::fill(values.begin(), values.end(), start.constant);
    const std::int64_t end = first + length_of(values);
    const std::int64_t first_piece = first / piece_values,
                       pieces = (end - 1) / piece_values + 1 - first_piece;
    // The hash of its name gives each weight its own range of streams.
    const std::uint64_t stream = Hash().add(name).value();
    const int threads = to_int(std::min<std::int64_t>(default_threads(), pieces));
    run_team(threads, [&](const Worker& worker) {
        const auto [from, to] = worker.share(pieces);
        for (std::int64_t p = from; p < to; ++p)
            fill_piece(seed, stream, start.deviation, first_piece + p, first, values);
    });
}

WeightSource random_weights(const TransformerConfig& config, std::uint64_t seed) {
    check_config(config, "random weights");
    return [config, seed](const std::string& name, const Shape& shape) {
        Tensor weight(shape);
        fill_random_weight(config, seed, name, 0, weight.values());
        return weight;
    };
}

Tokenizer babble_tokenizer(int vocab_size) {
    if (vocab_size < 257) {
        throw Error("tokenizer: vocab_size is " + std::to_string(vocab_size) +
                    ", expected at least 257 for the bytes and <|endoftext|>; or give a tokenizer");
    }
    Vocabulary vocabulary;
    for (const unsigned char byte : byte_token_order())
        vocabulary.tokens.emplace_back(1, static_cast<char>(byte));
    constexpr std::string_view consonants = "bdfghjklmnprstvwyzqx", vowels = "aeiou";
    for (int word = 0; count(vocabulary.tokens) < vocab_size - 1; ++word) {
        std::string text;
        for (int rest = word; text.size() < 4 || rest > 0; rest /= 100) {
            text += {consonants[index(rest / 5 % 20)], vowels[index(rest % 5)]};
        }
        vocabulary.tokens.push_back(" " + text);
    }
    vocabulary.tokens.push_back("<|endoftext|>");
    vocabulary.added = {{vocab_size - 1, true}};
    vocabulary.bos_id = vocabulary.eos_id = vocab_size - 1;
    return Tokenizer(std::move(vocabulary), "babble tokenizer");
}

void write_random_model(const std::string& directory, TransformerConfig config,
                        const RandomModelOptions& options) {
    config.bos_token_id.reset();
    config.eos_token_ids.clear();
    check_config(config, directory);
    for (const char* name : {"model.safetensors", "model.safetensors.index.json"}) {
        if (!options.overwrite && file_exists(join_path(directory, name))) {
            throw Error(directory +
                        ": holds a model already; choose another directory or ask to overwrite it");
        }
    }
    config.torch_dtype = names_of(options.type).torch_dtype;
    make_directory(directory);
    check_room_on_disk(directory, parameter_count(config) * bytes_of(options.type));
    add_tokenizer(directory, options.tokenizer, config);
    write_model_config(directory, config);
    std::vector<TensorToWrite> tensors;
    for (const WeightShape& w : weight_shapes(config)) {
        tensors.push_back(
            {w.name,
             w.shape,
             {},
             options.type,
             [&config, &options, name = w.name](std::int64_t first, std::span<float> values) {
                 fill_random_weight(config, options.seed, name, first, values);
             }});
    }
    write_safetensors(join_path(directory, "model.safetensors"), std::move(tensors));
}

}  // namespace tbt
