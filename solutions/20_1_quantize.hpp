// Exercise 20_1: what is lost when weights are stored in a few bits? A simulator: quantize,
// restore, measure.
//
// With b bits there are 2^b levels, spread evenly from the smallest to the greatest weight. In
// double precision:
//
//     step = (max − min) / (2^b − 1)
//     q_i = round((w_i − min) / step)        w'_i = min + q_i · step
//
// round takes the nearest integer, and a half goes to the even one (std::nearbyint does this). If
// all weights are equal, step is 0: nothing is lost, and w'_i = w_i. Then, over all n weights,
//
//     MSE = Σ (w_i − w'_i)² / n        max error = max |w_i − w'_i|
//     SNR = 10 · log10(Σ w_i² / Σ (w_i − w'_i)²) dB
//
// decibels() is given; the SNR is infinite when the error is 0. One more bit halves the step, which
// adds about 6 dB.
//
// One weight far from the others stretches the range for all of them. So keep such outliers as they
// are: weights with |w| at or above a threshold stay, and min and max are those of the other
// weights. (Real AWQ does not keep weights: it scales the channels that meet large activations [Lin
// et al. 2024].)
//
// Write three functions, about 20 lines. Check: make check EX=20_1.
// See the table: make try EX=20_1
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/math.hpp"

namespace tbt::ex20_1 {

// n weights with mean 0 and standard deviation .02: the same bits as numpy's
// RandomState(seed).normal(0, .02, n) rounded to float. They come from doubles of 53 random bits
// by the polar method [Marsaglia & Bray 1964], which makes two numbers at a time.
inline std::vector<float> normal_weights(std::size_t n, unsigned seed) {
    std::mt19937 generator(seed);
    const auto uniform = [&] {
        const double a = static_cast<double>(generator() >> 5),
                     b = static_cast<double>(generator() >> 6);
        return (a * 67108864 + b) / 9007199254740992;
    };
    std::vector<float> weights;
    while (weights.size() < n) {
        double x1, x2, r2;
        do {
            x1 = 2 * uniform() - 1;
            x2 = 2 * uniform() - 1;
            r2 = x1 * x1 + x2 * x2;
        } while (r2 >= 1 || r2 == 0);
        const double f = std::sqrt(-2 * portable_log(r2) / r2);
        weights.push_back(static_cast<float>(.02 * (f * x2)));
        if (weights.size() < n) weights.push_back(static_cast<float>(.02 * (f * x1)));
    }
    return weights;
}

// The |w| that the given share of the weights reaches or exceeds: 1 % of 10,000 weights are exactly
// 100 weights. Between two weights it is interpolated as numpy.percentile does.
inline double threshold_of(std::span<const float> weights, double share) {
    std::vector<double> sizes;
    for (const float w : weights) sizes.push_back(std::fabs(static_cast<double>(w)));
    std::sort(sizes.begin(), sizes.end());
    const double place = (1 - share) * static_cast<double>(sizes.size() - 1);
    const auto i = std::min(static_cast<std::size_t>(place), sizes.size() - 1);
    const double next = sizes[std::min(i + 1, sizes.size() - 1)];
    return sizes[i] + (place - static_cast<double>(i)) * (next - sizes[i]);
}

// A ratio of powers in decibels.
inline double decibels(double ratio) { return 10 * portable_log(ratio) / portable_log(10); }

struct Loss {
    double mse = 0, max_error = 0, snr = 0;
};

// The weights after storing and restoring. Weights with |w| >= keep_from stay as they
// are. 1 <= bits <= 16.
inline std::vector<double> quantized(
    [[maybe_unused]] std::span<const float> weights, [[maybe_unused]] int bits,
    [[maybe_unused]] double keep_from = std::numeric_limits<double>::infinity()) {
    // >>> write here
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double w : weights) {
        if (std::fabs(w) >= keep_from) continue;
        low = std::min(low, w);
        high = std::max(high, w);
    }
    const double step = (high - low) / ((1 << bits) - 1);
    std::vector<double> restored;
    for (const double w : weights) {
        const bool as_it_is = std::fabs(w) >= keep_from || step == 0;
        restored.push_back(as_it_is ? w : low + std::nearbyint((w - low) / step) * step);
    }
    return restored;
    // <<< to here
}

inline Loss loss([[maybe_unused]] std::span<const float> weights,
                 [[maybe_unused]] std::span<const double> restored) {
    // >>> write here
    double signal = 0, noise = 0, max_error = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double w = weights[i], error = w - restored[i];
        signal += w * w;
        noise += error * error;
        max_error = std::max(max_error, std::fabs(error));
    }
    const double snr =
        noise > 0 ? decibels(signal / noise) : std::numeric_limits<double>::infinity();
    return {noise / static_cast<double>(weights.size()), max_error, snr};
    // <<< to here
}

// Average bits of a weight when a share of the weights is kept in 32 bits. The bits that say which
// ones these are do not count.
inline double average_bits([[maybe_unused]] int bits, [[maybe_unused]] double share) {
    // >>> write here
    return (1 - share) * bits + share * 32;
    // <<< to here
}

}  // namespace tbt::ex20_1
