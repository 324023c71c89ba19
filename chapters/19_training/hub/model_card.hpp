// Writes the README.md of a model directory, in the form of the hub's model cards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chapters/19_training/validation.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

// The chat template for the models of this course, in Jinja, as stored in tokenizer_config.json and
// GGUF files. It writes a conversation as
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
