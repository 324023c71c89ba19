// How a token came about, for those who want to see it (--html, --trace of version 2).
//
// Nothing of it is noted while a text is written: a choice depends on the logits and the text
// alone, so it is replayed afterwards (chapter 06), and looking on changes no text.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chapters/06_combining/trace.hpp"
#include "chapters/10_generate/batch.hpp"
#include "chapters/10_generate/text_writer.hpp"

namespace tbt {

// What a guide (chapters 13 to 16) allowed before a token.
struct GuideState {
    struct Share {
        int id = 0;
        double probability = 0;  // by the model
    };
    int allowed = 0;                         // tokens
    bool complete = false;                   // the text may end here
    std::optional<int> closing_bytes;        // the fewest bytes that end it
    std::optional<int> closing_tokens;       // … and tokens
    std::optional<int> remaining;            // tokens that there is room for
    std::vector<std::pair<int, int>> bytes;  // which may come next: first and last of each range
    std::string state;                       // where the text stands, in words
    std::vector<Share> kept, removed;        // the model's first choices on both sides of the mask
};

// One choice.
struct RecordedToken {
    struct Slice {  // of the wheel: the token that u from … to draws
        int id = 0;
        double from = 0, to = 0;
    };
    Trace trace;
    // The model's first choices, and the token that was drawn: their probabilities after
    // each step of the chain, 0 for those that are gone.
    std::vector<std::vector<double>> after;
    std::vector<Slice> wheel;  // in the order of ids; of many candidates the largest slices
    std::optional<GuideState> guide;
    bool has_u = true;  // a number was drawn for it
    int pass = 0;       // of a canvas: the pass it came with, from 1
    // What a head looked at when it was chosen: shares of the positions before it, the last of
    // which is the token before. Empty: nobody asked.
    std::vector<float> attention = {};

    static constexpr int first_choices = 8;
};

// The chain once more, on logits of which `chosen` was drawn with u.
RecordedToken recorded_choice(const Chain& chain, std::span<const float> logits,
                              const TextSoFar& text, double u, int chosen);

// One pass of the model.
struct RecordedPass {
    struct Text {
        std::size_t slot = 0, length = 0;  // where its cache is, and the tokens it then has
        std::size_t rows = 1;              // logits that were asked for
    };
    std::vector<Text> texts;
    long computed = 0;  // tokens that it read; the others were in the cache
};

// The model, each of whose passes is noted.
BatchLogits watched(CachedBatch& batch, std::vector<RecordedPass>& passes);

// A text with all that a choice in it depends on.
struct ReplayedText {
    std::size_t slot = 0;  // of the model
    std::vector<int> ids;  // prompt and text
    std::size_t prompt_length = 0;
    std::vector<double> log_probabilities = {};  // as TextSoFar has them, for mirostat
    std::vector<double> u = {};                  // empty: none belongs to a token

    std::size_t length() const { return ids.size() - prompt_length; }
    TextSoFar before(std::size_t step) const {
        return {std::span(ids).first(prompt_length + step), prompt_length, log_probabilities};
    }
};

// drawn: one number of the request's belongs to each token, from stream first_stream + sample.
ReplayedText replayed_text(const GenerateRequest& request, std::span<const int> prompt,
                           std::span<const int> text, bool drawn, std::size_t sample = 0);

// Calls use(step, logits) for each token of a text. Where the context slides, the model reads
// what it read then, a token at a time.
void read_again(const BatchLogits& model, const GenerateRequest& request, const ReplayedText& text,
                const std::function<void(std::size_t, std::span<const float>)>& use);

// All choices of a text, under the request's chain.
std::vector<RecordedToken> replay(const BatchLogits& model, const GenerateRequest& request,
                                  ReplayedText text);

}  // namespace tbt
