#include "lib/files/model.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/utf8.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/gguf_model.hpp"
#include "lib/model/gguf_tokenizer.hpp"
#include "lib/model/model.hpp"

namespace tbt {

std::filesystem::path shipped_model(std::string_view name) {
    const char* folder = std::getenv("TBT_MODELS");
    return std::filesystem::path(folder ? folder : "data/models") / name;
}

Model load_model(const std::filesystem::path& directory, const TransformerOptions& options) {
    check_model_path(directory.string());
    const bool is_file = is_model_file(directory.string());
    Model model{Transformer::load(directory, options),
                is_file ? gguf_tokenizer(GgufFile(directory.string()))
                        : Tokenizer::load(directory.string())};
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
    if (const std::size_t bad = find_invalid_utf8(text); bad != std::string_view::npos) {
        throw Error("prompt: byte " + std::to_string(bad + 1) +
                    " is not valid UTF-8; save the text as UTF-8");
    }
    std::vector<int> ids = model.tokenizer.encode_prompt(text);
    if (ids.empty()) ids.push_back(model.tokenizer.eos_id());
    const int context = model.config().n_positions;
    if (room < 0)
        throw Error("prompt: room for " + std::to_string(room) + " tokens, expected 0 or more");
    if (ids.size() + index(room) > index(context)) {
        const auto length = static_cast<long long>(ids.size());
        const std::string shorter =
            "shorten the prompt to " + std::to_string(context - room) + " tokens";
        const std::string fewer =
            "ask for at most " + std::to_string(context - length) + " new ones";
        throw Error("prompt: " + std::to_string(length) + " tokens and " + std::to_string(room) +
                    " new ones exceed the model's context of " + std::to_string(context) + "; " +
                    (room >= context && length >= context ? "make both fewer"
                     : room >= context                    ? fewer
                     : length >= context                  ? shorter
                                                          : shorter + " or " + fewer));
    }
    return ids;
}

namespace fs = std::filesystem;

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
                    path + " --local-dir DIR; then name DIR");
    throw Error(path +
                ": no such model directory; expected a folder with config.json, model.safetensors "
                "and a tokenizer, or a GGUF file (run from the repository's root, or name one with "
                "--model)");
}

void loading_options(CommandLine line, ModelOptions& o) {
    line.option("--weights", o.weights,
                "keep weights in memory as f32, f16, bf16, int8 or int4; stored: as in the file")
        .suggests("stored,f32,f16,bf16,int8,int4")
        .shows_default();
    line.option("--cache", o.cache, "keep keys and values in memory as f32 or f16")
        .suggests("f32,f16")
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
    return gpt;
}

}  // namespace tbt
