// A fast scanner for large JSON objects and arrays with simple members, such as the vocabulary and
// the merges of a tokenizer. It is several times as fast as nlohmann's parser. It stops at the last
// member and at any member of another form; nlohmann's parser goes on there (JsonStream::ahead).
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "lib/machine/json_file.hpp"

namespace tbt {

// Each function skips white space, then reads one thing, or returns false.
class JsonScanner {
public:
    explicit JsonScanner(std::string_view text) : text_(text) {}

    bool sign(char wanted) {
        if (next() != wanted) return false;
        ++at_;
        return true;
    }
    // Reads the comma after a member. False unless a string or an array follows it, which is not
    // read yet.
    bool comma() { return sign(',') && (next() == '"' || next() == '['); }
    // Reads a string. `value` is its content with escapes replaced; it is valid as long as both the
    // text and the scanner live.
    bool string(std::string_view& value) {
        if (!sign('"')) return false;
        const std::size_t begin = at_;
        bool plain = true;
        for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            if (static_cast<unsigned char>(text_[at_]) < ' ') return false;
            if (text_[at_] == '\\') plain = false, ++at_;
        }
        if (at_ >= text_.size()) return false;
        value = text_.substr(begin, at_++ - begin);
        if (plain) return true;
        const Json json = json_value(text_.substr(begin - 1, at_ - begin + 1));
        if (!json.is_string()) return false;
        value = unescaped_.emplace_back(json.get_ref<const std::string&>());
        return true;
    }
    // Reads a non-negative integer of at most nine digits.
    bool integer(int& value) {
        const char first = next();
        const std::size_t begin = at_;
        for (value = 0; is_digit(peek()) && at_ < begin + 9; ++at_)
            value = 10 * value + (peek() - '0');
        return at_ > begin && !is_digit(peek()) && (first != '0' || at_ == begin + 1);
    }
    std::size_t place() const { return at_; }

private:
    static bool is_digit(char c) { return c >= '0' && c <= '9'; }
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    char next() {
        while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t') ++at_;
        return peek();
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::deque<std::string> unescaped_;  // the strings that had escapes, with these replaced
};

}  // namespace tbt
