#include "lib/text/pretokenizer.hpp"

#include <string>

#include "lib/core/index.hpp"

namespace tbt {

using pretoken::Character;
using pretoken::character_at;
using pretoken::check_begin;
using pretoken::Kind;
using pretoken::run_end;
using pretoken::white_space_end;

namespace {

bool is_newline(char c) { return c == '\n' || c == '\r'; }

// The same contractions in upper or lower case. Case folding maps U+017F, the long s, to s.
std::size_t any_case_contraction_length(std::string_view text, std::size_t position) {
    std::string next;
    std::size_t end = position + 1, first_end = end;
    for (int i = 0; i < 2 && end < text.size(); ++i) {
        const bool long_s = text.substr(end).starts_with("\u017f");
        const char c = text[end];
        next += long_s ? 's' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        end += long_s ? 2 : 1;
        if (i == 0) first_end = end;
    }
    if (next == "re" || next == "ve" || next == "ll") return end - position;
    if (!next.empty() && std::string_view("stmd").find(next[0]) != std::string_view::npos)
        return first_end - position;
    return 0;
}

// \s*[\r\n]+|\s+(?!\S)|\s+
std::size_t white_space_and_newlines_end(std::string_view text, std::size_t begin) {
    const std::size_t run = run_end(text, begin, Kind::space);
    for (std::size_t end = run; end > begin; --end)
        if (is_newline(text[end - 1])) return end;
    return white_space_end(text, begin);
}

}  // namespace

std::size_t white_space_length(std::string_view text, std::size_t begin) {
    check_begin(text, begin);
    const Character c = character_at(text, begin);
    return c.kind == Kind::space ? c.length : 0;
}

std::size_t digits_end(std::string_view text, std::size_t begin, int max_digits) {
    check_begin(text, begin);
    const std::size_t end = run_end(text, begin, Kind::number,
                                    max_digits > 0 ? index(max_digits) : std::string_view::npos);
    if (end > begin) return end;
    for (std::size_t i = begin; i < text.size();) {
        const Character c = character_at(text, i);
        if (c.kind == Kind::number) return i;
        i += c.length;
    }
    return text.size();
}

std::size_t cl100k_pretoken_end(std::string_view text, std::size_t begin, int max_digits) {
    check_begin(text, begin);
    const char byte = text[begin];
    if (byte == '\'') {
        if (const std::size_t length = any_case_contraction_length(text, begin))
            return begin + length;
    }
    const Character first = character_at(text, begin);
    const std::size_t second = begin + first.length;
    if (first.kind == Kind::letter) return run_end(text, second, Kind::letter);
    if (first.kind == Kind::number) return digits_end(text, begin, max_digits);
    const Kind next = second < text.size() ? character_at(text, second).kind : Kind::space;
    if (next == Kind::letter && !is_newline(byte)) return run_end(text, second, Kind::letter);
    if (first.kind == Kind::other || (byte == ' ' && next == Kind::other)) {
        std::size_t end = run_end(text, second, Kind::other);
        while (end < text.size() && is_newline(text[end])) ++end;
        return end;
    }
    return white_space_and_newlines_end(text, begin);
}

}  // namespace tbt
