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
#include "lib/error.hpp"
#include "lib/index.hpp"

namespace tbt {

// When B texts are finished, is there still a reason to go on?
enum class EarlyStopping {
    yes,    // no: stop at once
    no,     // while the best live beam, if it ended now, would beat the worst finished one (false)
    never,  // while it could do so by any length up to the budget
};

inline EarlyStopping early_stopping_named(std::string_view name) {
    if (name == "true") return EarlyStopping::yes;
    if (name == "false") return EarlyStopping::no;
    if (name == "never") return EarlyStopping::never;
    throw UsageError("early-stopping: got '" + std::string(name) +
                     "', expected true, false or never");
}

// transformers' names and defaults.
struct BeamOptions {
    int num_beams = 4;
    double length_penalty = 1;
    EarlyStopping early_stopping = EarlyStopping::no;
    int num_return_sequences = 1;
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

inline void check_beams(const BeamRequest& r, std::size_t prompt_length) {
    const BeamOptions& b = r.beams;
    if (b.num_beams < 1)
        throw UsageError("num-beams: got " + std::to_string(b.num_beams) +
                         ", expected 1 or more; 1 is greedy decoding, 4 is usual");
    if (!std::isfinite(b.length_penalty))
        throw UsageError(
            "length-penalty: got " + short_number(b.length_penalty) +
            ", expected a finite number; 0 compares sums, 1 means, more than 1 favours long texts");
    if (b.num_return_sequences < 1 || b.num_return_sequences > b.num_beams)
        throw UsageError("num-return-sequences: got " + std::to_string(b.num_return_sequences) +
                         ", expected 1 to " + std::to_string(b.num_beams) +
                         ", the number of beams; raise --num-beams for more");
    if (r.stop.max_new_tokens < 1)
        throw UsageError("max-new-tokens: got " + std::to_string(r.stop.max_new_tokens) +
                         ", expected 1 or more: a search needs something to search");
    if (!r.stop.strings.strings().empty() && !r.bytes)
        throw Error("beam search: stop strings need the bytes of the tokens");
    if (prompt_length == 0)
        throw Error("beam search: an empty prompt; start from the document separator");
    if (r.stop.context < 1 || prompt_length >= index(r.stop.context))
        throw Error("beam search: the prompt has " + std::to_string(prompt_length) +
                    " tokens and the context " + std::to_string(r.stop.context) +
                    ", so there is no room for a new one; shorten the prompt");
}

// A sampling chain (chapters 06 and 08) as a processor:
// it works on log-probabilities as if they were logits, and what it gives is not normalised again.
// That is transformers' way.
inline BeamProcessor processor_of(Chain chain, std::size_t prompt_length) {
    if (chain.steps().empty()) return {};
    const auto scratch = std::make_shared<Candidates>();
    const auto changed = std::make_shared<std::vector<float>>();
    return [chain = std::move(chain), prompt_length, scratch, changed](std::span<float> log_probs,
                                                                       std::span<const int> ids) {
        Candidates& c = *scratch;
        c.reset(log_probs);
        chain.apply(c, {ids, prompt_length});
        changed->assign(log_probs.size(), banned);
        for (std::size_t i = 0; i < c.size(); ++i) {
            const double value = static_cast<double>(c.logits()[i]) / c.temperature();
            (*changed)[index(c.id(i))] = static_cast<float>(value);
        }
        std::copy(changed->begin(), changed->end(), log_probs.begin());
    };
}

}  // namespace tbt
