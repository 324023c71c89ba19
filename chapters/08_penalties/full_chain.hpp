// The steps of this chapter for a chain, and with them the whole chain of every dialect.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/06_combining/chain_step.hpp"
#include "chapters/06_combining/dialects.hpp"
#include "chapters/08_penalties/checks.hpp"

namespace tbt {

// What counts as text for the penalties.
enum class Scope {
    generated,  // what the model wrote (our default: the prompt's words are what the text is about)
    all,        // prompt and generated (transformers, vLLM for the repetition penalty)
    last_64,    // the last 64 tokens of both (llama.cpp)
};

Scope scope_named(std::string_view name);

std::span<const int> in_scope(const TextSoFar& text, Scope scope);

// What the options of chapter 06 have no number for.
struct PenaltyOptions {
    std::optional<Scope>
        scope;  // of repetition, frequency and presence; otherwise as the dialect does
    std::vector<SequenceBias> bias;
    // Sequences of ids that must not appear. (transformers lets the end of text through, even if it
    // is listed here; its dialect does so too.)
    std::vector<std::vector<int>> bad_words;
    std::vector<int> eos;  // for min_new_tokens, forced_eos and the exponential decay
    std::vector<int> suppress, begin_suppress;  // never; not as the first token generated
    std::optional<int> forced_bos, forced_eos;  // the first token, and the last one allowed
    int max_new_tokens = 0;                     // for forced_eos
    std::vector<int> dry_breakers;
    std::optional<std::uint64_t> watermark;  // its key
};

// Steps that count keep their counts for the next token: a chain serves one thread at a time.
std::vector<ChainStep> penalty_steps(const SamplingOptions& o, const PenaltyOptions& more,
                                     Dialect dialect);

// Everything the options ask for, in the dialect's order; `more_steps` may bring others
// (a grammar's mask).
Chain full_chain(const SamplingOptions& options, Dialect dialect, const PenaltyOptions& more = {},
                 std::vector<ChainStep> more_steps = {});

}  // namespace tbt
