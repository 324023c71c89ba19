// Chapter 10: the complete generator.
//
// Continues a prompt, with every option of chapters 03 to 09, and streams the text.
// Run it: make run-10, make run-10 ARGS='"Once upon a time" --explain --max-new-tokens 5'.
// Look for: --explain, which shows for each token what every step of the chain did;
// and that sample 2 of 3 is the same text as sample 2 of 10.
// (make run is chapter 23: this, and everything after it.)
#include <string>
#include <vector>

#include "chapters/10_generate/generation_config.hpp"
#include "chapters/10_generate/options.hpp"
#include "chapters/10_generate/tools/output.hpp"
#include "chapters/10_generate/tools/page.hpp"
#include "chapters/10_generate/tools/recording.hpp"
#include "lib/core/index.hpp"
#include "lib/machine/command_line.hpp"

using namespace tbt;

namespace {

// Generates the texts, and shows them while they are written and when they are complete.
void write_texts(const RunFacts& run, Model& model, const GenerateRequest& request,
                 const std::vector<ShownPrompt>& prompts, const Output& output) {
    const PageFile page(output.html);
    TextPrinter printer(output, run.model, model.tokenizer, prompts, request);
    CachedBatch batch(model.transformer);
    std::vector<RecordedPass> passes;
    const std::vector<GeneratedText> texts =
        generate_texts(watched(batch, passes), token_bytes_of(model.tokenizer), prompts[0].ids,
                       request, printer.observer());
    printer.finish(texts);
    if (page.wanted()) page.write(run_trace(run, model, request, prompts[0], texts, passes));
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
        [&](OptionTable& app) {
            CommandLine(app).option("prompt", prompt, "the text to continue").shows_default();
            add_sampling_options(app, options);
            add_samples_option(app, options);
            add_output_options(app, output);
            add_model_options(app, options);
        },
        [&] {
            // 1. Model and request. Contradictions are refused before any output.
            use_generation_config(options);
            sampling_of(options);
            print_notes(without_effect(options));
            Model model = open_model(options);
            check_output(output, index(options.samples), model.config().vocab_size);
            GenerateRequest request = request_of(options, model);
            request.traced_tokens = output.traced_tokens();
            std::vector<ShownPrompt> prompts = {{options.no_escape ? prompt : unescaped(prompt),
                                                 prompt_ids(options, model, prompt)}};
            if (const auto& n = output.prompt_logprobs)
                prompts[0].tokens = prompt_logprobs(model.transformer, prompts[0].ids, *n);

            // 2. The texts, and how they were chosen.
            const Interrupt interrupt;
            write_texts({shell_line(argc, argv), options.model, "", request.seed, options.samples},
                        model, request, prompts, output);
            if (Interrupt::count() > 0) status = 130;  // as a shell reports Ctrl-C
        });
    return ran != 0 ? ran : status;
}
