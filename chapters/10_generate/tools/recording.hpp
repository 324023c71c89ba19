// Records how tokens were chosen, for --html and --trace (version 2).
//
// Nothing is recorded while a text is generated. A choice depends only on the logits and the text,
// so it is replayed afterwards (chapter 06), and recording changes no text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chapters/06_combining/trace.hpp"
#include "chapters/10_generate/batch.hpp"
#include "chapters/10_generate/generate.hpp"
#include "chapters/10_generate/tools/output.hpp"
#include "lib/files/model.hpp"
#include "lib/json/json.hpp"
#include "lib/model/model_config.hpp"

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

// Adds to a choice what else is known of it, such as the state of a guide.
using NoteChoice = std::function<void(RecordedToken& token, const TextSoFar& before,
                                      std::span<const float> logits)>;
// Records all choices of a text, under the request's chain.
std::vector<RecordedToken> replay(const BatchLogits& model, const GenerateRequest& request,
                                  ReplayedText text, const NoteChoice& note = {});

// ---- the parts of a trace's lines that all decoders share ----

// The facts of a run, for the first line.
struct RunFacts {
    std::string command;  // the command line as typed
    std::string model;    // its directory
    std::string decoder;  // beams, diffusion, sampling or greedy; empty: one of the last two
    std::uint64_t seed = 0;
    int samples = 1;
    std::size_t texts = 1;
};

// One line. Invalid UTF-8 in a path or name is replaced instead of failing at the very end.
std::string trace_line(const Json& j);

// How a number is written: exactly, or with six digits, since a picture shows no more and the file
// is smaller. JSON has no infinity: it becomes null.
using Number = Json (*)(double);
Json exact(double x);
Json six(double x);

// The id and text of a token, and its bytes if they are not valid text.
Json token_json(const Tokenizer& tokenizer, int id);
// Only the texts of tokens.
Json tokens_json(const Tokenizer& tokenizer, const std::vector<int>& ids);

// The first line, without the fields that only some decoders have.
Json header_json(const RunFacts& run, const TransformerConfig& config, const Chain& chain,
                 const Tokenizer& tokenizer, std::span<const ShownPrompt> prompts);

// All other lines: the choices of each text, the passes of the model, the texts.
std::string token_lines(const Tokenizer& tokenizer,
                        const std::vector<std::vector<RecordedToken>>& texts);
std::string pass_lines(const std::vector<RecordedPass>& passes);
std::string result_lines(const std::vector<GeneratedText>& texts, const StopStrings& strings = {});

Json chain_json(const Chain& chain);

// The trace of the texts of one prompt that were drawn from a chain.
std::string run_trace(RunFacts run, Model& model, const GenerateRequest& request,
                      const ShownPrompt& prompt, const std::vector<GeneratedText>& texts,
                      const std::vector<RecordedPass>& passes);

// ---- results of chapter 10's program ----

// --trace of chapter 10: the lines of a JSON Lines file with fewer fields. Its lesson documents
// them.
std::string trace_header(const std::string& model, const std::string& prompt,
                         const GenerateRequest& request, const std::vector<int>& prompt_ids);
std::string trace_line(const Tokenizer& tokenizer, const Trace& trace, std::size_t sample,
                       int step);

// --output-format json: all texts as one object.
std::string json_result(const std::string& model, const std::string& prompt,
                        const GenerateRequest& request, const std::vector<int>& prompt_ids,
                        const Tokenizer& tokenizer, const std::vector<GeneratedText>& texts,
                        const std::vector<TokenLogprob>& prompt_tokens = {});
// --output-format jsonl: one text, with its prompt.
std::string jsonl_result(const std::string& prompt, const GenerateRequest& request,
                         const Tokenizer& tokenizer, const GeneratedText& text);

}  // namespace tbt
