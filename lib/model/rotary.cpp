#include "lib/model/rotary.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/math.hpp"
#include "lib/core/simd.hpp"
#include "lib/model/layers.hpp"
#include "lib/model/trigonometry.hpp"

namespace tbt {

using simd::lane_count;
using simd::Lanes;

namespace {

constexpr double two_pi = 6.283185307179586;

void check_positive(const char* what, double value) {
    if (value > 0 && std::isfinite(value)) return;
    throw Error(std::string("rotary positions: ") + what + " is " + std::to_string(value) +
                ", expected a positive number");
}

// A frequency with many turns within the original context stays as it is. One with few turns is
// divided by the factor. In between, the result changes smoothly from one to the other.
// [Grattafiori et al. 2024; as in transformers]
double llama3_frequency(const Rotary& r, double f) {
    const double turns = r.original_positions * f / two_pi;  // within the original context
    if (turns > r.high_frequency_factor) return f;
    if (turns < r.low_frequency_factor) return f / r.factor;
    const double kept =
        (turns - r.low_frequency_factor) / (r.high_frequency_factor - r.low_frequency_factor);
    return (1 - kept) * f / r.factor + kept * f;
}

// YaRN: the i at which f_i makes this many turns within the original context.
double dimension_of(const Rotary& r, double turns, int size) {
    return size * portable_log(r.original_positions / (turns * two_pi)) /
           (2 * portable_log(r.theta));
}

// Frequencies before the transition stay, those after it are divided by the factor.
double yarn_frequency(const Rotary& r, double f, int i, int size) {
    double first = dimension_of(r, r.high_frequency_factor, size),
           last = dimension_of(r, r.low_frequency_factor, size);
    if (r.whole_dimensions) first = std::floor(first), last = std::ceil(last);
    first = std::max(first, 0.0), last = std::min(last, size - 1.0);
    if (first == last) last += 0.001;
    const double divided = std::clamp((i - first) / (last - first), 0.0, 1.0);
    return f / r.factor * divided + f * (1 - divided);
}

void check_factors(const Rotary& r, int size) {
    for (const std::vector<double>* factors : {&r.short_factors, &r.long_factors}) {
        if (count(*factors) != size / 2)
            throw Error("rotary positions: longrope has " + std::to_string(factors->size()) +
                        " short or long factors, expected " + std::to_string(size / 2) +
                        ", half of the components that are rotated");
        for (const double factor : *factors) check_positive("a factor of longrope", factor);
    }
}

}  // namespace

std::vector<double> rotary_frequencies(const Rotary& rotary, int size, int context) {
    if (size < 2 || size % 2 != 0)
        throw Error("rotary positions: " + std::to_string(size) +
                    " components of a head are rotated, expected an even number of 2 or more");
    check_positive("theta", rotary.theta);
    check_positive("the factor", rotary.factor);
    const bool yarn = rotary.scaling == RotaryScaling::yarn;
    check_positive("the amplitude", rotary.amplitude);
    if (yarn || rotary.scaling == RotaryScaling::llama3) {
        check_positive(yarn ? "beta_slow" : "low_freq_factor", rotary.low_frequency_factor);
        check_positive("original_max_position_embeddings", rotary.original_positions);
        if (!(rotary.high_frequency_factor > rotary.low_frequency_factor))
            throw Error(std::string("rotary positions: ") +
                        (yarn ? "beta_fast is " : "high_freq_factor is ") +
                        std::to_string(rotary.high_frequency_factor) + ", expected more than " +
                        (yarn ? "beta_slow, " : "low_freq_factor, ") +
                        std::to_string(rotary.low_frequency_factor));
    }
    const bool longrope = rotary.scaling == RotaryScaling::longrope;
    if (longrope) check_factors(rotary, size);
    const std::vector<double>& factors =
        context > rotary.original_positions ? rotary.long_factors : rotary.short_factors;
    std::vector<double> frequencies;
    const double log_theta = portable_log(rotary.theta);
    for (int i = 0; i < size / 2; ++i) {
        const double f = portable_exp(-2.0 * i / size * log_theta);
        frequencies.push_back(longrope ? f / factors[index(i)]
                              : yarn   ? yarn_frequency(rotary, f, i, size)
                              : rotary.scaling == RotaryScaling::llama3
                                  ? llama3_frequency(rotary, f)
                              : rotary.scaling == RotaryScaling::linear ? f / rotary.factor
                                                                        : f);
    }
    return frequencies;
}

void rotary_angles(std::span<const double> frequencies, std::int64_t position, float* out,
                   double amplitude) {
    const auto half = length_of(frequencies);
    for (std::int64_t i = 0; i < half; ++i) {
        const double angle = static_cast<double>(position) * frequencies[index(i)];
        out[i] = static_cast<float>(portable_cos(angle) * amplitude);
        out[half + i] = static_cast<float>(portable_sin(angle) * amplitude);
    }
}

void rotate(float* x, int size, const float* angles) {
    const int half = size / 2;
    const float *cosines = angles, *sines = angles + half;
    float* const later = x + half;
    int i = 0;
    for (; i + lane_count <= half; i += lane_count) {
        const Lanes c = Lanes::load(cosines + i), s = Lanes::load(sines + i);
        const Lanes a = Lanes::load(x + i), b = Lanes::load(later + i);
        (a * c - b * s).store(x + i);
        (b * c + a * s).store(later + i);
    }
    for (; i < half; ++i) {
        const float a = x[i], b = later[i];
        x[i] = a * cosines[i] - b * sines[i];
        later[i] = b * cosines[i] + a * sines[i];
    }
}

void norm_and_rotate(float* qkv, std::span<const SequenceRows> sequences,
                     const AttentionShape& shape, const QueryKeyStep& step, const Worker& worker) {
    if (!step.query_norm && !step.angles) return;
    const int heads = shape.key_heads(), size = shape.head_size(), group = shape.group();
    const auto one = [&](float* x, const float* norm, std::int64_t row) {
        if (norm) rms_norm(x, norm, step.epsilon, x, 1, size, Worker{});
        if (step.angles) rotate(x, step.size, step.angles + row * step.size);
    };
    const Range mine = worker.share(length_of(sequences) * heads);
    for (std::int64_t pair = mine.begin; pair < mine.end; ++pair) {
        const SequenceRows& s = sequences[index(pair / heads)];
        const auto head = pair % heads;
        for (std::int64_t r = s.first_row; r < s.first_row + s.tokens; ++r) {
            float* const row = qkv + r * shape.row();
            for (int i = 0; i < group; ++i)
                one(row + (head * group + i) * size, step.query_norm, r);
            one(row + shape.channels + head * size, step.key_norm, r);
        }
    }
}

}  // namespace tbt
