#include "lib/chat/jinja_parse.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"

namespace tbt::jinja {

void fail_at(int line, const std::string& what) {
    throw Error("line " + std::to_string(line) + ": " + what);
}

namespace {

constexpr std::string_view spaces = " \t\n\r\v\f";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class Lexer {
public:
    explicit Lexer(std::string_view source) {
        // As in Jinja, all line breaks become "\n", and one at the end of the file is removed.
        for (std::size_t i = 0; i < source.size(); ++i) {
            const bool both = source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n';
            if (!both) source_ += source[i] == '\r' ? '\n' : source[i];
        }
        if (source_.ends_with('\n')) source_.pop_back();
    }

    std::vector<Token> run() {
        while (at_ < source_.size()) {
            const std::size_t tag = next_tag();
            add_text(tag);
            at_ = tag;
            if (tag == source_.size()) break;
            const char kind = source_[tag + 1];
            at_ += 2;
            if (at_ < source_.size() && (source_[at_] == '-' || source_[at_] == '+')) ++at_;
            if (kind == '#') skip_comment();
            else read_tag(kind);
        }
        add(Token::end_of_file, "");
        return std::move(tokens_);
    }

private:
    void add(Token::Kind kind, std::string value) {
        tokens_.push_back({kind, std::move(value), line()});
    }
    // The line of at_.
    int line() {
        const auto at = [&](std::size_t i) { return source_.begin() + std::ptrdiff_t(i); };
        line_ += to_int(std::count(at(counted_), at(at_), '\n'));
        counted_ = at_;
        return line_;
    }
    [[noreturn]] void fail(const std::string& what) { fail_at(line(), what); }
    bool has(std::string_view what) const {
        return std::string_view(source_).substr(at_).starts_with(what);
    }
    std::size_t next_tag() const {
        for (std::size_t i = at_; i + 1 < source_.size(); ++i)
            if (source_[i] == '{' &&
                (source_[i + 1] == '{' || source_[i + 1] == '%' || source_[i + 1] == '#'))
                return i;
        return source_.size();
    }

    // Adds the text up to a tag, without the white space that the tag removes.
    void add_text(std::size_t tag) {
        std::string_view text = std::string_view(source_).substr(at_, tag - at_);
        const std::string_view opening = std::string_view(source_).substr(tag, 3);
        if (opening.ends_with('-') && opening.size() == 3) {
            text = text.substr(0, text.find_last_not_of(spaces) + 1);
        } else if (opening.size() > 1 && opening[1] != '{' && !opening.ends_with('+')) {
            // lstrip_blocks: removes white space before a block if nothing else is before it on its
            // line.
            const std::size_t line = text.rfind('\n') + 1;
            if ((line > 0 || line_starts_) &&
                text.find_first_not_of(spaces, line) == std::string_view::npos)
                text = text.substr(0, line);
        }
        if (!text.empty()) add(Token::text, std::string(text));
    }

    // Removes white space after the end of a tag, whose sign is '-', '+' or neither.
    void after_tag(char sign, bool trims) {
        const std::size_t begin = at_;
        if (sign == '-') at_ = std::min(source_.find_first_not_of(spaces, at_), source_.size());
        else if (trims && sign != '+' && has("\n")) ++at_;
        line_starts_ = at_ > begin && source_[at_ - 1] == '\n';
    }

    void skip_comment() {
        const std::size_t end = source_.find("#}", at_);
        if (end == std::string::npos) fail("a comment {# is never closed with #}");
        const char sign = end > at_ ? source_[end - 1] : ' ';
        at_ = end + 2;
        after_tag(sign, true);
    }

    void read_tag(char kind) {
        add(kind == '{' ? Token::print : Token::block, "");
        const int begun = line();
        const std::string closing = kind == '{' ? "}}" : "%}";
        for (int depth = 0;;) {
            at_ = std::min(source_.find_first_not_of(spaces, at_), source_.size());
            if (at_ == source_.size()) fail_at(begun, "a tag is never closed with " + closing);
            if (depth == 0) {
                const bool signed_end = (has("-") || (kind == '%' && has("+"))) &&
                                        source_.compare(at_ + 1, 2, closing) == 0;
                if (signed_end || has(closing)) {
                    const char sign = signed_end ? source_[at_] : ' ';
                    at_ += signed_end ? 3 : 2;
                    add(Token::end, "");
                    return after_tag(sign, kind == '%');
                }
            }
            read_word();
            const Token& word = tokens_.back();
            if (word.kind != Token::op) continue;
            if (std::string_view("([{").find(word.value) != std::string_view::npos) ++depth;
            if (std::string_view(")]}").find(word.value) != std::string_view::npos) --depth;
            if (depth < 0) fail("\"" + word.value + "\" has no opening bracket");
        }
    }

    void read_word() {
        const char c = source_[at_];
        if (c == '"' || c == '\'') return read_string(c);
        const std::size_t begin = at_;
        if (begins_name(c)) {
            while (at_ < source_.size() && (begins_name(source_[at_]) || is_digit(source_[at_])))
                ++at_;
            return add(Token::name, source_.substr(begin, at_ - begin));
        }
        if (is_digit(c)) return read_number();
        static constexpr std::array<std::string_view, 27> operators = {
            "==", "!=", "<=", ">=", "//", "**", "(", ")", "[", "]", "{", "}", ",", ":",
            ".",  "|",  "=",  "<",  ">",  "+",  "-", "*", "/", "%", "~", ";", "!"};
        for (const std::string_view op : operators)
            if (has(op)) {
                at_ += op.size();
                return add(Token::op, std::string(op));
            }
        fail("\"" + shown(source_.substr(at_, 1)) + "\" is not understood inside a tag");
    }

    void read_number() {
        const std::size_t begin = at_;
        const auto digits = [&] {
            while (at_ < source_.size() && is_digit(source_[at_])) ++at_;
        };
        digits();
        const bool point = has(".") && at_ + 1 < source_.size() && is_digit(source_[at_ + 1]);
        if (point) ++at_, digits();
        if (at_ < source_.size() && begins_name(source_[at_]))
            fail("a number is followed by a letter");
        add(point ? Token::number : Token::integer, source_.substr(begin, at_ - begin));
        if (tokens_.back().value.size() > 18) fail("a number has more than 18 digits");
    }

    void read_string(char quote) {
        const int begun = line();
        std::string value;
        for (++at_; at_ < source_.size() && source_[at_] != quote; ++at_) {
            if (source_[at_] == '\\') read_escape(value);
            else value += source_[at_];
        }
        if (at_ >= source_.size()) fail_at(begun, "a string is never closed");
        ++at_;
        add(Token::string, std::move(value));
        tokens_.back().line = begun;
    }

    // Before the call at_ is at the backslash, after it at the last character of the escape.
    void read_escape(std::string& value) {
        static constexpr std::string_view letters = "ntr\\'\"abfv", meant = "\n\t\r\\'\"\a\b\f\v";
        const char c = ++at_ < source_.size() ? source_[at_] : ' ';
        if (const std::size_t known = letters.find(c); known != std::string_view::npos) {
            value += meant[known];
            return;
        }
        const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
        std::int32_t code_point = 0;
        for (std::size_t i = 1; i <= digits; ++i) {
            static constexpr std::string_view hex = "0123456789abcdef";
            const char digit = at_ + i < source_.size() ? source_[at_ + i] : ' ';
            const std::size_t v = hex.find(
                digit >= 'A' && digit <= 'F' ? static_cast<char>(digit - 'A' + 'a') : digit);
            if (v == std::string_view::npos || code_point > 0x10ffff / 16)
                fail("a string has an escape that is not a character");
            code_point = code_point * 16 + static_cast<std::int32_t>(v);
        }
        if (digits == 0)
            fail("a string has the escape \\" + shown(std::string(1, c)) +
                 ", which is not supported");
        append_utf8(value, code_point);
        at_ += digits;
    }

    std::string source_;
    std::size_t at_ = 0;
    std::size_t counted_ = 0;  // line_ is the line of this byte
    int line_ = 1;
    bool line_starts_ = true;  // there is only white space before at_ on its line
    std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source) { return Lexer(source).run(); }

}  // namespace tbt::jinja
