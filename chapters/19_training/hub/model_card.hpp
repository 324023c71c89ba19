// What a model directory says about itself: README.md in the form of the hub's model cards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chapters/19_training/validation.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

// How a conversation is written for the models of this course, in Jinja, as
// tokenizer_config.json and GGUF files keep it:
//
//     User: hi
//     Assistant: Hello!
//     User: who are you?
//     Assistant:
extern const std::string chat_template;

struct ModelCard {
    std::string name;  // of the directory
    TransformerConfig config;
    std::int64_t parameters = 0, tokens = 0;
    // What it learned from: the corpus of this course, or texts; the teacher and the model that
    // training went on from, each empty if there was none.
    bool own_text = false;
    bool fills_masks = false;  // chapter 22's kind of model
    std::string source, teacher, init;
    std::vector<GenreResult> results;  // may be empty
    GenreResult total;
};

// A block of metadata between lines of three dashes, then Markdown.
std::string model_card_text(const ModelCard& card);

}  // namespace tbt
