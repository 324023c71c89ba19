// Scans over a row of floats at the speed of memory: maxima, exponentials in whole quanta, keeping what is large.
//
// None of them sorts. A row of fifty thousand floats takes about two microseconds to read, and hundreds to sort.
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
    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{64})); }
    void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t{64}); }
    bool operator==(const LineAllocator&) const { return true; }
};
template <class T>
using LineVector = std::vector<T, LineAllocator<T>>;

// The row in groups of about `group` elements, the maximum of each. (Which element is in which group is not
// promised; every element is in one.) Returns false when the row holds a NaN or +∞; the maxima then mean nothing.
bool group_maxima(std::span<const float> row, std::size_t group, std::vector<float>& maxima);

// One quantum of weight is 2^-44 of the weight of the largest element.
inline constexpr int quantum_bits = 44;
inline constexpr std::uint64_t weight_of_largest = std::uint64_t{1} << quantum_bits;
// So many elements at most: their sum then still fits in 64 bits.
inline constexpr std::size_t longest_row = std::size_t{1} << 19;

// w_i = e^((s_i − m)/T) in whole quanta, for s_i <= m. Being whole numbers, weights can be added in any order and
// grouping with the same sum. Elements more than 31.2·T below m have weight 0, and so has −∞. Returns Σ w_i.
std::uint64_t exp_in_quanta(std::span<const float> s, float m, double temperature, std::uint64_t* w);

// Σ w_i·(m − s_i)/T over the elements with a weight, in double: sixteen sums of every sixteenth element, then
// added in order.
double weighted_sum_of_gaps(std::span<const float> s, std::span<const std::uint64_t> w, float m,
                            double temperature);

// A lower bound of what stays: the keys above `threshold`, and of those equal to it the first `ties`.
struct Cut {
    float threshold = 0;
    std::size_t ties = ~std::size_t{0};
};

// A row in columns. The ids of a source may be null (then element i has id i); without weights none are moved.
struct Source {
    const int* ids = nullptr;
    const float* values = nullptr;
    const std::uint64_t* weights = nullptr;
};
struct Columns {
    int* ids = nullptr;
    float* values = nullptr;
    std::uint64_t* weights = nullptr;
};
// Written behind the last element kept; so much room must be there beyond what is kept.
inline constexpr std::size_t slack = 16;

// Copies what the cut keeps of `from` to `to`, in its order; returns how many. `to` may be the memory of `from`.
// The keys decide, one for each element; they may be the values themselves.
std::size_t keep(std::span<const float> keys, const Cut& cut, const Source& from, const Columns& to);

// Keys in buckets of equal width, the greatest in bucket 0: bucket(x) = min(⌊(top − x)·scale⌋, bucket_count − 1).
inline constexpr int bucket_count = 1024;
struct Buckets {
    float top = 0;
    float scale = 1;
};
// total[b] = Σ of the weights in bucket b.
void bucket_weights(std::span<const float> keys, std::span<const std::uint64_t> weights, const Buckets& buckets,
                    std::span<std::uint64_t, bucket_count> total);
// The positions, in order, of the keys in bucket b.
void collect_bucket(std::span<const float> keys, const Buckets& buckets, int b, std::vector<int>& positions);

}  // namespace tbt
