// The complete generator: a chain (chapters 03 to 08), rules for stopping (09)
// and a batch of texts.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "chapters/10_generate/batch.hpp"
#include "chapters/10_generate/text_writer.hpp"
#include "lib/check.hpp"
#include "lib/error.hpp"
#include "lib/index.hpp"

namespace tbt {

// Told while the texts are written. Each function may be empty. Text number p·samples + i is
// sample i of prompt p.
struct GenerateObserver {
    // The pieces join to the text.
    std::function<void(std::size_t text, const std::string& piece)> on_text;
    std::function<void(std::size_t text, const Trace& trace)> on_trace;
    std::function<bool()> go_on;  // asked before each pass; false: every text ends here
};

void check_request(const GenerateRequest& request, std::size_t prompt_length);

// The texts of a generation, all under way together.
class TextBatch {
public:
    TextBatch(const BatchLogits& model, const TokenBytes& bytes,
              std::span<const std::vector<int>> prompts, const GenerateRequest& request,
              const GenerateObserver& observer);

    std::vector<GeneratedText> write();

private:
    bool all_done() const;
    void end_all(FinishReason reason);

    // Each prompt is read once; every sample's first token is drawn from the same logits.
    void read_prompts();

    // Each text that runs, with what is guessed to follow, and then what does follow.
    void pass();
    // What the model reads of a text in a pass, where something is guessed.
    struct Ahead {
        Guesses guesses;
        std::vector<int> ids, follows;
    };
    BatchText with_guesses(std::size_t i, Ahead& ahead);

    std::vector<std::span<const float>> ask(std::span<const BatchText> texts, std::size_t wanted);

    Guesses guess(std::size_t i);

    // The first row is what the model says after the text, each other one what it says after
    // a guess: of use if that was drawn.
    void take(std::size_t i, const Guesses& guesses, std::span<const std::span<const float>> rows);

    void step(std::size_t i, std::span<const float> logits);

    // Where there is no choice there is nothing to ask. Only a trace wants to know
    // what the model would have said.
    void skip_forced();

    void show(std::size_t i, const std::string& piece);

    const BatchLogits* model_;
    const TokenBytes* bytes_;
    const GenerateRequest* request_;
    const GenerateObserver* observer_;
    std::vector<TextWriter> writers_;
    Candidates scratch_;
};

// Writes `samples` continuations of each prompt, the first prompt's first. A text is the same
// however many others are written with it: it has its own random numbers,
// and its logits don't depend on who else is in the batch.
std::vector<GeneratedText> generate_batch(const BatchLogits& model, const TokenBytes& bytes,
                                          std::span<const std::vector<int>> prompts,
                                          const GenerateRequest& request,
                                          const GenerateObserver& observer = {});

std::vector<GeneratedText> generate_texts(const BatchLogits& model, const TokenBytes& bytes,
                                          std::span<const int> prompt,
                                          const GenerateRequest& request,
                                          const GenerateObserver& observer = {});

}  // namespace tbt
