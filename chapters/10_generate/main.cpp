// Chapter 10: the complete generator. This is what `make run` calls.
//
// Continues a prompt: every option of chapters 03 to 09 at once, streamed as it is written.
//
//   make run PROMPT="Once upon a time"
//   make run ARGS="--explain --max-new-tokens 5"
//
// Look for: --explain, which says for each token what every step of the chain did;
// and that sample 2 of 3 is the same text as sample 2 of 10.
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chapters/10_generate/interrupt.hpp"
#include "chapters/10_generate/options.hpp"
#include "chapters/10_generate/report.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/program.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

namespace {

constexpr int default_max_new_tokens = 200;
constexpr int explained_choices = 5;

// What is printed, and how.
struct Output {
    bool json = false, explain = false, no_stream = false, no_display_prompt = false, stats = false;
    std::optional<int> logprobs;
    std::string trace_file, figure;
};

void check_output(const Output& o, int samples, const Model& model) {
    const auto both = [](const char* a, const char* b, const char* why) {
        throw UsageError(std::string(a) + " and " + b + ": " + why);
    };
    if (o.json && o.explain)
        both("--json", "--explain",
             "one is for programs, the other for people; --trace FILE writes what --explain shows");
    if (o.json && o.no_display_prompt)
        both("--json", "--no-display-prompt", "the prompt has a field of its own there");
    if (o.explain && o.logprobs)
        both("--explain", "--logprobs",
             "--explain shows the log-probabilities' probabilities already; take one of them");
    if (!o.figure.empty() && samples > 1)
        both("--figure", "--num-return-sequences", "the picture shows one text; take one of them");
    if (o.logprobs && (*o.logprobs < 0 || *o.logprobs > model.config().vocab_size)) {
        throw UsageError("--logprobs: got " + std::to_string(*o.logprobs) +
                         ", expected how many first choices to show, 0 to " +
                         std::to_string(model.config().vocab_size));
    }
}

// One line on stderr: it never gets between the text's words.
void print_stats(const GenerateRequest& request, std::size_t prompt_tokens,
                 const std::vector<GeneratedText>& texts, double first, double all) {
    std::size_t tokens = 0;
    std::string reasons;
    for (const GeneratedText& text : texts) {
        tokens += text.ids.size();
        reasons += (reasons.empty() ? "" : ", ") + std::string(to_string(text.reason));
    }
    const double rest = all - first;
    std::fprintf(stderr,
                 "%s\n%zu prompt tokens, first token after %.1f ms; %zu tokens, %.0f tokens/s; "
                 "ended by: %s\n",
                 request.chain.to_string().c_str(), prompt_tokens, 1e3 * first, tokens,
                 rest > 0 ? static_cast<double>(tokens - texts.size()) / rest : 0.0,
                 reasons.c_str());
}

}  // namespace

int main(int argc, char** argv) {
    std::string prompt = "Once upon a time";
    GenerateOptions options;
    Output output;
    int status = 0;
    const int ran = run_program(
        argc, argv,
        "Chapter 10: continues a text with the model, by 200 tokens unless told otherwise.",
        [&](CLI::App& app) {
            app.add_option("prompt", prompt, "the text to continue")->capture_default_str();
            add_sampling_options(app, options);
            const auto group = [](CLI::Option* option) { option->group("What is shown"); };
            group(app.add_option("--num-return-sequences", options.samples,
                                 "so many texts; more than one are shown when all are done")
                      ->capture_default_str());
            group(app.add_flag("--explain", output.explain,
                               "what each step of the chain did, token by token"));
            group(
                app.add_option("--logprobs", output.logprobs,
                               "log-probabilities, raw and processed, and so many first choices"));
            group(app.add_option("--trace", output.trace_file,
                                 "write what --explain shows as JSON lines to a file"));
            group(app.add_option("--figure", output.figure,
                                 "write the text as a picture, shaded by surprise (SVG)"));
            group(app.add_flag("--json", output.json, "the result as JSON"));
            group(
                app.add_flag("--no-stream", output.no_stream, "show the text when it is complete"));
            group(app.add_flag("--no-display-prompt", output.no_display_prompt,
                               "show the continuation only"));
            group(app.add_flag("--stats", output.stats,
                               "the chain, speed and reason of the end, on stderr"));
            add_model_options(app, options);
        },
        [&] {
            // 1. Model and request. What contradicts itself is refused before anything is written.
            sampling_of(options);
            Model model = open_model(options);
            check_output(output, options.samples, model);
            GenerateRequest request = request_of(options, model, default_max_new_tokens);
            const std::vector<int> ids = prompt_ids(options, model, prompt);
            if (output.explain || !output.trace_file.empty() || !output.figure.empty())
                request.traced_tokens = explained_choices;
            if (output.logprobs) request.traced_tokens = *output.logprobs;
            const std::string shown_prompt = options.no_escape ? prompt : unescaped(prompt);

            // 2. What happens while it writes: text to stdout, traces to their file.
            const bool streams =
                request.samples == 1 && !output.json && !output.explain && !output.no_stream;
            const Style style(stdout);
            const auto print_prompt = [&] {
                if (!output.no_display_prompt)
                    std::printf("%.*s%s%.*s", static_cast<int>(style.bold.size()),
                                style.bold.data(), shown_prompt.c_str(),
                                static_cast<int>(style.reset.size()), style.reset.data());
            };
            std::unique_ptr<AtomicFile> trace_file;
            const auto write_trace = [&](const std::string& line) {
                trace_file->write(line.data(), line.size());
            };
            if (!output.trace_file.empty()) {
                trace_file = std::make_unique<AtomicFile>(output.trace_file);
                write_trace(trace_header(options.model, shown_prompt, request, ids));
            }
            const auto started = std::chrono::steady_clock::now();
            const auto seconds = [&] {
                return std::chrono::duration<double>(std::chrono::steady_clock::now() - started)
                    .count();
            };
            double first_token = 0;
            int passes = 0;
            GenerateObserver observer;
            const Interrupt interrupt;
            observer.go_on = [&] {
                if (++passes == 2) first_token = seconds();  // the prompt's pass is over
                return Interrupt::count() == 0;
            };
            if (streams) {
                print_prompt();
                observer.on_text = [](std::size_t, const std::string& piece) {
                    std::printf("%s", piece.c_str()), std::fflush(stdout);
                };
                std::fflush(stdout);
            }
            std::vector<int> traced(static_cast<std::size_t>(request.samples), 0);
            observer.on_trace = [&](std::size_t sample, const Trace& trace) {
                const int step = traced[sample]++;
                if (output.explain && request.samples == 1)
                    std::fputs(explanation(model.tokenizer, request.chain, trace, step).c_str(),
                               stdout);
                if (trace_file) write_trace(trace_line(model.tokenizer, trace, sample, step));
            };
            CachedBatch batch(model.gpt);
            const std::vector<GeneratedText> texts = generate_texts(
                std::ref(batch), token_bytes_of(model.tokenizer), ids, request, observer);
            const double all = seconds();

            // 3. What is shown when all is done, then the files.
            if (output.json) {
                const std::string json =
                    json_result(options.model, shown_prompt, request, ids, model.tokenizer, texts);
                std::fwrite(json.data(), 1, json.size(), stdout);
            }
            for (std::size_t i = 0; i < texts.size() && !output.json; ++i) {
                if (texts.size() > 1) std::printf("%s--- %zu ---\n", i ? "\n" : "", i + 1);
                for (std::size_t s = 0;
                     output.explain && texts.size() > 1 && s < texts[i].traces.size(); ++s) {
                    std::fputs(explanation(model.tokenizer, request.chain, texts[i].traces[s],
                                           static_cast<int>(s))
                                   .c_str(),
                               stdout);
                }
                if (!streams) print_prompt(), std::printf("%s", texts[i].text.c_str());
                std::printf("\n");
                if (output.logprobs)
                    std::printf("\n"), print_log_probabilities(model.tokenizer, texts[i]);
            }
            std::fflush(stdout);
            if (trace_file) trace_file->commit();
            if (!output.figure.empty())
                write_surprise_figure(output.figure, model.tokenizer, shown_prompt, texts[0]);
            if (output.stats) print_stats(request, ids.size(), texts, first_token, all);
            if (Interrupt::count() > 0) status = 130;  // as a shell reports Ctrl-C
        });
    return ran != 0 ? ran : status;
}
