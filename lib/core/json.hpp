// Reads JSON [RFC 8259] value by value: what a model's files need. (lib/json has whole values, and
// writes them.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tbt {

// A place in a text, where the next value begins. The text and the name must outlive it. Every
// function throws Error "NAME: …" if the text is not JSON, if it is nested more than `deepest`
// deep, or if the next value is of another kind.
class JsonReader {
public:
    // Throws Error if the text is not UTF-8, too.
    JsonReader(std::string_view text, std::string_view name, int deepest = 64);

    // The first character of the next value: { [ " t f n - or a digit; 0 at the end.
    char peek();
    // Reads an object or array. Calls visit(key) or visit(), which must read one value.
    template <class Visit>
    void object(Visit&& visit) {
        for (bool more = enter('{', '}'); more; more = go_on('}')) {
            if (peek() != '"') fail("expected a key in quotes");
            std::string key = string();
            expect(':');
            visit(std::move(key));
        }
    }
    template <class Visit>
    void array(Visit&& visit) {
        for (bool more = enter('[', ']'); more; more = go_on(']')) visit();
    }
    std::string string();
    std::optional<bool> boolean_or_null();
    using Number = std::variant<std::int64_t, std::uint64_t, double>;
    Number number();  // an integer of 64 bits if it is written as one and fits
    // Reads a value of any kind. Returns a reader that is at this value and ends after it.
    JsonReader skip();
    // Throws Error unless nothing follows.
    void end();

    struct Member;
    // Reads an object. Throws Error if a key appears twice.
    std::vector<Member> members();
    // The value, if it is a number, without reading it; or if it is an integer in this range.
    std::optional<Number> number_here() const;
    template <class T>
    std::optional<T> integer(T least, T most) const {
        const auto fits = [&](auto n) {
            return std::cmp_less_equal(least, n) && std::cmp_less_equal(n, most);
        };
        const std::optional<Number> number = number_here();
        if (!number || number->index() == 2) return std::nullopt;
        if (const auto* small = std::get_if<std::int64_t>(&*number))
            return fits(*small) ? std::optional(static_cast<T>(*small)) : std::nullopt;
        const std::uint64_t large = std::get<std::uint64_t>(*number);
        return fits(large) ? std::optional(static_cast<T>(large)) : std::nullopt;
    }
    // What it is, for messages: 'the string "x"', "the integer 3", "a list", "an object", …
    std::string kind() const;
    [[noreturn]] void fail_twice(const std::string& key) const;

private:
    [[noreturn]] void fail(const std::string& what) const;
    bool take(char c);
    void expect(char c);
    bool enter(char begin, char end);
    bool go_on(char end);
    void escape(std::string& result);
    std::int32_t four_digits();

    std::string_view text_, name_;
    std::size_t at_ = 0;
    int deepest_, depth_ = 0;
};

struct JsonReader::Member {
    std::string key;
    JsonReader value;
};

}  // namespace tbt
