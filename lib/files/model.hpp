// Loads language models: the network with its configuration, and the tokenizer.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/model/transformer.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

class CommandLine;
class GgufFile;
class Safetensors;

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

// The same without the tokenizer.
Transformer load_transformer(const std::filesystem::path& directory,
                             const TransformerOptions& options = {});

// The token ids of a prompt. If there are none, the result is the end-of-text token: it separates
// documents, so the model begins a new one. Throws Error if the text is not UTF-8 or does not leave
// `room` tokens of the context free.
std::vector<int> encode_prompt(const Model& model, std::string_view text, int room = 1);

// A model is a directory with config.json, or a GGUF file. Throws Error if the path does not exist,
// if the directory has no config.json, or if it is a file that has only weights: for each of the
// usual mistakes, one line that says what to do.
void check_model_path(const std::string& path);

// Is this path, given as --model, a file? Then it is read as GGUF, otherwise as a model directory.
bool is_model_file(const std::string& path);

// ---- weights ------------------------------------------------------------------------------------
// The type of the matrices in a file. It is int4 or else int8 (stored_integers.hpp) if any matrix
// is stored so, and f32 if the matrices have several other types.
WeightType stored_type(const Safetensors& file);

// The opened weights of a model directory or file. In `options`, the type of the weights is set: to
// that of the file if the caller's options leave it open. The constructors throw Error, before they
// allocate anything, if the weights do not match the configuration or need too much memory. A
// GgufFile must outlive them.
struct OpenedWeights {
    OpenedWeights(const std::string& directory, const TransformerConfig& config,
                  const TransformerOptions& options);
    OpenedWeights(const GgufFile& file, const TransformerConfig& config,
                  const TransformerOptions& options);

    std::unique_ptr<const WeightStore> store;
    TransformerOptions options;
};

// ---- options ------------------------------------------------------------------------------------
// The command-line options for loading a model, shared by all programs that have them, as the user
// gave them: the type of the weights in memory ("stored": as in the file), the type of the KV
// cache,
// and the number of threads (0: the default).
struct ModelOptions {
    std::string weights = "stored", cache = "f32";
    int threads = 0;
};

// Declares --weights, --cache and --threads.
void loading_options(CommandLine line, ModelOptions& options);

// Converts them for load_model(). Throws UsageError for a value that is not allowed.
TransformerOptions transformer_options(const ModelOptions& options);

}  // namespace tbt
