#include "chapters/10_generate/options/rare_options.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "chapters/10_generate/options/word_options.hpp"
#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/machine/command_line.hpp"

namespace tbt {

namespace {

// Texts at which DRY's passages end: llama.cpp's list.
const std::vector<std::string> usual_breakers{"\n", ":", "\"", "*"};

std::vector<int> parse_lists(const std::string& option, const std::vector<std::string>& lists,
                             const Model& model) {
    std::vector<int> ids;
    for (const std::string& list : lists) {
        for (const int id : parse_ids(option, list, model)) ids.push_back(id);
    }
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

}  // namespace

void add_rare_options(OptionTable& app, RareOptions& o) {
    CommandLine rare(app, "Rarer ways to choose a token");
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

std::vector<std::string> given_rare_truncations(const RareOptions& o) {
    std::vector<std::string> names;
    const auto note = [&](bool on, const char* name) {
        if (on) names.emplace_back(name);
    };
    note(o.dynatemp_range.value_or(0) != 0, "--dynatemp-range");
    note(o.top_n_sigma.value_or(0) != 0, "--top-n-sigma");
    note(o.xtc_probability.value_or(0) != 0, "--xtc-probability");
    note(o.mirostat.value_or(0) != 0, "--mirostat");
    note(o.watermark.has_value(), "--watermark");
    note(o.min_tokens_to_keep.value_or(1) != 1, "--min-tokens-to-keep");
    return names;
}

void set_rare(SamplingOptions& s, const RareOptions& o, std::uint64_t seed) {
    const auto needs = [](bool given, const char* name, bool on, const char* other) {
        if (given && !on)
            throw UsageError(std::string(name) + ": it would change nothing without " + other +
                             "; add that, or leave it out");
    };
    needs(o.dynatemp_exponent.has_value(), "--dynatemp-exp", o.dynatemp_range.value_or(0) != 0,
          "--dynatemp-range");
    needs(o.xtc_threshold.has_value(), "--xtc-threshold", o.xtc_probability.value_or(0) != 0,
          "--xtc-probability");
    const bool steered = o.mirostat.value_or(0) != 0, dry = o.dry_multiplier.value_or(0) != 0;
    needs(o.mirostat_tau.has_value(), "--mirostat-tau", steered, "--mirostat 2");
    needs(o.mirostat_eta.has_value(), "--mirostat-eta", steered, "--mirostat 2");
    needs(o.dry_base.has_value(), "--dry-base", dry, "--dry-multiplier");
    needs(o.dry_allowed_length.has_value(), "--dry-allowed-length", dry, "--dry-multiplier");
    needs(!o.dry_breakers.empty(), "--dry-sequence-breaker", dry, "--dry-multiplier");
    const auto set = [](auto& value, const auto& given) {
        if (given) value = *given;
    };
    set(s.dynatemp_range, o.dynatemp_range), set(s.dynatemp_exponent, o.dynatemp_exponent);
    set(s.top_n_sigma, o.top_n_sigma), set(s.xtc_probability, o.xtc_probability);
    set(s.xtc_threshold, o.xtc_threshold), set(s.mirostat, o.mirostat);
    set(s.mirostat_tau, o.mirostat_tau), set(s.mirostat_eta, o.mirostat_eta);
    set(s.dry_multiplier, o.dry_multiplier), set(s.dry_base, o.dry_base);
    set(s.dry_allowed_length, o.dry_allowed_length);
    set(s.min_tokens_to_keep, o.min_tokens_to_keep), s.renormalize = o.renormalize;
    if (o.exponential_decay) set_decay(s, *o.exponential_decay);
    s.seed = seed;
}

void set_rare(PenaltyOptions& p, const RareOptions& o, const Model& model, int max_new_tokens) {
    const auto V = index(model.config().vocab_size);
    p.suppress = parse_lists("--suppress-tokens", o.suppress, model);
    p.begin_suppress = parse_lists("--begin-suppress-tokens", o.begin_suppress, model);
    const auto check = [&](const char* option, std::optional<int> id) {
        if (id && !is_id(*id, V)) throw UsageError(no_such_id(option, *id, V));
        return id;
    };
    p.forced_bos = check("--forced-bos-token-id", o.forced_bos);
    p.forced_eos = check("--forced-eos-token-id", o.forced_eos);
    p.max_new_tokens = max_new_tokens;
    p.watermark = o.watermark;
    for (const std::string& text : o.sequence_bias)
        p.bias.push_back(parse_sequence_bias(text, model));
    if (o.dry_multiplier.value_or(0) != 0)
        p.dry_breakers =
            tokens_with(o.dry_breakers.empty() ? usual_breakers : o.dry_breakers, model);
}

}  // namespace tbt
