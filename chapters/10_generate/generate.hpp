// The complete generator: a chain of sampling steps (chapters 03 to 08), rules for stopping (09)
// and a batch of texts. First one text while it is generated: its request, its tokens so far, and
// the step that adds a token.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chapters/06_combining/chain.hpp"
#include "chapters/06_combining/trace.hpp"
#include "chapters/09_stopping/stopping.hpp"
#include "chapters/10_generate/batch.hpp"
#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"

namespace tbt {

// Guessed tokens; each follows another guess or the text.
struct Guesses {
    std::vector<int> ids;
    // In a tree (chapter 21): the earlier guess that each guess follows; −1: it follows the text.
    // Empty: each follows the previous guess.
    std::vector<int> parents = {};

    Guesses() = default;
    Guesses(std::vector<int> chain) : ids(std::move(chain)) {}
    Guesses(std::initializer_list<int> chain) : ids(chain) {}
    Guesses(std::vector<int> tokens, std::vector<int> after)
        : ids(std::move(tokens)), parents(std::move(after)) {}
    bool empty() const { return ids.empty(); }
    int parent(int guess) const { return parents.empty() ? guess - 1 : parents[index(guess)]; }
    // The index of the guess `id` that follows guess `after` (−1: the text); −1 if there is none.
    int child(int after, int id) const {
        for (int i = after + 1; i < count(ids); ++i)
            if (parent(i) == after && ids[index(i)] == id) return i;
        return -1;
    }
};

// Functions that predict how a text goes on. They save passes and change no text; each may be
// empty.
struct Foresight {
    // The only token that may come next (if a grammar leaves no choice, chapter 13); −1 if there
    // are several. It is appended without asking the model or the chain.
    std::function<int(const TextSoFar& text)> forced;
    // A draft (chapter 12): the tokens that will probably be drawn next, at most `room` of them; in
    // a tree, no branch is longer. random: a copy of the text's own random numbers; each token uses
    // one. The model reads all guesses in one pass; those that equal the tokens drawn are kept.
    std::function<Guesses(std::size_t text_number, const TextSoFar& text, Rng random, int room)>
        guess;
    // Called with the number of guesses, and how many were right.
    std::function<void(std::size_t text_number, int guessed, int right)> judged;
};

struct GenerateRequest {
    Chain chain;  // greedy decoding if its temperature is 0
    StopRules stop;
    int keep = 0;  // tokens kept when the context slides; 0: half of it
    int samples = 1;
    std::uint64_t seed = 0;
    std::uint64_t first_stream = 0;  // sample i draws from stream first_stream + i of the seed
    int traced_tokens = -1;          // how many likeliest tokens traces have; −1: no traces
    Foresight foresight = {};
    // Tokens that each text begins with, as if they had been drawn: they count as generated for
    // penalties, a grammar and max_new_tokens, and each has used a random number. What is shown,
    // and the result, begins after them. They must be whole characters, else Error is thrown.
    std::vector<int> begun = {};

    // What the model reads of a text.
    Window window() const { return {stop.context, keep > 0 ? keep : default_keep(stop.context)}; }
};

struct GeneratedText {
    std::vector<int> ids;  // the generated tokens, including EOS
    std::string text;      // valid UTF-8, without EOS and the stop string
    FinishReason reason = FinishReason::length;
    int stop_string = -1;       // index into the request's stop strings
    std::vector<Trace> traces;  // one for each id, on request
    struct Score {
        double sum = 0, normalised = 0;
    };
    std::optional<Score> score = {};  // in a search (chapter 11): Σ ln p, and that by length
    std::size_t prompt = 0;  // its prompt's number; a search may find fewer texts than asked
};

class TextWriter {
public:
    TextWriter(const GenerateRequest& request, std::span<const int> prompt, std::uint64_t sample);

    // The ids that the model must read.
    std::span<const int> window() { return window_.view(ids_); }
    // Takes the tokens that the text begins with; before all others.
    void begin(const TokenBytes& bytes);
    bool done() const { return reason_.has_value(); }
    TextSoFar so_far() const { return {ids_, prompt_length_, log_probabilities_}; }
    // The text's random numbers from here on.
    const Rng& random() const { return rng_; }
    // The only token that may come next; −1 if there are several.
    int forced() const;
    // How many tokens may be guessed so that all can be read and one more can be drawn.
    int room();

    // One step: picks a token, appends it and checks whether the text is over. Returns the text
    // that has become certain. Each position has a random number, even if nothing is drawn there.
    std::string step(std::span<const float> logits, const TokenBytes& bytes, Candidates& scratch);
    // The same for a token that is known without the model.
    std::string step_forced(int id, const TokenBytes& bytes);

    // Ends the text; returns the text that was still held back.
    std::string end(FinishReason reason);

    int last_token() const { return ids_.back(); }
    int longest() const { return longest_text(prompt_length_, request_->stop); }
    // Tokens that were added after those that it began with.
    std::size_t generated() const { return ids_.size() - prompt_length_ - request_->begun.size(); }
    const std::vector<Trace>& traces() const { return traces_; }  // until result() takes them
    const Trace* last_trace() const { return traces_.empty() ? nullptr : &traces_.back(); }

    // The complete text. Throws Error if the text is not over.
    GeneratedText result();

private:
    std::string append(int id, const TokenBytes& bytes);
    std::string new_part(std::string piece);

    const GenerateRequest* request_;
    Surprise surprise_;  // which log-probabilities the chain (mirostat) needs
    std::vector<double> log_probabilities_;
    std::vector<int> ids_;
    std::size_t prompt_length_;
    TextStream stream_;
    std::size_t begun_bytes_ = 0, old_bytes_ = 0;  // of begun tokens: in all, and not yet passed
    Rng rng_;
    Window window_;
    std::optional<FinishReason> reason_;
    std::vector<Trace> traces_;
};

// Functions that are called while the texts are generated; each may be empty. Text number
// p·samples + i is sample i of prompt p.
struct GenerateObserver {
    // Called for each piece; all pieces joined are the text.
    std::function<void(std::size_t text, const std::string& piece)> on_text;
    std::function<void(std::size_t text, const Trace& trace)> on_trace;
    std::function<bool()> go_on;  // called before each pass; false ends all texts
};

void check_request(const GenerateRequest& request, std::size_t prompt_length);

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
