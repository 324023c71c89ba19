#include "chapters/23_text_generator/command_line.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "chapters/10_generate/generation_config.hpp"
#include "chapters/10_generate/options.hpp"
#include "chapters/10_generate/tools/page.hpp"
#include "chapters/23_text_generator/filled_texts.hpp"
#include "lib/chat/chat_template.hpp"
#include "lib/core/error.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw UsageError(what); }

bool searches(const TextOptions& o) { return strategy_of(o) == Strategy::beam; }

void check_strategy(const TextOptions& o) {
    if (o.strategy == Strategy::greedy && o.num_beams > 1)
        refuse("--strategy greedy and --num-beams " + std::to_string(o.num_beams) +
               ": greedy decoding follows one text; leave out one of the two");
    if (o.strategy == Strategy::sample && o.num_beams > 1)
        refuse("--strategy sample and --num-beams " + std::to_string(o.num_beams) +
               ": drawn beams are --num-beams with --do-sample; leave out --strategy");
    if (o.strategy == Strategy::greedy && o.do_sample)
        refuse(
            "--strategy greedy and --do-sample contradict each other: take the most probable "
            "token, or draw one?");
    if (o.strategy == Strategy::sample && (o.greedy || o.temperature.value_or(1) == 0))
        refuse(std::string("--strategy sample and ") + (o.greedy ? "--greedy" : "--temperature 0") +
               " contradict each other: draw, or take the most probable token?");
}

// Refuses what rejection sampling (chapter 12) cannot do: it does not keep the log-probabilities
// that mirostat needs, for example.
void check_rejection(const TextOptions& o) {
    if (!o.guesses() || o.coupling != "rejection") return;
    if (o.mirostat.value_or(0) != 0)
        refuse(
            "--mirostat and --coupling rejection: mirostat needs the probability of each drawn "
            "token, which a rejection does not give; take --coupling seed");
    if (o.context == "slide")
        refuse(
            "--context slide and --coupling rejection: a draft is verified at the positions it was "
            "written for; take --coupling seed");
}

void check_guidance(const TextOptions& o) {
    if (!(o.guidance_scale >= 0 && o.guidance_scale <= 1e6))
        refuse("guidance-scale: got " + short_number(o.guidance_scale) +
               ", expected 0 to 1e6; 1 is no guidance, 1.5 is usual");
    if (o.contrast_model && *o.contrast_model == "lookup")
        refuse(
            "--contrast-model lookup: n-grams of the text have no distribution; take sketch, or a "
            "model's directory");
    if (o.guidance_scale != 1 && o.context == "slide")
        refuse(
            "--guidance-scale and --context slide: the two prompts would be forgotten at "
            "different times; leave out one of the two");
    check_contrast(o.contrast);
}

// "17=-inf", "17,5=-1e300": a bias that bans.
bool bans(const std::string& bias) {
    const std::size_t sign = bias.find('=');
    return sign != std::string::npos &&
           std::strtof(bias.c_str() + sign + 1, nullptr) < std::numeric_limits<float>::lowest();
}

// A guide may leave few tokens, and a text must never end half-way. Steps that only discourage a
// token are undone there (guided_chain). Options that promise "never" or "this token" are refused.
void check_guide(const TextOptions& o) {
    o.guide.check();
    if (o.guide.name().empty()) return;
    const auto promises = [&](bool given, const char* name) {
        if (given)
            refuse(std::string(name) + " and " + o.guide.name() +
                   ": a constraint may leave no other token; exclude the text in the constraint "
                   "itself");
    };
    const auto any_bans = [](const std::vector<std::string>& list) {
        return std::any_of(list.begin(), list.end(), bans);
    };
    promises(!o.ban_text.empty(), "--ban-text");
    promises(!o.bad_words.empty() || !o.bad_words_ids.empty(), "--bad-words");
    promises(!o.suppress.empty(), "--suppress-tokens");
    promises(!o.begin_suppress.empty(), "--begin-suppress-tokens");
    promises(any_bans(o.logit_bias), "--logit-bias with -inf");
    promises(any_bans(o.sequence_bias), "--sequence-bias with -inf");
    if (o.forced_bos || o.forced_eos)
        refuse(std::string(o.forced_bos ? "--forced-bos-token-id" : "--forced-eos-token-id") +
               " and " + o.guide.name() +
               ": a constraint decides which tokens are allowed there; leave out one of the two");
}

}  // namespace

Strategy strategy_of(const TextOptions& o) {
    if (o.strategy != Strategy::by_options) return o.strategy;
    if (o.num_beams > 1) return Strategy::beam;
    return o.greedy || o.temperature.value_or(1) == 0 ? Strategy::greedy : Strategy::sample;
}

std::vector<std::string> without_effect(const TextOptions& o) {
    std::vector<std::string> notes = searches(o)
                                         ? without_effect(o, static_cast<const BeamSettings&>(o))
                                         : without_effect(static_cast<const GenerateOptions&>(o));
    for (std::string& note : without_effect(static_cast<const DraftSettings&>(o), o.medusa))
        notes.push_back(std::move(note));
    const auto needs = [&](bool given, const char* name, const char* other) {
        if (given) notes.push_back(std::string(name) + " has no effect without " + other);
    };
    const BeamSettings usual;
    if (!searches(o)) {
        const char* const search = "beam search (--num-beams 4, say)";
        needs(o.num_beam_groups > 1, "--num-beam-groups", search);
        needs(o.diversity_penalty.has_value(), "--diversity-penalty", search);
        needs(o.length_penalty != usual.length_penalty, "--length-penalty", search);
        needs(o.early_stopping != usual.early_stopping, "--early-stopping", search);
        needs(o.renormalize, "--renormalize-logits", search);
    }
    needs(o.guidance_scale == 1 && o.negative_prompt, "--negative-prompt", "--guidance-scale");
    const Contrast no_contrast;
    needs(!o.contrast_model && o.contrast.strength != no_contrast.strength, "--contrast-strength",
          "--contrast-model");
    needs(!o.contrast_model && o.contrast.plausible != no_contrast.plausible,
          "--contrast-plausible", "--contrast-model");
    const std::string guide = o.guide.name();
    needs(guide.empty() && o.continues_prompt, "--continue",
          "a constraint (--json-schema FILE, say)");
    for (const auto& [given, name] : {std::pair{o.ignore_eos, "--ignore-eos"},
                                      {o.min_new_tokens.value_or(0) > 0, "--min-new-tokens"}})
        if (given && !guide.empty())
            notes.push_back(std::string(name) + " has no effect where " + guide +
                            " leaves only the end of the text");
    return notes;
}

void check_combination(const TextOptions& o, std::size_t prompts) {
    if (prompts == 0) refuse("prompts: got none, expected at least one");
    check_strategy(o);
    check_drafts(o);
    check_medusa(o);
    if (o.medusa && o.drafts())
        refuse("--medusa and " + std::string(o.lookup() ? "prompt lookup" : "--assistant-model") +
               ": both draft tokens; choose one");
    if (o.medusa && o.coupling == "rejection" && o.schedule == "adaptive")
        refuse(
            "--medusa, --coupling rejection and an adaptive schedule: the clock would choose the "
            "text; take --coupling seed");
    check_rejection(o);
    check_guidance(o);
    check_guide(o);
    if (!searches(o)) {
        if (o.num_beams < 1)
            refuse("num-beams: got " + std::to_string(o.num_beams) +
                   ", expected 1 or more; 1 is no search, 4 is usual");
        return;
    }
    if (o.medusa)
        refuse(
            "--num-beams and --medusa: heads guess how one text goes on, and a search compares "
            "several; leave out one of the two");
    if (o.drafts())
        refuse("--num-beams and " +
               std::string(o.lookup() ? "prompt lookup" : "--assistant-model") +
               ": a draft guesses how one text goes on, and a search compares several; leave out "
               "one of the two");
}

AttentionWatch watch_of(const TextOptions& o) {
    AttentionWatch watch;
    const std::string& name = o.attention;
    if (name.empty()) return watch;
    const char* const end = name.data() + name.size();
    const auto [dot, wrong] = std::from_chars(name.data(), end, watch.layer);
    const bool parted = wrong == std::errc() && dot != end && *dot == '.';
    const auto [rest, worse] = parted ? std::from_chars(dot + 1, end, watch.head)
                                      : std::from_chars_result{name.data(), std::errc()};
    if (!parted || worse != std::errc() || rest != end || watch.layer < 0 || watch.head < 0)
        refuse("--attention: got '" + name +
               "', expected a layer and a head, both counted from 0: 2.5 is head 5 of layer 2");
    if (o.guidance_scale != 1)
        refuse(
            "--attention and --guidance-scale: the model reads two texts for each token; leave out "
            "one of the two");
    return watch;
}

namespace {

constexpr const char* usual_prompt = "Once upon a time";

// The options that --help shows; --help-all shows all.
constexpr std::string_view usual_options =
    "prompt --help --prompt --prompt-file --chat --system --chat-template --model --threads "
    "--temperature --top-k --top-p --min-p --repetition-penalty --greedy --seed --num-beams "
    "--max-new-tokens --stop-strings --assistant-model --json-schema --grammar --regex --tools "
    "--num-return-sequences --output-format --explain --html --stats --help-all";

// Each line of the file is a prompt; empty lines are skipped.
std::vector<std::string> prompts_in(const std::string& file) {
    std::vector<std::string> prompts;
    std::string line, text = read_file(file) + "\n";
    if (text.starts_with("\ufeff")) text.erase(0, 3);
    for (const char c : text) {
        if (c != '\n') {
            line += c;
            continue;
        }
        if (line.ends_with('\r')) line.pop_back();  // as Windows ends a line
        if (!line.empty()) prompts.push_back(std::exchange(line, {}));
    }
    if (prompts.empty()) throw Error(file + ": has no prompts, expected one a line");
    return prompts;
}

// Sets options that the command line does not give from the model's generation_config.json.
void use_model_defaults(Settings& s) {
    TextOptions& o = s.options;
    const GenerationConfig config(o.model);
    const auto fill = [&](const char* option, const char* key, auto& value) {
        if (!s.given(option)) config.read(key, value);
    };
    const bool drafts = o.guesses() || o.greedy || s.strategy == "greedy" || s.strategy == "sample";
    if (!drafts) fill("--num-beams", "num_beams", o.num_beams);
    if (s.strategy == "beam" && o.num_beams == 1) o.num_beams = 4;
    if (o.num_beams > 1) {
        fill("--length-penalty", "length_penalty", o.length_penalty);
        fill("--num-beam-groups", "num_beam_groups", o.num_beam_groups);
        if (o.num_beam_groups > 1) config.fill(o.diversity_penalty, "diversity_penalty");
        const bool said = s.given("--early-stopping");
        if (const Json& stopping = config.json().value("early_stopping", Json());
            stopping.is_boolean()) {
            if (!said) o.early_stopping = stopping ? "true" : "false";
        } else fill("--early-stopping", "early_stopping", o.early_stopping);
    }
    fill("--guidance-scale", "guidance_scale", o.guidance_scale);
    use_generation_config(o, o.num_beams > 1);
    if (s.chat && !o.samples_given) o.samples = 1;  // an answer is one text, whatever the file says
}

void check_chat(const Settings& s) {
    const TextOptions& o = s.options;
    const auto refuse = [](bool given, const char* what) {
        if (given) throw UsageError(what);
    };
    if (!s.chat) return;
    refuse(!s.prompts.empty() || !s.prompt_file.empty(),
           "--chat and a prompt: the lines of a chat are read from the terminal or a pipe; leave "
           "the prompt out");
    refuse(s.given("--stop-strings"),
           "--stop-strings: a chat stops at its ends by itself; leave it out, or leave out --chat");
    refuse(o.context != "refuse",
           "--context: a chat forgets whole turns by itself, oldest first; leave it out");
    refuse(o.samples > 1, "--chat and --num-return-sequences: an answer is one text");
    refuse(o.continues_prompt, "--chat and --continue: an answer begins where the prompt ends");
    refuse(!s.output.text() || s.output.explain || s.output.logprobs || s.output.prompt_logprobs ||
               s.output.no_stream || s.output.no_display_prompt || s.output.stats ||
               !s.output.trace_file.empty() || !s.output.html.empty() || !s.output.figure.empty(),
           "--chat: an answer is shown as text, while it is written; leave out what is said about "
           "how texts are shown");
}

// --explain is for texts whose choices are plain or coupled draws.
void check_explain(const TextOptions& o) {
    if (searches(o))
        refuse(
            "--explain and --num-beams: nothing is drawn that could be replayed; --html and "
            "--trace show the search, and --logprobs works here too");
    if (o.guesses() && o.coupling == "rejection")
        refuse(
            "--explain and --coupling rejection: a correction is not drawn from the chain; --html "
            "and --trace show the judgements, or take --coupling seed");
}

// The same for the whole command line.
std::vector<std::string> without_effect(const Settings& s) {
    std::vector<std::string> notes = without_effect(s.options);
    const auto needs = [&](bool given, const char* name, const char* other) {
        if (given) notes.push_back(std::string(name) + " has no effect without " + other);
    };
    needs(!s.chat && s.echo, "--echo", "--chat");
    needs(!s.chat && !s.options.system.empty(), "--system", "--chat");
    needs(!s.chat && !s.options.chat_template.empty(), "--chat-template", "--chat");
    needs(!s.options.attention.empty() && !s.options.record, "--attention", "--html or --trace");
    return notes;
}

// Refuses one file name for two outputs, since it would hold only the last one.
void check_compare(const Settings& s) {
    if (s.compare.empty()) return;
    if (s.compare.size() > 2)
        throw UsageError("--compare: got " + std::to_string(s.compare.size()) +
                         " files, expected two traces, or one to look at");
    if (s.output.html.empty())
        throw UsageError("--compare: the page needs a name; add --html FILE");
    if (s.chat || !s.prompts.empty() || !s.prompt_file.empty() || !s.output.trace_file.empty())
        throw UsageError("--compare and a text to write: the page shows traces that are there");
    for (const std::string& file : s.compare)
        if (file == s.output.html)
            throw UsageError("--compare and --html: the page would take the place of " + file +
                             "; give it a file of its own");
}

void check_filled(const Settings& s) {
    filling_request(s.options);
    if (s.chat)
        throw UsageError(
            "--decoder diffusion and --chat: diffusion must know the length of the text, and a "
            "chat does not; leave out one of the two");
    if (s.given("--model") && s.options.model == GenerateOptions().model)
        throw UsageError("--decoder diffusion and --model " + s.options.model +
                         ": this model writes from left to right; leave out --model for the one "
                         "that fills gaps");
    if (!s.options.attention.empty())
        throw UsageError(
            "--decoder diffusion and --attention: there the heads look both ways, and no token has "
            "a text before it; leave out one of the two");
    if (s.output.explain || s.output.logprobs || s.output.prompt_logprobs ||
        !s.output.figure.empty())
        throw UsageError(
            "--decoder diffusion and --explain, --logprobs, --prompt-logprobs or --figure: they "
            "follow a text from "
            "left to right; --html FILE draws the passes");
}

}  // namespace

void add_text_options(OptionTable& app, Settings& s) {
    TextOptions& o = s.options;
    s.given = [&app](const char* option) { return CommandLine(app).declared(option).given(); };
    CommandLine(app, "How a token is chosen")
        .option("--strategy", s.strategy, "greedy, sample or beam (otherwise by the options)")
        .one_of({"greedy", "sample", "beam"});
    add_sampling_options(app, o);
    CommandLine guidance(app, "How a token is chosen");
    guidance
        .option("--guidance-scale", o.guidance_scale,
                "classifier-free guidance: strengthen the effect of the prompt; 1: off")
        .shows_default();
    guidance.option("--negative-prompt", o.negative_prompt,
                    "the prompt that guidance moves away from");
    guidance.option("--contrast-model", o.contrast_model,
                    "contrastive decoding against this smaller model: a directory, or sketch");
    guidance.option("--contrast-strength", o.contrast.strength, "strength of the contrast; 0: off")
        .shows_default();
    guidance
        .option("--contrast-plausible", o.contrast.plausible,
                "drop tokens below this fraction of the largest probability")
        .shows_default();
    CommandLine(app, "How gaps are filled (--decoder diffusion)")
        .option("--decoder", o.decoder,
                "autoregressive, or diffusion: in any order, by a model that fills masks")
        .suggests({"autoregressive", "diffusion"});
    CommandLine(app, "How gaps are filled (--decoder diffusion)")
        .option("--infill", o.infill, "what comes after the gap of -n tokens");
    add_fill_options(app, o.fill);
    add_beam_options(app, o);
    add_draft_options(app, o);
    add_more_draft_options(app, o);
    add_medusa_options(app, o);
    o.guide.add_options(app);
    CommandLine(app, "Constraints on the text")
        .option("--continue", o.continues_prompt,
                "the prompt is the beginning of the text, and must satisfy the constraint too");
    add_samples_option(app, o);
}

void add_options(OptionTable& app, Settings& s) {
    CommandLine first(app);
    first.option("-p,--prompt,prompt", s.prompts,
                 "the text to continue (\"Once upon a time\"); several are written side by side");
    first.option("-f,--prompt-file", s.prompt_file, "the prompts from a file, one a line");
    first.option("--chat", s.chat,
                 "talk with the model, line by line (at temperature 0.4, unless told otherwise)");
    first.option("--echo", s.echo,
                 "in a chat, show both sides, as User: and Assistant: (for transcripts)");
    first.option("--system", s.options.system,
                 "in a chat, what the model is told before the first turn");
    first.option(
        "--chat-template", s.options.chat_template,
        "in a chat, not the model's own template: a file of Jinja, or " + chat_family_names());
    add_text_options(app, s);
    add_output_options(app, s.output);
    CommandLine page(app, "What is shown");
    page.option("--compare", s.compare,
                "with --html: two traces side by side (or one), and no new text");
    page.option("--attention", s.options.attention,
                "with --html: what a head looks at, 2.5 being head 5 of layer 2");
    add_model_options(app, s.options);
    first.shows_first(words_in(usual_options),
                      "--help-all lists all options (other programs' names such as --temp are "
                      "known too), --man writes\na manual page, --completion bash a completion "
                      "script.");
    s.options.no_escape = false;  // the default of the command line
}

void complete(Settings& s) {
    TextOptions& o = s.options;
    use_model_defaults(s);
    for (const auto& [name, strategy] : {std::pair{"greedy", Strategy::greedy},
                                         {"sample", Strategy::sample},
                                         {"beam", Strategy::beam}})
        if (s.strategy == name) o.strategy = strategy;
    if (!s.prompt_file.empty()) {
        if (!s.prompts.empty())
            throw UsageError("--prompt-file and a prompt: take the prompts from one of the two");
        s.prompts = prompts_in(s.prompt_file);
    }
    if (!o.no_escape) {
        for (std::vector<std::string>* texts :
             {&s.prompts, &o.stop_strings, &o.bad_words, &o.ban_text, &o.dry_breakers})
            for (std::string& text : *texts) text = unescaped(text);
        o.system = unescaped(o.system);
        for (std::optional<std::string>* text : {&o.negative_prompt, &o.infill})
            if (*text) *text = unescaped(**text);
    }
    o.no_escape = true;
    o.record = !s.output.html.empty() || !s.output.trace_file.empty();
    watch_of(o);
    check_files(s.output.html, s.output.trace_file, s.output.figure);
    if (fills_masks(o)) check_filled(s);
    check_chat(s);
    check_compare(s);
    if (s.prompts.empty()) s.prompts = {usual_prompt};
    check_combination(o, s.prompts.size());
    if (s.output.explain) check_explain(o);
    print_notes(without_effect(s));
    s.trace_file = std::exchange(s.output.trace_file, {});  // chapter 10's trace has fewer fields
    o.traced_tokens = s.output.traced_tokens();
}

}  // namespace tbt
