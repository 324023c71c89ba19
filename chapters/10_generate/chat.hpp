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

// What ends an answer: the model goes on to write the user's next line. Cut where it is complete,
// by the stream (chapter 09).
inline const std::vector<std::string> chat_stop_strings = {"\nUser:", "User:"};

inline std::string_view trimmed(std::string_view text) {
    constexpr std::string_view spaces = " \t\r\n\v\f";
    const std::size_t first = text.find_first_not_of(spaces);
    return first == std::string_view::npos
               ? std::string_view{}
               : text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

// A blank line, or quit, exit, q.
inline bool says_goodbye(std::string_view line) {
    std::string word(trimmed(line));
    for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return word.empty() || word == "quit" || word == "exit" || word == "q";
}

//   User: hi
//   Assistant: Hello!
//   User: who are you?
//   Assistant:
inline std::string chat_prompt(const std::vector<Turn>& turns, std::string_view user) {
    std::string text;
    for (const Turn& turn : turns) {
        text += "User: " + turn.user + "\nAssistant:" + (turn.assistant.empty() ? "" : " ") +
                turn.assistant + "\n";
    }
    return text + "User: " + std::string(user) + "\nAssistant:";
}

class Conversation {
public:
    using Encode = std::function<std::vector<int>(std::string_view)>;

    // budget: the tokens that a prompt may have, the context less those of an answer.
    Conversation(Encode encode, int budget) : encode_(std::move(encode)), budget_(budget) {
        if (!encode_) throw Error("chat: there is nothing that turns text into tokens");
        if (budget < 1)
            throw UsageError(
                "--max-new-tokens: the answers leave no room for a question; ask for fewer");
    }

    // The prompt for what the user says now. When it is too long, the oldest turns go, whole ones:
    // half a turn would be a question without its answer. Throws Error, and changes nothing,
    // when not even the new line fits.
    std::vector<int> ask(std::string_view line) {
        const std::string user(trimmed(line));
        if (const std::size_t bad = find_invalid_utf8(user); bad != std::string::npos) {
            throw Error("this line is not kept: its byte " + std::to_string(bad + 1) +
                        " is not valid UTF-8");
        }
        if (const std::size_t alone = encode_(chat_prompt({}, user)).size();
            alone > index(budget_)) {
            throw Error("this line is not kept: it takes " + std::to_string(alone) +
                        " tokens, and the context has room for " + std::to_string(budget_) +
                        " beside the answer; say it shorter");
        }
        std::vector<int> ids = encode_(chat_prompt(turns_, user));
        while (ids.size() > index(budget_)) {
            turns_.erase(turns_.begin());
            ids = encode_(chat_prompt(turns_, user));
        }
        question_ = user;
        return ids;
    }

    // Completes the turn. An empty answer is one too.
    void answer(std::string_view reply) {
        turns_.push_back({question_, std::string(trimmed(reply))});
        question_.clear();
    }

    const std::vector<Turn>& turns() const { return turns_; }

private:
    Encode encode_;
    int budget_;
    std::vector<Turn> turns_;
    std::string question_;
};

// Shows an answer while it comes, already trimmed: no white space before the first word,
// and white space only once something follows it.
class TrimmedStream {
public:
    std::string push(std::string_view piece) {
        waiting_ += piece;
        const std::string_view solid = trimmed(waiting_);
        if (solid.empty()) {
            if (!begun_) waiting_.clear();
            return "";
        }
        const auto first = begun_ ? std::size_t{0} : index(solid.data() - waiting_.data());
        const auto end = index(solid.data() + solid.size() - waiting_.data());
        std::string shown = waiting_.substr(first, end - first);
        waiting_.erase(0, end);
        begun_ = true;
        return shown;
    }

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

// Gives the model's answer to a prompt, cut at chat_stop_strings, and shows it piece by piece.
using Answer = std::function<std::string(const std::vector<int>& prompt,
                                         const std::function<void(const std::string&)>& show)>;

// Until the end of input or a goodbye.
inline void chat(Conversation& conversation, const Answer& answer, const ChatScreen& screen) {
    while (const std::optional<std::string> line = screen.read_line()) {
        if (says_goodbye(*line)) break;
        std::vector<int> prompt;
        try {
            prompt = conversation.ask(*line);
        } catch (const Error& e) {
            screen.complain(e.what());
            continue;
        }
        screen.before_answer(*line);
        TrimmedStream stream;
        conversation.answer(answer(prompt, [&](const std::string& piece) {
            if (const std::string shown = stream.push(piece); !shown.empty()) screen.show(shown);
        }));
        screen.after_answer();
    }
}

}  // namespace tbt
