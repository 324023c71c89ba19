// One generation, while it runs, and what is recorded of it for --html and --trace.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "chapters/10_generate/tools/recording.hpp"
#include "chapters/11_beam_search/tools/report.hpp"
#include "chapters/12_speculative/draft_length.hpp"
#include "chapters/12_speculative/tools/rounds.hpp"
#include "chapters/23_text_generator/guided_texts.hpp"
#include "chapters/23_text_generator/text_generator.hpp"

namespace tbt {

// Only what could not be found out afterwards is recorded during the generation: the passes of the
// model, the guesses, the candidates of a search. The choice of each token is replayed afterwards
// (chapter 06), since logits and steps depend on the text alone. So a recording changes no text.
struct Recording {
    std::vector<RecordedPass> passes;
    std::vector<RecordedRound> rounds;
    std::vector<RecordedSearch> searches;
    std::vector<std::vector<RecordedToken>> tokens;  // by text
    bool has_u = false;                              // each token has a random number
};

// One generation: the model, the prompts, the request, and the helpers that write its texts.
struct Generation {
    const TextOptions& options;
    const Model& target;
    std::span<const std::vector<int>> prompts;
    const GenerateObserver& observer;
    GenerateRequest request;
    BatchLogits model;
    std::size_t slots = 1;       // slots of the model for each prompt
    BatchLogits assistant = {};  // the model that drafts; empty: none
    int assistant_context = 0;
    std::optional<DraftLength> draft_length = {};  // if something drafts
    Heads* heads = nullptr;                        // Medusa heads that guess; null: none
    TreeShape tree = {};                           // the shape of their tree of guesses
    // The target's hidden state after a text in a slot (chapter 21).
    std::function<std::span<const float>(std::size_t slot, std::span<const int> ids)> state = {};
    std::shared_ptr<GuidedTexts> guide = {};  // null: none
    Recording* recording = nullptr;           // null: nothing is recorded
    const AttentionWatch* watch = nullptr;    // a head of the target, for the replay; null: none
};

// While it lives, an attention head of a model is watched; null: none.
struct Watching {
    Watching(Transformer& model, AttentionWatch* watch) : transformer(model) {
        transformer.watch(watch);
    }
    ~Watching() { transformer.watch(nullptr); }
    Watching(const Watching&) = delete;
    Transformer& transformer;
};

// Generates the texts of the first prompt, then of the second, …: by beam search, with drafts, or
// by plain draws.
std::vector<GeneratedText> write_texts(Generation& generation, Effort& effort);

// Replays the choices of all texts, with the model that wrote them.
void replay(const Generation& generation, const std::vector<GeneratedText>& texts,
            Recording& recording);

}  // namespace tbt
