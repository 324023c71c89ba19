#include "chapters/19_training/corpus/corpus_lines.hpp"

#include <algorithm>

#include "lib/core/index.hpp"

namespace tbt::grammar {

namespace {

// The position of a comment: a # at the beginning or after a space begins one.
std::size_t comment_start(const std::string& s) {
    for (std::size_t i = 0; i < s.size(); ++i)
        if (s[i] == '#' && (i == 0 || is_space(s[i - 1]))) return i;
    return std::string::npos;
}

}  // namespace

std::vector<Line> logical_lines(const std::string& contents, int file) {
    std::vector<Line> lines;
    bool goes_on = false;
    int number = 0;
    for (std::size_t start = 0; start < contents.size();) {
        std::size_t end = contents.find('\n', start);
        if (end == std::string::npos) end = contents.size();
        std::string raw = contents.substr(start, end - start);
        start = end + 1;
        ++number;

        const std::size_t comment = comment_start(raw);
        if (comment != std::string::npos) raw.erase(comment);
        while (!raw.empty() && (is_space(raw.back()) || raw.back() == '\r')) raw.pop_back();
        if (raw.empty() && comment != std::string::npos) continue;  // also between joined lines
        std::size_t indent = 0;
        while (indent < raw.size() && is_space(raw[indent])) ++indent;

        std::size_t slashes = 0;
        while (slashes < raw.size() && raw[raw.size() - 1 - slashes] == '\\') ++slashes;
        const bool continued = goes_on;
        goes_on = slashes % 2 == 1;
        if (goes_on) raw.pop_back();
        if (!continued) {
            if (raw.empty() && !goes_on) continue;
            lines.emplace_back();
            lines.back().file = file;
            lines.back().indented = indent > 0;
        }
        Line& line = lines.back();
        line.parts.push_back({line.text.size(), number, to_int(indent) + 1});
        line.text += raw.substr(std::min(indent, raw.size()));
    }
    return lines;
}

Place Line::at(std::size_t offset) const {
    const Part* best = &parts.front();
    for (const Part& part : parts)
        if (part.offset <= offset) best = &part;
    return {file, best->line, best->column + to_int(offset - best->offset)};
}

}  // namespace tbt::grammar
