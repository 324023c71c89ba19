// Shows the texts of a program: while they are generated, and at the end.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chapters/10_generate/generate.hpp"
#include "chapters/10_generate/prompt_logprobs.hpp"
#include "lib/machine/files.hpp"
#include "lib/text/tokenizer.hpp"

namespace CLI {
class App;
}

namespace tbt {

struct Output {
    std::string format = "text";  // or json: all in one object; jsonl: a line for each text
    bool explain = false, no_stream = false, no_display_prompt = false, stats = false;
    std::optional<int> logprobs, prompt_logprobs;
    std::string trace_file, figure, html;

    bool text() const { return format == "text"; }
    // How many of the likeliest tokens a trace must have; −1 if no trace is needed.
    int traced_tokens() const;
};

void add_output_options(OptionTable& app, Output& output);

// Throws UsageError for contradictory options. texts: the number of texts.
void check_output(const Output& output, std::size_t texts, int vocab_size);

struct ShownPrompt {
    std::string text;
    std::vector<int> ids;
    std::vector<PromptToken> tokens = {};  // for --prompt-logprobs
};

// Follows a generation and shows it. All arguments must outlive it.
class TextPrinter {
public:
    // streams: show pieces as soon as they come, if the output format allows it.
    TextPrinter(const Output& output, const std::string& model, const Tokenizer& tokenizer,
                const std::vector<ShownPrompt>& prompts, const GenerateRequest& request,
                bool streams = true);

    // The observer of the generation. Ctrl-C ends the texts (interrupt.hpp).
    GenerateObserver observer();
    // Shows what is shown at the end, and writes the files.
    void finish(const std::vector<GeneratedText>& texts);
    double seconds() const;

private:
    std::size_t prompt_of(std::size_t text) const;
    void print_prompt(std::size_t text) const;
    void print_texts(const std::vector<GeneratedText>& texts) const;
    void print_stats(const std::vector<GeneratedText>& texts) const;

    const Output* output_;
    const std::string* model_;
    const Tokenizer* tokenizer_;
    const std::vector<ShownPrompt>* prompts_;
    const GenerateRequest* request_;
    bool streams_;
    std::unique_ptr<AtomicFile> trace_file_;
    std::vector<int> traced_;  // tokens of each text
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    double first_token_ = 0;
    int passes_ = 0;
};

}  // namespace tbt
