#include "chapters/23_text_generator/writing.hpp"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include <unistd.h>

#include "chapters/10_generate/chat.hpp"
#include "chapters/10_generate/options.hpp"
#include "chapters/10_generate/tools/output.hpp"
#include "chapters/10_generate/tools/page.hpp"
#include "chapters/10_generate/tools/recording.hpp"
#include "chapters/11_beam_search/tools/report.hpp"
#include "chapters/12_speculative/tools/rounds.hpp"
#include "chapters/22_diffusion/filled_trace.hpp"
#include "chapters/23_text_generator/command_line.hpp"
#include "chapters/23_text_generator/filled_texts.hpp"
#include "chapters/23_text_generator/generation.hpp"
#include "lib/core/index.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

int write_comparison(const Settings& s) {
    std::vector<NamedTrace> traces;
    for (const std::string& file : s.compare) traces.push_back(read_trace(file));
    write_file(s.output.html, trace_page(traces));
    std::fprintf(stderr, "%s\n", s.output.html.c_str());
    return 0;
}

void print_effort(const TextGenerator& generator, const TextOptions& o) {
    const Effort effort = generator.effort();
    std::fprintf(stderr, "%ld passes over %ld positions", effort.passes, effort.positions);
    if (o.guesses())
        std::fprintf(stderr, "; %ld tokens guessed, %ld right", effort.guessed, effort.right);
    std::fprintf(stderr, "\n");
}

// Writes texts of a model that fills masks (chapter 22).
int write_filled(const Settings& s) {
    TextFiller filler(s.options);
    const Tokenizer& tokenizer = filler.model().tokenizer;
    const GenerateRequest request = filling_request(s.options);
    std::vector<ShownPrompt> prompts;
    for (const std::string& prompt : s.prompts)
        prompts.push_back({prompt, tokenizer.encode(prompt)});
    Output output = s.output;
    output.stats = false;
    check_output(output, prompts.size() * index(s.options.samples), tokenizer.vocab_size());
    const PageFile files(s.output.html, s.trace_file);
    const Interrupt interrupt;
    std::vector<GeneratedText> texts;
    for (std::size_t p = 0; p < s.prompts.size(); ++p)
        for (GeneratedText& text :
             filler.fill(s.prompts[p], s.options, [] { return Interrupt::count() == 0; })) {
            text.prompt = p;
            texts.push_back(std::move(text));
        }
    std::vector<GeneratedText> whole = texts;
    if (output.text() && !output.no_display_prompt)
        for (GeneratedText& text : whole) text.text += s.options.infill.value_or("");
    TextPrinter(output, filler.directory(), tokenizer, prompts, request, false).finish(whole);
    // If a filling was interrupted, its other passes are not known, so there is no trace.
    if (s.options.record && Interrupt::count() == 0)
        files.write(
            filled_trace({s.command, filler.directory(), "", request.seed, request.samples},
                         filler.model(), request.chain, prompts,
                         {texts, filler.recording().tokens, s.options.fill, s.options.infill}));
    if (s.output.stats)
        std::fprintf(stderr, "%s\n%d passes over %d places\n", request.chain.to_string().c_str(),
                     filler.passes(), filler.model().gpt.config().n_positions);
    return Interrupt::count() > 0 ? 130 : 0;
}

}  // namespace

int write(const Settings& s) {
    if (!s.compare.empty()) return write_comparison(s);
    if (fills_masks(s.options)) return write_filled(s);
    // 1. The model and the request. Impossible options are refused before any output.
    TextGenerator generator(s.options);
    const Model& model = generator.model();
    check_output(s.output, s.prompts.size() * index(s.options.samples), model.config().vocab_size);
    std::vector<ShownPrompt> prompts;
    std::vector<std::vector<int>> ids;
    // Where more tokens are asked for than fit (-n 4096, say), a text ends when the context is
    // full.
    TextOptions any_length = s.options;
    if (s.options.guidance_scale == 1) any_length.max_new_tokens.reset();
    const int asked = s.options.max_new_tokens.value_or(0), context = model.config().n_positions;
    bool fits = true;
    for (const std::string& prompt : s.prompts) {
        ids.push_back(generator.prompt_ids(prompt, any_length));
        fits = fits && (s.options.context == "slide" || asked <= context - count(ids.back()));
        prompts.push_back({prompt, ids.back()});
        if (const auto& choices = s.output.prompt_logprobs)
            prompts.back().tokens = generator.prompt_logprobs(ids.back(), *choices);
    }
    const GenerateRequest request = generator.request(s.options, ids);
    if (!fits)
        std::fprintf(stderr, "-n %d: the context has %d tokens, and a text ends when it is full\n",
                     asked, context);
    const PageFile files(s.output.html, s.trace_file);

    // 2. The texts, shown while they are written and when they are complete.
    const Interrupt interrupt;
    TextPrinter printer(s.output, s.options.model, model.tokenizer, prompts, request);
    const std::vector<GeneratedText> texts =
        generator.generate_ids(ids, s.options, printer.observer());
    print_notes(fewer_texts(texts.size(), count(ids) * s.options.samples));
    printer.finish(texts);
    if (s.options.record)
        files.write(trace_lines(generator, s.options, request, prompts, texts, s.command));
    if (s.output.stats) print_effort(generator, s.options);
    return Interrupt::count() > 0 ? 130 : 0;
}

namespace {

// Reads a line, without its line break; none at the end of input or if Ctrl-C interrupts.
std::optional<std::string> read_line() {
    char* text = nullptr;
    std::size_t room = 0;
    const ssize_t length = getline(&text, &room, stdin);
    std::optional<std::string> line;
    if (length >= 0) line.emplace(text, index(length));
    std::free(text);
    for (const char end : {'\n', '\r'})
        if (line && line->ends_with(end)) line->pop_back();
    return line;
}

// The terminal's own line editing is used; rlwrap adds history.
ChatScreen screen_for(bool terminal, bool echo) {
    const Style style(stdout);
    ChatScreen screen;
    screen.read_line = [=]() -> std::optional<std::string> {
        if (Interrupt::count() > 1) return std::nullopt;
        Interrupt::clear();
        if (terminal) show_at_once(std::string(style.bold) + "You: " + std::string(style.reset));
        std::optional<std::string> line = read_line();
        if (!line && terminal) show_at_once("\n");
        return line;
    };
    screen.before_answer = [=](const std::string& line) {
        if (echo && !terminal)
            show_at_once("User: " + std::string(trimmed(line)) + "\nAssistant: ");
        if (terminal) show_at_once(std::string(style.blue) + "Model: " + std::string(style.reset));
    };
    screen.show = [](const std::string& piece) { show_at_once(piece); };
    screen.after_answer = [] { show_at_once(Interrupt::count() > 0 ? " [interrupted]\n" : "\n"); };
    screen.complain = [](const std::string& message) {
        std::fprintf(stderr, "chat: %s\n", message.c_str());
    };
    if (terminal)
        show_at_once(std::string(style.dim) +
                     "Ask something. A blank line or q ends the chat, Ctrl-C an answer.\n" +
                     std::string(style.reset));
    return screen;
}

}  // namespace

TextOptions for_chat(TextOptions o) {
    const bool said = o.temperature || o.preset || o.dialect || o.mirostat || o.dynatemp_range;
    if (!said && strategy_of(o) == Strategy::sample) o.temperature = chat_temperature;
    return o;
}

void talk(const TextOptions& given, bool echo) {
    // 1. The model. Impossible options are refused before the first line is read.
    TextGenerator generator(given);
    TextOptions options = for_chat(given);
    generator.request(options);
    Conversation conversation = generator.conversation(options);

    // 2. An answer is a generation whose text is shown as it comes.
    //    Each turn draws from a stream of its own.
    const Interrupt interrupt;
    const Answer answer = [&](const std::vector<int>& prompt,
                              const std::function<void(const std::string&)>& show) {
        GenerateObserver observer;
        observer.on_text = [&](std::size_t, const std::string& piece) { show(piece); };
        observer.go_on = [] { return Interrupt::count() == 0; };
        const GeneratedText text = generator.answer(prompt, options, observer);
        ++options.stream;
        return text.text;
    };

    // 3. The loop of chapter 10.
    chat(conversation, answer, screen_for(isatty(STDIN_FILENO) != 0, echo));
}

namespace {

// The decoder: one of the words that trace.md lists.
const char* decoder_of(const TextOptions& o) {
    switch (strategy_of(o)) {
        case Strategy::beam:
            return "beams";
        case Strategy::greedy:
            return "greedy";
        default:
            return "sampling";
    }
}

Json header_line(const TextGenerator& generator, const TextOptions& o,
                 const GenerateRequest& request, std::span<const ShownPrompt> prompts,
                 const std::vector<GeneratedText>& texts, const std::string& command) {
    const RunFacts run{command,      o.model,         decoder_of(o),
                       request.seed, request.samples, texts.size()};
    Json j = header_json(run, generator.model().config(), request.chain,
                         generator.model().tokenizer, prompts);
    if (!o.guide.name().empty()) j["guide"] = o.guide.name();
    if (o.guesses())
        j["draft"] = {{"from", o.medusa     ? "medusa"
                               : o.lookup() ? "lookup"
                                            : o.assistant_model},
                      {"coupling", o.coupling}};
    if (strategy_of(o) == Strategy::beam) j["beams"] = beams_json(o, o.do_sample);
    if (o.guidance_scale != 1) j["guidance_scale"] = o.guidance_scale;
    if (o.contrast_model)
        j["contrast"] = {{"model", *o.contrast_model},
                         {"strength", o.contrast.strength},
                         {"plausible", o.contrast.plausible}};
    if (!o.attention.empty()) {
        const AttentionWatch watch = watch_of(o);
        j["attention"] = {{"layer", watch.layer}, {"head", watch.head}};
    }
    return j;
}

}  // namespace

std::string trace_lines(const TextGenerator& generator, const TextOptions& options,
                        const GenerateRequest& request, std::span<const ShownPrompt> prompts,
                        const std::vector<GeneratedText>& texts, const std::string& command) {
    const Recording& recording = generator.recording();
    const Tokenizer& tokenizer = generator.model().tokenizer;
    return trace_line(header_line(generator, options, request, prompts, texts, command)) +
           token_lines(tokenizer, recording.tokens) + search_lines(tokenizer, recording.searches) +
           round_lines(tokenizer, recording.rounds) + pass_lines(recording.passes) +
           result_lines(texts, request.stop.strings);
}

}  // namespace tbt
