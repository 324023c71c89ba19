// Values as a learner reads them: rows as "0.5 0.25 0.25", texts in quotes, what is long cut at
// ten.
#pragma once

#include <charconv>
#include <cstdio>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "lib/core/unicode.hpp"
#include "tests/catch.hpp"

namespace tbt::exercise_check {

constexpr std::size_t max_shown = 10;

template <class T>
concept Text = std::is_convertible_v<const T&, std::string_view>;
template <class T>
concept Row = !Text<T> && requires(const T& t) {
    t.begin() != t.end();
    *t.begin();
};
template <class T>
concept Optional = requires(const T& t) {
    t.has_value();
    *t;
};
template <class T>
concept Tuple = !Row<T> && requires {
    std::tuple_size<T>::value;
};
template <class T>
concept Streamable = requires(std::ostream& out, const T& t) {
    out << t;
};

inline std::string number(double x, int digits) {
    if (x != x) return "nan";  // whatever its sign
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", digits, x);
    return text;
}

// Between quotes, with what cannot be seen spelled out; of a long text the part around `place`.
inline std::string quoted(std::string_view bytes, std::size_t place = 0) {
    constexpr std::size_t most = 60;
    std::size_t first = bytes.size() > most && place > most / 2 ? place - most / 2 : 0;
    while (first > 0 && first < bytes.size() && (bytes[first] & 0xC0) == 0x80) --first;
    std::string text = first > 0 ? "…\"" : "\"";
    std::size_t i = first;
    while (i < bytes.size() && i - first < most) {
        const Utf8Head head = utf8_head(bytes.substr(i));
        const unsigned char byte = static_cast<unsigned char>(bytes[i]);
        char code[8];
        std::snprintf(code, sizeof code, "\\x%02X", byte);
        if (head.kind != Utf8Head::complete) text += code, ++i;
        else if (byte == '\n') text += "\\n", ++i;
        else if (byte == '\t') text += "\\t", ++i;
        else if (byte == '\r') text += "\\r", ++i;
        else if (byte < 32 || byte == 127) text += code, ++i;
        else text += bytes.substr(i, head.length), i += head.length;
    }
    return text + (i < bytes.size() ? "\"…" : "\"");
}

template <class T>
std::string shown(const T& value, int digits = 6);

template <class T>
std::string shown_tuple(const T& value, int digits) {
    std::string text;
    std::apply(
        [&](const auto&... parts) {
            ((text += (text.empty() ? "" : ", ") + shown(parts, digits)), ...);
        },
        value);
    return "(" + text + ")";
}

// The items of a row, those after the tenth from `first` on left out.
template <class T>
std::vector<std::string> items_of(const T& row, std::size_t first, int digits) {
    std::vector<std::string> items;
    std::size_t i = 0;
    for (const auto& x : row) {
        if (i >= first && i < first + max_shown) {
            using Item = std::decay_t<decltype(x)>;
            const std::string item = shown(static_cast<const Item&>(x), digits);
            items.push_back(Row<Item> ? "[" + item + "]" : item);
        }
        ++i;
    }
    return items;
}

template <class T>
std::size_t length_of(const T& row) {
    std::size_t n = 0;
    for (auto i = row.begin(); i != row.end(); ++i) ++n;
    return n;
}

template <class T>
std::string shown_row(const T& row, int digits, std::size_t first = 0) {
    const std::size_t n = length_of(row);
    std::string text = first > 0 ? "…" : "";
    for (const std::string& item : items_of(row, first, digits))
        text += (text.empty() ? "" : " ") + item;
    if (n > first + max_shown) text += " …";
    if (n > max_shown) text += "  (" + std::to_string(n) + " of them)";
    return n == 0 ? "nothing (0 of them)" : text;
}

template <class T>
std::string shown(const T& value, int digits) {
    if constexpr (std::is_same_v<T, bool>) return value ? "true" : "false";
    else if constexpr (std::is_same_v<T, std::nullopt_t>) return "none";
    else if constexpr (std::is_same_v<T, char>)
        return exercise_check::quoted(std::string_view(&value, 1));
    else if constexpr (std::is_floating_point_v<T>)
        return number(static_cast<double>(value), digits);
    else if constexpr (std::is_integral_v<T>) return std::to_string(value);
    else if constexpr (std::is_enum_v<T>) return std::to_string(static_cast<int>(value));
    else if constexpr (Text<T>) return exercise_check::quoted(value);
    else if constexpr (Row<T>) return shown_row(value, digits);
    else if constexpr (Optional<T>) return value.has_value() ? shown(*value, digits) : "none";
    else if constexpr (Tuple<T>) return shown_tuple(value, digits);
    else if constexpr (Streamable<T>) {
        std::ostringstream out;
        out << value;
        return out.str();
    } else return "(no short way to show it)";
}

}  // namespace tbt::exercise_check
