// Exercise 10_1: a chat loop around a model that only continues text.
//
// The conversation is a list of turns. The model is given all of them, written out,
// and the beginning of its own line:
//
//     User: hi\nAssistant: Hello!\nUser: how are you?\nAssistant:
//
// What it writes from there is the answer, up to the place where it starts
// to write the user's next line ("User:"), without white space at both ends.
// After an empty answer nothing comes after "Assistant:", not even a blank.
//
// - The prompt may have at most budget = context − max_new_tokens tokens. If it is too long, the
//   oldest turns go, whole ones.
// - A line that does not even fit alone is answered by "too long" and otherwise forgotten.
// - The end of input, a blank line, or quit, exit, q (trimmed, in any case) end the conversation.
//
// Write four functions, about 25 lines. `trimmed` is given. Check: make check EX=10_1.
// Then talk: make try EX=10_1
#pragma once

#include <functional>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex10_1 {

struct Turn {
    std::string user, assistant;
};

struct ChatModel {
    std::function<std::string(const std::string& prompt)>
        write;  // what the model goes on to write, uncut
    std::function<std::size_t(const std::string& text)> count_tokens;
    std::size_t context = 0, max_new_tokens = 0;  // max_new_tokens < context
};

inline std::string trimmed(std::string_view text) {
    constexpr std::string_view spaces = " \t\r\n\v\f";
    const std::size_t first = text.find_first_not_of(spaces);
    if (first == std::string_view::npos) return "";
    return std::string(text.substr(first, text.find_last_not_of(spaces) - first + 1));
}

// A blank line, or quit, exit, q.
inline bool is_goodbye([[maybe_unused]] std::string_view line) {
    // >>> write here
    std::string word = trimmed(line);
    for (char& c : word) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return word.empty() || word == "quit" || word == "exit" || word == "q";
    // <<< to here
}

// All turns and the new line, ready for the assistant's answer.
inline std::string prompt_of([[maybe_unused]] const std::vector<Turn>& turns,
                             [[maybe_unused]] std::string_view user) {
    // >>> write here
    std::string text;
    for (const Turn& turn : turns) {
        text += "User: " + turn.user + "\nAssistant:";
        if (!turn.assistant.empty()) text += " " + turn.assistant;
        text += "\n";
    }
    return text + "User: " + std::string(user) + "\nAssistant:";
    // <<< to here
}

// The assistant's answer in what the model wrote.
inline std::string answer_in([[maybe_unused]] std::string_view written) {
    // >>> write here
    return trimmed(written.substr(0, written.find("User:")));
    // <<< to here
}

// Reads lines until a goodbye, writes each answer as a line. Returns the turns that
// it still remembers.
inline std::vector<Turn> chat([[maybe_unused]] std::istream& in, [[maybe_unused]] std::ostream& out,
                              [[maybe_unused]] const ChatModel& model) {
    // >>> write here
    const std::size_t budget = model.context - model.max_new_tokens;
    std::vector<Turn> turns;
    for (std::string line; std::getline(in, line) && !is_goodbye(line);) {
        const std::string user = trimmed(line);
        if (model.count_tokens(prompt_of({}, user)) > budget) {
            out << "too long\n";
            continue;
        }
        while (model.count_tokens(prompt_of(turns, user)) > budget) turns.erase(turns.begin());
        turns.push_back({user, answer_in(model.write(prompt_of(turns, user)))});
        out << turns.back().assistant << "\n";
    }
    return turns;
    // <<< to here
}

}  // namespace tbt::ex10_1
