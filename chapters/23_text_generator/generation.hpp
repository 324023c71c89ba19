// One generation: the model, the prompts, the request and how its texts come about.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "chapters/12_speculative/draft_length.hpp"
#include "chapters/23_text_generator/guided_texts.hpp"
#include "chapters/23_text_generator/recording.hpp"
#include "chapters/23_text_generator/text_generator.hpp"

namespace tbt {

struct Generation {
    const TextOptions& options;
    const Model& target;
    std::span<const std::vector<int>> prompts;
    const GenerateObserver& observer;
    GenerateRequest request;
    BatchLogits model;
    std::size_t slots = 1;       // of the model, for each prompt
    BatchLogits assistant = {};  // drafts; empty: none
    int assistant_context = 0;
    std::optional<DraftLength> draft_length = {};  // where something drafts
    Heads* heads = nullptr;                        // guess; null: none
    TreeShape tree = {};                           // of their guesses
    // The target's state after a text in a slot (chapter 21).
    std::function<std::span<const float>(std::size_t slot, std::span<const int> ids)> state = {};
    std::shared_ptr<GuidedTexts> guide = {};  // null: none
    Recording* recording = nullptr;           // null: nobody wants to see it
    const AttentionWatch* watch = nullptr;    // of the target, while it reads again; null: none
};

// Watches a head of a model as long as it lives; null: none.
struct Watching {
    Watching(Transformer& model, AttentionWatch* watch) : transformer(model) {
        transformer.watch(watch);
    }
    ~Watching() { transformer.watch(nullptr); }
    Watching(const Watching&) = delete;
    Transformer& transformer;
};

// The texts of the first prompt, then of the second, …, by a search, by drafts or by plain draws.
std::vector<GeneratedText> write_texts(Generation& generation, Effort& effort);

}  // namespace tbt
