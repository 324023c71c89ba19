#include "chapters/10_generate/request.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "chapters/06_combining/presets.hpp"
#include "chapters/08_penalties/full_chain.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/machine/memory.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

namespace {

// The defaults if no option is given: the values that most text generators start from.
SamplingOptions default_sampling() {
    SamplingOptions s;
    s.temperature = 0.8;
    s.top_p = 0.9;
    return s;
}

// The names of the given options that truncate or draw, to find contradictions and for messages.
// Options that are off, and a seed, are not among them: they have no effect if nothing is drawn.
std::vector<std::string> given_cuts(const GenerateOptions& o) {
    std::vector<std::string> names;
    const auto note = [&](bool on, const char* name) {
        if (on) names.emplace_back(name);
    };
    note(o.top_k.value_or(0) != 0, "--top-k"), note(o.top_p.value_or(1) != 1, "--top-p");
    note(o.min_p.value_or(0) != 0, "--min-p");
    note(o.typical_p.value_or(1) != 1, "--typical-p");
    note(o.epsilon_cutoff.value_or(0) != 0, "--epsilon-cutoff");
    note(o.eta_cutoff.value_or(0) != 0, "--eta-cutoff");
    for (const std::string& name : given_rare_truncations(o)) names.push_back(name);
    note(o.preset.has_value(), "--preset"), note(o.samples > 1, "--num-return-sequences");
    return names;
}

void check_contradictions(const GenerateOptions& o) {
    if (o.greedy && o.do_sample)
        throw UsageError(
            "--greedy and --do-sample contradict each other: take the most probable token, or draw "
            "one?");
    if (o.greedy && o.temperature && *o.temperature != 0) {
        throw UsageError("--greedy and --temperature " + short_number(*o.temperature) +
                         ": greedy decoding draws nothing, so the temperature would be ignored; "
                         "leave out --greedy to sample");
    }
    if (o.do_sample && o.temperature && *o.temperature == 0) {
        throw UsageError(
            "--do-sample and --temperature 0: at temperature 0 the most probable token is always "
            "taken; 0.7 to 1 "
            "is usual for sampling");
    }
    const bool takes_first = o.greedy || (o.temperature && *o.temperature == 0);
    if (const std::vector<std::string> cuts = given_cuts(o); takes_first && !cuts.empty()) {
        throw UsageError(std::string(o.greedy ? "--greedy" : "--temperature 0") + " and " +
                         cuts[0] + ": the most probable token is always taken, so " + cuts[0] +
                         " would change nothing; leave it out, or " +
                         (o.greedy ? "leave out --greedy" : "raise the temperature") +
                         " to sample");
    }
}

void check_counts(const GenerateOptions& o) {
    const auto check = [](const char* name, std::optional<int> value, int least) {
        if (value && *value < least)
            throw UsageError(std::string(name) + ": got " + std::to_string(*value) + ", expected " +
                             std::to_string(least) + " or more");
    };
    if (!o.unlimited()) check("--max-new-tokens", o.max_new_tokens, 0);
    if (o.unlimited() && o.context == "slide")
        throw UsageError(
            "--max-new-tokens -1 and --context slide: the text might never end; say how many "
            "tokens, or leave out --context");
    check("--min-new-tokens", o.min_new_tokens, 0);
    check("--num-return-sequences", o.samples, 1);
    check("--keep", o.keep, 0);
    if (o.max_new_tokens && !o.unlimited() && o.min_new_tokens &&
        *o.min_new_tokens > *o.max_new_tokens) {
        throw UsageError("--min-new-tokens " + std::to_string(*o.min_new_tokens) +
                         " and --max-new-tokens " + std::to_string(*o.max_new_tokens) +
                         ": the minimum is larger than the maximum; are the two swapped?");
    }
}

// "1234=-2.5" or "1234=-inf"
SequenceBias parse_bias(const std::string& text, int vocab_size) {
    const std::size_t sign = text.find('=');
    const auto fail = [&](const std::string& why) {
        throw UsageError("--logit-bias: got '" + text + "', " + why +
                         "; expected ID=VALUE such as 1234=-2.5 or 1234=-inf");
    };
    if (sign == std::string::npos) fail("which has no '='");
    const std::string id_text = text.substr(0, sign), value_text = text.substr(sign + 1);
    char* end = nullptr;
    errno = 0;
    const long id = std::strtol(id_text.c_str(), &end, 10);
    if (id_text.empty() || *end != '\0' || errno != 0 || id < 0 || id >= vocab_size) {
        fail("whose token is not an id from 0 to " + std::to_string(vocab_size - 1));
    }
    const float value = std::strtof(value_text.c_str(), &end);
    if (value_text.empty() || *end != '\0') fail("whose value is not a number");
    SequenceBias bias{{to_int(id)}, value};
    check_bias(bias, index(vocab_size));
    return bias;
}

PenaltyOptions penalties_of(const GenerateOptions& o, const Model& model, const StopRules& stop) {
    PenaltyOptions more;
    if (o.penalty_scope) more.scope = scope_named(*o.penalty_scope);
    more.eos = stop.eos;
    for (const std::string& text : o.logit_bias) {
        const SequenceBias bias = parse_bias(text, model.config().vocab_size);
        for (const SequenceBias& other : more.bias) {
            if (other.sequence == bias.sequence)
                throw UsageError("--logit-bias: token " + std::to_string(bias.sequence[0]) +
                                 " is given twice; which of the two is meant?");
        }
        more.bias.push_back(bias);
    }
    set_words(more, o, model, dialect_named(o.dialect.value_or("ours")), !o.no_escape);
    set_rare(more, o, model, stop.max_new_tokens);
    return more;
}

// Checks that the keys and values of all samples fit into memory, before the text begins.
void check_memory(const Model& model, const GenerateRequest& r) {
    if (r.samples == 1) return;
    const std::int64_t tokens =
        std::min(r.stop.max_new_tokens, r.stop.context) + KvCache::block_tokens;
    const std::int64_t bytes = r.samples * tokens * KvCache::bytes_per_token(model.config()),
                       available = available_memory();
    if (available == 0 || bytes <= available) return;
    throw Error("--num-return-sequences " + std::to_string(r.samples) + ": the texts need up to " +
                std::to_string(bytes >> 20) + " MB, and " + std::to_string(available >> 20) +
                " MB are free; ask for fewer at a time (sample i is the same text however many are "
                "asked for)");
}

}  // namespace

SamplingOptions sampling_of(const GenerateOptions& o) {
    check_contradictions(o);
    const Dialect dialect = dialect_named(o.dialect.value_or("ours"));
    SamplingOptions s;
    if (o.greedy || (o.temperature && *o.temperature == 0)) s.temperature = 0;
    else if (o.preset) s = preset_named(*o.preset).options;
    else s = o.dialect ? defaults_of(dialect) : default_sampling();
    if (o.mirostat.value_or(0) != 0) s.top_k = 0, s.top_p = 1, s.min_p = 0;  // truncates itself
    const auto set = [](auto& value, const auto& given) {
        if (given) value = *given;
    };
    set(s.temperature, o.temperature), set(s.top_k, o.top_k), set(s.top_p, o.top_p),
        set(s.min_p, o.min_p), set(s.typical_p, o.typical_p);
    set(s.epsilon_cutoff, o.epsilon_cutoff), set(s.eta_cutoff, o.eta_cutoff),
        set(s.repetition_penalty, o.repetition_penalty);
    set(s.frequency_penalty, o.frequency_penalty), set(s.presence_penalty, o.presence_penalty);
    set(s.no_repeat_ngram_size, o.no_repeat_ngram_size), set(s.min_new_tokens, o.min_new_tokens);
    set_rare(s, o, o.seed.value_or(0));
    return s;
}

GenerateRequest request_of(const GenerateOptions& o, const Model& model,
                           int default_max_new_tokens) {
    check_counts(o);
    GenerateRequest r;
    const Dialect dialect = dialect_named(o.dialect.value_or("ours"));
    r.stop.eos = ends_of(o, model, dialect);
    std::vector<std::string> strings = o.stop_strings;
    if (!o.no_escape) {
        for (std::string& s : strings) s = unescaped(s);
    }
    r.stop.strings = StopStrings(std::move(strings));
    r.stop.context = model.config().n_positions;
    r.stop.max_new_tokens = o.unlimited()
                                ? r.stop.context
                                : o.max_new_tokens.value_or(std::max(default_max_new_tokens,
                                                                     o.min_new_tokens.value_or(0)));
    if (o.context == "slide") r.stop.policy = ContextPolicy::slide;
    else if (o.context != "refuse")
        throw UsageError("--context: got '" + o.context + "', expected refuse or slide");
    if (o.keep > 0 && o.context != "slide")
        throw UsageError("--keep " + std::to_string(o.keep) +
                         ": nothing is dropped unless the context slides; add --context slide");
    if (o.keep > r.stop.context)
        throw UsageError("--keep " + std::to_string(o.keep) +
                         ": more than this model's context of " + std::to_string(r.stop.context));
    r.keep = o.keep;
    r.samples = o.samples;
    check_memory(model, r);
    r.seed = o.seed.value_or(0);
    const SamplingOptions sampling = sampling_of(o);
    if (o.penalty_scope && sampling.repetition_penalty == 1 && sampling.frequency_penalty == 0 &&
        sampling.presence_penalty == 0) {
        throw UsageError(
            "--penalty-scope: no penalty is set that could use it; add --repetition-penalty 1.2, "
            "say");
    }
    r.chain = full_chain(sampling, dialect, penalties_of(o, model, r.stop),
                         ban_text_steps(o, model, !o.no_escape));
    return r;
}

std::vector<int> prompt_ids(const GenerateOptions& o, const Model& model, std::string_view prompt) {
    const std::string text = o.no_escape ? std::string(prompt) : unescaped(prompt);
    const int least = o.min_new_tokens.value_or(1);
    const int room = std::max(1, o.unlimited() ? least : o.max_new_tokens.value_or(least)),
              context = model.config().n_positions;
    if (o.context != "slide") {
        if (room >= context) {
            throw UsageError("--max-new-tokens " + std::to_string(room) +
                             ": this model's context has " + std::to_string(context) +
                             " tokens, the prompt's included; ask for fewer (make run can also "
                             "forget: --context slide)");
        }
        return encode_prompt(model, text, room);
    }
    if (const std::size_t bad = find_invalid_utf8(text); bad != std::string::npos) {
        throw Error("prompt: byte " + std::to_string(bad + 1) +
                    " is not valid UTF-8; save the text as UTF-8");
    }
    std::vector<int> ids = model.tokenizer.encode_prompt(text);
    if (ids.empty()) ids.push_back(model.tokenizer.eos_id());
    return ids;
}

TokenBytes token_bytes_of(const Tokenizer& tokenizer) {
    return [&tokenizer](int id) -> std::string_view {
        // A model may have more rows than its tokenizer has tokens.
        if (id >= tokenizer.vocab_size() || tokenizer.is_special(id)) return {};
        return tokenizer.token_bytes(id);
    };
}

std::string unescaped(std::string_view text) {
    constexpr std::string_view names = "ntr\\\"'", characters = "\n\t\r\\\"'";
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::size_t known = text[i] == '\\' && i + 1 < text.size() ? names.find(text[i + 1])
                                                                         : std::string_view::npos;
        out += known == std::string_view::npos ? text[i] : characters[known];
        if (known != std::string_view::npos) ++i;
    }
    return out;
}

}  // namespace tbt
