// Makes chain steps of this chapter's penalties, and the whole chain of every dialect.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/06_combining/chain.hpp"
#include "chapters/08_penalties/checks.hpp"

namespace tbt {

// Which tokens count as written for the penalties.
struct Scope {
    bool prompt = false;  // those of the prompt too
    int last = -1;        // the last so many of them; −1: all

    static const Scope generated;  // the model's (our default: the prompt's words are the topic)
    static const Scope all;        // prompt and generated (transformers, vLLM for repetition)
    static Scope last_of(int n) { return {true, n}; }  // of both together (llama.cpp: 64)
};
inline constexpr Scope Scope::generated{}, Scope::all{true};

// "generated", "all" or "last-N". Throws UsageError for another name.
Scope scope_named(std::string_view name);

std::span<const int> in_scope(const TextSoFar& text, Scope scope);

// Options that are not numbers, in addition to those of chapter 06.
struct PenaltyOptions {
    // For the repetition, frequency and presence penalties; if not set, the dialect's scope.
    std::optional<Scope> scope;
    std::vector<SequenceBias> bias;
    // Sequences of ids that must not appear. (transformers still allows end-of-text if it is listed
    // here; its dialect does so too.)
    std::vector<std::vector<int>> bad_words;
    std::vector<int> eos;  // for min_new_tokens, forced_eos and the exponential decay
    std::vector<int> suppress, begin_suppress;  // never allowed; not allowed as the first token
    std::optional<int> forced_bos, forced_eos;  // as first token; as last at max_new_tokens
    int max_new_tokens = 0, context = 0;        // for forced_eos; no context: it slides
    std::vector<int> dry_breakers;
    std::optional<std::uint64_t> watermark;  // its key
};

// All steps that the options select, in the dialect's order, and `more_steps` (for example a
// grammar's mask). Steps that count tokens keep their counts between calls, so only one thread at a
// time may use a chain.
Chain full_chain(const SamplingOptions& options, Dialect dialect, const PenaltyOptions& more = {},
                 std::vector<ChainStep> more_steps = {});

}  // namespace tbt
