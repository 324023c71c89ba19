// A conversation with a model that only continues text: a list of turns, written out as a prompt
// that ends where the assistant's answer begins.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/error.hpp"
#include "lib/index.hpp"
#include "lib/text/utf8.hpp"

namespace tbt {

struct Turn {
    std::string user, assistant;
};

// What ends an answer in such lines: the model goes on to write the user's next line. Cut where it
// is complete, by the stream (chapter 09).
inline const std::vector<std::string> chat_stop_strings = {"\nUser:", "User:"};

std::string_view trimmed(std::string_view text);

// A blank line, or quit, exit, q.
bool says_goodbye(std::string_view line);

//   User: hi
//   Assistant: Hello!
//   User: who are you?
//   Assistant:
std::string chat_prompt(const std::vector<Turn>& turns, std::string_view user);

class Conversation {
public:
    // The ids of a prompt: of the turns before, and what the user says now.
    using Prompt =
        std::function<std::vector<int>(const std::vector<Turn>& turns, std::string_view user)>;

    // budget: the tokens that a prompt may have, the context less those of an answer.
    Conversation(Prompt prompt, int budget);

    // The prompt for what the user says now. When it is too long, the oldest turns go, whole ones:
    // half a turn would be a question without its answer. Throws Error, and changes nothing,
    // when not even the new line fits.
    std::vector<int> ask(std::string_view line);

    // Completes the turn. An empty answer is one too.
    void answer(std::string_view reply);

    const std::vector<Turn>& turns() const { return turns_; }

private:
    Prompt prompt_;
    int budget_;
    std::vector<Turn> turns_;
    std::string question_;
};

// Prompts in lines User: and Assistant:, turned into tokens by this.
Conversation::Prompt lines_prompt(std::function<std::vector<int>(std::string_view)> encode);

// Shows an answer while it comes, already trimmed: no white space before the first word,
// and white space only once something follows it.
class TrimmedStream {
public:
    std::string push(std::string_view piece);

private:
    std::string waiting_;
    bool begun_ = false;
};

// Where lines come from and where answers go; a terminal, a pipe, a test.
struct ChatScreen {
    std::function<std::optional<std::string>()> read_line;  // none: the end of input
    std::function<void(const std::string& line)> before_answer;
    std::function<void(const std::string& piece)> show;  // a part of the answer
    std::function<void()> after_answer;
    std::function<void(const std::string& message)> complain;
};

// Gives the model's answer to a prompt, without what ends it (chat_stop_strings, or a token), and
// shows it piece by piece.
using Answer = std::function<std::string(const std::vector<int>& prompt,
                                         const std::function<void(const std::string&)>& show)>;

// Until the end of input or a goodbye.
void chat(Conversation& conversation, const Answer& answer, const ChatScreen& screen);

}  // namespace tbt
