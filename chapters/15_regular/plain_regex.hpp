// Plain regular expressions over bytes; plain_derivative.hpp reads texts with them. Expressions
// with the same name match the same texts: the parts of a choice are sorted, without duplicates.
#pragma once

#include <cctype>
#include <map>
#include <string>
#include <vector>

namespace tbt {

struct Regex {
    enum Kind { nothing, empty, byte, choice, sequence, star } kind = nothing;
    std::vector<Regex> parts;  // choice: any number; sequence: two; star: one
    std::string name;          // the expression in the usual notation
    int low = 0, high = 0;     // byte: from low to high
};

// One byte, from low to high.
inline Regex byte_from(char low, char high) {
    const bool letter = low == high && std::isalnum(static_cast<unsigned char>(low)) != 0;
    const std::string name = low == high ? std::string{low} : std::string{low, '-', high};
    return {Regex::byte,
            {},
            letter ? name : "[" + name + "]",
            static_cast<unsigned char>(low),
            static_cast<unsigned char>(high)};
}

// Matches a text of a or a text of b.
inline Regex either(const Regex& a, const Regex& b) {
    std::map<std::string, Regex> by_name;  // sorted, without duplicates
    for (const Regex& e : {a, b}) {
        for (const Regex& part : e.kind == Regex::choice ? e.parts : std::vector{e})
            if (part.kind != Regex::nothing) by_name.emplace(part.name, part);
    }
    Regex all{Regex::choice, {}, ""};
    for (const auto& [name, part] : by_name) {
        all.parts.push_back(part);
        all.name += (all.name.empty() ? '(' : '|') + name;
    }
    all.name += ')';
    return by_name.empty() ? Regex() : by_name.size() == 1 ? Regex(all.parts[0]) : all;
}

// Matches a text of a followed by a text of b.
inline Regex then(const Regex& a, const Regex& b) {
    if (a.kind == Regex::nothing || b.kind == Regex::empty) return a;
    if (b.kind == Regex::nothing || a.kind == Regex::empty) return b;
    return {Regex::sequence, {a, b}, a.name + b.name};
}

// Matches any number of texts of a; any_times({}) matches only the empty text.
inline Regex any_times(const Regex& a) {
    if (a.kind == Regex::nothing || a.kind == Regex::empty) return {Regex::empty, {}, ""};
    return {Regex::star, {a}, (a.kind > Regex::choice ? "(" + a.name + ")" : a.name) + '*'};
}

}  // namespace tbt
