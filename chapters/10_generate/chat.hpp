// A chat with a model that only continues text: a list of turns, written as a prompt that ends
// where the assistant's answer begins.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"

namespace tbt {

struct Turn {
    std::string user, assistant;
};

// The stop strings of an answer: the model would go on with the user's next line. The stream
// (chapter 09) cuts the text before them.
inline const std::vector<std::string> chat_stop_strings = {"\nUser:", "User:"};

std::string_view trimmed(std::string_view text);
std::string lower_case(std::string_view text);  // its letters from A to Z

// Is the line blank, or quit, exit or q?
bool says_goodbye(std::string_view line);

//   User: hi
//   Assistant: Hello!
//   User: who are you?
//   Assistant:
std::string chat_prompt(const std::vector<Turn>& turns, std::string_view user);

class Conversation {
public:
    // Returns the ids of a prompt, from the previous turns and what the user says now.
    using Prompt =
        std::function<std::vector<int>(const std::vector<Turn>& turns, std::string_view user)>;

    // budget: the most tokens of a prompt: the context minus the tokens of an answer.
    Conversation(Prompt prompt, int budget);

    // The prompt for what the user says now. If it is too long, the oldest turns are dropped, whole
    // ones only: half a turn would be a question without its answer. If not even the new line fits,
    // throws Error and changes nothing.
    std::vector<int> ask(std::string_view line);

    // Completes the turn with the answer, which may be empty.
    void answer(std::string_view reply);

    const std::vector<Turn>& turns() const { return turns_; }

private:
    Prompt prompt_;
    int budget_;
    std::vector<Turn> turns_;
    std::string question_;
};

// Makes prompts in lines User: and Assistant:, and encodes them with `encode`.
Conversation::Prompt lines_prompt(std::function<std::vector<int>(std::string_view)> encode);

// Shows an answer while it is generated, trimmed: without white space before the first word, and
// with other white space only once a word follows it.
class TrimmedStream {
public:
    // begun: something was shown already, and white space may follow it.
    explicit TrimmedStream(bool begun = false) : begun_(begun) {}
    std::string push(std::string_view piece);

private:
    std::string waiting_;
    bool begun_;
};

// Where lines come from and where answers go: a terminal, a pipe or a test.
struct ChatScreen {
    std::function<std::optional<std::string>()> read_line;  // none: the end of input
    std::function<void(const std::string& line)> before_answer;
    std::function<void(const std::string& piece)> show;  // a part of the answer
    std::function<void()> after_answer;
    std::function<void(const std::string& message)> complain;
};

// Returns the model's answer to a prompt, without the stop string or token that ends it, and shows
// it piece by piece.
using Answer = std::function<std::string(const std::vector<int>& prompt,
                                         const std::function<void(const std::string&)>& show)>;

// Runs the chat until the end of input or a goodbye.
void chat(Conversation& conversation, const Answer& answer, const ChatScreen& screen);

}  // namespace tbt
