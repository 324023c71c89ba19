#include "lib/model/model_files.hpp"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "lib/core/error.hpp"
#include "lib/core/unicode.hpp"
#include "lib/machine/files.hpp"

namespace tbt {

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

}  // namespace tbt
