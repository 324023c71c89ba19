#include "chapters/10_generate/options.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "chapters/03_temperature/further/option.hpp"
#include "chapters/04_top_k/further/option.hpp"
#include "chapters/05_top_p/further/option.hpp"
#include "chapters/06_combining/chain.hpp"
#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/08_penalties/option.hpp"
#include "chapters/09_stopping/ban_text.hpp"
#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/memory.hpp"
#include "lib/machine/usual_options.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

namespace {

// Texts at which DRY's passages end: llama.cpp's list.
const std::vector<std::string> usual_breakers{"\n", ":", "\"", "*"};

// ---- values of options ----

int parse_id(const std::string& option, std::string_view text, const Model& model) {
    int id = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc{} || end != text.data() + text.size())
        throw UsageError(option + ": got '" + std::string(text) + "', expected the id of a token");
    const auto V = index(model.config().vocab_size);
    if (!is_id(id, V)) throw UsageError(no_such_id(option, id, V));
    return id;
}

std::vector<int> parse_ids(const std::string& option, std::string_view text, const Model& model) {
    std::vector<int> ids;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        ids.push_back(parse_id(option, text.substr(at, end - at), model));
        at = end + 1;
    }
    return ids;
}

std::vector<int> parse_lists(const std::string& option, const std::vector<std::string>& lists,
                             const Model& model) {
    std::vector<int> ids;
    for (const std::string& list : lists)
        for (const int id : parse_ids(option, list, model)) ids.push_back(id);
    return ids;
}

double parse_number(const std::string& option, const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0')
        throw UsageError(option + ": got '" + text + "', expected a number");
    return value;
}

std::uint64_t parse_key(const std::string& text) {
    std::uint64_t key = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), key);
    if (error != std::errc{} || end != text.data() + text.size())
        throw UsageError("--watermark: got '" + text +
                         "', expected a key, a whole number from 0 to 18446744073709551615");
    return key;
}

// "5,17=-2.5": the bias of token 17 after token 5.
SequenceBias parse_sequence_bias(const std::string& text, const Model& model) {
    const std::string option = "--sequence-bias";
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos)
        throw UsageError(option + ": got '" + text +
                         "', which has no '='; expected ID,ID=VALUE such as 1234,56=-2.5");
    SequenceBias bias{parse_ids(option, std::string_view(text).substr(0, sign), model),
                      static_cast<float>(parse_number(option, text.substr(sign + 1)))};
    check_bias(bias, index(model.config().vocab_size));
    return bias;
}

// The tokens that contain one of these texts: a passage ends at them.
std::vector<int> tokens_with(const std::vector<std::string>& texts, const Model& model) {
    std::vector<int> ids;
    for (int id = 0; id < model.tokenizer.vocab_size(); ++id) {
        const std::string_view bytes = model.tokenizer.token_bytes(id);
        for (const std::string& text : texts) {
            if (text.empty())
                throw UsageError(
                    "--dry-sequence-breaker: got an empty text, expected one that "
                    "ends a passage, such as a full stop");
            if (bytes.find(text) == std::string_view::npos) continue;
            ids.push_back(id);
            break;
        }
    }
    return ids;
}

// START,FACTOR
void set_decay(SamplingOptions& s, const std::string& text) {
    const std::string option = "--exponential-decay-length-penalty";
    const std::size_t comma = text.find(',');
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), s.decay_start);
    if (comma == std::string::npos || error != std::errc{} || end != text.data() + comma)
        throw UsageError(option + ": got '" + text +
                         "', expected START,FACTOR such as 40,1.05: after 40 tokens the end "
                         "becomes more likely with each");
    s.decay_factor = parse_number(option, text.substr(comma + 1));
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

void add_ending_options(CommandLine ending, GenerateOptions& o) {
    length_option(ending, o.max_new_tokens);
    ending.option("--min-new-tokens", o.min_new_tokens,
                  "do not end the text before this many tokens");
    ending
        .option("--stop-strings", o.stop_strings,
                "stop at this string, and leave it out (repeatable)")
        .one_at_a_time();
    ending.option("--context", o.context, "when the context is full: refuse, or slide")
        .suggests({"refuse", "slide"})
        .shows_default();
    ending.option("--keep", o.keep, "tokens kept when the context slides (default: half of it)");
    ending.option("--no-escape", o.no_escape, "do not interpret \\n and other escapes in texts");
}

void add_rare_options(CommandLine rare, GenerateOptions& o) {
    rare.option("--dynatemp-range", o.dynatemp_range,
                "vary the temperature by up to this much with the entropy; 0: off");
    rare.option("--dynatemp-exp", o.dynatemp_exponent,
                "exponent of the entropy in that formula (default 1)");
    rare.option("--top-n-sigma,--top-nsigma", o.top_n_sigma,
                "keep logits within this many standard deviations of the largest; 0: all");
    rare.option("--xtc-probability", o.xtc_probability,
                "probability of removing all top choices but the least probable one; 0: off");
    rare.option("--xtc-threshold", o.xtc_threshold,
                "a top choice has at least this probability (default 0.1)");
    rare.option("--mirostat", o.mirostat,
                "hold the surprisal of the text, by version 1 or 2; 0: off");
    rare.option("--mirostat-tau,--mirostat-ent", o.mirostat_tau,
                "the target surprisal, in bits (default 5)");
    rare.option("--mirostat-eta,--mirostat-lr", o.mirostat_eta, "its learning rate (default 0.1)");
    rare.option("--dry-multiplier", o.dry_multiplier,
                "penalty for repeating a passage (DRY); 0: off, 0.8 is usual");
    rare.option("--dry-base", o.dry_base,
                "penalty multiplier for each further repeated token (default 1.75)");
    rare.option("--dry-allowed-length", o.dry_allowed_length,
                "passages shorter than this are not penalised (default 2)");
    rare.option("--dry-sequence-breaker", o.dry_breakers,
                "text that ends a passage (repeatable; default: newline, colon, quotation mark, "
                "star)")
        .one_at_a_time();
    rare.option("--suppress-tokens", o.suppress, "ID,ID: tokens that are never chosen (repeatable)")
        .one_at_a_time();
    rare.option("--begin-suppress-tokens", o.begin_suppress,
                "ID,ID: tokens that are not chosen first (repeatable)")
        .one_at_a_time();
    rare.option("--forced-bos-token-id", o.forced_bos,
                "the first token (--dialect transformers: if the prompt is one token)");
    rare.option("--forced-eos-token-id", o.forced_eos, "the last token, if the limit is reached");
    rare.option("--exponential-decay-length-penalty", o.exponential_decay,
                "START,FACTOR: after START tokens the end becomes more likely with each");
    rare.option(
            "--sequence-bias", o.sequence_bias,
            "ID,ID=VALUE: added to the logit of the last ID after the IDs before it (repeatable)")
        .one_at_a_time();
    rare.option("--min-tokens-to-keep,--min-keep", o.min_tokens_to_keep,
                "no truncation keeps fewer (default 1; sampled beams of dialect transformers: 2)");
    rare.option(
        "--watermark", [&o](const std::string& text) { o.watermark = parse_key(text); },
        "KEY: mark the text without changing its distribution; build/watermark detects it");
    rare.option("--renormalize-logits", o.renormalize,
                "renormalise the logits after the chain, for beams that add them up");
}

}  // namespace

void add_sampling_options(OptionTable& app, GenerateOptions& o) {
    CommandLine choosing(app, "How a token is chosen");
    const auto option = [&](const char* name, auto& value, const char* help) {
        return choosing.option(name, value, help);
    };
    const auto list = [&](const char* name, auto& values, const char* help) {
        option(name, values, help).one_at_a_time();
    };
    temperature_option(choosing, o.temperature, " (default 0.8)");
    top_k_option(choosing, o.top_k);
    top_p_option(choosing, o.top_p, " (default 0.9)");
    option("--min-p", o.min_p,
           "keep tokens with at least this fraction of the largest probability; 0: all");
    option("--typical-p", o.typical_p,
           "keep the most typical tokens whose probabilities sum to this; 1: all");
    option("--epsilon-cutoff", o.epsilon_cutoff, "drop tokens less probable than this; 0: none");
    option("--eta-cutoff", o.eta_cutoff, "the same, adapted to the entropy; 0: none");
    option("--repetition-penalty", o.repetition_penalty,
           "divide the logits of tokens already in the text; 1: off");
    option("--frequency-penalty", o.frequency_penalty,
           "subtract this for each time a token was written; 0: off");
    option("--presence-penalty", o.presence_penalty,
           "subtract this from every token that was written; 0: off");
    penalty_scope_option(choosing, o.penalty_scope);
    option("--no-repeat-ngram-size", o.no_repeat_ngram_size,
           "ban a second occurrence of any n-gram of this length; 0: off");
    list("--logit-bias", o.logit_bias,
         "ID=VALUE, added to a token's logit; -inf bans it (repeatable)");
    option("--preset", o.preset, "factual, conservative, balanced or creative")
        .suggests({"factual", "conservative", "balanced", "creative"});
    option(
        "--dialect", o.dialect,
        "order and defaults of: ours, transformers (-4, -5: how its beams stop), llama.cpp, vllm")
        .suggests(
            {"ours", "transformers", "transformers-4", "transformers-5", "llama.cpp", "vllm"});
    option("--greedy", o.greedy, "always the most probable token");
    option("--do-sample", o.do_sample, "sample (the default, except in beam search)");
    seed_option(choosing, o.seed);
    CommandLine ending(app, "Where a text ends");
    add_ending_options(ending, o);
    list("--bad-words", o.bad_words,
         "ban the token sequence of this word, as transformers does (repeatable)");
    list("--ban-text", o.ban_text, "ban this text, however it is split into tokens (repeatable)");
    ending
        .option("--stop-token-ids", o.stop_token_ids,
                "ID,ID: further end-of-text tokens (repeatable)")
        .one_at_a_time();
    ending.option("--ignore-eos", o.ignore_eos,
                  "ignore the end-of-text token (dialect vllm: it comes, and ends nothing)");
    add_rare_options(CommandLine(app, "Rarer ways to choose a token"), o);
}

void add_samples_option(OptionTable& app, GenerateOptions& o) {
    CommandLine(app, "What is shown")
        .option("--num-return-sequences", o.samples,
                "number of texts; several are shown when all are complete")
        .shows_default()
        .marks(o.samples_given);
}

void add_model_options(OptionTable& app, GenerateOptions& o) {
    CommandLine line(app);
    model_option(line, o.model);
    loading_options(line, o);
}

Model open_model(const GenerateOptions& o) { return load_model(o.model, transformer_options(o)); }

// ---- checks, and what the options make together ----

namespace {

bool takes_first(const GenerateOptions& o) {
    return o.greedy || (o.temperature && *o.temperature == 0);
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
    // Truncations change nothing where the most probable token is taken, but a watermark would be
    // missing, and a preset says how to draw.
    for (const auto& [given, name] :
         {std::pair{o.watermark.has_value(), "--watermark"}, {o.preset.has_value(), "--preset"}})
        if (given && takes_first(o))
            throw UsageError(std::string(o.greedy ? "--greedy" : "--temperature 0") + " and " +
                             name + ": the most probable token is always taken, so " + name +
                             " would change nothing; leave it out, or " +
                             (o.greedy ? "leave out --greedy" : "raise the temperature") +
                             " to sample");
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

std::string escapes_read(const GenerateOptions& o, std::string_view text) {
    return o.no_escape ? std::string(text) : unescaped(text);
}

PenaltyOptions penalties_of(const GenerateOptions& o, const Model& model, const StopRules& stop) {
    PenaltyOptions p;
    const auto V = index(model.config().vocab_size);
    if (o.penalty_scope) p.scope = scope_named(*o.penalty_scope);
    p.eos = stop.eos;
    for (const std::string& text : o.logit_bias) {
        const SequenceBias bias = parse_bias(text, model.config().vocab_size);
        for (const SequenceBias& other : p.bias) {
            if (other.sequence == bias.sequence)
                throw UsageError("--logit-bias: token " + std::to_string(bias.sequence[0]) +
                                 " is given twice; which of the two is meant?");
        }
        p.bias.push_back(bias);
    }
    for (const std::string& given : o.bad_words) {
        const std::string word = escapes_read(o, given);
        if (word.empty())
            throw UsageError("--bad-words: got an empty word, expected a word to ban");
        // A word at the beginning of a text has other tokens than a word after a space.
        for (const std::string& form : {word, " " + word})
            p.bad_words.push_back(
                model.tokenizer.encode(form, SpecialTokens::as_text, TextPlace::inside));
    }
    for (const std::vector<int>& word : o.bad_words_ids) {
        check_ids("bad_words_ids", word, V);
        p.bad_words.push_back(word);
    }
    // llama.cpp's way to ignore the end of text is to ban it.
    if (o.ignore_eos && dialect_named(o.dialect.value_or("ours")) != Dialect::vllm)
        for (const int id : model.config().eos_token_ids) p.bias.push_back({{id}, banned});
    p.suppress = parse_lists("--suppress-tokens", o.suppress, model);
    p.begin_suppress = parse_lists("--begin-suppress-tokens", o.begin_suppress, model);
    const auto check = [&](const char* option, std::optional<int> id) {
        if (id && !is_id(*id, V)) throw UsageError(no_such_id(option, *id, V));
        return id;
    };
    p.forced_bos = check("--forced-bos-token-id", o.forced_bos);
    p.forced_eos = check("--forced-eos-token-id", o.forced_eos);
    p.max_new_tokens = stop.max_new_tokens;
    if (stop.policy == ContextPolicy::refuse) p.context = stop.context;
    p.watermark = o.watermark;
    for (const std::string& text : o.sequence_bias)
        p.bias.push_back(parse_sequence_bias(text, model));
    if (o.dry_multiplier.value_or(0) != 0) {
        std::vector<std::string> breakers = o.dry_breakers;
        for (std::string& text : breakers) text = escapes_read(o, text);
        p.dry_breakers = tokens_with(breakers.empty() ? usual_breakers : breakers, model);
    }
    return p;
}

std::vector<ChainStep> ban_text_steps(const GenerateOptions& o, const Model& model) {
    if (o.ban_text.empty()) return {};
    std::vector<std::string> texts, tokens;
    for (const std::string& text : o.ban_text) {
        texts.push_back(escapes_read(o, text));
        if (texts.back().empty())
            throw UsageError("--ban-text: got an empty text, expected a text to ban");
    }
    const TokenBytes bytes = token_bytes_of(model.tokenizer);
    for (int id = 0; id < model.config().vocab_size; ++id) tokens.emplace_back(bytes(id));
    return {ban_text_step(std::move(texts), std::move(tokens))};
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

std::vector<std::string> given_truncations(const GenerateOptions& o) {
    std::vector<std::string> names;
    each_truncation(o, [&](const char* name, const auto& given, auto field) {
        const bool on = given && *given != SamplingOptions{}.*field && *given != -1;
        if (on) names.emplace_back(name);  // --top-k -1 is off, too
    });
    if (o.watermark) names.emplace_back("--watermark");
    if (o.preset) names.emplace_back("--preset");
    return names;
}

std::vector<std::string> without_effect(const GenerateOptions& o) {
    std::vector<std::string> notes;
    const auto needs = [&](bool given, const char* name, bool on, const char* other) {
        if (given && !on) notes.push_back(std::string(name) + " has no effect without " + other);
    };
    const bool steered = o.mirostat.value_or(0) != 0, dry = o.dry_multiplier.value_or(0) != 0;
    needs(o.dynatemp_exponent.has_value(), "--dynatemp-exp", o.dynatemp_range.value_or(0) != 0,
          "--dynatemp-range");
    needs(o.xtc_threshold.has_value(), "--xtc-threshold", o.xtc_probability.value_or(0) != 0,
          "--xtc-probability");
    needs(o.mirostat_tau.has_value(), "--mirostat-tau", steered, "--mirostat 1 or 2");
    needs(o.mirostat_eta.has_value(), "--mirostat-eta", steered, "--mirostat 1 or 2");
    needs(o.dry_base.has_value(), "--dry-base", dry, "--dry-multiplier");
    needs(o.dry_allowed_length.has_value(), "--dry-allowed-length", dry, "--dry-multiplier");
    needs(!o.dry_breakers.empty(), "--dry-sequence-breaker", dry, "--dry-multiplier");
    needs(o.keep > 0, "--keep", o.context == "slide", "--context slide");
    if (takes_first(o) && o.samples > 1)
        notes.push_back("--num-return-sequences " + std::to_string(o.samples) +
                        ": all are one text, since the most probable token is always taken");
    return notes;
}

void print_notes(const std::vector<std::string>& notes) {
    for (const std::string& note : notes) std::fprintf(stderr, "%s\n", note.c_str());
}

SamplingOptions sampling_of(const GenerateOptions& o) {
    check_contradictions(o);
    const Dialect dialect = dialect_named(o.dialect.value_or("ours"));
    SamplingOptions s;
    if (takes_first(o)) s.temperature = 0;
    else if (o.preset) s = preset_named(*o.preset).options;
    else if (o.dialect) s = defaults_of(dialect);
    else s.temperature = 0.8, s.top_p = 0.9;  // the values that most text generators start from
    if (o.mirostat.value_or(0) != 0) s.top_k = 0, s.top_p = 1, s.min_p = 0;  // truncates itself
    const auto set = [](auto& value, const auto& given) {
        if (given) value = *given;
    };
    set(s.repetition_penalty, o.repetition_penalty);
    set(s.frequency_penalty, o.frequency_penalty), set(s.presence_penalty, o.presence_penalty);
    set(s.no_repeat_ngram_size, o.no_repeat_ngram_size), set(s.min_new_tokens, o.min_new_tokens);
    set(s.dry_multiplier, o.dry_multiplier), set(s.dry_base, o.dry_base);
    set(s.dry_allowed_length, o.dry_allowed_length), s.renormalize = o.renormalize;
    if (!takes_first(o)) {
        each_truncation(o,
                        [&](const char*, const auto& given, auto field) { set(s.*field, given); });
        set(s.temperature, o.temperature), set(s.dynatemp_exponent, o.dynatemp_exponent);
        set(s.xtc_threshold, o.xtc_threshold);
        set(s.mirostat_tau, o.mirostat_tau), set(s.mirostat_eta, o.mirostat_eta);
        if (s.top_k == -1) s.top_k = 0;  // as others switch it off
    }
    if (o.exponential_decay) set_decay(s, *o.exponential_decay);
    s.seed = o.seed.value_or(0);
    return s;
}

GenerateRequest request_of(const GenerateOptions& o, const Model& model,
                           int default_max_new_tokens) {
    check_counts(o);
    GenerateRequest r;
    const Dialect dialect = dialect_named(o.dialect.value_or("ours"));
    if (!o.ignore_eos || dialect != Dialect::vllm) r.stop.eos = model.config().eos_token_ids;
    for (const int id : parse_lists("--stop-token-ids", o.stop_token_ids, model))
        r.stop.eos.push_back(id);
    std::vector<std::string> strings = o.stop_strings;
    for (std::string& s : strings) s = escapes_read(o, s);
    r.stop.strings = StopStrings(std::move(strings));
    r.stop.context = model.config().n_positions;
    r.stop.max_new_tokens = o.unlimited()
                                ? r.stop.context
                                : o.max_new_tokens.value_or(std::max(default_max_new_tokens,
                                                                     o.min_new_tokens.value_or(0)));
    if (o.context == "slide") r.stop.policy = ContextPolicy::slide;
    else if (o.context != "refuse")
        throw UsageError("--context: got '" + o.context + "', expected refuse or slide");
    if (o.keep > r.stop.context)
        throw UsageError("--keep " + std::to_string(o.keep) +
                         ": more than this model's context of " + std::to_string(r.stop.context));
    r.keep = o.keep;
    r.samples = o.samples;
    check_memory(model, r);
    r.seed = o.seed.value_or(0);
    SamplingOptions sampling = sampling_of(o);
    if (r.stop.eos.empty() && o.ignore_eos) sampling.min_new_tokens = 0;  // no end to hold back
    r.chain =
        full_chain(sampling, dialect, penalties_of(o, model, r.stop), ban_text_steps(o, model));
    return r;
}

std::vector<int> prompt_ids(const GenerateOptions& o, const Model& model, std::string_view prompt) {
    const std::string text = escapes_read(o, prompt);
    const int least = o.min_new_tokens.value_or(1);
    const int room = std::max(1, o.unlimited() ? least : o.max_new_tokens.value_or(least)),
              context = model.config().n_positions;
    if (o.context != "slide") {
        if (room >= context) {
            const bool by_least = o.min_new_tokens && (o.unlimited() || !o.max_new_tokens);
            throw UsageError((by_least ? "--min-new-tokens " : "--max-new-tokens ") +
                             std::to_string(room) + ": this model's context has " +
                             std::to_string(context) +
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
    return [&tokenizer](int id) -> TokenText {
        // A model may have more rows than its tokenizer has tokens.
        if (id >= tokenizer.vocab_size() || tokenizer.is_special(id)) return {""};
        return {tokenizer.token_bytes(id), tokenizer.is_byte_token(id)};
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