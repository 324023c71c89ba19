#include "lib/select/select.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/select/integer_weights.hpp"

namespace tbt {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity(),
                lowest = std::numeric_limits<float>::lowest();
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

// ---- public functions ----
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
