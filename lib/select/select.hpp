// Selection without sorting the row: the k-th largest element (top-k), and the smallest set of the
// largest elements whose weights reach a target (top-p). They are made of a few passes over the row
// at the speed of memory: maxima of groups, filtering by a threshold, what lies between two pivots.
// Reading a row of fifty thousand floats takes about two microseconds; sorting it takes thousands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

namespace tbt {

// ---- passes over a row ----

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

// Divides the row into groups of about `group` elements and writes the maximum of each to `maxima`.
// Every element is in one group; which one is not specified. Returns the maximum of the row. If the
// row has a NaN or +∞, it returns NaN and `maxima` has no meaning.
float group_maxima(std::span<const float> row, std::size_t group, std::vector<float>& maxima);

// keys[i] = −|s_i − centre|, computed in double and rounded once. So the element nearest to
// `centre` has the largest key.
void negative_distances(std::span<const float> s, double centre, std::span<float> keys);

// Says which elements to keep: those with a key above `threshold`, and the first `ties` of those
// with a key equal to it.
struct Cut {
    float threshold = 0;
    std::size_t ties = ~std::size_t{0};
};

// Arrays of ids and values. The ids of a Source may be null: then element i has id i.
struct Source {
    const int* ids = nullptr;
    const float* values = nullptr;
};
struct Columns {
    int* ids = nullptr;
    float* values = nullptr;
};
// keep() may write this many elements after the last one that it keeps, so `to` needs that much
// room.
inline constexpr std::size_t slack = 16;

// Copies the elements that `cut` keeps from `from` to `to`, in order, and returns their number.
// There is one key for each element; the keys may be the values themselves. `to` may be the same
// memory as `from`.
std::size_t keep(std::span<const float> keys, const Cut& cut, const Source& from,
                 const Columns& to);

// The elements between two pivots: their keys and weights, in the order of the row.
struct Between {
    std::size_t count = 0;
    std::uint64_t weight_above = 0;  // Σ w_i over the keys above the higher pivot
    LineVector<float> keys;          // only the first `count` have a meaning
    LineVector<std::uint64_t> weights;
};
// Writes the elements with low <= key_i <= high to `between`, whose memory is reused.
void split(std::span<const float> keys, std::span<const std::uint64_t> weights, float low,
           float high, Between& between);

// ---- selection ----

// The k-th largest value (k from 1 to the number of values). Every value must be ordered: no NaN.
float kth_largest(std::span<const float> values, std::size_t k);

// A value v such that at least k elements are >= v, and usually few more. It takes one pass; k must
// be above 0.
float reached_by_at_least(std::span<const float> values, std::size_t k);

// Orders the elements by descending key (equal keys by position) and returns, as a Cut, the
// shortest prefix whose weights sum to at least `target`. `sum` is Σ w_i. The target is limited to
// 1 … sum, so the prefix is never empty. An element with key −∞ must have weight 0.
Cut smallest_prefix_reaching(std::span<const float> keys, std::span<const std::uint64_t> weights,
                             std::uint64_t sum, std::uint64_t target);

}  // namespace tbt
