#include "lib/select/integer_weights.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "lib/core/check.hpp"
#include "lib/select/simd_double.hpp"

namespace tbt {

namespace {

constexpr double log2_e = 1.4426950408889634;
// Adding this constant to x rounds to an integer. The low bits of the sum are then that integer +
// 44 + 1023, the exponent of a double 2^(n + 44).
constexpr double shift_to_integer = 0x1.8p52 + 1023 + weight_bits;
// 2^f = 1 + f·P(f); P by Chebyshev interpolation, relative error of 2^f under 6e-16.
constexpr double highest_coefficient = 0x1.e5e9f548e5725p-28;
constexpr double coefficients[] = {0x1.b6571de2f2351p-24, 0x1.62bfe46117445p-20,
                                   0x1.ffcb76789860fp-17, 0x1.4309130378460p-13,
                                   0x1.5d87fe908f88ap-10, 0x1.3b2ab6fba385fp-7,
                                   0x1.c6b08d7044119p-5,  0x1.ebfbdff82c590p-3,
                                   0x1.62e42fefa39f7p-1,  1.0};
// Below 1e-300 only the largest element has a weight; above 1e300 all elements except −∞ have the
// same weight. So clamping changes no result.
double usable(double temperature) {
    return temperature < 1e-300 ? 1e-300 : temperature > 1e300 ? 1e300 : temperature;
}

}  // namespace

// x = gap·log2(e)/T = n + f with |f| <= 1/2; e^(gap/T)·2^44 = 2^(n + 44)·2^f.
std::uint64_t integer_exp(double gap, double temperature) {
    const double per_octave = log2_e / usable(temperature),
                 cut = std::max(gap, -58.0 / log2_e * usable(temperature));
    const double t = std::fma(cut, per_octave, shift_to_integer),
                 f = std::fma(cut, per_octave, shift_to_integer - t);
    double y = highest_coefficient;
    for (const double c : coefficients) y = std::fma(y, f, c);
    // The low bits of t, shifted to the exponent, are the double 2^(n + 44). Adding 2^52 rounds to
    // an integer; subtracting the bits of 2^52 leaves that integer.
    const auto power = std::bit_cast<double>(std::bit_cast<std::uint64_t>(t) << 52);
    return std::bit_cast<std::uint64_t>(std::fma(y, power, 0x1p52)) -
           std::bit_cast<std::uint64_t>(0x1p52);
}

using simd::Doubles;
using simd::doubles;
using simd::Integers;

namespace {

// The number of vectors computed side by side, to hide the latency of the multiplications.
constexpr std::size_t in_step = 4;
constexpr std::size_t group_size = in_step * doubles;

static_assert(weight_block % group_size == 0);

// The constants of a row.
struct Scale {
    Doubles m, per_octave,
        lowest;  // x = (s − m)·per_octave; s − m is at least `lowest`, for which x is −58

    Scale(float largest, double temperature)
        : m(static_cast<double>(largest)),
          per_octave(log2_e / usable(temperature)),
          lowest(-58.0 / log2_e * usable(temperature)) {}
};

// The weights of `group_size` floats p[i] <= m:
//
//   e^((p − m)/T)·2^44 = 2^x·2^44 = 2^(n + 44)·2^f,  x = (p − m)·log2(e)/T = n + f,  |f| <= 1/2
//
// Inlined, so that its constants stay in registers over the whole row.
[[gnu::always_inline]] inline std::array<Integers, in_step> integers_of_exp(const float* p,
                                                                            const Scale& scale) {
    const auto each = [](auto&& f) __attribute__((always_inline)) {
        for (std::size_t k = 0; k < in_step; ++k) f(k);
    };
    const Doubles shift(shift_to_integer);
    Doubles t[in_step], f[in_step], y[in_step];
    each([&](std::size_t k) {
        const Doubles gap =
            xsimd::max(simd::load_as_double(p + k * doubles) - scale.m, scale.lowest);
        t[k] = simd::fma(gap, scale.per_octave, shift);
        f[k] = simd::fma(gap, scale.per_octave, shift - t[k]);
        y[k] = Doubles(highest_coefficient);
    });
    for (const double c : coefficients) {
        each([&](std::size_t k) { y[k] = simd::fma(y[k], f[k], Doubles(c)); });
    }
    // The low bits of t, shifted to the exponent, are the double 2^(n + 44). Adding 2^52 rounds to
    // an integer; subtracting the bits of 2^52 leaves that integer.
    std::array<Integers, in_step> w;
    each([&](std::size_t k) {
        const Doubles power = simd::as_doubles(simd::as_integers(t[k]) << 52);
        w[k] = simd::as_integers(simd::fma(y[k], power, Doubles(0x1p52))) -
               Integers(std::bit_cast<std::int64_t>(0x1p52));
    });
    return w;
}

// The weights of the last elements of a row, fewer than a group. The padding has weight 0.
std::array<Integers, in_step> last_integers(std::span<const float> rest, const Scale& scale) {
    float padded[group_size];
    std::fill(std::copy(rest.begin(), rest.end(), padded), padded + group_size,
              -std::numeric_limits<float>::infinity());
    return integers_of_exp(padded, scale);
}

Integers sum_of(const std::array<Integers, in_step>& w) {
    static_assert(in_step == 4);
    return (w[0] + w[1]) + (w[2] + w[3]);
}

std::uint64_t sum_of(const Integers& x) {
    std::int64_t part[doubles];
    x.store_unaligned(part);
    std::uint64_t sum = 0;
    for (const std::int64_t p : part) sum += static_cast<std::uint64_t>(p);
    return sum;
}

void store(const std::array<Integers, in_step>& w, std::int64_t* to) {
    for (std::size_t k = 0; k < in_step; ++k) w[k].store_unaligned(to + k * doubles);
}

}  // namespace

std::uint64_t integer_exp(std::span<const float> s, float m, double temperature, std::uint64_t* w,
                          std::uint64_t* block_sums) {
    const Scale scale(m, temperature);
    std::uint64_t total = 0;
    for (std::size_t begin = 0; begin < s.size(); begin += weight_block) {
        const std::size_t end = std::min(begin + weight_block, s.size());
        Integers sum(std::int64_t{0});
        std::size_t i = begin;
        for (; i + group_size <= end; i += group_size) {
            const auto integers = integers_of_exp(s.data() + i, scale);
            store(integers, reinterpret_cast<std::int64_t*>(w) + i);
            sum += sum_of(integers);
        }
        if (i < end) {
            std::int64_t rest[group_size];
            const auto integers = last_integers(s.subspan(i), scale);
            store(integers, rest);
            std::copy_n(rest, end - i, w + i);
            sum += sum_of(integers);
        }
        const std::uint64_t block_sum = sum_of(sum);
        if (block_sums) block_sums[begin / weight_block] = block_sum;
        total += block_sum;
    }
    return total;
}

double weighted_sum_of_gaps(std::span<const float> s, std::span<const std::uint64_t> w, float m,
                            double temperature) {
    check_size("gaps: weights", w.size(), s.size());
    constexpr std::size_t lanes = 16;
    const double T = usable(temperature);
    // An element with weight 0 may have an infinite gap. Limiting the gap to 40·T makes its term 0.
    const Doubles largest(static_cast<double>(m)), widest(40.0 * T), bits(0x1p52);
    Doubles sum[lanes / doubles];
    for (Doubles& x : sum) x = Doubles(0.0);
    const auto add = [&](const float* p, const std::uint64_t* weights) {
        for (std::size_t k = 0; k < lanes / doubles; ++k) {
            const auto* q = reinterpret_cast<const std::int64_t*>(weights) + k * doubles;
            // Converts a weight below 2^52 to a double: its bits are the low bits of 2^52 + w.
            const Doubles weight =
                simd::as_doubles(Integers::load_unaligned(q) | simd::as_integers(bits)) - bits;
            const Doubles gap = xsimd::min(largest - simd::load_as_double(p + k * doubles), widest);
            sum[k] = simd::fma(weight, gap, sum[k]);
        }
    };
    std::size_t i = 0;
    for (; i + lanes <= s.size(); i += lanes) add(s.data() + i, w.data() + i);
    if (i < s.size()) {
        float last[lanes] = {};
        std::uint64_t weights[lanes] = {};
        std::copy_n(s.data() + i, s.size() - i, last);
        std::copy_n(w.data() + i, s.size() - i, weights);
        add(last, weights);
    }
    double part[lanes];
    for (std::size_t k = 0; k < lanes / doubles; ++k) sum[k].store_unaligned(part + k * doubles);
    double total = 0;
    for (const double x : part) total += x;
    return total / T;
}

}  // namespace tbt
