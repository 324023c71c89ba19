#include "scan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "simd.hpp"

namespace tbt {

using simd::Batch;
using simd::lane_count;
using simd::Lanes;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

using Doubles = xsimd::batch<double>;
using Integers = xsimd::batch<std::int64_t>;
constexpr std::size_t doubles = Doubles::size;

Doubles fma(const Doubles& a, const Doubles& b, const Doubles& c) {
#if defined(__AVX512F__)
    return _mm512_fmadd_pd(a, b, c);
#else
    return xsimd::fma(a, b, c);
#endif
}

Doubles load_as_double(const float* p) {
#if defined(__AVX512F__)
    return _mm512_cvtps_pd(_mm256_loadu_ps(p));
#elif defined(__AVX__)
    return _mm256_cvtps_pd(_mm_loadu_ps(p));
#else
    alignas(64) double d[doubles];
    for (std::size_t i = 0; i < doubles; ++i) d[i] = static_cast<double>(p[i]);
    return Doubles::load_aligned(d);
#endif
}

// Several vectors in step: the processor multiplies one while it waits for another.
constexpr std::size_t in_step = 4;
constexpr std::size_t group_size = in_step * doubles;

// Σ and the weights e^((p[i] − m)/T) in whole quanta, for `group_size` floats p[i] <= m. With x = (p[i] − m)/T, cut at −40:
//
//   e^x·2^44 = 2^(n + 44)·e^r, x = n·ln 2 + r, |r| <= ln 2 / 2
Integers quanta_of_exp(const float* p, const Doubles& m, const Doubles& inverse_t, std::int64_t* w) {
    const auto each = [](auto&& f) {
        for (std::size_t k = 0; k < in_step; ++k) f(k);
    };
    // Adding 1.5·2^52 rounds to an integer and leaves it in the low bits of the sum.
    const Doubles shift(0x1.8p52);
    Doubles t[in_step], r[in_step], y[in_step];
    each([&](std::size_t k) {
        const Doubles x = xsimd::max((load_as_double(p + k * doubles) - m) * inverse_t, Doubles(-40.0));
        t[k] = fma(x, Doubles(1.4426950408889634), shift);
        const Doubles n = t[k] - shift;
        r[k] = fma(n, Doubles(-0x1.a39ef35793c76p-33), fma(n, Doubles(-0x1.62e42fee00000p-1), x));
        y[k] = Doubles(0x1.288060f149570p-22);
    });
    // e^r = 1 + r + r²·P(r); P by Chebyshev interpolation, relative error of e^r under 1.2e-15.
    for (const double c : {0x1.72c75c67ac6b9p-19, 0x1.a019c98e708e7p-16, 0x1.a019ad80eed25p-13, 0x1.6c16c173948e7p-10,
                           0x1.1111111c4e74fp-7, 0x1.5555555554cb0p-5, 0x1.5555555553b63p-3, 0x1.0p-1, 1.0, 1.0}) {
        each([&](std::size_t k) { y[k] = fma(y[k], r[k], Doubles(c)); });
    }
    Integers sum(std::int64_t{0});
    each([&](std::size_t k) {
        // y·2^(n + 44) by adding to the exponent, then rounded by adding 2^52, whose bits are taken off again.
        const Integers exponent = (std::bit_cast<Integers>(t[k]) << 52) + Integers(std::int64_t{quantum_bits} << 52);
        const Doubles scaled = std::bit_cast<Doubles>(std::bit_cast<Integers>(y[k]) + exponent);
        const Integers q = std::bit_cast<Integers>(scaled + Doubles(0x1p52)) - Integers(std::bit_cast<std::int64_t>(0x1p52));
        q.store_unaligned(w + k * doubles);
        sum += q;
    });
    return sum;
}

// Bit i says whether p[i] >= t (or > t), for sixteen floats.
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

// The elements base + i with bit i set, moved to to[n …]. All columns are read before any is written.
void move_chosen(unsigned bits, std::size_t base, const Source& from, const Columns& to, std::size_t n) {
#if defined(__AVX512F__)
    const auto mask = static_cast<__mmask16>(bits);
    const __m512i counting = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i ids = from.ids ? _mm512_loadu_si512(from.ids + base)
                                 : _mm512_add_epi32(counting, _mm512_set1_epi32(static_cast<int>(base)));
    const __m512 values = _mm512_loadu_ps(from.values + base);
    if (to.weights) {
        const __m512i low = _mm512_loadu_si512(from.weights + base),
                      high = _mm512_loadu_si512(from.weights + base + 8);
        const auto low_mask = static_cast<__mmask8>(bits & 0xFF), high_mask = static_cast<__mmask8>(bits >> 8);
        _mm512_storeu_si512(to.weights + n, _mm512_maskz_compress_epi64(low_mask, low));
        _mm512_storeu_si512(to.weights + n + std::popcount(bits & 0xFF),
                            _mm512_maskz_compress_epi64(high_mask, high));
    }
    _mm512_storeu_si512(to.ids + n, _mm512_maskz_compress_epi32(mask, ids));
    _mm512_storeu_ps(to.values + n, _mm512_maskz_compress_ps(mask, values));
#else
    for (; bits; bits &= bits - 1, ++n) {
        const std::size_t i = base + static_cast<std::size_t>(std::countr_zero(bits));
        to.ids[n] = from.ids ? from.ids[i] : static_cast<int>(i);
        to.values[n] = from.values[i];
        if (to.weights) to.weights[n] = from.weights[i];
    }
#endif
}

// The same for fewer than sixteen elements, which must not be read beyond.
void move_chosen_at_end(unsigned bits, std::size_t base, const Source& from, const Columns& to, std::size_t n) {
    for (; bits; bits &= bits - 1, ++n) {
        const std::size_t i = base + static_cast<std::size_t>(std::countr_zero(bits));
        to.ids[n] = from.ids ? from.ids[i] : static_cast<int>(i);
        to.values[n] = from.values[i];
        if (to.weights) to.weights[n] = from.weights[i];
    }
}

xsimd::batch<std::int32_t> bucket_of(const Batch& key, const Batch& top, const Batch& scale) {
    // −∞ and what lies far below fall into the last bucket. (−∞ − −∞ is NaN: min then gives its second operand on
    // x86, and to_int gives 0 on arm; either is a bucket.)
    const Batch b = xsimd::min((top - key) * scale, Batch(static_cast<float>(bucket_count - 1)));
    return xsimd::to_int(b);
}

}  // namespace

bool group_maxima(std::span<const float> row, std::size_t group, std::vector<float>& maxima) {
    // Element j of every run of sixteen goes to lane j: a group is a lane over `group` runs.
    const std::size_t chunk = std::max<std::size_t>(group, 1) * lane_count;
    maxima.resize((row.size() + chunk - 1) / chunk * lane_count);
    auto proper = Batch(0.0f) < Batch(infinity);
    std::size_t g = 0;
    for (std::size_t begin = 0; begin < row.size(); begin += chunk, g += lane_count) {
        const std::size_t end = std::min(begin + chunk, row.size());
        // Four maxima take turns, as each has to wait for its last comparison.
        Lanes m[4] = {Lanes::all(-infinity), Lanes::all(-infinity), Lanes::all(-infinity), Lanes::all(-infinity)};
        const auto take = [&](Lanes& into, const Lanes& x) {
            for (int k = 0; k < simd::batch_count; ++k) proper = proper & (x.part[k] < Batch(infinity));
            into = max(into, x);
        };
        std::size_t i = begin;
        for (; i + 4 * lane_count <= end; i += 4 * lane_count) {
            for (int k = 0; k < 4; ++k) take(m[k], Lanes::load(row.data() + i + k * lane_count));
        }
        for (; i + lane_count <= end; i += lane_count) take(m[0], Lanes::load(row.data() + i));
        if (i < end) take(m[0], Lanes::load_first(row.data() + i, static_cast<int>(end - i), -infinity));
        max(max(m[0], m[1]), max(m[2], m[3])).store(maxima.data() + g);
    }
    return xsimd::all(proper);
}

std::uint64_t exp_in_quanta(std::span<const float> s, float m, double temperature, std::uint64_t* w) {
    // A temperature so small that its inverse overflows is still one: nothing but the maximum has a weight.
    const Doubles inverse(std::min(1.0 / temperature, 1e300)), largest(static_cast<double>(m));
    Integers sum(std::int64_t{0});
    std::size_t i = 0;
    for (; i + group_size <= s.size(); i += group_size) {
        sum += quanta_of_exp(s.data() + i, largest, inverse, reinterpret_cast<std::int64_t*>(w) + i);
    }
    alignas(64) std::int64_t part[group_size];
    std::uint64_t total = 0;
    if (i < s.size()) {
        float rest[group_size];
        for (std::size_t j = 0; j < group_size; ++j) rest[j] = i + j < s.size() ? s[i + j] : -infinity;
        quanta_of_exp(rest, largest, inverse, part);
        for (std::size_t j = 0; i + j < s.size(); ++j) total += w[i + j] = static_cast<std::uint64_t>(part[j]);
    }
    sum.store_aligned(part);
    for (std::size_t j = 0; j < doubles; ++j) total += static_cast<std::uint64_t>(part[j]);
    return total;
}

double weighted_sum_of_gaps(std::span<const float> s, std::span<const std::uint64_t> w, float m,
                            double temperature) {
    const double inverse = std::min(1.0 / temperature, 1e300);
    double sum[lane_count] = {};
    for (std::size_t i = 0; i < s.size(); i += lane_count) {
        const std::size_t n = std::min<std::size_t>(lane_count, s.size() - i);
        for (std::size_t j = 0; j < n; ++j) {
            // Where the weight is 0 the gap may be infinite: cut it, 0 · 40 is 0.
            const double gap = std::min((static_cast<double>(m) - static_cast<double>(s[i + j])) * inverse, 40.0);
            sum[j] = std::fma(static_cast<double>(w[i + j]), gap, sum[j]);
        }
    }
    double total = 0;
    for (const double x : sum) total += x;
    return total;
}

std::size_t keep(std::span<const float> keys, const Cut& cut, const Source& from, const Columns& to) {
    std::size_t n = 0, ties = cut.ties;
    const auto choose = [&](unsigned high, unsigned greater) {
        unsigned equal = high & ~greater;
        while (static_cast<std::size_t>(std::popcount(equal)) > ties)
            equal &= ~std::bit_floor(equal);  // the last one goes
        ties -= static_cast<std::size_t>(std::popcount(equal));
        return greater | equal;
    };
    std::size_t i = 0;
    for (; i + lane_count <= keys.size(); i += lane_count) {
        const unsigned high = at_least(keys.data() + i, cut.threshold);
        if (!high) continue;
        const unsigned chosen = choose(high, above(keys.data() + i, cut.threshold));
        move_chosen(chosen, i, from, to, n);
        n += static_cast<std::size_t>(std::popcount(chosen));
    }
    if (i < keys.size()) {
        float rest[lane_count];
        for (std::size_t j = 0; j < lane_count; ++j) rest[j] = i + j < keys.size() ? keys[i + j] : -infinity;
        const unsigned inside = (1u << (keys.size() - i)) - 1;
        const unsigned chosen =
            choose(at_least(rest, cut.threshold) & inside, above(rest, cut.threshold) & inside);
        move_chosen_at_end(chosen, i, from, to, n);
        n += static_cast<std::size_t>(std::popcount(chosen));
    }
    return n;
}

void bucket_weights(std::span<const float> keys, std::span<const std::uint64_t> weights, const Buckets& buckets,
                    std::span<std::uint64_t, bucket_count> total) {
    // Neighbours often share a bucket, and each addition would wait for the last: four tables take turns.
    alignas(64) std::uint64_t table[4][bucket_count] = {};
    alignas(64) std::int32_t b[lane_count];
    const Batch top(buckets.top), scale(buckets.scale);
    const auto add = [&](const float* key, const std::uint64_t* w, std::size_t n) {
        for (int k = 0; k < simd::batch_count; ++k) {
            bucket_of(Batch::load_unaligned(key + k * simd::batch_size), top, scale)
                .store_aligned(b + k * simd::batch_size);
        }
        for (std::size_t j = 0; j < n; ++j) table[j % 4][b[j]] += w[j];
    };
    std::size_t i = 0;
    for (; i + lane_count <= keys.size(); i += lane_count) add(keys.data() + i, weights.data() + i, lane_count);
    if (i < keys.size()) {
        float rest[lane_count];
        for (std::size_t j = 0; j < lane_count; ++j) rest[j] = i + j < keys.size() ? keys[i + j] : buckets.top;
        add(rest, weights.data() + i, keys.size() - i);
    }
    for (std::size_t k = 0; k < bucket_count; ++k)
        total[k] = table[0][k] + table[1][k] + table[2][k] + table[3][k];
}

void collect_bucket(std::span<const float> keys, const Buckets& buckets, int b, std::vector<int>& positions) {
    const Batch top(buckets.top), scale(buckets.scale);
    const xsimd::batch<std::int32_t> wanted(b);
    alignas(64) std::int32_t of[simd::batch_size];
    positions.resize(keys.size() + 1);
    std::size_t found = 0;
    const auto take = [&](const float* key, std::size_t base, std::size_t n) {
        const auto bucket = bucket_of(Batch::load_unaligned(key), top, scale);
        if (!xsimd::any(bucket == wanted)) return;
        bucket.store_aligned(of);
        // Written always, counted when it is the bucket's: no branch to guess wrong.
        for (std::size_t j = 0; j < n; ++j) {
            positions[found] = static_cast<int>(base + j);
            found += of[j] == b;
        }
    };
    constexpr auto width = static_cast<std::size_t>(simd::batch_size);
    std::size_t i = 0;
    for (; i + width <= keys.size(); i += width) take(keys.data() + i, i, width);
    if (i < keys.size()) {
        float rest[width];
        for (std::size_t j = 0; j < width; ++j) rest[j] = i + j < keys.size() ? keys[i + j] : buckets.top;
        take(rest, i, keys.size() - i);
    }
    positions.resize(found);
}

}  // namespace tbt
