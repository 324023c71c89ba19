// A model directory opened for use: the network, its tokenizer and the tokens that end a text.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lib/model/transformer.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

struct Model {
    Transformer gpt;
    Tokenizer tokenizer;

    const TransformerConfig& config() const { return gpt.config(); }
};

// Where the shipped models are, from the repository's root; the environment variable
// TBT_MODELS moves the folder.
std::filesystem::path shipped_model(std::string_view name);

// Opens a directory as transformers writes it, or a GGUF file. Errors name the file and what is
// wrong with it.
Model load_model(const std::filesystem::path& directory, const TransformerOptions& options = {});

// The ids of a prompt. An empty prompt is the document separator, from which a model starts afresh.
// Throws Error when the text is not UTF-8 or leaves no room in the context for `room` more tokens.
std::vector<int> encode_prompt(const Model& model, std::string_view text, int room = 1);

}  // namespace tbt
