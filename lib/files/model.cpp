#include "lib/files/model.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>

#include "lib/core/error.hpp"
#include "lib/core/gpt.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/gguf_file.hpp"
#include "lib/files/gguf_model.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/files/stored_experts.hpp"
#include "lib/files/stored_integers.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/memory.hpp"
#include "lib/model/processes.hpp"
#include "lib/model/weight_names.hpp"
#include "lib/quantized/integer_matrix.hpp"

namespace tbt {

std::filesystem::path shipped_model(std::string_view name) { return model_directory(name); }

// ---- weights ------------------------------------------------------------------------------------

// Experts in MXFP4 (stored_experts.hpp).
static bool is_mxfp4(const std::string& name, const StoredTensor& tensor) {
    return name.ends_with("_blocks") && tensor.dtype == "U8" && tensor.shape.size() == 4;
}

// Keeping 16-bit weights in their type changes no bit of a logit, since they convert to floats
// exactly.
WeightType stored_type(const Safetensors& file) {
    std::optional<std::string> dtype;
    bool mixed = false, in_8_bits = false;
    for (const auto& [name, tensor] : file.tensors()) {
        if (is_mxfp4(name, tensor)) return WeightType::blocks;
        if (tensor.shape.size() != 2) continue;
        if (is_int4(name, tensor)) return WeightType::int4;
        in_8_bits = in_8_bits || tensor.dtype == int8_dtype;
        mixed = mixed || (dtype && *dtype != tensor.dtype);
        dtype = tensor.dtype;
    }
    if (in_8_bits) return WeightType::int8;
    if (mixed) return WeightType::f32;
    return weight_type_named(dtype.value_or("")).value_or(WeightType::f32);
}

namespace {

class DirectoryWeights final : public WeightStore {
public:
    explicit DirectoryWeights(Safetensors file) : file_(std::move(file)) {}

    Tensor read(const std::string& name, const Shape& shape) const override {
        return file_.read_weight(name, shape);
    }
    std::optional<Stored> stored(const std::string& name, const Shape& shape) const override {
        const std::optional<StoredView> view = file_.stored_weight(name, shape);
        if (!view) return std::nullopt;
        return Stored{*view, file_.file_of(name)};
    }
    std::optional<BlockRows> blocks(const std::string& name, const Shape& shape) const override {
        return file_.stored_blocks(name, shape);
    }
    std::optional<PackedMatrix> packed(const std::string& name, const Shape& shape, WeightType type,
                                       int threads) const override {
        std::optional<PackedMatrix> result;
        if (type == WeightType::int4) {
            if (const auto codes = file_.stored_int4(name, shape))
                result.emplace(std::make_shared<const Int4Matrix>(*codes, threads));
        } else if (type == WeightType::int8) {
            if (const auto codes = file_.stored_int8(name, shape))
                result.emplace(std::make_shared<const Int8Matrix>(*codes, threads));
        }
        if (result) file_.forget_weight(name);
        return result;
    }
    void forget(const std::string& name) const override { file_.forget_weight(name); }

private:
    Safetensors file_;
};

// Old files have the rotary frequencies and the causal mask, which are no weights.
bool is_constant(const std::string& tensor) {
    return tensor.ends_with(".rotary_emb.inv_freq") || tensor.ends_with(".attention.bias") ||
           tensor.ends_with(".attention.masked_bias");
}

// Throws Error if a layer in the file or its output has a weight that config.json does not imply:
// ignoring a bias, for example, would change the results.
void check_nothing_more(const std::string& name, const Safetensors& file,
                        const TransformerConfig& config) {
    const std::string_view layers = weight_names(config.architecture).layers;
    std::set<std::string> known;
    for (const WeightShape& w : weight_shapes(config)) known.insert(w.name);
    for (const auto& [stored, view] : file.tensors()) {
        const std::string tensor = weight_name(stored);
        if (config.architecture.model_type == "gpt_oss" && tensor.ends_with(".experts.down_proj"))
            throw Error(name + ": its experts are floats, expected MXFP4 (" + tensor +
                        "_blocks and …_scales): take the original model");
        if ((tensor.starts_with(layers) || tensor == "lm_head.bias") &&
            !known.count(first_expert(tensor)) && !is_constant(tensor))
            throw Error(name + ": the weights have \"" + tensor + "\", which a " +
                        config.architecture.model_type +
                        " of this config.json doesn't; they don't belong together");
    }
}

bool reads_pictures(const std::string& tensor) {
    return tensor.find("vision") != std::string::npos ||
           tensor.find("multi_modal") != std::string::npos;
}

// Throws Error unless the file has the weights that config.json implies, and as many layers.
void check_weights(const std::string& name, const Safetensors& file,
                   const TransformerConfig& config) {
    const auto fail = [&](const std::string& what) {
        throw Error(name + ": config.json says n_layer " + std::to_string(config.n_layer) +
                    ", but the weights " + what + "; they don't belong together");
    };
    if (!config.architecture.is_gpt2()) {
        check_nothing_more(name, file, config);
        for (const WeightShape& w : weight_shapes(config)) file.check_weight(w.name, w.shape);
        return;
    }
    const std::string further = "h." + std::to_string(config.n_layer) + ".ln_1.weight";
    if (file.find(further) || file.find("transformer." + further)) fail("go on with " + further);
    const auto tensors = static_cast<std::int64_t>(file.tensors().size());
    if (tensors < config.n_layer) fail("are only " + std::to_string(tensors) + " tensors");
    for (const WeightShape& w : weight_shapes(config)) file.check_weight(w.name, w.shape);
}

// The check of the memory assumes a cache of at most this many tokens: some models have a context
// of 131,072 tokens, but few texts are that long.
constexpr int planned_context = 8192;

// Throws Error "NAME: …" if the machine has too little memory for these weights and a cache.
void check_planned_memory(const std::string& name, const TransformerConfig& config,
                          const TransformerOptions& options, std::int64_t blocks = 0) {
    TransformerConfig planned = config;
    planned.cache_type = options.cache;
    const int context = std::min(config.n_positions, planned_context);
    const WeightType type = options.weights.value_or(WeightType::f32);
    const MemoryPlan plan = plan_memory(planned, type, context, 1);
    const std::int64_t weights = type == WeightType::blocks ? blocks : plan.weights();
    const int parts = options.processes ? options.processes->size() : 1;
    check_memory(name, (plan.total() - plan.weights() + weights) / parts, available_memory());
}

}  // namespace

OpenedWeights::OpenedWeights(const std::string& directory, const TransformerConfig& config,
                             const TransformerOptions& chosen)
    : options(chosen) {
    Safetensors file = Safetensors::open_directory(directory);
    if (!options.weights) options.weights = stored_type(file);
    check_weights(directory, file, config);
    std::int64_t bytes = 0;  // of the weights as stored; MXFP4's scales become floats
    for (const auto& [name, tensor] : file.tensors())
        bytes += length_of(tensor.bytes) * (is_mxfp4(name, tensor) ? 5 : 4) / 4;
    check_planned_memory(directory, config, options, bytes);
    if (std::any_of(file.tensors().begin(), file.tensors().end(),
                    [](const auto& tensor) { return reads_pictures(tensor.first); }))
        std::fprintf(stderr, "%s: only the text model is opened; pictures are not read\n",
                     directory.c_str());
    store = std::make_unique<DirectoryWeights>(std::move(file));
}

OpenedWeights::OpenedWeights(const GgufFile& file, const TransformerConfig& config,
                             const TransformerOptions& chosen)
    : store(gguf_weights(file, config)), options(chosen) {
    if (!options.weights) options.weights = gguf_weight_type(file);
    check_planned_memory(file.path(), config, options, file.bytes_in_memory());
}

// ---- loading ------------------------------------------------------------------------------------

// Says on stderr that the quantised weights of a file are converted to another type.
static void say_what_is_rounded(const GgufFile& file, const TransformerConfig& config,
                                WeightType type) {
    std::set<std::string_view> names;
    for (const auto& [name, tensor] : file.tensors())
        if (tensor.block->is_quantised()) names.insert(tensor.block->name);
    if (names.empty()) return;
    std::string list;
    for (const std::string_view name : names)
        list += (list.empty() ? "" : ", ") + std::string(name);
    std::fprintf(stderr,
                 "%s: weights in %s are converted to %s (%lld MiB); --weights stored keeps them\n",
                 file.path().c_str(), list.c_str(), std::string(names_of(type).option).c_str(),
                 static_cast<long long>(plan_memory(config, type, 1, 1).weights() >> 20));
}

static Transformer load_from(const GgufFile& file, const TransformerOptions& options) {
    const TransformerConfig config = gguf_config(file);
    const OpenedWeights weights(file, config, options);
    if (options.weights) say_what_is_rounded(file, config, *options.weights);
    return {config, *weights.store, weights.options};
}

static Transformer load_from(const std::string& directory, const TransformerOptions& options) {
    const TransformerConfig config = read_model_config(directory);
    const OpenedWeights weights(directory, config, options);
    return {config, *weights.store, weights.options};
}

Transformer load_transformer(const std::filesystem::path& directory,
                             const TransformerOptions& options) {
    const std::string name = directory.string();
    return is_model_file(name) ? load_from(GgufFile(name), options) : load_from(name, options);
}

Model load_model(const std::filesystem::path& directory, const TransformerOptions& options) {
    const std::string name = directory.string();
    check_model_path(name);
    const auto load = [&]() -> Model {
        if (!is_model_file(name)) return {load_from(name, options), Tokenizer::load(name)};
        const GgufFile file(name);
        return {load_from(file, options), gguf_tokenizer(file)};
    };
    Model model = load();
    // Gemma's files have an added token more than the model has rows.
    if (model.tokenizer.vocab_size() > model.config().vocab_size &&
        !model.tokenizer.drop_added_from(model.config().vocab_size)) {
        throw Error(directory.string() + ": the tokenizer has " +
                    std::to_string(model.tokenizer.vocab_size()) + " tokens, the model only " +
                    std::to_string(model.config().vocab_size) + "; they don't belong together");
    }
    if (model.tokenizer.vocab_size() < model.config().vocab_size)
        model.transformer.mask_ids_from(model.tokenizer.vocab_size());
    return model;
}

std::vector<int> encode_prompt(const Model& model, std::string_view text, int room) {
    check_prompt_text(text);
    std::vector<int> ids = model.tokenizer.encode_prompt(text);
    if (ids.empty()) ids.push_back(model.tokenizer.eos_id());
    check_prompt_length(ids.size(), room, model.config().n_positions);
    return ids;
}

// ---- paths --------------------------------------------------------------------------------------

namespace fs = std::filesystem;

bool is_model_file(const std::string& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

namespace {

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> endings) {
    return std::any_of(endings.begin(), endings.end(),
                       [&](std::string_view end) { return text.ends_with(end); });
}

// True for "Qwen/Qwen2.5-0.5B": an owner and a name.
bool looks_like_a_hub_name(const std::string& path) {
    const std::size_t slash = path.find('/');
    return slash != std::string::npos && slash > 0 && slash + 1 < path.size() &&
           path.find('/', slash + 1) == std::string::npos && path[0] != '.' && path[0] != '~' &&
           !ends_with_any(path, {".gguf"}) && !file_exists(path.substr(0, slash));
}

void check_file(const std::string& path) {
    if (path.ends_with(".safetensors")) {
        const fs::path folder = fs::path(path).parent_path();
        throw Error(path +
                    ": holds the weights alone, without config.json and tokenizer; name "
                    "the directory that has all of them: " +
                    (folder.empty() ? "." : folder.string()));
    }
    if (ends_with_any(path, {".bin", ".pt", ".pth", ".pkl", ".ckpt"}))
        throw Error(path +
                    ": weights of PyTorch are not read, since opening them can run code; "
                    "expected a directory with model.safetensors, as transformers' "
                    "save_pretrained writes it");
}

// The first GGUF file in a folder, in the order of names; "" if there is none.
std::string gguf_in(const std::string& folder) {
    std::string first;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().string();
        if (name.ends_with(".gguf") && (first.empty() || name < first)) first = name;
    }
    return first;
}

void check_directory(const std::string& path) {
    if (file_exists(join_path(path, "config.json"))) return;
    std::error_code ignored;
    const std::string parts = "config.json, model.safetensors and a tokenizer";
    if (fs::is_empty(path, ignored))
        throw Error(path + ": the folder is empty, expected a model's: " + parts);
    if (const std::string gguf = gguf_in(path); !gguf.empty())
        throw Error(path + ": has no config.json, but a GGUF file; name that: " + shown(gguf));
    throw Error(path + ": has no config.json, expected a model's directory with " + parts);
}

}  // namespace

void check_model_path(const std::string& path) {
    if (path.find('\0') != std::string::npos)
        throw Error("the name of a model directory contains a zero byte");
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) return check_directory(path);
    if (fs::is_regular_file(path, ignored)) return check_file(path);
    if (looks_like_a_hub_name(path))
        throw Error(path +
                    ": no such model directory here; a model of the Hugging Face hub is "
                    "fetched first, with hf download " +
                    path + "; build/fetched_models lists those that are here");
    throw Error(path +
                ": no such model directory; expected a folder with config.json, model.safetensors "
                "and a tokenizer, or a GGUF file (run from the repository's root, or name one with "
                "--model)");
}

// ---- options ------------------------------------------------------------------------------------

void loading_options(CommandLine line, ModelOptions& o) {
    line.option("--weights", o.weights,
                "keep weights in memory as f32, f16, bf16, int8 or int4; stored: as in the file")
        .suggests({"stored", "f32", "f16", "bf16", "int8", "int4"})
        .shows_default();
    line.option("--cache", o.cache, "keep keys and values in memory as f32 or f16")
        .suggests({"f32", "f16"})
        .shows_default();
    line.option("--threads", o.threads, "0: one for each core").shows_default();
}

TransformerOptions transformer_options(const ModelOptions& o) {
    TransformerOptions gpt;
    if (o.threads < 0 || o.threads > 1024)
        throw UsageError("--threads: got " + std::to_string(o.threads) +
                         ", expected 1 to 1024, or 0 for one a core");
    gpt.threads = o.threads;
    gpt.weights = weight_type_named(o.weights);
    if (!gpt.weights && o.weights != "stored")
        throw UsageError("--weights: got '" + o.weights +
                         "', expected stored, f32, f16, bf16, int8 or int4");
    if (o.cache != "f32" && o.cache != "f16")
        throw UsageError("--cache: got '" + o.cache + "', expected f32 or f16");
    gpt.cache = *weight_type_named(o.cache);
    gpt.processes = default_processes();
    return gpt;
}

}  // namespace tbt
