#include "lib/chat/jinja_texts.hpp"

#include <algorithm>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/text/pretokenizer.hpp"

namespace tbt::jinja {

namespace {

std::size_t character_length(std::string_view text, std::size_t at) {
    return index(decode_utf8(text, at).length);
}

// The number of bytes of the white space character at `at`, or 0 if there is none. As in Python's
// str.isspace(), white space is Unicode's and U+001C to U+001F.
std::size_t space_length(std::string_view text, std::size_t at) {
    if (text[at] >= 0x1c && text[at] <= 0x1f) return 1;
    return white_space_length(text, at);
}

}  // namespace

std::vector<Value> characters_of(const MarkedText& text, Budget& budget) {
    std::vector<Value> all;
    for (std::size_t at = 0; at < text.text().size();) {
        budget.spend(sizeof(Value));
        const std::size_t length = character_length(text.text(), at);
        all.push_back(text.slice(at, at + length));
        at += length;
    }
    return all;
}

MarkedText stripped(const MarkedText& text, const std::optional<std::string>& characters, bool left,
                    bool right) {
    const std::string& bytes = text.text();
    const auto length_at = [&](std::size_t at) -> std::size_t {
        if (!characters) return space_length(bytes, at);
        const std::size_t length = character_length(bytes, at);
        const std::string one = bytes.substr(at, length);
        for (std::size_t i = 0; i < characters->size(); i += character_length(*characters, i))
            if (characters->compare(i, character_length(*characters, i), one) == 0) return length;
        return 0;
    };
    std::size_t begin = 0, end = bytes.size();
    while (left && begin < end) {
        const std::size_t length = length_at(begin);
        if (length == 0) break;
        begin += length;
    }
    while (right && end > begin) {
        std::size_t last = end - 1;
        while (last > begin && (bytes[last] & '\xc0') == '\x80') --last;
        if (last + length_at(last) != end) break;
        end = last;
    }
    return text.slice(begin, end);
}

std::vector<Value> split(const MarkedText& text, const std::optional<std::string>& separator,
                         std::int64_t most, Budget& budget) {
    const std::string& bytes = text.text();
    if (separator && separator->empty()) throw Error("split: the separator is empty");
    budget.spend(bytes.size());
    std::vector<Value> parts;
    std::size_t begin = 0;
    const auto skip_spaces = [&] {
        while (!separator && begin < bytes.size() && space_length(bytes, begin) > 0)
            begin += space_length(bytes, begin);
    };
    for (skip_spaces();; skip_spaces()) {
        budget.spend(sizeof(Value));
        if (!separator && begin == bytes.size()) return parts;
        std::size_t end = begin, length = 0;  // of the separator
        if (separator) {
            end = std::min(bytes.find(*separator, begin), bytes.size());
            length = separator->size();
        } else {
            while (end < bytes.size() && (length = space_length(bytes, end)) == 0)
                end += character_length(bytes, end);
        }
        if (most >= 0 && length_of(parts) == most) {
            parts.push_back(text.slice(begin, bytes.size()));
            return parts;
        }
        parts.push_back(text.slice(begin, end));
        if (end == bytes.size()) return parts;
        begin = end + length;
    }
}

MarkedText replaced(const MarkedText& text, const std::string& from, const MarkedText& to,
                    std::int64_t most, Budget& budget) {
    if (from.empty()) throw Error("replace: the text to look for is empty");
    const std::string& bytes = text.text();
    budget.spend(bytes.size());
    MarkedText result;
    std::size_t begin = 0;
    for (std::int64_t i = 0; most < 0 || i < most; ++i) {
        const std::size_t found = bytes.find(from, begin);
        if (found == std::string::npos) break;
        budget.spend(to.text().size());
        result.append(text.slice(begin, found));
        result.append(to);
        begin = found + from.size();
    }
    result.append(text.slice(begin, bytes.size()));
    return result;
}

MarkedText in_case(const MarkedText& text, std::string_view how) {
    std::string bytes = text.text();
    bool word = false;  // inside a word
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        char& c = bytes[i];
        if (static_cast<unsigned char>(c) >= 0x80)
            throw Error(std::string(how) + ": letters beyond ASCII are not supported");
        const bool lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z';
        const bool raise = how == "upper" || (how == "capitalize" && i == 0) ||
                           ((how == "title" || how == "words") && !word);
        if (lower && raise) c = static_cast<char>(c - 'a' + 'A');
        if (upper && !raise) c = static_cast<char>(c - 'A' + 'a');
        constexpr std::string_view between = "-({[< \t\n\r\v\f\x1c\x1d\x1e\x1f";
        word = how == "words" ? between.find(c) == std::string_view::npos : lower || upper;
    }
    // The ranges of the marks stay valid, since each letter has as many bytes as before.
    MarkedText result;
    std::size_t begin = 0;
    for (const MarkedText::Range& r : text.from_messages()) {
        result.append(std::string_view(bytes).substr(begin, r.begin - begin));
        result.append(MarkedText(bytes.substr(r.begin, r.end - r.begin), true));
        begin = r.end;
    }
    result.append(std::string_view(bytes).substr(begin));
    return result;
}

MarkedText indented(const MarkedText& text, const std::string& by, bool first, bool blank,
                    Budget& budget) {
    MarkedText result;
    const std::string& bytes = text.text();
    budget.spend(bytes.size());
    for (std::size_t begin = 0; begin <= bytes.size();) {
        const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
        budget.spend(by.size());
        if (begin == 0 ? first : blank || end > begin) result.append(by);
        result.append(text.slice(begin, std::min(end + 1, bytes.size())));
        begin = end + 1;
    }
    return result;
}

}  // namespace tbt::jinja
