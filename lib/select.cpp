#include "select.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace tbt {

namespace {

constexpr std::size_t few = 128;  // not worth a cleverer way than the standard library's

float kth_by_partition(std::vector<float> values, std::size_t k) {
    const auto kth = values.begin() + static_cast<std::ptrdiff_t>(k - 1);
    std::nth_element(values.begin(), kth, values.end(), std::greater<>());
    return *kth;
}

float at(std::span<const float> keys, int position) { return keys[static_cast<std::size_t>(position)]; }

// smallest_prefix among the given positions (ascending).
Cut cut_by_sorting(std::span<const float> keys, std::span<const std::uint64_t> weights, std::uint64_t target,
                   std::vector<int> positions) {
    const auto greater = [&](int a, int b) { return at(keys, a) > at(keys, b); };
    if (!std::is_sorted(positions.begin(), positions.end(), greater))
        std::stable_sort(positions.begin(), positions.end(), greater);
    Cut cut{at(keys, positions.front()), 0};
    std::uint64_t sum = 0;
    for (const int i : positions) {
        if (at(keys, i) != cut.threshold) cut = {at(keys, i), 0};
        ++cut.ties;
        sum += weights[static_cast<std::size_t>(i)];
        if (sum >= target) break;
    }
    return cut;
}

// Where a few elements hold nearly all the weight, they hold the prefix too. Takes the largest n/192 keys, if it
// looks like that.
bool prefix_among_largest(std::span<const float> keys, std::span<const std::uint64_t> weights,
                          std::uint64_t target, std::vector<float>& large_keys,
                          std::vector<std::uint64_t>& large_weights) {
    constexpr std::size_t stride = 64;
    std::uint64_t sample = 0, largest = 0;
    for (std::size_t i = 0; i < weights.size(); i += stride)
        sample += weights[i], largest = std::max(largest, weights[i]);
    if (keys.size() < stride * stride || sample > 8 * std::max(largest, weight_of_largest / stride)) return false;
    const float bound = reached_by_at_least(keys, keys.size() / 192);
    const auto count =
        static_cast<std::size_t>(std::count_if(keys.begin(), keys.end(), [=](float key) { return key >= bound; }));
    if (count > keys.size() / 8) return false;
    std::vector<int> ids(count + slack);
    large_keys.resize(count + slack), large_weights.resize(count + slack);
    keep(keys, {bound}, {nullptr, keys.data(), weights.data()},
         {ids.data(), large_keys.data(), large_weights.data()});
    large_keys.resize(count), large_weights.resize(count);
    return std::accumulate(large_weights.begin(), large_weights.end(), std::uint64_t{0}) >= target;
}

}  // namespace

float reached_by_at_least(std::span<const float> values, std::size_t k) {
    // Each of the groups whose maximum is among the k largest maxima holds an element that reaches the k-th of
    // them. With four times as many groups as k, two large elements seldom share one.
    const std::size_t group = std::min<std::size_t>(values.size() / (4 * k), 32);
    if (group < 2 || values.size() <= few)
        return kth_by_partition({values.begin(), values.end()}, std::min(k, values.size()));
    std::vector<float> maxima;
    group_maxima(values, group, maxima);
    return kth_largest(maxima, k);
}

float kth_largest(std::span<const float> values, std::size_t k) {
    if (values.size() <= few || values.size() / (4 * k) < 2)
        return kth_by_partition({values.begin(), values.end()}, k);
    const float bound = reached_by_at_least(values, k);
    std::vector<float> high;
    for (const float v : values) {
        if (v >= bound) high.push_back(v);
    }
    return kth_by_partition(std::move(high), k);
}

Cut smallest_prefix_by_sorting(std::span<const float> keys, std::span<const std::uint64_t> weights,
                               std::uint64_t target) {
    const std::uint64_t sum = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
    target = std::min(std::max<std::uint64_t>(target, 1), sum);
    std::vector<int> all(keys.size());
    std::iota(all.begin(), all.end(), 0);
    return cut_by_sorting(keys, weights, target, std::move(all));
}

Cut smallest_prefix(std::span<const float> keys, std::span<const std::uint64_t> weights, std::uint64_t target,
                    float top, float spread) {
    if (keys.size() <= few) return smallest_prefix_by_sorting(keys, weights, target);
    std::vector<float> finer_keys;
    std::vector<std::uint64_t> finer_weights;
    if (prefix_among_largest(keys, weights, target, finer_keys, finer_weights)) {
        return smallest_prefix(finer_keys, finer_weights, target, top, spread);
    }
    finer_keys.clear(), finer_weights.clear();
    // Weights are whole numbers, so a bucket's total is exact and the prefix ends in the bucket where the running
    // total passes the target. Only that one is looked at closely: in finer buckets, and in the end by sorting.
    const Buckets buckets{top, static_cast<float>(bucket_count) / spread};
    std::uint64_t total[bucket_count];
    bucket_weights(keys, weights, buckets, total);
    const std::uint64_t sum = std::accumulate(std::begin(total), std::end(total), std::uint64_t{0});
    if (sum == 0) return smallest_prefix_by_sorting(keys, weights, target);
    target = std::min(std::max<std::uint64_t>(target, 1), sum);
    std::uint64_t before = 0;
    int b = 0;
    while (before + total[b] < target) before += total[b++];
    std::vector<int> inside;
    collect_bucket(keys, buckets, b, inside);
    if (inside.size() <= few || inside.size() == keys.size()) {
        return cut_by_sorting(keys, weights, target - before, std::move(inside));
    }
    float lowest = std::numeric_limits<float>::infinity(), highest = -lowest;
    for (const int i : inside) {
        const float key = at(keys, i);
        finer_keys.push_back(key);
        finer_weights.push_back(weights[static_cast<std::size_t>(i)]);
        if (std::isfinite(key)) lowest = std::min(lowest, key), highest = std::max(highest, key);
    }
    const float range = highest > lowest ? (highest - lowest) * 1.01f : 1.0f;
    return smallest_prefix(finer_keys, finer_weights, target - before, highest, range);
}

}  // namespace tbt
