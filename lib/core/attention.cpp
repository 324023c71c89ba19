#include "lib/core/attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/simd.hpp"

namespace tbt {

using simd::lane_count;
using simd::Lanes;

namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

constexpr int padded(int n) { return (n + lane_count - 1) / lane_count * lane_count; }

// Pass 1: scores[u] = (Σ_d query[d] · key[u][d]) · scale, summed in order of d, for u < length.
void score(const float* query, const float* keys, int D, int length, float scale, float* scores) {
    for (int u = 0; u < length; u += lane_count, keys += D * lane_count) {
        Lanes sum = Lanes::zero();
        for (int d = 0; d < D; ++d)
            sum = fma(Lanes::all(query[d]), Lanes::load(keys + d * lane_count), sum);
        (sum * Lanes::all(scale)).store(scores + u);
    }
}

// Pass 2: scores[u] ← e^(scores[u] − max) for u < length, and 0 up to the next multiple of sixteen.
// Returns the sum.
float exponentials(float* scores, int length) {
    const int end = padded(length);
    std::fill(scores + length, scores + end, minus_infinity);
    Lanes m = Lanes::all(minus_infinity), total = Lanes::zero();
    for (int u = 0; u < end; u += lane_count) m = max(m, Lanes::load(scores + u));
    const Lanes largest = Lanes::all(simd::largest(m));
    for (int u = 0; u < end; u += lane_count) {
        const Lanes e = simd::exp(Lanes::load(scores + u) - largest);
        e.store(scores + u);
        total = total + e;
    }
    return simd::sum(total);
}

// Pass 3: out[d] = (Σ_u weights[u] · value[u][d]) · inverse for sixteen components from d on. Even
// and odd positions have separate sums, each in order of u, which are added at the end.
Lanes weighted_values(const float* weights, const float* values, std::int64_t row, int length,
                      float inverse) {
    Lanes even = Lanes::zero(), odd = Lanes::zero();
    for (int u = 0; u + 1 < length; u += 2) {
        even = fma(Lanes::all(weights[u]), Lanes::load(values + u * row), even);
        odd = fma(Lanes::all(weights[u + 1]), Lanes::load(values + (u + 1) * row), odd);
    }
    if (length % 2 == 1)
        even = fma(Lanes::all(weights[length - 1]), Lanes::load(values + (length - 1) * row), even);
    return (even + odd) * Lanes::all(inverse);
}

}  // namespace

// ---- the cache ----
GptCache::GptCache(int layers, int heads, int head_size, int capacity)
    : layers_(layers), heads_(heads), head_size_(head_size), capacity_(capacity) {
    for (const int n : {layers, heads, head_size, capacity})
        if (n < 1 || n > 1 << 24)
            throw Error("kv cache: a size is " + std::to_string(n) + ", expected 1 to 2^24");
    value_row_ = padded(head_size), padded_capacity_ = padded(capacity);
    memory_ =
        allocate_zeros(element_count({layers_, heads_, head_size_ + value_row_, padded_capacity_}));
}

void GptCache::truncate(int length) {
    if (length < 0 || length > length_)
        throw Error("kv cache: cannot truncate " + std::to_string(length_) + " tokens to " +
                    std::to_string(length));
    length_ = length;
}

void GptCache::check_room(int tokens) const {
    if (tokens < 0)
        throw Error("kv cache: room for " + std::to_string(tokens) + " tokens, expected 0 or more");
    if (tokens > capacity_ - length_)
        throw Error("context is full: " + std::to_string(length_) + " tokens in the cache and " +
                    std::to_string(tokens) + " new ones, but it is limited to " +
                    std::to_string(capacity_) + "; shorten the prompt or generate fewer tokens");
}

void GptCache::advance(int tokens) {
    check_room(tokens);
    length_ += tokens;
}

float* GptCache::data(int layer, int head) const {
    return memory_.get() + std::int64_t{padded_capacity_} * (head_size_ + value_row_) *
                               (std::int64_t{layer} * heads_ + head);
}

std::int64_t GptCache::key_at(int position, int d) const {
    return std::int64_t{position / lane_count * head_size_ + d} * lane_count +
           position % lane_count;
}

void GptCache::write(int position, int layer, int head, const float* key, const float* value) {
    float* const keys = data(layer, head);
    for (int d = 0; d < head_size_; ++d) keys[key_at(position, d)] = key[d];
    std::copy_n(
        value, head_size_,
        keys + std::int64_t{padded_capacity_} * head_size_ + std::int64_t{position} * value_row_);
}

void GptCache::check(int position, int layer, int head, int d) const {
    checked_place("kv cache: position", position, index(length_));
    checked_place("kv cache: layer", layer, index(layers_));
    checked_place("kv cache: head", head, index(heads_));
    checked_place("kv cache: component", d, index(head_size_));
}

float GptCache::key(int position, int layer, int head, int d) const {
    check(position, layer, head, d);
    return keys(layer, head)[key_at(position, d)];
}

float GptCache::value(int position, int layer, int head, int d) const {
    check(position, layer, head, d);
    return values(layer, head)[std::int64_t{position} * value_row_ + d];
}

// ---- attention ----
std::int64_t attention_scratch(const GptCache& cache, int tokens) {
    return std::int64_t{cache.heads()} * padded(cache.length() + tokens);
}

void attend(const float* qkv, int tokens, GptCache& cache, int layer, float* out, float* scratch,
            int threads) {
    const int H = cache.heads(), D = cache.head_size(), C = H * D, known = cache.length();
    const std::int64_t stride = padded(known + tokens);
    const float scale = 1.0f / std::sqrt(static_cast<float>(D));
    cache.check_room(tokens);
    [[maybe_unused]] const bool divided = threads > 1 && tokens * stride * C > 1 << 20;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(threads) if (divided)
#endif
    for (int head = 0; head < H; ++head) {
        float* const scores = scratch + head * stride;
        for (int t = 0; t < tokens; ++t) {
            const float* const q = qkv + std::int64_t{t} * 3 * C + head * D;
            cache.write(known + t, layer, head, q + C, q + 2 * C);
            const int length = known + t + 1;
            score(q, cache.keys(layer, head), D, length, scale, scores);
            const float inverse = 1.0f / exponentials(scores, length);
            float* const answer = out + std::int64_t{t} * C + head * D;
            for (int d = 0; d < D; d += lane_count)
                weighted_values(scores, cache.values(layer, head) + d, cache.value_row(), length,
                                inverse)
                    .store_first(answer + d, std::min(lane_count, D - d));
        }
    }
}

}  // namespace tbt
