// Talk with the model: make chat.
//
// At a terminal: type a line, read the answer as it is written. Ctrl-C interrupts an answer,
// a second one or one at the prompt leaves; so do Ctrl-D, a blank line, quit, exit and q.
// From a pipe: one question a line in, and on stdout nothing but the answers,
// each ended by a line break; --echo shows both sides. What cannot be answered is said on stderr.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <unistd.h>

#include "chapters/10_generate/chat.hpp"
#include "chapters/10_generate/interrupt.hpp"
#include "chapters/10_generate/options.hpp"
#include "lib/machine/program.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

namespace {

constexpr int default_max_new_tokens = 100;

// A line without its line break; none at the end of input and when Ctrl-C interrupts the waiting.
std::optional<std::string> read_line() {
    char* text = nullptr;
    std::size_t room = 0;
    const ssize_t length = getline(&text, &room, stdin);
    std::optional<std::string> line;
    if (length >= 0) line.emplace(text, static_cast<std::size_t>(length));
    std::free(text);
    if (line && line->ends_with('\n')) line->pop_back();
    return line;
}

void print(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    GenerateOptions options;
    bool echo = false;
    return run_program(
        argc, argv,
        "Talk with the model. A blank line, quit, exit, q or Ctrl-D ends it; Ctrl-C interrupts an "
        "answer.",
        [&](CLI::App& app) {
            add_sampling_options(app, options);
            app.add_flag("--echo", echo,
                         "show both sides, as User: and Assistant: (for transcripts from a pipe)");
            add_model_options(app, options);
        },
        [&] {
            // 1. The model, and what an answer is: so many tokens, ended by EOS or by the user's
            //    next line.
            sampling_of(options);
            if (!options.stop_strings.empty())
                throw UsageError(
                    "--stop-strings: a chat stops at \"User:\" by itself; make run takes other "
                    "strings");
            if (options.context != "refuse")
                throw UsageError(
                    "--context: a chat forgets whole turns by itself, oldest first; leave it out");
            options.stop_strings = chat_stop_strings;
            Model model = open_model(options);
            GenerateRequest request = request_of(options, model, default_max_new_tokens);
            CachedBatch batch(model.gpt);
            Conversation conversation(
                [&](std::string_view text) { return model.tokenizer.encode(text); },
                model.config().n_positions - request.stop.max_new_tokens);
            const Interrupt interrupt;

            // 2. An answer is a generation whose text is shown as it comes.
            //    Each turn draws from a stream of its own.
            const Answer answer = [&](const std::vector<int>& prompt,
                                      const std::function<void(const std::string&)>& show) {
                GenerateObserver observer;
                observer.on_text = [&](std::size_t, const std::string& piece) { show(piece); };
                observer.go_on = [] { return Interrupt::count() == 0; };
                const GeneratedText text = generate_texts(
                    std::ref(batch), token_bytes_of(model.tokenizer), prompt, request, observer)[0];
                ++request.first_stream;
                return text.text;
            };

            // 3. The screen. Line editing is the terminal's own; rlwrap adds history.
            const bool terminal = isatty(STDIN_FILENO) != 0;
            const Style style(stdout);
            ChatScreen screen;
            screen.read_line = [&]() -> std::optional<std::string> {
                if (Interrupt::count() > 1) return std::nullopt;
                Interrupt::clear();
                if (terminal) print(std::string(style.bold) + "You: " + std::string(style.reset));
                std::optional<std::string> line = read_line();
                if (!line && terminal) print("\n");
                return line;
            };
            screen.before_answer = [&](const std::string& line) {
                if (echo && !terminal)
                    print("User: " + std::string(trimmed(line)) + "\nAssistant: ");
                if (terminal) print(std::string(style.blue) + "Model: " + std::string(style.reset));
            };
            screen.show = [](const std::string& piece) { print(piece); };
            screen.after_answer = [&] {
                print(Interrupt::count() > 0 ? " [interrupted]\n" : "\n");
            };
            screen.complain = [](const std::string& message) {
                std::fprintf(stderr, "chat: %s\n", message.c_str());
            };
            if (terminal)
                print(std::string(style.dim) +
                      "Ask something. A blank line or q ends the chat, Ctrl-C an answer.\n" +
                      std::string(style.reset));
            chat(conversation, answer, screen);
        });
}
