#include "chapters/08_penalties/full_chain.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "chapters/06_combining/chain.hpp"
#include "chapters/08_penalties/penalties.hpp"
#include "chapters/08_penalties/watermark.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

Scope scope_named(std::string_view name) {
    if (name == "generated") return Scope::generated;
    if (name == "all") return Scope::all;
    const std::string_view number = name.substr(std::min<std::size_t>(5, name.size()));
    int n = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), n);
    if (name.starts_with("last-") && error == std::errc() && n >= 0 &&
        end == number.data() + number.size())
        return Scope::last_of(n);
    throw UsageError("penalty-scope: got '" + std::string(name) +
                     "', expected generated, all or last-N: last-64");
}

std::span<const int> in_scope(const TextSoFar& text, Scope scope) {
    const std::span<const int> ids = scope.prompt ? text.ids : text.generated();
    return scope.last < 0 ? ids : ids.last(std::min(ids.size(), index(scope.last)));
}

namespace {

// Refuses a token that is both forced and banned.
void check_forced(const SamplingOptions& o, const PenaltyOptions& more) {
    const auto refuse = [](const char* forced, int id, const std::string& ban) {
        throw UsageError(std::string(forced) + " " + std::to_string(id) + " and " + ban +
                         ": the same token is forced and banned; leave out one of the two");
    };
    const auto check = [&](const char* name, std::optional<int> id) {
        if (!id) return;
        const auto has = [&](const std::vector<int>& ids) {
            return std::count(ids.begin(), ids.end(), *id) != 0;
        };
        if (has(more.suppress)) refuse(name, *id, "suppress-tokens");
        for (const SequenceBias& bias : more.bias)
            if (bias.bias == banned && bias.sequence == std::vector<int>{*id})
                refuse(name, *id, "a bias of -inf, or ignore-eos");
        for (const std::vector<int>& word : more.bad_words)
            if (word == std::vector<int>{*id}) refuse(name, *id, "bad-words");
    };
    check("forced-bos-token-id", more.forced_bos), check("forced-eos-token-id", more.forced_eos);
    const bool ends =
        more.forced_eos && std::count(more.eos.begin(), more.eos.end(), *more.forced_eos) != 0;
    if (ends && o.min_new_tokens >= more.max_new_tokens)
        refuse("forced-eos-token-id", *more.forced_eos,
               "min-new-tokens " + std::to_string(o.min_new_tokens));
}

// The steps of DRY, of beginnings and endings, and of the watermark.
std::vector<ChainStep> ending_steps(const SamplingOptions& o, const PenaltyOptions& more,
                                    Dialect dialect) {
    const Dry dry{o.dry_multiplier, o.dry_base, o.dry_allowed_length, more.dry_breakers};
    const EndingDecay decay{o.decay_start, o.decay_factor};
    check_dry(dry), check_decay(decay);
    if (decay.factor != 1 && more.eos.empty())
        throw UsageError(
            "exponential-decay-length-penalty: this model has no end-of-text token to favour");
    if (more.forced_eos && more.max_new_tokens < 1)
        throw UsageError("forced-eos: no limit was given, so no token is the last");
    check_forced(o, more);
    // In transformers a forced token overrides every ban; in our dialect it overrides none, so that
    // a grammar holds.
    const bool wins = dialect == Dialect::transformers;
    std::vector<ChainStep> steps;
    const auto add = [&](bool on, const char* name, std::string parameters, auto&& apply) {
        if (on) steps.push_back({name, std::move(parameters), apply});
    };
    add(dry.multiplier != 0, "dry", short_number(dry.multiplier),
        [dry](Candidates& c, const TextSoFar& t) { penalize_passages(c, t.ids, dry); });
    add(decay.factor != 1, "exponential-decay",
        std::to_string(decay.start) + "/" + short_number(decay.factor),
        [decay, eos = more.eos](Candidates& c, const TextSoFar& t) {
            favour_ending(c, t.generated().size(), decay, eos);
        });
    add(!more.suppress.empty(), "suppress", std::to_string(more.suppress.size()),
        [ids = more.suppress](Candidates& c, const TextSoFar&) { suppress(c, ids); });
    // "First" means after a forced token. transformers forces the first token of prompt and text
    // together, so after a prompt of several tokens it forces nothing.
    const auto begins = [wins](const TextSoFar& t) {
        return wins ? t.ids.size() == 1 : t.generated().empty();
    };
    const auto first = [wins, forced = more.forced_bos.has_value()](const TextSoFar& t) {
        return std::size_t{forced && !(wins && t.prompt_length > 1)};
    };
    add(!more.begin_suppress.empty(), "begin-suppress", std::to_string(more.begin_suppress.size()),
        [ids = more.begin_suppress, first](Candidates& c, const TextSoFar& t) {
            if (t.generated().size() == first(t)) suppress(c, ids);
        });
    add(more.forced_bos.has_value(), "forced-bos", std::to_string(more.forced_bos.value_or(0)),
        [id = more.forced_bos.value_or(0), wins, begins](Candidates& c, const TextSoFar& t) {
            if (begins(t)) force(c, id, wins);
        });
    add(more.forced_eos.has_value(), "forced-eos", std::to_string(more.forced_eos.value_or(0)),
        [id = more.forced_eos.value_or(0), wins, most = index(more.max_new_tokens),
         context = index(more.context)](Candidates& c, const TextSoFar& t) {
            if (t.generated().size() + 1 == most || t.ids.size() + 1 == context) force(c, id, wins);
        });
    add(more.watermark.has_value(), "watermark", "",
        [w = watermark_of(more.watermark.value_or(0))](Candidates& c, const TextSoFar& t) {
            mark(c, t, w);
        });
    return steps;
}

std::vector<ChainStep> penalty_steps(const SamplingOptions& o, const PenaltyOptions& more,
                                     Dialect dialect) {
    check_repetition_penalty(o.repetition_penalty), check_ngram(o.no_repeat_ngram_size);
    check_penalty("frequency-penalty", o.frequency_penalty),
        check_penalty("presence-penalty", o.presence_penalty);
    check_min_new_tokens(o.min_new_tokens);
    if (o.min_new_tokens > 0 && more.eos.empty())
        throw UsageError("min-new-tokens: this model has no end-of-text token to hold back");
    const Scope written = dialect == Dialect::llama_cpp ? Scope::last_of(64) : Scope::generated;
    const Scope counted = more.scope.value_or(written);
    const Scope repeated = more.scope.value_or(
        dialect == Dialect::transformers || dialect == Dialect::vllm ? Scope::all : written);
    std::vector<SequenceBias> bans;
    for (const std::vector<int>& word : more.bad_words) {
        const bool ends = word.size() == 1 && std::count(more.eos.begin(), more.eos.end(), word[0]);
        if (!ends || dialect != Dialect::transformers) bans.push_back({word, banned});
    }
    const auto bias_step = [](std::vector<SequenceBias> list) {
        return [list = std::move(list)](Candidates& c, const TextSoFar& t) {
            add_bias(c, t.ids, list);
        };
    };

    std::vector<ChainStep> steps;
    const auto add = [&](bool on, const char* name, std::string parameters, auto&& apply) {
        if (on) steps.push_back({name, std::move(parameters), apply});
    };
    add(!more.bias.empty(), "bias", "of " + std::to_string(more.bias.size()), bias_step(more.bias));
    add(!bans.empty(), "bad-words", std::to_string(bans.size()), bias_step(bans));
    add(o.min_new_tokens > 0, "min-new-tokens", std::to_string(o.min_new_tokens),
        [n = o.min_new_tokens, eos = more.eos](Candidates& c, const TextSoFar& t) {
            ban_eos_until(c, t.generated().size(), n, eos);
        });
    add(o.repetition_penalty != 1, "repetition", short_number(o.repetition_penalty),
        [theta = o.repetition_penalty, repeated, counts = TokenCounts()](
            Candidates& c, const TextSoFar& t) mutable {
            penalize_repetition(c, in_scope(t, repeated), theta, &counts);
        });
    add(o.frequency_penalty != 0 || o.presence_penalty != 0, "frequency-presence",
        short_number(o.frequency_penalty) + "/" + short_number(o.presence_penalty),
        [f = o.frequency_penalty, p = o.presence_penalty, counted, counts = TokenCounts()](
            Candidates& c, const TextSoFar& t) mutable {
            penalize_frequency_presence(c, in_scope(t, counted), f, p, &counts);
        });
    add(o.no_repeat_ngram_size > 0, "no-repeat-ngram", std::to_string(o.no_repeat_ngram_size),
        [n = o.no_repeat_ngram_size](Candidates& c, const TextSoFar& t) {
            ban_repeated_ngrams(c, t.ids, n);
        });
    for (ChainStep& step : ending_steps(o, more, dialect)) steps.push_back(std::move(step));
    return steps;
}

}  // namespace

Chain full_chain(const SamplingOptions& options, Dialect dialect, const PenaltyOptions& more,
                 std::vector<ChainStep> more_steps) {
    for (ChainStep& step : penalty_steps(options, more, dialect))
        more_steps.push_back(std::move(step));
    for (ChainStep& step : truncation_steps(options, dialect))
        more_steps.push_back(std::move(step));
    return in_order(dialect, std::move(more_steps));
}

}  // namespace tbt
