#include "chapters/06_combining/chain.hpp"

#include <algorithm>
#include <string>

#include "chapters/03_temperature/further/plain_dynamic_temperature.hpp"
#include "chapters/04_top_k/further/plain_top_n_sigma.hpp"
#include "chapters/05_top_p/further/plain_typical.hpp"
#include "chapters/05_top_p/further/plain_xtc.hpp"
#include "chapters/06_combining/plain_mirostat.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

namespace {

void check_mirostat_version(const SamplingOptions& o) {
    if (o.mirostat < 0 || o.mirostat > 2)
        throw UsageError("mirostat: got " + std::to_string(o.mirostat) +
                         ", expected 0 (off), 1 or 2 (the second version, which needs no guess of "
                         "the distribution's shape)");
    if (o.mirostat == 0) return;
    if (o.temperature == 0)
        throw UsageError(
            "mirostat and temperature 0: the most probable token is always taken, so there is no "
            "surprise to steer; leave out one of the two");
    if (o.top_k != 0 || o.top_p != 1 || o.min_p != 0 || o.typical_p != 1 || o.epsilon_cutoff != 0 ||
        o.eta_cutoff != 0 || o.top_n_sigma != 0 || o.xtc_probability != 0)
        throw UsageError(
            "mirostat and another truncation: mirostat decides by itself how many tokens to keep; "
            "leave out top-k, top-p and the others, or mirostat");
}

// The less common steps: dynamic temperature, top-nσ, XTC, mirostat.
std::vector<ChainStep> further_steps(const SamplingOptions& o, Dialect dialect) {
    check_dynamic_temperature(o.dynatemp_range, o.dynatemp_exponent);
    check_top_n_sigma(o.top_n_sigma), check_xtc(o.xtc_probability, o.xtc_threshold);
    check_mirostat(o.mirostat_tau, o.mirostat_eta), check_mirostat_version(o);
    std::vector<ChainStep> steps;
    const auto add = [&](bool on, const char* name, std::string parameters, auto&& apply) {
        if (on) steps.push_back({name, std::move(parameters), apply});
    };
    add(o.dynatemp_range != 0, "dynamic-temperature",
        short_number(o.temperature) + "±" + short_number(o.dynatemp_range),
        [T = o.temperature, range = o.dynatemp_range, e = o.dynatemp_exponent](
            Candidates& c, const TextSoFar&) { apply_dynamic_temperature(c, T, range, e); });
    add(o.top_n_sigma != 0, "top-n-sigma", short_number(o.top_n_sigma),
        [N = o.top_n_sigma](Candidates& c, const TextSoFar&) { keep_top_n_sigma(c, N); });
    add(o.xtc_probability != 0, "xtc",
        short_number(o.xtc_probability) + "/" + short_number(o.xtc_threshold),
        [p = o.xtc_probability, t = o.xtc_threshold, seed = o.seed](Candidates& c,
                                                                    const TextSoFar& text) {
            exclude_top_choices(c, p, t, coin(seed, text.ids));
        });
    if (o.mirostat == 0) return steps;
    add(true, "mirostat",
        (o.mirostat == 1 ? "version 1, " : "") + short_number(o.mirostat_tau) + "/" +
            short_number(o.mirostat_eta),
        [cut = o.mirostat == 1 ? keep_zipf_top_k : keep_unsurprising, tau = o.mirostat_tau,
         eta = o.mirostat_eta](Candidates& c, const TextSoFar& text) {
            if (text.log_probabilities.size() != text.generated().size())
                throw UsageError(
                    "mirostat: it needs the probability of each drawn token, which beams and "
                    "drafts do not record; use it without them");
            cut(c, mirostat_mu(text.log_probabilities, tau, eta));
        });
    steps.back().surprise = dialect == Dialect::llama_cpp ? Surprise::at_draw : Surprise::raw;
    return steps;
}

}  // namespace

std::vector<ChainStep> truncation_steps(const SamplingOptions& o, Dialect dialect) {
    check_temperature(o.temperature), check_top_k(o.top_k), check_top_p(o.top_p),
        check_min_p(o.min_p);
    check_typical_p(o.typical_p);
    check_cutoff("epsilon-cutoff", o.epsilon_cutoff), check_cutoff("eta-cutoff", o.eta_cutoff);
    if (o.min_tokens_to_keep < 1)
        throw UsageError("min-tokens-to-keep: got " + std::to_string(o.min_tokens_to_keep) +
                         ", expected 1 or more: a truncation always keeps a token");
    std::vector<ChainStep> steps = further_steps(o, dialect);
    const auto add = [&](bool on, const char* name, double value, auto&& function) {
        if (on)
            steps.push_back({name, short_number(value),
                             [function](Candidates& c, const TextSoFar&) { function(c); }});
    };
    const bool ties_stay = dialect == Dialect::transformers || dialect == Dialect::vllm;
    const Ties ties = ties_stay ? Ties::keep_all : Ties::exact;
    const bool dynamic = o.dynatemp_range != 0;
    add(o.temperature != 1 && !dynamic, "temperature", o.temperature,
        [T = o.temperature](Candidates& c) { apply_temperature(c, T); });
    add(o.top_k != 0, "top-k", o.top_k,
        [k = o.top_k, ties](Candidates& c) { keep_top_k(c, k, ties); });
    add(o.top_p != 1, "top-p", o.top_p, [p = o.top_p](Candidates& c) { keep_top_p(c, p); });
    add(o.min_p != 0, "min-p", o.min_p, [m = o.min_p](Candidates& c) { keep_min_p(c, m); });
    add(o.typical_p != 1, "typical", o.typical_p,
        [m = o.typical_p, ties](Candidates& c) { keep_typical(c, m, ties); });
    add(o.epsilon_cutoff != 0, "epsilon", o.epsilon_cutoff,
        [e = o.epsilon_cutoff](Candidates& c) { cut_epsilon(c, e); });
    add(o.eta_cutoff != 0, "eta", o.eta_cutoff,
        [e = o.eta_cutoff](Candidates& c) { cut_eta(c, e); });
    add(o.min_tokens_to_keep != 1, "min-tokens-to-keep", o.min_tokens_to_keep,
        [n = index(o.min_tokens_to_keep)](Candidates& c) { c.keep_at_least(n); });
    if (o.renormalize)
        steps.push_back(
            {"renormalize", "", [](Candidates& c, const TextSoFar&) { renormalize(c); }});
    return steps;
}

// ---- dialects ----

const std::vector<std::pair<std::string_view, Dialect>>& dialects() {
    static const std::vector<std::pair<std::string_view, Dialect>> all = {
        {"ours", Dialect::ours},
        {"transformers", Dialect::transformers},
        {"llama.cpp", Dialect::llama_cpp},
        {"vllm", Dialect::vllm}};
    return all;
}

Dialect dialect_named(std::string_view name) {
    for (const auto& [known, dialect] : dialects()) {
        if (known == name) return dialect;
    }
    if (name == "transformers-4" || name == "transformers-5") return Dialect::transformers;
    throw UsageError("dialect: got '" + std::string(name) +
                     "', expected ours, transformers (or transformers-4, -5), llama.cpp or vllm");
}

std::string_view name_of(Dialect dialect) {
    return dialects()[static_cast<std::size_t>(dialect)].first;
}

const std::vector<std::string_view>& order_of(Dialect dialect) {
    static const std::vector<std::string_view> order[] = {
        {"grammar",
         "bias",
         "bad-words",
         "ban-text",
         "suppress",
         "begin-suppress",
         "min-new-tokens",
         "repetition",
         "frequency-presence",
         "no-repeat-ngram",
         "dry",
         "exponential-decay",
         "forced-bos",
         "forced-eos",
         "min-tokens-to-keep",
         "temperature",
         "dynamic-temperature",
         "top-n-sigma",
         "top-k",
         "top-p",
         "min-p",
         "typical",
         "epsilon",
         "eta",
         "xtc",
         "mirostat",
         "watermark",
         "renormalize"},
        {"grammar",
         "bias",
         "repetition",
         "no-repeat-ngram",
         "bad-words",
         "min-new-tokens",
         "forced-bos",
         "forced-eos",
         "exponential-decay",
         "suppress",
         "begin-suppress",
         "min-tokens-to-keep",
         "temperature",
         "top-k",
         "top-p",
         "min-p",
         "typical",
         "epsilon",
         "eta",
         "watermark",
         "renormalize"},
        {"grammar", "bias", "repetition", "frequency-presence", "dry", "min-tokens-to-keep",
         "top-n-sigma", "top-k", "typical", "top-p", "min-p", "xtc", "temperature",
         "dynamic-temperature", "mirostat"},
        {"grammar", "bias", "bad-words", "min-new-tokens", "repetition", "frequency-presence",
         "temperature", "min-p", "top-k", "top-p"}};
    return order[static_cast<std::size_t>(dialect)];
}

SamplingOptions defaults_of(Dialect dialect) {
    SamplingOptions options;
    if (dialect == Dialect::transformers) options.top_k = 50;
    if (dialect == Dialect::llama_cpp) {
        options.temperature = 0.8;
        options.top_k = 40;
        options.top_p = 0.95;
        options.min_p = 0.05;
    }
    return options;
}

Chain in_order(Dialect dialect, std::vector<ChainStep> steps) {
    const std::vector<std::string_view>& order = order_of(dialect);
    const auto place = [&](const ChainStep& step) {
        return std::find(order.begin(), order.end(), step.name) - order.begin();
    };
    for (const ChainStep& step : steps) {
        if (place(step) == static_cast<std::ptrdiff_t>(order.size())) {
            throw UsageError("dialect " + std::string(name_of(dialect)) + ": it has no step '" +
                             step.name + "'; leave that option off or choose another dialect");
        }
    }
    std::stable_sort(steps.begin(), steps.end(),
                     [&](const ChainStep& a, const ChainStep& b) { return place(a) < place(b); });
    return Chain(std::move(steps));
}

// ---- presets ----

const std::vector<Preset>& presets() {
    static const std::vector<Preset> all = {
        {"factual", "facts, extraction, code", {.temperature = 0.2, .top_k = 15, .top_p = 0.6}},
        {"conservative",
         "summaries, factual prose",
         {.temperature = 0.3, .top_p = 0.85, .repetition_penalty = 1.1}},
        // Chapter 24: with 0.8, the nearest to the truth.
        {"balanced", "general text, chat, articles", {.temperature = 0.7}},
        {"creative", "stories, verse, ideas", {.temperature = 0.9}}};
    return all;
}

const Preset& preset_named(std::string_view name) {
    for (const Preset& preset : presets()) {
        if (preset.name == name) return preset;
    }
    throw UsageError("preset: got '" + std::string(name) +
                     "', expected factual, conservative, balanced or creative");
}

}  // namespace tbt
