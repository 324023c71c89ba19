#include "lib/core/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "lib/core/error.hpp"
#include "lib/core/unicode.hpp"

namespace tbt {

JsonReader::JsonReader(std::string_view text, std::string_view name, int deepest)
    : text_(text), name_(name), deepest_(deepest) {
    if (const std::size_t bad = find_invalid_utf8(text); bad != std::string_view::npos)
        throw Error(std::string(name) + ": byte " + std::to_string(bad) +
                    " is not valid UTF-8, expected JSON");
    if (text.starts_with("\ufeff")) at_ = 3;
}

void JsonReader::fail(const std::string& what) const {
    const std::string_view before = text_.substr(0, std::min(at_, text_.size()));
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const std::size_t column = before.size() - (before.rfind('\n') + 1);
    throw Error(std::string(name_) + ": is not JSON: line " + std::to_string(lines + 1) +
                ", column " + std::to_string(column + 1) + ": " + what);
}

void JsonReader::fail_twice(const std::string& key) const {
    throw Error(std::string(name_) + ": the key \"" + shown(key) + "\" appears twice");
}

char JsonReader::peek() {
    while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) < 4) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonReader::take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
}

void JsonReader::expect(char c) {
    if (!take(c)) fail(std::string("expected ") + c);
}

void JsonReader::end() {
    if (peek() != '\0' || at_ < text_.size()) fail("expected the end of the text");
}

// ---- objects and arrays ----

// Is there a first member?
bool JsonReader::enter(char begin, char end) {
    expect(begin);
    if (depth_ == deepest_)
        throw Error(std::string(name_) + ": is nested more than " + std::to_string(deepest_) +
                    " deep");
    if (take(end)) return false;
    ++depth_;
    return true;
}

// Is there another one?
bool JsonReader::go_on(char end) {
    if (take(',')) return true;
    expect(end);
    --depth_;
    return false;
}

std::vector<JsonReader::Member> JsonReader::members() {
    std::vector<Member> members;
    object([&](std::string key) { members.push_back({std::move(key), skip()}); });
    std::vector<std::string_view> keys;
    for (const Member& m : members) keys.push_back(m.key);
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice != keys.end()) fail_twice(std::string(*twice));
    return members;
}

JsonReader JsonReader::skip() {
    const char first = peek();
    const std::size_t begin = at_;
    if (first == '{') object([&](const std::string&) { skip(); });
    else if (first == '[') array([&] { skip(); });
    else if (first == '"') string();
    else if (first == 't' || first == 'f' || first == 'n') boolean_or_null();
    else number();
    JsonReader value = *this;
    value.text_ = text_.substr(begin, at_ - begin), value.at_ = 0;
    return value;
}

std::string JsonReader::kind() const {
    JsonReader value = *this;
    switch (value.peek()) {
        case '{':
            return "an object";
        case '[':
            return "a list";
        case '"':
            return "the string \"" + shown(value.string()) + "\"";
        case 't':
        case 'f':
        case 'n': {
            const std::optional<bool> word = value.boolean_or_null();
            return !word ? "null" : *word ? "true" : "false";
        }
        default:
            return (value.number().index() < 2 ? "the integer " : "the number ") + shown(text_);
    }
}

// ---- words, numbers, strings ----

std::optional<bool> JsonReader::boolean_or_null() {
    peek();
    for (const std::string_view w : {"true", "false", "null"}) {
        if (!text_.substr(at_).starts_with(w)) continue;
        at_ += w.size();
        return w == "null" ? std::nullopt : std::optional(w == "true");
    }
    fail("expected a value");
}

// -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
JsonReader::Number JsonReader::number() {
    peek();
    const std::size_t begin = at_;
    const auto next = [&] { return at_ < text_.size() ? text_[at_] : '\0'; };
    const auto digits = [&] {
        if (next() < '0' || next() > '9') fail("expected a value");
        while (next() >= '0' && next() <= '9') ++at_;
    };
    bool whole = true;
    if (next() == '-') ++at_;
    if (next() == '0') ++at_;
    else digits();
    if (next() == '.') ++at_, digits(), whole = false;
    if (next() == 'e' || next() == 'E') {
        ++at_, whole = false;
        if (next() == '+' || next() == '-') ++at_;
        digits();
    }
    const char *const first = text_.data() + begin, *const end = text_.data() + at_;
    std::int64_t small = 0;
    std::uint64_t large = 0;
    if (whole && std::from_chars(first, end, small).ec == std::errc{}) return small;
    if (whole && *first != '-' && std::from_chars(first, end, large).ec == std::errc{})
        return large;
    const std::string written(first, end);
    const double real = std::strtod(written.c_str(), nullptr);
    if (!std::isfinite(real)) fail("the number " + shown(written) + " is too large");
    return real;
}

std::optional<JsonReader::Number> JsonReader::number_here() const {
    JsonReader value = *this;
    const char c = value.peek();
    if (c != '-' && (c < '0' || c > '9')) return std::nullopt;
    return value.number();
}

std::string JsonReader::string() {
    expect('"');
    std::string result;
    for (;; ++at_) {
        // Everything up to the next character that means something is copied at once.
        std::size_t end = at_;
        while (end < text_.size() && text_[end] != '"' && text_[end] != '\\' &&
               static_cast<unsigned char>(text_[end]) >= 0x20)
            ++end;
        result += text_.substr(at_, end - at_);
        at_ = end;
        if (at_ == text_.size()) fail("a string without its end");
        if (text_[at_] == '"') break;
        if (text_[at_] != '\\') fail("a control character in a string");
        escape(result);
    }
    ++at_;
    return result;
}

// From the backslash to the last character of an escape.
void JsonReader::escape(std::string& result) {
    constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
    const char letter = ++at_ < text_.size() ? text_[at_] : '\0';
    const std::size_t simple = letters.find(letter);
    if (simple != std::string_view::npos) {
        result += meant[simple];
        return;
    }
    if (letter != 'u') fail("an unknown escape in a string");
    std::int32_t c = four_digits();
    if (c >= 0xd800 && c < 0xdc00 && text_.substr(at_ + 1).starts_with("\\u")) {
        at_ += 2;
        const std::int32_t low = four_digits();
        if (low < 0xdc00 || low > 0xdfff) fail("half of a surrogate pair");
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    if (c >= 0xd800 && c < 0xe000) fail("half of a surrogate pair");
    append_utf8(result, c);
}

// The digits after \u, at whose last one this ends.
std::int32_t JsonReader::four_digits() {
    std::int32_t c = 0;
    const std::string_view digits = text_.substr(std::min(at_ + 1, text_.size()), 4);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), c, 16);
    if (error != std::errc{} || end != digits.data() + 4 || c < 0 || digits[0] == '-')
        fail("expected four hexadecimal digits");
    at_ += 4;
    return c;
}

}  // namespace tbt
