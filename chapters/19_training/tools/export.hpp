// Writes a trained model as a directory that other programs can read, in the layout of the Hugging
// Face hub.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "chapters/19_training/training.hpp"
#include "lib/corpus/validation.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

struct ExportInfo {
    std::string folder;                // of the corpus or the texts, as given
    bool half = false;                 // weights as F16
    std::vector<GenreResult> results;  // of the last validation; may be empty
    GenreResult total;
};

// Writes config.json, generation_config.json, model.safetensors, the tokenizer's files,
// recipe.json, README.md, curve.csv and curve.svg, each complete or not at all.
void export_model(Training& training, const DocumentSource& source, const Tokenizer& tokenizer,
                  const std::filesystem::path& directory, const ExportInfo& info);

// The curve as a table with one line for each point; validation columns are empty for points
// without validation.
std::string curve_csv(const std::vector<CurvePoint>& curve, const std::vector<std::string>& genres);

// The chat template for the models of this course, in Jinja, as stored in tokenizer_config.json and
// GGUF files. It writes a conversation as
//
//     User: hi
//     Assistant: Hello!
//     User: who are you?
//     Assistant:
extern const std::string chat_template;

// The README.md of a model directory, in the form of the hub's model cards.
struct ModelCard {
    std::string name;  // of the directory
    TransformerConfig config;
    std::int64_t parameters = 0, tokens = 0;
    // own_text: it was trained on texts, not on the course's corpus. source: the corpus or the
    // texts. teacher, init: the teacher and the model with the initial weights; empty if there was
    // none.
    bool own_text = false;
    bool fills_masks = false;  // chapter 22's kind of model
    std::string source, teacher, init;
    std::vector<GenreResult> results;  // may be empty
    GenreResult total;
};

// The card: a block of metadata between lines of three dashes, then Markdown.
std::string model_card_text(const ModelCard& card);

}  // namespace tbt
