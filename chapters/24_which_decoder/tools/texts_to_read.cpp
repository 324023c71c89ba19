#include "chapters/24_which_decoder/tools/texts_to_read.hpp"

#include <cctype>
#include <sstream>
#include <utility>
#include <vector>

#include "chapters/24_which_decoder/write_texts.hpp"
#include "lib/core/error.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"

namespace tbt {
namespace {

constexpr const char* between_turns = " | ";

std::vector<std::string> turns_of(const std::string& line) {
    std::vector<std::string> turns;
    std::size_t begin = 0;
    for (std::size_t end = 0; end != std::string::npos; begin = end + 3) {
        end = line.find(between_turns, begin);
        turns.push_back(line.substr(begin, end - begin));
    }
    return turns;
}

}  // namespace

std::vector<std::string> lines_of(const std::string& path) {
    std::istringstream file(read_file(path));
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
        if (!line.empty()) lines.push_back(line);
    return lines;
}

std::string on_one_line(std::string text) {
    for (char& c : text)
        if (c == '\n') c = '/';
    return text;
}

std::string conversation(Model& model, const std::string& line) {
    WriteOptions options;
    options.stop = "\n";
    options.max_new_tokens = 80;
    std::string text;
    for (const std::string& turn : turns_of(line)) {
        text += "User: " + turn + "\nAssistant:";
        text += write_texts(model, {text}, options)[0].text + "\n";
    }
    return text;
}

std::string texts_to_read(Model& model, const std::string& folder) {
    const auto openings = lines_of(join_path(folder, "openings.txt"));
    WriteOptions options;
    options.temperature = 0.8;
    options.top_p = 0.9;
    options.max_new_tokens = 120;
    const auto texts = write_texts(model, openings, options);
    std::string all;
    for (std::size_t i = 0; i < openings.size(); ++i) {
        all += std::to_string(i + 1) + ". [" + openings[i] + "]" + on_one_line(texts[i].text) +
               (texts[i].ended ? "" : " …") + "\n\n";
    }
    const auto chats = lines_of(join_path(folder, "chat.txt"));
    for (std::size_t i = 0; i < chats.size(); ++i)
        all += std::to_string(i + 1) + ".\n" + conversation(model, chats[i]) + "\n";
    return all;
}

namespace {

bool is_word(const std::string& text, std::size_t at) {
    const auto c = static_cast<unsigned char>(at < text.size() ? text[at] : ' ');
    return std::isalnum(c) != 0 || c >= 0x80;
}

bool ends_there(const std::string& text, const std::string& answer, std::size_t at) {
    return text.compare(at, answer.size(), answer) == 0 && !is_word(text, at + answer.size());
}

bool holds(const std::string& text, const std::string& answer) {
    for (std::size_t at = text.find(answer); at != std::string::npos;
         at = text.find(answer, at + 1))
        if ((at == 0 || !is_word(text, at - 1)) && ends_there(text, answer, at)) return true;
    return false;
}

bool is_json(const std::string& text) {
    try {
        parse_json(text, "");
        return true;
    } catch (const Error&) {
        return false;
    }
}

std::string written(Model& model, const PromptQuestion& q) {
    if (q.how == PromptQuestion::How::chat) {
        const std::string talk = conversation(model, q.prompt);
        return talk.substr(talk.rfind("Assistant:") + 10);
    }
    WriteOptions options;
    options.max_new_tokens = q.how == PromptQuestion::How::json ? 200 : 20;
    return write_texts(model, {q.prompt}, options)[0].text;
}

}  // namespace

PromptQuestion prompt_question(const std::string& line, const std::string& where) {
    PromptQuestion q;
    const std::size_t how = line.find(": "), prompt = line.find(": ", how + 1),
                      answer = line.rfind(" => ");
    if (prompt == std::string::npos)
        throw Error(where + ": expected RATE: HOW: PROMPT => ANSWER, got '" + line + "'");
    const std::string name = line.substr(how + 2, prompt - how - 2);
    if (name == "chat") q.how = PromptQuestion::How::chat;
    else if (name == "json") q.how = PromptQuestion::How::json;
    else if (name != "text")
        throw Error(where + ": '" + name + "', expected chat, text or json before the prompt");
    q.rate = line.substr(0, how);
    if (q.how == PromptQuestion::How::json) {
        q.prompt = line.substr(prompt + 2);
        return q;
    }
    if (answer == std::string::npos || answer < prompt)
        throw Error(where + ": no ' => ANSWER' after the prompt: '" + line + "'");
    q.prompt = line.substr(prompt + 2, answer - prompt - 2);
    q.answer = line.substr(answer + 4);
    return q;
}

bool is_answered(const PromptQuestion& q, const std::string& text) {
    if (q.how == PromptQuestion::How::json) return is_json(q.prompt + text);
    if (q.how == PromptQuestion::How::chat) return holds(text, q.answer);
    return ends_there(text, q.answer, text.starts_with(' ') ? 1 : 0);
}

std::string prompt_rates(Model& model, const std::string& folder) {
    struct Rate {
        std::string name;
        int right = 0, asked = 0;
    };
    std::vector<Rate> rates;
    std::string all;
    const std::string path = join_path(folder, "rates.txt");
    if (!file_exists(path)) return "";
    for (const std::string& line : lines_of(path)) {
        if (line[0] == '#') continue;
        const PromptQuestion q = prompt_question(line, path);
        if (rates.empty() || rates.back().name != q.rate) rates.push_back({q.rate});
        const std::string text = written(model, q);
        const bool right = is_answered(q, text);
        ++rates.back().asked;
        rates.back().right += right ? 1 : 0;
        if (!right)
            all += "missed: [" + q.prompt + "]" + on_one_line(text) +
                   (q.answer.empty() ? "" : "   (" + q.answer + ")") + "\n";
    }
    for (const Rate& rate : rates)
        all += rate.name + ": " + std::to_string(rate.right) + " of " + std::to_string(rate.asked) +
               "\n";
    return all;
}

}  // namespace tbt
