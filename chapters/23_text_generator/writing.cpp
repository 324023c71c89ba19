#include "chapters/23_text_generator/writing.hpp"

#include <cstdio>
#include <utility>

#include "chapters/10_generate/interrupt.hpp"
#include "chapters/10_generate/page/page.hpp"
#include "chapters/10_generate/request.hpp"
#include "chapters/23_text_generator/filled_texts.hpp"
#include "chapters/23_text_generator/trace_lines.hpp"
#include "lib/core/index.hpp"
#include "lib/machine/files.hpp"

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
    for (const std::string& prompt : s.prompts)
        for (GeneratedText& text :
             filler.fill(prompt, s.options, [] { return Interrupt::count() == 0; }))
            texts.push_back(std::move(text));
    std::vector<GeneratedText> whole = texts;
    if (output.text() && !output.no_display_prompt)
        for (GeneratedText& text : whole) text.text += s.options.infill.value_or("");
    TextPrinter(output, filler.directory(), tokenizer, prompts, request, false).finish(whole);
    // If a filling was interrupted, its other passes are not known, so there is no trace.
    if (s.options.record && Interrupt::count() == 0)
        files.write(filled_trace_lines(filler, s.options, request, prompts, texts, s.command));
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
    for (const std::string& prompt : s.prompts) {
        ids.push_back(generator.prompt_ids(prompt, s.options));
        prompts.push_back({prompt, ids.back()});
        if (const auto& choices = s.output.prompt_logprobs)
            prompts.back().tokens = generator.prompt_logprobs(ids.back(), *choices);
    }
    const GenerateRequest request = generator.request(s.options, ids);
    const PageFile files(s.output.html, s.trace_file);

    // 2. The texts, shown while they are written and when they are complete.
    const Interrupt interrupt;
    TextPrinter printer(s.output, s.options.model, model.tokenizer, prompts, request);
    const std::vector<GeneratedText> texts =
        generator.generate_ids(ids, s.options, printer.observer());
    printer.finish(texts);
    if (s.options.record)
        files.write(trace_lines(generator, s.options, request, prompts, texts, s.command));
    if (s.output.stats) print_effort(generator, s.options);
    return Interrupt::count() > 0 ? 130 : 0;
}

}  // namespace tbt
