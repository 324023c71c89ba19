// Shows the texts of a program: while they are generated, and at the end.
#pragma once

#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/10_generate/generate.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/transformer.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

struct OptionTable;

// Makes Ctrl-C a request to stop instead of an immediate end: the generating loop checks it between
// two tokens.
class Interrupt {
public:
    // System calls are not restarted, so that a read from the terminal returns too.
    Interrupt() {
        struct sigaction action {};
        action.sa_handler = [](int) {
            count_ = count_ + 1;
            if (count_ > 2) std::signal(SIGINT, SIG_DFL);  // the next one kills
        };
        sigaction(SIGINT, &action, &before_);
    }
    ~Interrupt() { sigaction(SIGINT, &before_, nullptr); }
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    static int count() { return count_; }
    static void clear() { count_ = 0; }

private:
    inline static volatile std::sig_atomic_t count_ = 0;
    struct sigaction before_ {};
};

// How probable a token of a text was, and the model's likeliest tokens there.
struct TokenLogprob {
    struct Choice {
        int id;
        double log_probability;
    };
    int id = 0;
    double log_probability = 0;   // NaN for the first token of a prompt, since nothing comes before
    std::vector<Choice> choices;  // the most probable first
};

// The option --prompt-logprobs, as in vLLM.
// before: the logits before the token; empty for the first. choices: how many likeliest tokens.
TokenLogprob prompt_token(int id, std::span<const float> before, int choices);

// For each token of the prompt: its log-probability and the likeliest tokens, in the model's own
// distribution. One pass over the prompt. Throws as forward_all() does.
std::vector<TokenLogprob> prompt_logprobs(Transformer& gpt, std::span<const int> ids, int choices);

// A token on one line, its blanks visible.
std::string seen(const Tokenizer& tokenizer, int id);

// --explain: what each step of the chain did to the candidates and to the token that was drawn.
std::string explanation(const Tokenizer& tokenizer, const Chain& chain, const Trace& trace,
                        int step);

// --figure: draws the text, each token shaded by its surprise. Needs traces.
void write_surprise_figure(const std::string& file, const Tokenizer& tokenizer,
                           const std::string& prompt, const GeneratedText& text);

// What a program shows.
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
    std::vector<TokenLogprob> tokens = {};  // for --prompt-logprobs
};

// Shows a piece of text on stdout now, and not when the buffer is full.
void show_at_once(std::string_view text);

// Follows a generation and shows it. All arguments must outlive it.
class TextPrinter {
public:
    // streams: show pieces as soon as they come, if the output format allows it.
    TextPrinter(const Output& output, const std::string& model, const Tokenizer& tokenizer,
                const std::vector<ShownPrompt>& prompts, const GenerateRequest& request,
                bool streams = true);

    // The observer of the generation. Ctrl-C ends the texts.
    GenerateObserver observer();
    // Shows what is shown at the end, and writes the files.
    void finish(const std::vector<GeneratedText>& texts);
    double seconds() const;

private:
    void print_prompt(std::size_t prompt) const;
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
