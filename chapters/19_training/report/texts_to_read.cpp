#include "chapters/19_training/report/texts_to_read.hpp"

#include <sstream>
#include <vector>

#include "chapters/19_training/report/write_texts.hpp"
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

}  // namespace tbt
