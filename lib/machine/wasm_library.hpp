// The parts of C++20 that are missing in emscripten 3.1.6's standard library (LLVM 13), for
// MODE=wasm only. The Makefile includes this before each file.
#ifndef TBT_LIB_MACHINE_WASM_LIBRARY_HPP
#define TBT_LIB_MACHINE_WASM_LIBRARY_HPP

#include <charconv>
#include <compare>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

#ifndef __cpp_lib_bit_cast
namespace std {
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
    return __builtin_bit_cast(To, from);
}
}  // namespace std
#endif

#ifndef __cpp_lib_three_way_comparison
namespace std {
template <class T>
constexpr auto operator<=>(const vector<T>& a, const vector<T>& b) -> decltype(a[0] <=> b[0]) {
    for (size_t i = 0; i < a.size() && i < b.size(); ++i)
        if (const auto order = a[i] <=> b[i]; order != 0) return order;
    return a.size() <=> b.size();
}
}  // namespace std
#endif

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000  // newer ones read and write floats
namespace std {
inline from_chars_result from_chars(const char* first, const char* last, double& value) {
    const string text(first, last);
    const bool begins = text.find_first_of("0123456789.") == (text.starts_with('-') ? 1 : 0);
    char* end = nullptr;
    const double number = begins ? strtod(text.c_str(), &end) : 0;
    if (!begins || end == text.c_str()) return {first, errc::invalid_argument};
    value = number;
    return {first + (end - text.c_str()), errc()};
}
// With the fewest digits that read as the same number.
inline to_chars_result to_chars(char* first, char*, double value, chars_format format) {
    char text[400];
    int digits = 0;  // after the first one
    do snprintf(text, sizeof text, "%.*e", digits, value);
    while (strtod(text, nullptr) != value && ++digits < 17);
    if (format == chars_format::fixed) {
        const int exponent = atoi(strchr(text, 'e') + 1);
        snprintf(text, sizeof text, "%.*f", digits > exponent ? digits - exponent : 0, value);
    }
    const size_t size = strlen(text);
    memcpy(first, text, size);
    return {first + size, errc()};
}
inline to_chars_result to_chars(char* first, char* last, double value) {
    return to_chars(first, last, value, chars_format::scientific);
}
}  // namespace std
#endif

#endif
