// Scans over a row of floats at the speed of memory: maxima, keeping what is large,
// splitting at two pivots.
//
// None of them sorts. A row of fifty thousand floats takes about two microseconds to read,
// and hundreds to sort.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

namespace tbt {

// A vector that starts at a cache line, so that no SIMD load or store crosses one.
template <class T>
struct LineAllocator {
    using value_type = T;
    LineAllocator() = default;
    template <class U>
    LineAllocator(const LineAllocator<U>&) {}
    T* allocate(std::size_t n) {
        return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64}));
    }
    void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{64}); }
    bool operator==(const LineAllocator&) const { return true; }
};
template <class T>
using LineVector = std::vector<T, LineAllocator<T>>;

// The row in groups of about `group` elements, the maximum of each. (Which element is
// in which group is not promised; every element is in one.) Returns the largest of all;
// NaN when the row holds a NaN or +∞, and the maxima then mean nothing.
float group_maxima(std::span<const float> row, std::size_t group, std::vector<float>& maxima);

// keys[i] = −|s_i − centre|, computed in double and rounded once:
// the nearest element has the largest key.
void negative_distances(std::span<const float> s, double centre, std::span<float> keys);

// A lower bound of what stays: the keys above `threshold`, and of those equal to
// it the first `ties`.
struct Cut {
    float threshold = 0;
    std::size_t ties = ~std::size_t{0};
};

// A row in columns. The ids of a source may be null: then element i has id i.
struct Source {
    const int* ids = nullptr;
    const float* values = nullptr;
};
struct Columns {
    int* ids = nullptr;
    float* values = nullptr;
};
// Written after the last element kept; so much room must be there beyond what is kept.
inline constexpr std::size_t slack = 16;

// Copies what the cut keeps of `from` to `to`, in its order; returns how many.
// `to` may be the memory of `from`. The keys decide, one for each element;
// they may be the values themselves.
std::size_t keep(std::span<const float> keys, const Cut& cut, const Source& from,
                 const Columns& to);

// Keys and their weights between two pivots, in the order of the row.
struct Between {
    std::size_t count = 0;
    std::uint64_t weight_above = 0;  // Σ w_i over the keys above the higher pivot
    LineVector<float> keys;          // the first `count` of them; the rest is room
    LineVector<std::uint64_t> weights;
};
// Fills `between` with the elements low <= key_i <= high. Its memory is used again.
void split(std::span<const float> keys, std::span<const std::uint64_t> weights, float low,
           float high, Between& between);

}  // namespace tbt
