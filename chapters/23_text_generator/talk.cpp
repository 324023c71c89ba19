#include "chapters/23_text_generator/talk.hpp"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include <unistd.h>

#include "chapters/10_generate/chat.hpp"
#include "chapters/10_generate/interrupt.hpp"
#include "lib/core/index.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

// Reads a line, without its line break; none at the end of input or if Ctrl-C interrupts.
std::optional<std::string> read_line() {
    char* text = nullptr;
    std::size_t room = 0;
    const ssize_t length = getline(&text, &room, stdin);
    std::optional<std::string> line;
    if (length >= 0) line.emplace(text, index(length));
    std::free(text);
    if (line && line->ends_with('\n')) line->pop_back();
    return line;
}

void print(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

// The terminal's own line editing is used; rlwrap adds history.
ChatScreen screen_for(bool terminal, bool echo) {
    const Style style(stdout);
    ChatScreen screen;
    screen.read_line = [=]() -> std::optional<std::string> {
        if (Interrupt::count() > 1) return std::nullopt;
        Interrupt::clear();
        if (terminal) print(std::string(style.bold) + "You: " + std::string(style.reset));
        std::optional<std::string> line = read_line();
        if (!line && terminal) print("\n");
        return line;
    };
    screen.before_answer = [=](const std::string& line) {
        if (echo && !terminal) print("User: " + std::string(trimmed(line)) + "\nAssistant: ");
        if (terminal) print(std::string(style.blue) + "Model: " + std::string(style.reset));
    };
    screen.show = [](const std::string& piece) { print(piece); };
    screen.after_answer = [] { print(Interrupt::count() > 0 ? " [interrupted]\n" : "\n"); };
    screen.complain = [](const std::string& message) {
        std::fprintf(stderr, "chat: %s\n", message.c_str());
    };
    if (terminal)
        print(std::string(style.dim) +
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

}  // namespace tbt
