// The steps of this chapter for a chain, and with them the whole chain of every dialect.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/06_combining/chain.hpp"
#include "chapters/08_penalties/penalties.hpp"
#include "lib/error.hpp"

namespace tbt {

// What counts as text for the penalties.
enum class Scope {
    generated,  // what the model wrote (our default: the prompt's words are what the text is about)
    all,        // prompt and generated (transformers, vLLM for the repetition penalty)
    last_64,    // the last 64 tokens of both (llama.cpp)
};

inline Scope scope_named(std::string_view name) {
    if (name == "generated") return Scope::generated;
    if (name == "all") return Scope::all;
    if (name == "last-64") return Scope::last_64;
    throw UsageError("penalty-scope: got '" + std::string(name) +
                     "', expected generated, all or last-64");
}

inline std::span<const int> in_scope(const TextSoFar& text, Scope scope) {
    if (scope == Scope::generated) return text.generated();
    return scope == Scope::all ? text.ids
                               : text.ids.last(std::min<std::size_t>(text.ids.size(), 64));
}

// What the options of chapter 06 have no number for.
struct PenaltyOptions {
    std::optional<Scope>
        scope;  // of repetition, frequency and presence; otherwise as the dialect does
    std::vector<SequenceBias> bias;
    std::vector<std::vector<int>> bad_words;  // sequences of ids that must not appear
    std::vector<int> eos;                     // for min_new_tokens
};

// Steps that count keep their counts for the next token: a chain serves one thread at a time.
inline std::vector<ChainStep> penalty_steps(const SamplingOptions& o, const PenaltyOptions& more,
                                            Dialect dialect) {
    check_repetition_penalty(o.repetition_penalty), check_ngram(o.no_repeat_ngram_size);
    check_penalty("frequency-penalty", o.frequency_penalty),
        check_penalty("presence-penalty", o.presence_penalty);
    check_min_new_tokens(o.min_new_tokens);
    if (o.min_new_tokens > 0 && more.eos.empty())
        throw UsageError("min-new-tokens: this model has no end-of-text token to hold back");
    const Scope written = dialect == Dialect::llama_cpp ? Scope::last_64 : Scope::generated;
    const Scope counted = more.scope.value_or(written);
    const Scope repeated = more.scope.value_or(
        dialect == Dialect::transformers || dialect == Dialect::vllm ? Scope::all : written);
    std::vector<SequenceBias> bans;
    for (const std::vector<int>& word : more.bad_words) bans.push_back({word, banned});
    const auto bias_step = [](std::vector<SequenceBias> list) {
        return [list = std::move(list)](Candidates& c, const TextSoFar& t) {
            add_bias(c, t.ids, list);
        };
    };

    std::vector<ChainStep> steps;
    if (!more.bias.empty())
        steps.push_back({"bias", "of " + std::to_string(more.bias.size()), bias_step(more.bias)});
    if (!bans.empty()) steps.push_back({"bad-words", std::to_string(bans.size()), bias_step(bans)});
    if (o.min_new_tokens > 0) {
        steps.push_back({"min-new-tokens", std::to_string(o.min_new_tokens),
                         [n = o.min_new_tokens, eos = more.eos](Candidates& c, const TextSoFar& t) {
                             ban_eos_until(c, t.generated().size(), n, eos);
                         }});
    }
    if (o.repetition_penalty != 1) {
        steps.push_back({"repetition", short_number(o.repetition_penalty),
                         [theta = o.repetition_penalty, repeated, counts = TokenCounts()](
                             Candidates& c, const TextSoFar& t) mutable {
                             penalize_repetition(c, in_scope(t, repeated), theta, counts);
                         }});
    }
    if (o.frequency_penalty != 0 || o.presence_penalty != 0) {
        steps.push_back({"frequency-presence",
                         short_number(o.frequency_penalty) + "/" + short_number(o.presence_penalty),
                         [f = o.frequency_penalty, p = o.presence_penalty, counted,
                          counts = TokenCounts()](Candidates& c, const TextSoFar& t) mutable {
                             penalize_frequency_presence(c, in_scope(t, counted), f, p, counts);
                         }});
    }
    if (o.no_repeat_ngram_size > 0) {
        steps.push_back({"no-repeat-ngram", std::to_string(o.no_repeat_ngram_size),
                         [n = o.no_repeat_ngram_size](Candidates& c, const TextSoFar& t) {
                             ban_repeated_ngrams(c, t.ids, n);
                         }});
    }
    return steps;
}

// Everything the options ask for, in the dialect's order; `more_steps` may bring others
// (a grammar's mask).
inline Chain full_chain(const SamplingOptions& options, Dialect dialect,
                        const PenaltyOptions& more = {}, std::vector<ChainStep> more_steps = {}) {
    for (ChainStep& step : penalty_steps(options, more, dialect))
        more_steps.push_back(std::move(step));
    for (ChainStep& step : cut_steps(options, dialect)) more_steps.push_back(std::move(step));
    return in_order(dialect, std::move(more_steps));
}

}  // namespace tbt
