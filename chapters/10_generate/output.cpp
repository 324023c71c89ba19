#include "chapters/10_generate/output.hpp"

#include <cstdio>

#include "chapters/10_generate/interrupt.hpp"
#include "chapters/10_generate/page/page.hpp"
#include "chapters/10_generate/recording/report.hpp"
#include "lib/core/index.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

constexpr int explained_choices = 5;

}  // namespace

int Output::traced_tokens() const {
    if (logprobs) return *logprobs;
    return explain || !trace_file.empty() || !figure.empty() ? explained_choices : -1;
}

void add_output_options(OptionTable& app, Output& o) {
    CommandLine line(app, "What is shown");
    line.option("--output-format", o.format,
                "text; json: everything in one object; jsonl: a line for each text")
        .one_of({"text", "json", "jsonl"})
        .shows_default();
    line.option("--explain", o.explain, "what each step of the chain did, token by token");
    line.option("--logprobs", o.logprobs,
                "show log-probabilities, raw and processed, and this many top choices");
    line.option("--prompt-logprobs", o.prompt_logprobs,
                "the same for the tokens of the prompt, after the texts");
    line.option("--trace", o.trace_file, "write what --explain shows as JSON lines to a file");
    line.option("--figure", o.figure, "write the text as a picture, shaded by surprise (SVG)");
    page_option(line, o.html);
    line.option("--no-stream", o.no_stream, "show the text when it is complete");
    line.option("--no-display-prompt", o.no_display_prompt, "show the continuation only");
    line.option("--stats", o.stats, "the chain, speed and reason of the end, on stderr");
}

void check_output(const Output& o, std::size_t texts, int vocab_size) {
    const auto both = [](const std::string& a, const char* b, const char* why) {
        throw UsageError(a + " and " + b + ": " + why);
    };
    const std::string format = "--output-format " + o.format;
    if (!o.text() && o.explain)
        both(format, "--explain",
             "one is for programs, the other for people; --trace FILE writes what --explain shows");
    if (!o.text() && o.no_display_prompt)
        both(format, "--no-display-prompt", "the prompt has a field of its own there");
    if (o.explain && o.logprobs)
        both("--explain", "--logprobs",
             "--explain shows these probabilities already; use one of the two");
    if (!o.figure.empty() && texts > 1)
        throw UsageError("--figure: the picture shows one text, and " + std::to_string(texts) +
                         " are asked for; ask for one");
    for (const auto& [name, choices] :
         {std::pair{"--logprobs", o.logprobs}, std::pair{"--prompt-logprobs", o.prompt_logprobs}}) {
        if (choices && (*choices < 0 || *choices > vocab_size))
            throw UsageError(std::string(name) + ": got " + std::to_string(*choices) +
                             ", expected the number of top choices to show, 0 to " +
                             std::to_string(vocab_size));
    }
    if (o.prompt_logprobs && o.format == "jsonl")
        both(format, "--prompt-logprobs", "a line is one text; take --output-format json");
}

TextPrinter::TextPrinter(const Output& output, const std::string& model, const Tokenizer& tokenizer,
                         const std::vector<ShownPrompt>& prompts, const GenerateRequest& request,
                         bool streams)
    : output_(&output),
      model_(&model),
      tokenizer_(&tokenizer),
      prompts_(&prompts),
      request_(&request),
      streams_(streams && prompts.size() == 1 && request.samples == 1 && output.text() &&
               !output.explain && !output.no_stream) {
    traced_.assign(prompts.size() * index(request.samples), 0);
    try_writing(output.figure);
    if (output.trace_file.empty()) return;
    trace_file_ = std::make_unique<AtomicFile>(output.trace_file);
    for (const ShownPrompt& prompt : prompts) {
        const std::string header = trace_header(model, prompt.text, request, prompt.ids);
        trace_file_->write(header.data(), header.size());
    }
}

std::size_t TextPrinter::prompt_of(std::size_t text) const {
    return text / index(request_->samples);
}

double TextPrinter::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

void TextPrinter::print_prompt(std::size_t text) const {
    const Style style(stdout);
    if (!output_->no_display_prompt)
        std::printf("%.*s%s%.*s", count(style.bold), style.bold.data(),
                    (*prompts_)[prompt_of(text)].text.c_str(), count(style.reset),
                    style.reset.data());
}

GenerateObserver TextPrinter::observer() {
    GenerateObserver observer;
    observer.go_on = [this] {
        if (++passes_ == 2) first_token_ = seconds();  // the prompt's pass is over
        return Interrupt::count() == 0;
    };
    if (streams_) {
        print_prompt(0);
        std::fflush(stdout);
        observer.on_text = [](std::size_t, const std::string& piece) {
            std::fwrite(piece.data(), 1, piece.size(), stdout);
            std::fflush(stdout);
        };
    }
    observer.on_trace = [this](std::size_t text, const Trace& trace) {
        const int step = traced_[text]++;
        if (output_->explain && traced_.size() == 1)
            std::fputs(explanation(*tokenizer_, request_->chain, trace, step).c_str(), stdout);
        if (!trace_file_) return;
        const std::string line = trace_line(*tokenizer_, trace, text, step);
        trace_file_->write(line.data(), line.size());
    };
    return observer;
}

void TextPrinter::print_texts(const std::vector<GeneratedText>& texts) const {
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const GeneratedText& text = texts[i];
        if (texts.size() > 1) {
            std::printf("%s--- %zu", i ? "\n" : "", i + 1);
            if (text.score) std::printf(": score %.4f", text.score->normalised);
            std::printf(" ---\n");
        }
        for (std::size_t s = 0; output_->explain && texts.size() > 1 && s < text.traces.size();
             ++s) {
            std::fputs(explanation(*tokenizer_, request_->chain, text.traces[s], to_int(s)).c_str(),
                       stdout);
        }
        if (!streams_) {
            print_prompt(i);
            std::fwrite(text.text.data(), 1, text.text.size(), stdout);
        }
        std::printf("\n");
        if (output_->logprobs) {
            std::printf("\n");
            print_log_probabilities(*tokenizer_, text);
        }
    }
}

// Prints one line on stderr, so that it is not mixed with the text.
void TextPrinter::print_stats(const std::vector<GeneratedText>& texts) const {
    std::size_t tokens = 0, read = 0;
    std::string reasons;
    for (const ShownPrompt& prompt : *prompts_) read += prompt.ids.size();
    for (const GeneratedText& text : texts) {
        tokens += text.ids.size();
        reasons += (reasons.empty() ? "" : ", ") + std::string(to_string(text.reason));
    }
    const double rest = seconds() - first_token_;
    const double later = static_cast<double>(tokens) - static_cast<double>(texts.size());
    std::fprintf(stderr,
                 "%s\n%zu prompt tokens, first token after %.1f ms; %zu tokens in %d passes, "
                 "%.0f tokens/s; ended by: %s\n",
                 request_->chain.to_string().c_str(), read, 1e3 * first_token_, tokens, passes_,
                 rest > 0 && later > 0 ? later / rest : 0.0, reasons.c_str());
}

void TextPrinter::finish(const std::vector<GeneratedText>& texts) {
    if (output_->text()) {
        print_texts(texts);
        for (const ShownPrompt& prompt : *prompts_)
            if (output_->prompt_logprobs)
                std::printf("\n"), print_prompt_logprobs(*tokenizer_, prompt.tokens);
    } else if (output_->format == "json") {
        const int each = request_->samples;
        std::string all;
        for (std::size_t p = 0; p < prompts_->size(); ++p) {
            const auto first = texts.begin() + to_int(p) * each;
            all += json_result(*model_, (*prompts_)[p].text, *request_, (*prompts_)[p].ids,
                               *tokenizer_, {first, first + each}, (*prompts_)[p].tokens);
        }
        std::fwrite(all.data(), 1, all.size(), stdout);
    } else {
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const std::string line =
                jsonl_result((*prompts_)[prompt_of(i)].text, *request_, *tokenizer_, texts[i]);
            std::fwrite(line.data(), 1, line.size(), stdout);
        }
    }
    std::fflush(stdout);
    if (trace_file_) trace_file_->commit();
    if (!output_->figure.empty())
        write_surprise_figure(output_->figure, *tokenizer_, (*prompts_)[0].text, texts[0]);
    if (output_->stats) print_stats(texts);
}

}  // namespace tbt
