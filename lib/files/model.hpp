// Loads a language model: the network with its configuration, and the tokenizer.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lib/machine/command_line.hpp"
#include "lib/model/transformer.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

struct Model {
    Transformer transformer;
    Tokenizer tokenizer;

    const TransformerConfig& config() const { return transformer.config(); }
};

// The directory of a model that comes with the course, relative to the repository's root. The
// environment variable TBT_MODELS replaces the folder that has them all.
std::filesystem::path shipped_model(std::string_view name);

// Loads a directory in the layout of the transformers library, or a GGUF file. Throws Error with
// the file and what is wrong with it.
Model load_model(const std::filesystem::path& directory, const TransformerOptions& options = {});

// The token ids of a prompt. If there are none, the result is the end-of-text token: it separates
// documents, so the model begins a new one. Throws Error if the text is not UTF-8 or does not leave
// `room` tokens of the context free.
std::vector<int> encode_prompt(const Model& model, std::string_view text, int room = 1);

// Explains a path that is not a model: for each of the usual mistakes, one line that says what to
// do.

// A model is a directory with config.json, or a GGUF file. Throws Error if the path does not exist,
// if the directory has no config.json, or if it is a file that has only weights.
void check_model_path(const std::string& path);

// The command-line options for loading a model, shared by all programs that have them.

// The values as the user gave them: the type of the weights in memory ("stored": as in the file),
// the type of the KV cache, and the number of threads (0: the default).
struct ModelOptions {
    std::string weights = "stored", cache = "f32";
    int threads = 0;
};

// Declares --weights, --cache and --threads.
void loading_options(CommandLine line, ModelOptions& options);

// Converts them for Transformer::load(). Throws UsageError for a value that is not allowed.
TransformerOptions transformer_options(const ModelOptions& options);

}  // namespace tbt
