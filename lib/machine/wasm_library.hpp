// The parts of C++20 that are missing in emscripten 3.1.6's standard library (LLVM 13), for
// MODE=wasm only. The Makefile includes this before each file.
#ifndef TBT_LIB_MACHINE_WASM_LIBRARY_HPP
#define TBT_LIB_MACHINE_WASM_LIBRARY_HPP

#include <compare>
#include <cstddef>
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

#endif
