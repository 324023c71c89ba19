// Records how tokens were chosen, for --html and --trace (version 2).
//
// Nothing is recorded while a text is generated. A choice depends only on the logits and the text,
// so it is replayed afterwards (chapter 06), and recording changes no text.
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
        double probability = 0;  // under the model
    };
    int allowed = 0;                         // number of allowed tokens
    bool complete = false;                   // the text may end here
    std::optional<int> closing_bytes;        // the fewest bytes that complete the text
    std::optional<int> closing_tokens;       // a number of tokens that completes the text
    std::optional<int> remaining;            // tokens left in the budget
    std::vector<std::pair<int, int>> bytes;  // that may come next: first and last of each range
    std::string state;                       // where the text is in the grammar, in words
    std::vector<Share> kept, removed;        // the likeliest tokens inside and outside the mask
};

// One choice.
struct RecordedToken {
    struct Slice {  // the interval of u that draws this token
        int id = 0;
        double from = 0, to = 0;
    };
    Trace trace;
    // For the model's likeliest tokens and the token drawn: their probabilities after each step of
    // the chain; 0 for tokens that were removed.
    std::vector<std::vector<double>> after;
    std::vector<Slice> wheel;  // in the order of ids; the largest slices if there are many
    std::optional<GuideState> guide;
    bool has_u = true;  // a random number was used for it
    int pass = 0;       // in diffusion: the pass that filled it, from 1
    // The attention weights of a head for the previous positions, the last being the token just
    // before. Empty if not requested.
    std::vector<float> attention = {};

    static constexpr int first_choices = 8;
};

// Runs the chain again on the logits from which `chosen` was drawn with u.
RecordedToken recorded_choice(const Chain& chain, std::span<const float> logits,
                              const TextSoFar& text, double u, int chosen);

// One pass of the model.
struct RecordedPass {
    struct Text {
        std::size_t slot = 0, length = 0;  // its slot in the cache, and its tokens after the pass
        std::size_t rows = 1;              // number of rows of logits
    };
    std::vector<Text> texts;
    long computed = 0;  // tokens that the pass read; the others were in the cache
};

// The model, with each of its passes added to `passes`.
BatchLogits watched(CachedBatch& batch, std::vector<RecordedPass>& passes);

// A text with everything that its choices depend on.
struct ReplayedText {
    std::size_t slot = 0;  // the model's slot
    std::vector<int> ids;  // of the prompt and the text
    std::size_t prompt_length = 0;
    std::vector<double> log_probabilities = {};  // as TextSoFar has them, for mirostat
    std::vector<double> u = {};                  // by token; empty: tokens have no random number

    std::size_t length() const { return ids.size() - prompt_length; }
    TextSoFar before(std::size_t step) const {
        return {std::span(ids).first(prompt_length + step), prompt_length, log_probabilities};
    }
};

// drawn: each token has a random number of the request's seed, from stream first_stream + sample.
ReplayedText replayed_text(const GenerateRequest& request, std::span<const int> prompt,
                           std::span<const int> text, bool drawn, std::size_t sample = 0);

// Calls use(step, logits) for each token of a text. If the context slides, the model reads the same
// windows as before, one token at a time.
void read_again(const BatchLogits& model, const GenerateRequest& request, const ReplayedText& text,
                const std::function<void(std::size_t, std::span<const float>)>& use);

// Records all choices of a text, under the request's chain.
std::vector<RecordedToken> replay(const BatchLogits& model, const GenerateRequest& request,
                                  ReplayedText text);

}  // namespace tbt
