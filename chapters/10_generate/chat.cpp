#include "chapters/10_generate/chat.hpp"

namespace tbt {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view spaces = " \t\r\n\v\f";
    const std::size_t first = text.find_first_not_of(spaces);
    return first == std::string_view::npos
               ? std::string_view{}
               : text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return lower;
}

bool says_goodbye(std::string_view line) {
    const std::string word = lower_case(trimmed(line));
    return word.empty() || word == "quit" || word == "exit" || word == "q";
}

std::string chat_prompt(const std::vector<Turn>& turns, std::string_view user) {
    std::string text;
    for (const Turn& turn : turns) {
        text += "User: " + turn.user + "\nAssistant:" + (turn.assistant.empty() ? "" : " ") +
                turn.assistant + "\n";
    }
    return text + "User: " + std::string(user) + "\nAssistant:";
}

Conversation::Prompt lines_prompt(std::function<std::vector<int>(std::string_view)> encode) {
    if (!encode) throw Error("chat: no function that encodes texts was given");
    return [encode = std::move(encode)](const std::vector<Turn>& turns, std::string_view user) {
        return encode(chat_prompt(turns, user));
    };
}

Conversation::Conversation(Prompt prompt, int budget)
    : prompt_(std::move(prompt)), budget_(budget) {
    if (!prompt_) throw Error("chat: no function that makes a prompt of a question was given");
    if (budget < 1)
        throw UsageError(
            "--max-new-tokens: answers of this length leave no room for a question in the context; "
            "ask for fewer tokens");
}

std::vector<int> Conversation::ask(std::string_view line) {
    const std::string user(trimmed(line));
    if (const std::size_t bad = find_invalid_utf8(user); bad != std::string::npos) {
        throw Error("this line was not used: its byte " + std::to_string(bad + 1) +
                    " is not valid UTF-8");
    }
    if (const std::size_t alone = prompt_({}, user).size(); alone > index(budget_)) {
        throw Error("this line was not used: it has " + std::to_string(alone) +
                    " tokens, and the context has room for " + std::to_string(budget_) +
                    " besides the answer; shorten it");
    }
    std::vector<int> ids = prompt_(turns_, user);
    while (ids.size() > index(budget_)) {
        turns_.erase(turns_.begin());
        ids = prompt_(turns_, user);
    }
    question_ = user;
    return ids;
}

void Conversation::answer(std::string_view reply) {
    turns_.push_back({question_, std::string(trimmed(reply))});
    question_.clear();
}

std::string TrimmedStream::push(std::string_view piece) {
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

void chat(Conversation& conversation, const Answer& answer, const ChatScreen& screen) {
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
