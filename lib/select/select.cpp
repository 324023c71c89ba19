#include "lib/select/select.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/simd.hpp"
#include "lib/select/simd_double.hpp"

namespace tbt {

// ---- passes over a row ----

using simd::Batch;
using simd::lane_count;
using simd::Lanes;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// Bit i of the result says whether p[i] >= t (or p[i] > t), for sixteen floats.
#if defined(__AVX512F__)
unsigned at_least(const float* p, float t) {
    return _mm512_cmp_ps_mask(_mm512_loadu_ps(p), _mm512_set1_ps(t), _CMP_GE_OQ);
}
unsigned above(const float* p, float t) {
    return _mm512_cmp_ps_mask(_mm512_loadu_ps(p), _mm512_set1_ps(t), _CMP_GT_OQ);
}
#elif defined(__AVX__)
template <int How>
unsigned compare(const float* p, float t) {
    const __m256 ts = _mm256_set1_ps(t);
    const int low = _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(p), ts, How));
    const int high = _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(p + 8), ts, How));
    return static_cast<unsigned>(low) | static_cast<unsigned>(high) << 8;
}
unsigned at_least(const float* p, float t) { return compare<_CMP_GE_OQ>(p, t); }
unsigned above(const float* p, float t) { return compare<_CMP_GT_OQ>(p, t); }
#else
unsigned at_least(const float* p, float t) {
    unsigned bits = 0;
    for (unsigned i = 0; i < 16; ++i) bits |= static_cast<unsigned>(p[i] >= t) << i;
    return bits;
}
unsigned above(const float* p, float t) {
    unsigned bits = 0;
    for (unsigned i = 0; i < 16; ++i) bits |= static_cast<unsigned>(p[i] > t) << i;
    return bits;
}
#endif

// Writes the elements from[i] whose bit i is set to `to`, one after the other. `to` may overlap
// `from` if it does not begin after it.
template <class T>
void compress_few(unsigned bits, const T* from, T* to) {
    for (; bits; bits &= bits - 1) *to++ = from[std::countr_zero(bits)];
}

// The same for sixteen elements, all of which are read; it may write `slack` elements. The second
// version writes the positions first + i instead of elements.
#if defined(__AVX512F__)
void compress(unsigned bits, const float* from, float* to) {
    _mm512_storeu_ps(to,
                     _mm512_maskz_compress_ps(static_cast<__mmask16>(bits), _mm512_loadu_ps(from)));
}
void compress(unsigned bits, const int* from, int* to) {
    _mm512_storeu_si512(
        to, _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), _mm512_loadu_si512(from)));
}
void compress(unsigned bits, const std::uint64_t* from, std::uint64_t* to) {
    const __m512i low = _mm512_loadu_si512(from), high = _mm512_loadu_si512(from + 8);
    const auto low_mask = static_cast<__mmask8>(bits & 0xFF),
               high_mask = static_cast<__mmask8>(bits >> 8);
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(low_mask, low));
    _mm512_storeu_si512(to + std::popcount(bits & 0xFF),
                        _mm512_maskz_compress_epi64(high_mask, high));
}
void compress_positions(unsigned bits, int first, int* to) {
    const __m512i counting =
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i positions = _mm512_add_epi32(counting, _mm512_set1_epi32(first));
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), positions));
}
#else
void compress_positions(unsigned bits, int first, int* to) {
    for (; bits; bits &= bits - 1) *to++ = first + std::countr_zero(bits);
}
template <class T>
void compress(unsigned bits, const T* from, T* to) {
    compress_few(bits, from, to);
}
#endif

bool any_at_least(const float* p, int runs, const Lanes& t) {
    Lanes m = Lanes::load(p);
    for (int k = 1; k < runs; ++k) m = max(m, Lanes::load(p + k * lane_count));
    auto any = m.part[0] >= t.part[0];
    for (int k = 1; k < simd::batch_count; ++k) any = any | (m.part[k] >= t.part[k]);
    return xsimd::any(any);
}

constexpr unsigned whole_run = 0xFFFF;

// Calls f(key, i, inside) for each run of sixteen keys (beginning at position i) that may have a
// key >= threshold. The last run can be shorter: `key` is then a copy, and `inside` has a bit for
// each key that exists.
template <class F>
void for_each_run_with(std::span<const float> keys, float threshold, F&& f) {
    constexpr int glance = 4;  // runs that are tested together, since most have no such key
    const Lanes t = Lanes::all(threshold);
    std::size_t i = 0;
    for (; i + glance * lane_count <= keys.size(); i += glance * lane_count) {
        if (!any_at_least(keys.data() + i, glance, t)) continue;
        for (std::size_t k = i; k < i + glance * lane_count; k += lane_count)
            f(keys.data() + k, k, whole_run);
    }
    for (; i + lane_count <= keys.size(); i += lane_count) f(keys.data() + i, i, whole_run);
    if (i == keys.size()) return;
    float rest[lane_count] = {};
    std::copy_n(keys.data() + i, keys.size() - i, rest);
    f(rest, i, (1u << (keys.size() - i)) - 1);
}

template <class T>
void move(unsigned chosen, unsigned inside, const T* from, T* to) {
    if (inside == whole_run) compress(chosen, from, to);
    else compress_few(chosen, from, to);
}

// sum[j mod doubles] += w[j] for the bits j that are set, for a run of sixteen weights.
void add_chosen(unsigned bits, const std::uint64_t* w, simd::Integers& sum) {
#if defined(__AVX512F__)
    const __m512i low = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(bits & 0xFF), w);
    const __m512i high = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(bits >> 8), w + 8);
    sum = _mm512_add_epi64(sum, _mm512_add_epi64(low, high));
#else
    constexpr auto width = simd::doubles;
    alignas(64) static constexpr auto masks = [] {
        std::array<std::array<std::int64_t, width>, std::size_t{1} << width> all{};
        for (std::size_t m = 0; m < all.size(); ++m) {
            for (std::size_t j = 0; j < width; ++j) all[m][j] = m >> j & 1 ? -1 : 0;
        }
        return all;
    }();
    for (std::size_t k = 0; k < lane_count; k += width, bits >>= width) {
        const auto mask = simd::Integers::load_aligned(masks[bits & (masks.size() - 1)].data());
        sum += mask & simd::Integers::load_unaligned(reinterpret_cast<const std::int64_t*>(w) + k);
    }
#endif
}

}  // namespace

float group_maxima(std::span<const float> row, std::size_t group, std::vector<float>& maxima) {
    // Element j of every run of sixteen goes to lane j. A group is one lane of `group` runs.
    const std::size_t chunk = std::clamp<std::size_t>(group, 1, row.size() + 1) * lane_count;
    maxima.resize((row.size() + chunk - 1) / chunk * lane_count);
    auto proper = Batch(0.0f) < Batch(infinity);
    std::size_t g = 0;
    for (std::size_t begin = 0; begin < row.size(); begin += chunk, g += lane_count) {
        const std::size_t end = std::min(begin + chunk, row.size());
        // Four maxima in turn, to hide the latency of the comparison.
        Lanes m[4] = {Lanes::all(-infinity), Lanes::all(-infinity), Lanes::all(-infinity),
                      Lanes::all(-infinity)};
        const auto take = [&](Lanes& into, const Lanes& x) {
            for (int k = 0; k < simd::batch_count; ++k)
                proper = proper & (x.part[k] < Batch(infinity));
            into = max(into, x);
        };
        std::size_t i = begin;
        for (; i + 4 * lane_count <= end; i += 4 * lane_count) {
            for (int k = 0; k < 4; ++k) take(m[k], Lanes::load(row.data() + i + k * lane_count));
        }
        for (; i + lane_count <= end; i += lane_count) take(m[0], Lanes::load(row.data() + i));
        if (i < end) take(m[0], Lanes::load_first(row.data() + i, to_int(end - i), -infinity));
        max(max(m[0], m[1]), max(m[2], m[3])).store(maxima.data() + g);
    }
    Lanes largest = Lanes::all(-infinity);
    for (std::size_t i = 0; i < maxima.size(); i += lane_count)
        largest = max(largest, Lanes::load(maxima.data() + i));
    return xsimd::all(proper) ? simd::largest(largest) : std::numeric_limits<float>::quiet_NaN();
}

void negative_distances(std::span<const float> s, double centre, std::span<float> keys) {
    check_size("distances: keys", keys.size(), s.size());
    const simd::Doubles c(centre);
    std::size_t i = 0;
    for (; i + simd::doubles <= s.size(); i += simd::doubles)
        simd::store_as_float(-xsimd::abs(simd::load_as_double(s.data() + i) - c), keys.data() + i);
    for (; i < s.size(); ++i)
        keys[i] = static_cast<float>(-std::abs(static_cast<double>(s[i]) - centre));
}

std::size_t keep(std::span<const float> keys, const Cut& cut, const Source& from,
                 const Columns& to) {
    std::size_t n = 0, ties = cut.ties;
    const auto choose = [&](unsigned high, unsigned greater) {
        unsigned equal = high & ~greater;
        while (index(std::popcount(equal)) > ties)
            equal &= ~std::bit_floor(equal);  // drop the last one
        ties -= index(std::popcount(equal));
        return greater | equal;
    };
    for_each_run_with(keys, cut.threshold, [&](const float* key, std::size_t i, unsigned inside) {
        const unsigned high = at_least(key, cut.threshold) & inside;
        if (!high) return;
        const unsigned chosen = choose(high, above(key, cut.threshold) & inside);
        if (from.ids) move(chosen, inside, from.ids + i, to.ids + n);
        else compress_positions(chosen, to_int(i), to.ids + n);
        move(chosen, inside, from.values + i, to.values + n);
        n += index(std::popcount(chosen));
    });
    return n;
}

void split(std::span<const float> keys, std::span<const std::uint64_t> weights, float low,
           float high, Between& between) {
    check_size("split: weights", weights.size(), keys.size());
    if (between.keys.size() < keys.size() + slack) {
        between.keys.resize(keys.size() + slack);
        between.weights.resize(keys.size() + slack);
    }
    simd::Integers sum(std::int64_t{0});
    std::size_t n = 0;
    for_each_run_with(keys, low, [&](const float* key, std::size_t i, unsigned inside) {
        const unsigned large = at_least(key, low) & inside, greater = above(key, high) & inside;
        const std::uint64_t* w = weights.data() + i;
        std::uint64_t last[lane_count] = {};
        if (inside != whole_run)
            w = std::copy_n(w, std::popcount(inside), last) - std::popcount(inside);
        add_chosen(greater, w, sum);
        if (const unsigned chosen = large & ~greater) {
            move(chosen, inside, key, between.keys.data() + n);
            move(chosen, inside, w, between.weights.data() + n);
            n += index(std::popcount(chosen));
        }
    });
    alignas(64) std::int64_t part[simd::doubles];
    sum.store_aligned(part);
    between.count = n;
    between.weight_above = 0;
    for (const std::int64_t p : part) between.weight_above += static_cast<std::uint64_t>(p);
}

// ---- selection ----

namespace {

constexpr float lowest = std::numeric_limits<float>::lowest();
constexpr std::size_t few = 128;  // for at most this many, the standard library is fast enough

float kth_by_partition(std::vector<float> values, std::size_t k) {
    for (const float v : values) {
        if (std::isnan(v)) throw Error("select: a value is NaN, expected numbers");
    }
    const auto kth = values.begin() + static_cast<std::ptrdiff_t>(k - 1);
    std::nth_element(values.begin(), kth, values.end(), std::greater<>());
    return *kth;
}

float at(std::span<const float> keys, int position) { return keys[index(position)]; }

// Finds the prefix by sorting. It must be 0 < target <= Σ w_i, or all weights are 0.
Cut prefix_by_sorting(std::span<const float> keys, std::span<const std::uint64_t> weights,
                      std::uint64_t target) {
    if (keys.empty()) throw Error("select: the weights do not have the sum that was given");
    std::vector<int> positions(keys.size());
    std::iota(positions.begin(), positions.end(), 0);
    const auto greater = [&](int a, int b) { return at(keys, a) > at(keys, b); };
    if (!std::is_sorted(positions.begin(), positions.end(), greater))
        std::stable_sort(positions.begin(), positions.end(), greater);
    Cut cut{at(keys, positions.front()), 0};
    std::uint64_t sum = 0;
    for (const int i : positions) {
        if (at(keys, i) != cut.threshold) cut = {at(keys, i), 0};
        ++cut.ties;
        sum += weights[index(i)];
        if (sum >= target) break;
    }
    return cut;
}

constexpr std::size_t max_values = std::size_t{1} << (std::numeric_limits<std::size_t>::digits - 4);

void check_place(std::size_t k, std::size_t most) {
    if (k >= 1 && k <= most) return;
    throw Error("select: the " + std::to_string(k) + "th largest of " +
                (most == max_values ? "a row" : std::to_string(most) + " values") +
                ", expected a rank from 1 to the number of values");
}
void check_row(std::span<const float> keys, std::span<const std::uint64_t> weights) {
    if (keys.empty()) throw Error("select: a row of no keys, expected at least one");
    check_size("select: weights", weights.size(), keys.size());
}

constexpr std::size_t sampled = 128;

// Systematic sampling: draws `sampled` elements with probability w_i/Σ w, at equal distances along
// the cumulative weights. If a few elements have most of the weight, they are most of the sample.
std::array<float, sampled> sample_by_weight(std::span<const float> keys,
                                            std::span<const std::uint64_t> weights,
                                            std::uint64_t sum) {
    constexpr std::size_t block = 64;
    std::array<float, sampled> sample;
    const std::uint64_t distance = sum / sampled;
    std::uint64_t notch = distance / 2;  // the next point, relative to the weights before element i
    std::size_t i = 0;
    for (float& key : sample) {
        for (; i + block <= weights.size(); i += block) {
            std::uint64_t all = 0;
            for (std::size_t j = 0; j < block; ++j) all += weights[i + j];
            if (notch < all) break;
            notch -= all;
        }
        while (i < weights.size() && notch >= weights[i]) notch -= weights[i++];
        if (i == weights.size()) throw Error("select: the weights sum to less than was given");
        key = keys[i];
        notch += distance;
    }
    return sample;
}

struct Pivots {
    float low, middle, high;
};

// Estimates from a sample two keys between which the prefix probably ends [Floyd & Rivest 1975]. If
// some elements have the fraction p of all weight, their fraction of the sample is
// p ± √(p(1 − p)/sampled).
Pivots pivots(std::span<const float> keys, std::span<const std::uint64_t> weights,
              std::uint64_t sum, std::uint64_t target) {
    std::array<float, sampled> sample = sample_by_weight(keys, weights, sum);
    std::sort(sample.begin(), sample.end(), std::greater<>());
    const double p = static_cast<double>(target) / static_cast<double>(sum);
    const double place = p * sampled, spread = 1 + 2 * std::sqrt(place * (1 - p));
    const auto key = [&](double at) { return sample[static_cast<std::size_t>(at)]; };
    return {place + spread < sampled ? key(place + spread) : lowest, sample[sampled / 2],
            place > spread ? key(place - spread) : infinity};
}

}  // namespace

// ---- public functions ----

float reached_by_at_least(std::span<const float> values, std::size_t k) {
    check_place(k, values.empty() ? 0 : max_values);
    // At least k groups have a maximum >= the k-th largest maximum, so at least k elements are >=
    // it. With four times as many groups as k, two large elements are rarely in one group.
    const std::size_t group = std::min<std::size_t>(values.size() / (4 * k), 32);
    if (group < 2 || values.size() <= few)
        return kth_by_partition({values.begin(), values.end()}, std::min(k, values.size()));
    std::vector<float> maxima;
    group_maxima(values, group, maxima);
    return kth_largest(maxima, k);
}

float kth_largest(std::span<const float> values, std::size_t k) {
    check_place(k, values.size());
    if (values.size() <= few || values.size() / (4 * k) < 2)
        return kth_by_partition({values.begin(), values.end()}, k);
    const float bound = reached_by_at_least(values, k);
    std::vector<float> high;
    for (const float v : values) {
        if (v >= bound) high.push_back(v);
    }
    return kth_by_partition(std::move(high), k);
}

Cut smallest_prefix_reaching(std::span<const float> keys, std::span<const std::uint64_t> weights,
                             std::uint64_t sum, std::uint64_t target) {
    check_row(keys, weights);
    thread_local Between parts[2];
    target = std::min(std::max<std::uint64_t>(target, 1), sum);
    for (int turn = 0; keys.size() > few && sum > 0; turn = 1 - turn) {
        Between& part = parts[turn];
        std::uint64_t within = 0;
        const auto take = [&](float low, float high) {
            split(keys, weights, low, high, part);
            within = std::accumulate(part.weights.begin(),
                                     part.weights.begin() + static_cast<std::ptrdiff_t>(part.count),
                                     std::uint64_t{0});
        };
        // Continue with the part of the row in which the prefix ends: between the pivots, or else
        // above or below them.
        const auto narrow = [&](float low, float high) {
            take(low, high);
            if (target <= part.weight_above) take(std::nextafter(high, infinity), infinity);
            else if (target > part.weight_above + within)
                take(lowest, std::nextafter(low, -infinity));
        };
        const Pivots guess = pivots(keys, weights, sum, target);
        narrow(guess.low, guess.high);
        if (part.count > keys.size() / 2)
            narrow(guess.middle, guess.middle);  // many keys are equal
        if (part.count == keys.size()) break;    // all are
        keys = {part.keys.data(), part.count}, weights = {part.weights.data(), part.count};
        target -= part.weight_above, sum = within;
    }
    return prefix_by_sorting(keys, weights, target);
}

}  // namespace tbt
