// One text under way: what it is asked for, what it has, how it goes on by one token.
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
#include "lib/error.hpp"
#include "lib/index.hpp"
#include "lib/kernels/rng.hpp"

namespace tbt {

// The bytes of a token; none for those that are no text.
using TokenBytes = std::function<std::string_view(int id)>;

// Tokens that may come next, each after another guess or after the text.
struct Guesses {
    std::vector<int> ids;
    // Of a tree (chapter 21): the guess that each follows, an earlier one, or −1 after the text.
    // Empty: each follows the one before it.
    std::vector<int> parents = {};

    Guesses() = default;
    Guesses(std::vector<int> chain) : ids(std::move(chain)) {}
    Guesses(std::initializer_list<int> chain) : ids(chain) {}
    Guesses(std::vector<int> tokens, std::vector<int> after)
        : ids(std::move(tokens)), parents(std::move(after)) {}
    bool empty() const { return ids.empty(); }
    int parent(int guess) const { return parents.empty() ? guess - 1 : parents[index(guess)]; }
    // The guess of this token after another one (−1: the text); −1: there is none.
    int child(int after, int id) const {
        for (int i = after + 1; i < count(ids); ++i)
            if (parent(i) == after && ids[index(i)] == id) return i;
        return -1;
    }
};

// Who knows how a text goes on saves passes. No text is changed by it. Each may be empty.
struct Foresight {
    // The only token that may come next (a grammar leaves no choice, chapter 13);
    // −1: there are several. It is written without asking the model, or the chain.
    std::function<int(const TextSoFar& text)> forced;
    // What will probably be drawn next, at most `room` tokens (a draft, chapter 12).
    // luck: a copy of the text's own random numbers, one of which is drawn for each token.
    // The model reads them all in one pass; they stay as far as they are what is drawn.
    // Of a tree no branch is longer than the room.
    std::function<Guesses(std::size_t text_number, const TextSoFar& text, Rng luck, int room)>
        guess;
    // How many of them stayed.
    std::function<void(std::size_t text_number, int guessed, int right)> judged;
};

struct GenerateRequest {
    Chain chain;  // temperature 0 in it: greedy
    StopRules stop;
    int keep = 0;  // tokens kept when the context slides; 0: half of it
    int samples = 1;
    std::uint64_t seed = 0;
    std::uint64_t first_stream = 0;  // sample i draws from stream first_stream + i of the seed
    int traced_tokens = -1;  // traces with that many of the model's first choices; −1: no traces
    Foresight foresight = {};
};

struct GeneratedText {
    std::vector<int> ids;  // generated, EOS included
    std::string text;      // valid UTF-8, without EOS and the stop string
    FinishReason reason = FinishReason::length;
    int stop_string = -1;       // index into the request's
    std::vector<Trace> traces;  // one for each id, on request
    struct Score {
        double sum = 0, normalised = 0;
    };
    std::optional<Score> score = {};  // of a search (chapter 11): Σ ln p, and by its length
};

class TextWriter {
public:
    TextWriter(const GenerateRequest& request, std::span<const int> prompt, std::uint64_t sample);

    // What the model is to read.
    std::span<const int> window() { return window_.view(ids_); }
    bool done() const { return reason_.has_value(); }
    TextSoFar so_far() const { return {ids_, prompt_length_, log_probabilities_}; }
    // Its random numbers from here on.
    const Rng& luck() const { return rng_; }
    // The only token that may come next; −1: there are several.
    int forced() const;
    // How many tokens may be guessed, so that all can be read and one more be drawn.
    int room();

    // One step: pick, append, see whether the text is over. Returns the text that became certain.
    // A random number belongs to each place of the text, also where nothing is left to chance.
    std::string step(std::span<const float> logits, const TokenBytes& bytes, Candidates& scratch);
    // The same for a token that is known without the model.
    std::string step_forced(int id, const TokenBytes& bytes);

    // Ends the text; returns what was still held back.
    std::string end(FinishReason reason);

    int last_token() const { return ids_.back(); }
    std::size_t generated() const { return ids_.size() - prompt_length_; }
    const std::vector<Trace>& traces() const { return traces_; }  // until result() takes them
    const Trace* last_trace() const { return traces_.empty() ? nullptr : &traces_.back(); }

    // Throws Error while the text is under way.
    GeneratedText result();

private:
    static Window window_of(const GenerateRequest& request);

    std::string append(int id, const TokenBytes& bytes);

    const GenerateRequest* request_;
    Surprise surprise_;  // which log-probabilities the chain (mirostat) asks for
    std::vector<double> log_probabilities_;
    std::vector<int> ids_;
    std::size_t prompt_length_;
    TextStream stream_;
    Rng rng_;
    Window window_;
    std::optional<FinishReason> reason_;
    std::vector<Trace> traces_;
};

}  // namespace tbt
