// What a beam search is asked for, what it finds, and what became of everything it looked at.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/09_stopping/stopping.hpp"
#include "chapters/10_generate/generate.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

// When B texts are finished, is there still a reason to go on?
enum class EarlyStopping {
    yes,    // no: stop at once
    no,     // while the best live beam, if it ended now, would beat the worst finished one (false)
    never,  // while it could do so by any length up to the budget
};

EarlyStopping early_stopping_named(std::string_view name);

// transformers' names and defaults.
struct BeamOptions {
    int num_beams = 4;
    double length_penalty = 1;
    EarlyStopping early_stopping = EarlyStopping::no;
    int num_return_sequences = 1;
    // How transformers 4 stopped: the best of a step's candidates speaks for what may still come,
    // even if it just ended. Version 5 and we ask the best that lives.
    bool ends_speak = false;
    // As transformers counts groups of beams: one that has finished goes on "writing" this token,
    // and later groups pay for agreeing with it. −1: it is silent.
    int finished_groups_write = -1;
};

// Changes a beam's log-probabilities (V) before they are added to its sum,
// knowing its ids, prompt included; −∞ bans a token. A penalty, a grammar's mask, …:
// it must depend on nothing but its arguments.
using BeamProcessor = std::function<void(std::span<float> log_probs, std::span<const int> ids)>;

struct BeamRequest {
    BeamOptions beams;
    StopRules stop;
    TokenBytes bytes;         // for stop strings and the text; without it results have no text
    Chain chain;              // what the processor does, for those who ask later
    BeamProcessor processor;  // may be empty
    // The only token that may come next, −1: there are several (a grammar, chapter 13).
    // May be empty; saves passes, changes nothing.
    std::function<int(const TextSoFar& text)> forced;
    std::optional<std::uint64_t> seed;  // beam sampling: candidates are drawn, not the best taken
    bool keep_lattice = false;
};

// A text the search found.
struct BeamText {
    std::vector<int> ids;  // generated, EOS included
    double sum = 0;        // Σ of the processed log-probabilities
    double score = 0;      // the same, length-normalised
    FinishReason reason = FinishReason::length;
    int stop_string = -1;  // index into the request's
    std::string text;      // without EOS and the stop string
};

void check_beams(const BeamRequest& r, std::size_t prompt_length);

// A sampling chain (chapters 06 and 08) as a processor:
// it works on log-probabilities as if they were logits, and what it gives is not normalised again.
// That is transformers' way.
BeamProcessor processor_of(Chain chain, std::size_t prompt_length);

}  // namespace tbt
