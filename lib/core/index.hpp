// Token ids, positions and counts are int, sizes of tensors 64-bit integers: both may be negative
// on the way, and -1 means "none". The standard's containers count in std::size_t. These few names
// stand between the two, so that what a line does is not hidden after its conversions.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace tbt {

// A place in a container. The caller knows that it is not negative.
template <std::integral Integer>
constexpr std::size_t index(Integer i) {
    return static_cast<std::size_t>(i);
}

// items[i], i being an id, a position or a size of any integer type.
template <class Container, std::integral Integer>
constexpr decltype(auto) at(Container&& items, Integer i) {
    return items[static_cast<std::size_t>(i)];
}

// A size or a position that is known to fit, as an int.
template <std::integral Integer>
constexpr int to_int(Integer i) {
    return static_cast<int>(i);
}

// How many items there are, as an int: tokens of a text, words of a vocabulary.
template <class Container>
constexpr int count(const Container& items) {
    return to_int(std::size(items));
}
// The same in 64 bits: numbers of a tensor.
template <class Container>
constexpr std::int64_t length_of(const Container& items) {
    return static_cast<std::int64_t>(std::size(items));
}

}  // namespace tbt
