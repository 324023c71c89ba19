// What came against what was expected, and where the two differ first.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/exercises/notes.hpp"

namespace tbt::exercise_check {

struct Difference {
    bool right = true;
    std::string expected, got, differs;
};

template <class T>
concept Whole = std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char>;

template <class A, class B>
bool same(const A& a, const B& b) {
    if constexpr (Whole<A> && Whole<B>) return std::cmp_equal(a, b);
    else if constexpr (std::is_arithmetic_v<A> && std::is_arithmetic_v<B>)
        return static_cast<double>(a) == static_cast<double>(b);
    else if constexpr (Text<A> && Text<B>) return std::string_view(a) == std::string_view(b);
    else if constexpr (requires { a == b; }) return static_cast<bool>(a == b);
    else return std::equal(a.begin(), a.end(), b.begin(), b.end());  // rows of different kinds
}

inline bool near(double a, double b, double tolerance) {
    return a == b || std::abs(a - b) <= tolerance;
}

// As many digits as it takes to see the difference.
template <class A, class B>
int digits_for(const A& expected, const B& got) {
    for (const int digits : {6, 9, 12})
        if (shown(expected, digits) != shown(got, digits)) return digits;
    return 17;
}

inline Difference texts_differ(std::string_view got, std::string_view expected) {
    std::size_t i = 0;
    while (i < got.size() && i < expected.size() && got[i] == expected[i]) ++i;
    std::string where = "first at byte " + std::to_string(i);
    if (i == got.size()) where += ": yours ends there";
    else if (i == expected.size()) where += ": it should end there";
    return {false, quoted(expected, i), quoted(got, i), where};
}

// Both rows around the first difference, in columns.
template <class A, class B, class Same>
Difference rows_differ(const A& got, const B& expected, const Same& equal) {
    const std::size_t n = length_of(got), m = length_of(expected);
    auto g = got.begin();
    auto e = expected.begin();
    std::size_t i = 0;
    for (; i < n && i < m && equal(*g, *e); ++i) ++g, ++e;
    Difference d{false, "", "", ""};
    int digits = 6;
    if (i < n && i < m) {
        digits = digits_for(*e, *g);
        d.differs = "first at index " + std::to_string(i) + ": expected " + shown(*e, digits) +
                    ", got " + shown(*g, digits);
    } else if (i < n) {
        d.differs = "first at index " + std::to_string(i) + ": nothing more was expected, got " +
                    shown(*g, digits);
    } else if (i < m) {
        d.differs = "first at index " + std::to_string(i) + ": expected " + shown(*e, digits) +
                    ", yours ends there";
    }
    if (n != m)
        d.differs += " (" + std::to_string(m) + " expected, " + std::to_string(n) + " came)";
    const std::size_t first = i >= max_shown ? i - max_shown / 2 : 0;
    const auto left = items_of(expected, first, digits), right = items_of(got, first, digits);
    for (std::size_t c = 0; c < std::max(left.size(), right.size()); ++c) {
        const std::size_t width = std::max(c < left.size() ? count_characters(left[c]) : 0,
                                           c < right.size() ? count_characters(right[c]) : 0);
        const auto add = [&](std::string& row, const std::vector<std::string>& items) {
            if (c >= items.size()) return;
            row += (row.empty() ? "" : " ") + std::string(width - count_characters(items[c]), ' ') +
                   items[c];
        };
        add(d.expected, left), add(d.got, right);
    }
    for (const auto& [row, count] : {std::pair{&d.expected, m}, {&d.got, n}}) {
        if (first > 0) *row = "[" + std::to_string(first) + "] … " + *row;
        if (count > first + max_shown) *row += " …  (" + std::to_string(count) + " of them)";
        if (count == 0) *row = "nothing (0 of them)";
    }
    return d;
}

template <class A, class B>
Difference compare(const A& got, const B& expected) {
    if (same(got, expected)) return {};
    if constexpr (Text<A> && Text<B>) return texts_differ(got, expected);
    else if constexpr (Row<A> && Row<B>)
        return rows_differ(got, expected, [](const auto& x, const auto& y) { return same(x, y); });
    else {
        const int digits = digits_for(expected, got);
        return {false, shown(expected, digits), shown(got, digits), ""};
    }
}

// Numbers, or rows of numbers; NaN is near nothing.
template <class A, class B>
Difference compare_near(const A& got, const B& expected, double tolerance) {
    if constexpr (Row<A>) {
        const auto equal = [&](const auto& x, const auto& y) {
            return near(static_cast<double>(x), static_cast<double>(y), tolerance);
        };
        if (std::equal(got.begin(), got.end(), expected.begin(), expected.end(), equal)) return {};
        return rows_differ(got, expected, equal);
    } else {
        const double g = static_cast<double>(got), e = static_cast<double>(expected);
        if (near(g, e, tolerance)) return {};
        const int digits = digits_for(e, g);
        return {false, shown(e, digits), shown(g, digits), ""};
    }
}

// Decompose() <= a == b has both sides.
template <class A>
struct Left {
    const A& got;
    template <class B>
    Difference operator==(const B& b) const {
        return compare(got, b);
    }
    template <class B>
    Difference ordered(bool right, const B& b, const char* before, const char* after) const {
        if (right) return {};
        const int digits = digits_for(b, got);
        return {false, before + shown(b, digits) + after, shown(got, digits), ""};
    }
    template <class B>
    Difference operator!=(const B& b) const {
        return ordered(!same(got, b), b, "anything but ", "");
    }
    template <class B>
    Difference operator<(const B& b) const {
        return ordered(less(got, b), b, "less than ", "");
    }
    template <class B>
    Difference operator>(const B& b) const {
        return ordered(less(b, got), b, "more than ", "");
    }
    template <class B>
    Difference operator<=(const B& b) const {
        return ordered(less(got, b) || same(got, b), b, "", " at most");
    }
    template <class B>
    Difference operator>=(const B& b) const {
        return ordered(less(b, got) || same(got, b), b, "", " at least");
    }
    // A check of a condition alone.
    operator Difference() const { return compare(static_cast<bool>(got), true); }

private:
    template <class X, class Y>
    static bool less(const X& x, const Y& y) {
        if constexpr (Whole<X> && Whole<Y>) return std::cmp_less(x, y);
        else return x < y;
    }
};
struct Decompose {
    template <class A>
    Left<A> operator<=(const A& a) const {
        return {a};
    }
};

inline void judge(const Difference& d) {
    if (d.right) return;
    state().failure = message(d.expected, d.got, d.differs);
    FAIL("\n" + state().failure);
}

// Whether a call throws this error and no other.
template <class Error, class Call>
void refused(const Call& call, const char* name) {
    std::string got = "nothing was thrown";
    try {
        call();
    } catch (const Error&) {
        return;
    } catch (const NotWritten&) {
        throw;
    } catch (const std::exception& e) {
        got = std::string("another exception: ") + e.what();
    }
    judge({false, std::string(name) + " is thrown: such an input is refused", got, ""});
}

}  // namespace tbt::exercise_check
