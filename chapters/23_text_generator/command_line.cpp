#include "chapters/23_text_generator/command_line.hpp"

#include <utility>

#include "chapters/10_generate/options/generation_config.hpp"
#include "chapters/10_generate/request.hpp"
#include "chapters/23_text_generator/combinations.hpp"
#include "chapters/23_text_generator/filled_texts.hpp"
#include "lib/chat/chat_template.hpp"
#include "lib/core/error.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/json_file.hpp"

namespace tbt {

namespace {

constexpr const char* usual_prompt = "Once upon a time";

// The options that --help shows; --help-all shows all.
const std::vector<std::string> usual_options = {"prompt",
                                                "--help",
                                                "--prompt",
                                                "--prompt-file",
                                                "--chat",
                                                "--system",
                                                "--chat-template",
                                                "--model",
                                                "--threads",
                                                "--temperature",
                                                "--top-k",
                                                "--top-p",
                                                "--min-p",
                                                "--repetition-penalty",
                                                "--greedy",
                                                "--seed",
                                                "--num-beams",
                                                "--max-new-tokens",
                                                "--stop-strings",
                                                "--assistant-model",
                                                "--json-schema",
                                                "--grammar",
                                                "--regex",
                                                "--tools",
                                                "--num-return-sequences",
                                                "--output-format",
                                                "--explain",
                                                "--html",
                                                "--stats",
                                                "--help-all"};

// Each line of the file is a prompt; empty lines are skipped.
std::vector<std::string> prompts_in(const std::string& file) {
    std::vector<std::string> prompts;
    std::string line;
    for (const char c : read_file(file) + "\n") {
        if (c != '\n') line += c;
        else if (!line.empty()) prompts.push_back(std::exchange(line, {}));
    }
    if (prompts.empty()) throw Error(file + ": has no prompts, expected one a line");
    return prompts;
}

// Sets options that the command line does not give from the model's generation_config.json.
void use_model_defaults(Settings& s) {
    TextOptions& o = s.options;
    const Json config = read_generation_config(o.model);
    const auto fill = [&](const char* option, const char* key, auto& value) {
        if (!s.given || !s.given(option)) read_member(config, o.model, key, value);
    };
    const bool drafts = o.drafts() || o.greedy || s.strategy == "greedy" || s.strategy == "sample";
    if (!drafts) fill("--num-beams", "num_beams", o.num_beams);
    if (o.num_beams > 1) {
        fill("--length-penalty", "length_penalty", o.length_penalty);
        fill("--num-beam-groups", "num_beam_groups", o.num_beam_groups);
        double price = 0;
        if (!o.diversity_penalty && o.num_beam_groups > 1 &&
            read_member(config, o.model, "diversity_penalty", price))
            o.diversity_penalty = price;
        const auto stopping = config.find("early_stopping");
        if (!(s.given && s.given("--early-stopping")) && stopping != config.end() &&
            stopping->is_boolean())
            o.early_stopping = *stopping ? "true" : "false";
        else if (stopping != config.end() && !stopping->is_boolean())
            fill("--early-stopping", "early_stopping", o.early_stopping);
    }
    fill("--guidance-scale", "guidance_scale", o.guidance_scale);
    use_generation_config(o, o.num_beams > 1);
}

void check_chat(const Settings& s) {
    const TextOptions& o = s.options;
    const auto refuse = [](bool given, const char* what) {
        if (given) throw UsageError(what);
    };
    refuse(!s.chat && s.echo, "--echo: only a chat has two sides to show; add --chat");
    refuse(!s.chat && !o.system.empty(), "--system: only a chat has a system turn; add --chat");
    refuse(!s.chat && !o.chat_template.empty(),
           "--chat-template: only a chat is written by a template; add --chat");
    if (!s.chat) return;
    refuse(!s.prompts.empty() || !s.prompt_file.empty(),
           "--chat and a prompt: the lines of a chat are read from the terminal or a pipe; leave "
           "the prompt out");
    refuse(s.given && s.given("--stop-strings"),
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

// Refuses one file name for two outputs, since it would hold only the last one.
void check_files(const Output& output) {
    const auto check = [](const char* first, const std::string& a, const char* second,
                          const std::string& b) {
        if (!a.empty() && a == b)
            throw UsageError(std::string(first) + " and " + second + ": both would write " + a +
                             "; give each a file of its own");
    };
    check("--html", output.html, "--trace", output.trace_file);
    check("--html", output.html, "--figure", output.figure);
    check("--trace", output.trace_file, "--figure", output.figure);
}

void check_compare(const Settings& s) {
    if (s.compare.empty()) return;
    if (s.compare.size() > 2)
        throw UsageError("--compare: got " + std::to_string(s.compare.size()) +
                         " files, expected two traces, or one to look at");
    if (s.output.html.empty())
        throw UsageError("--compare: the page needs a name; add --html FILE");
    if (s.chat || !s.prompts.empty() || !s.prompt_file.empty() || !s.output.trace_file.empty())
        throw UsageError("--compare and a text to write: the page shows traces that are there");
}

void check_filled(const Settings& s) {
    filling_request(s.options);
    if (s.chat)
        throw UsageError(
            "--decoder diffusion and --chat: diffusion must know the length of the text, and a "
            "chat does not; leave out one of the two");
    if (s.given && s.given("--model") && s.options.model == GenerateOptions().model)
        throw UsageError("--decoder diffusion and --model " + s.options.model +
                         ": this model writes from left to right; leave out --model for the one "
                         "that fills gaps");
    if (!s.options.attention.empty())
        throw UsageError(
            "--decoder diffusion and --attention: there the heads look both ways, and no token has "
            "a text before it; leave out one of the two");
    if (s.output.explain || s.output.logprobs || !s.output.figure.empty())
        throw UsageError(
            "--decoder diffusion and --explain, --logprobs or --figure: they follow a text from "
            "left to right; --html FILE draws the passes");
}

}  // namespace

void add_text_options(OptionTable& app, TextOptions& o, std::string& strategy) {
    CommandLine(app, "How a token is chosen")
        .option("--strategy", strategy, "greedy, sample or beam (otherwise by the options)")
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
        .suggests("autoregressive,diffusion");
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
    add_text_options(app, s.options, s.strategy);
    add_output_options(app, s.output);
    CommandLine page(app, "What is shown");
    page.option("--compare", s.compare,
                "with --html: two traces side by side (or one), and no new text");
    page.option("--attention", s.options.attention,
                "with --html: what a head looks at, 2.5 being head 5 of layer 2");
    add_model_options(app, s.options);
    first.shows_first(usual_options,
                      "--help-all lists all options (other programs' names such as --temp are "
                      "known too), --man writes\na manual page, --completion bash a completion "
                      "script.");
    s.given = [&app](const char* option) { return CommandLine(app).declared(option).given(); };
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
             {&s.prompts, &o.stop_strings, &o.bad_words, &o.ban_text})
            for (std::string& text : *texts) text = unescaped(text);
        o.system = unescaped(o.system);
        for (std::optional<std::string>* text : {&o.negative_prompt, &o.infill})
            if (*text) *text = unescaped(**text);
    }
    o.no_escape = true;
    o.record = !s.output.html.empty() || !s.output.trace_file.empty();
    watch_of(o);
    if (!o.attention.empty() && !o.record)
        throw UsageError(
            "--attention: it is shown only on a page or in a trace; add --html FILE or --trace "
            "FILE");
    check_files(s.output);
    if (fills_masks(o)) check_filled(s);
    check_chat(s);
    check_compare(s);
    if (s.prompts.empty()) s.prompts = {usual_prompt};
    check_combination(o, s.prompts.size());
    check_replay(o, s.output.explain);
    s.trace_file = std::exchange(s.output.trace_file, {});  // chapter 10's trace has fewer fields
    o.traced_tokens = s.output.traced_tokens();
}

}  // namespace tbt
