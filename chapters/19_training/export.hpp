// Writes a trained model as a directory that other programs can read, in the layout of the Hugging
// Face hub.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "chapters/19_training/training.hpp"

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

}  // namespace tbt
