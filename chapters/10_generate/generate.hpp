// The complete generator: a chain of sampling steps (chapters 03 to 08), rules for stopping (09)
// and a batch of texts.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "chapters/10_generate/batch.hpp"
#include "chapters/10_generate/text_writer.hpp"
#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

// Functions that are called while the texts are generated; each may be empty. Text number
// p·samples + i is sample i of prompt p.
struct GenerateObserver {
    // Called for each piece; all pieces joined are the text.
    std::function<void(std::size_t text, const std::string& piece)> on_text;
    std::function<void(std::size_t text, const Trace& trace)> on_trace;
    std::function<bool()> go_on;  // called before each pass; false ends all texts
};

void check_request(const GenerateRequest& request, std::size_t prompt_length);

// The texts of a generation, which are generated together.
class TextBatch {
public:
    TextBatch(const BatchLogits& model, const TokenBytes& bytes,
              std::span<const std::vector<int>> prompts, const GenerateRequest& request,
              const GenerateObserver& observer);

    std::vector<GeneratedText> write();

private:
    bool all_done() const;
    void end_all(FinishReason reason);

    // Reads each prompt once; the first tokens of all its samples are drawn from the same logits.
    void read_prompts();

    // One pass over each running text and its guesses; then draws what really follows.
    void pass();
    // What the model reads of a text in a pass if there are guesses.
    struct Ahead {
        Guesses guesses;
        std::vector<int> ids, follows;
    };
    BatchText with_guesses(std::size_t i, Ahead& ahead);

    std::vector<std::span<const float>> logits_of(std::span<const BatchText> texts,
                                                  std::size_t wanted);

    Guesses guess(std::size_t i);

    // The first row has the logits after the text; each other row has those after a guess and is
    // used if that guess was drawn.
    void take(std::size_t i, const Guesses& guesses, std::span<const std::span<const float>> rows);

    void step(std::size_t i, std::span<const float> logits);

    // Appends forced tokens without asking the model. Only a trace needs the model's logits there.
    void skip_forced();

    void show(std::size_t i, const std::string& piece);

    const BatchLogits* model_;
    const TokenBytes* bytes_;
    const GenerateRequest* request_;
    const GenerateObserver* observer_;
    std::vector<TextWriter> writers_;
    Candidates scratch_;
};

// Generates `samples` continuations of each prompt, those of the first prompt first. A text is the
// same however many others are generated with it: it has its own random numbers, and its logits do
// not depend on the other texts of the batch.
std::vector<GeneratedText> generate_batch(const BatchLogits& model, const TokenBytes& bytes,
                                          std::span<const std::vector<int>> prompts,
                                          const GenerateRequest& request,
                                          const GenerateObserver& observer = {});

std::vector<GeneratedText> generate_texts(const BatchLogits& model, const TokenBytes& bytes,
                                          std::span<const int> prompt,
                                          const GenerateRequest& request,
                                          const GenerateObserver& observer = {});

}  // namespace tbt
