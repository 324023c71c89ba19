#include "lib/model/attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lib/core/index.hpp"
#include "lib/core/math.hpp"
#include "lib/core/simd.hpp"

namespace tbt {

using simd::lane_count;
using simd::Lanes;
using simd::load_lanes;

namespace {

constexpr int block_tokens = KvCache::block_tokens;
// Keys and values are prefetched this far ahead, but at least one matrix ahead. That is far enough
// to hide the memory's latency (the time of some hundred operations), and fits into an L1 cache.
constexpr int fetch_bytes = 12 * 1024;

// The matrices of one head in a cache, in the order in which they are read: the keys of all blocks,
// then the values of all blocks.
struct Place {
    const KvCache* cache;
    int layer, head;

    int matrices() const { return 2 * cache->blocks(); }
    const void* matrix(int i) const {
        const int blocks = cache->blocks();
        return i < blocks ? cache->keys(i, layer, head) : cache->values(i - blocks, layer, head);
    }
};

// One head of one sequence: everything that the passes of attention need. Element is the type of
// the stored keys and values, float or F16.
template <class Element>
struct Head {
    Place place;
    int size;     // D
    int padded;   // D rounded up to a multiple of sixteen
    Place next;   // the head that is read after this one
    float scale;  // a score is query · key · scale
    int window;   // the number of tokens that a query sees, its own included; 0: all
    float cap;    // a score s becomes cap · tanh(s / cap); 0: stays
    float sink;   // a score without a value; −∞: none

    const Element* keys(int block) const { return as(place.matrix(block)); }
    const Element* values(int block) const {
        return as(place.matrix(place.cache->blocks() + block));
    }
    // The matrix to prefetch while matrix i is used; it may belong to the next head.
    const Element* later(int i) const {
        const int distance = fetch_bytes / (block_tokens * padded * to_int(sizeof(Element)));
        i += std::clamp(distance, 1, place.matrices());
        const int rest = i - place.matrices();
        return as(rest < 0 ? place.matrix(i) : next.matrix(std::min(rest, next.matrices() - 1)));
    }

private:
    static const Element* as(const void* matrix) { return static_cast<const Element*>(matrix); }
};

// Prefetches `Numbers` elements of a later matrix, beginning with element `at`, while the same row
// of the current one is used. Blocks lie far apart in memory, and the processor's own prefetching
// stops at the end of a block. Several queries (Q > 1) belong to a longer text, whose queries read
// the same blocks one after the other and find them in the processor's cache.
template <int Q, int Numbers, class Element>
void prefetch(const Element* matrix, int at) {
    if constexpr (Q == 1) {
        constexpr int step = 64 / static_cast<int>(sizeof(Element));
        for (int i = 0; i < Numbers; i += step) __builtin_prefetch(matrix + at + i);
    }
}

constexpr int groups = block_tokens / lane_count;  // sixteen keys each
// The number of queries of one head that share each load of keys and values. With more queries the
// compiler would have to keep accumulators in memory, not in registers.
constexpr int tile = simd::batch_count == 1 ? 4 : 2;
constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

// cap · tanh(s / cap)
Lanes soft_cap(const Lanes& s, float cap) {
    return Lanes::all(cap) * simd::tanh(s / Lanes::all(cap));
}

// Pass 1, one block: scores[q][u] = (Σ_d query[q][d] · key[u][d]) · h.scale, summed in order of d,
// for the first `G` groups of sixteen keys. `ahead` is the matrix to prefetch meanwhile.
template <int Q, int G, class Element>
void score_block(const Head<Element>& h, const float* const* query, const Element* keys,
                 const Element* ahead, float* scores, std::int64_t stride) {
    Lanes sum[Q][G];
    for (int q = 0; q < Q; ++q) {
        for (int g = 0; g < G; ++g) sum[q][g] = Lanes::zero();
    }
    for (int d = 0; d < h.size; ++d) {
        prefetch<Q, block_tokens>(ahead, d * block_tokens);
        Lanes component[Q];
        for (int q = 0; q < Q; ++q) component[q] = Lanes::all(query[q][d]);
        for (int g = 0; g < G; ++g) {
            const Lanes key = load_lanes(keys + d * block_tokens + g * lane_count);
            for (int q = 0; q < Q; ++q) sum[q][g] = fma(component[q], key, sum[q][g]);
        }
    }
    const Lanes scale = Lanes::all(h.scale);
    for (int q = 0; q < Q; ++q) {
        for (int g = 0; g < G; ++g) {
            const Lanes s = sum[q][g] * scale;
            (h.cap > 0 ? soft_cap(s, h.cap) : s).store(scores + q * stride + g * lane_count);
        }
    }
}

// Pass 1 for all u < longest, beginning with block `first`. In the last block it computes only the
// groups that begin before `longest`.
template <int Q, class Element>
void score(const Head<Element>& h, const float* const* query, int first, int longest, float* scores,
           std::int64_t stride) {
    static_assert(groups == 4);
    for (int b = first; b * block_tokens < longest; ++b, scores += block_tokens) {
        const int left = longest - b * block_tokens;
        const Element *keys = h.keys(b), *ahead = h.later(b);
        if (left > 3 * lane_count) score_block<Q, 4>(h, query, keys, ahead, scores, stride);
        else if (left > 2 * lane_count) score_block<Q, 3>(h, query, keys, ahead, scores, stride);
        else if (left > lane_count) score_block<Q, 2>(h, query, keys, ahead, scores, stride);
        else score_block<Q, 1>(h, query, keys, ahead, scores, stride);
    }
}

// Pass 2: scores[u] ← e^(scores[u] − max) for first <= u < length, and 0 for u < first and for
// length <= u < padded_length, with max at least `sink`. Returns the sum, with e^(sink − max).
float exponentials(float* scores, int first, int length, int padded_length, float sink) {
    std::fill(scores, scores + first, minus_infinity);
    std::fill(scores + length, scores + padded_length, minus_infinity);
    Lanes m = Lanes::all(sink);
    for (int u = 0; u < length; u += lane_count) m = max(m, Lanes::load(scores + u));
    const Lanes largest = Lanes::all(simd::largest(m));
    Lanes total = Lanes::zero();
    for (int u = 0; u < padded_length; u += lane_count) {
        const Lanes e = simd::exp(Lanes::load(scores + u) - largest);
        e.store(scores + u);
        total = total + e;
    }
    const float sum = simd::sum(total);
    return sink == minus_infinity ? sum : sum + portable_expf(sink - simd::largest(m));
}

// Pass 3: out[q][d] = (Σ_u weight[q][u] · value[u][d]) · inverse[q], for `G` groups of sixteen
// components, beginning with d, and for positions u from block `first`. inverse[q] is 1 / Σ_u
// weight[q][u]. Even and odd positions have separate sums, each in order of u, which are added at
// the end. The order does not depend on Q, so neither does the result, to the last bit.
template <int Q, int G, class Element>
void weighted_values(const Head<Element>& h, const float* weights, std::int64_t stride, int first,
                     int length, int d, const float* inverse, float* const* out) {
    Lanes even[Q][G], odd[Q][G];
    for (int q = 0; q < Q; ++q) {
        for (int g = 0; g < G; ++g) even[q][g] = odd[q][g] = Lanes::zero();
    }
    for (int b = first; b * block_tokens < length; ++b) {
        const Element* values = h.values(b) + d;
        const Element* ahead = h.later(h.place.cache->blocks() + b) + d;
        const float* w = weights + (b - first) * block_tokens;
        const int n = std::min(block_tokens, length - b * block_tokens);
        // Adds position u to one of the two sums.
        const auto add = [&](int u, Lanes(&sum)[Q][G]) __attribute__((always_inline)) {
            prefetch<Q, G * lane_count>(ahead, u * h.padded);
            Lanes v[G];
            for (int g = 0; g < G; ++g) v[g] = load_lanes(values + u * h.padded + g * lane_count);
            for (int q = 0; q < Q; ++q) {
                const Lanes weight = Lanes::all(w[q * stride + u]);
                for (int g = 0; g < G; ++g) sum[q][g] = fma(weight, v[g], sum[q][g]);
            }
        };
        int u = 0;
        for (; u + 2 <= n; u += 2) {
            add(u, even);
            add(u + 1, odd);
        }
        if (u < n) add(u, even);
    }
    for (int q = 0; q < Q; ++q) {
        for (int g = 0; g < G; ++g) {
            const Lanes result = (even[q][g] + odd[q][g]) * Lanes::all(inverse[q]);
            const int at = d + g * lane_count;
            if (at + lane_count <= h.size) {
                result.store(out[q] + at);
            } else {
                result.store_first(out[q] + at, h.size - at);
            }
        }
    }
}

// Attention of Q consecutive queries. Query q may see positions 0 … length + q − 1, or with a
// window only the last h.window of them; blocks before the window are not read. `weights` points
// to Q vectors that receive the attention weights of each query, or is null.
template <int Q, class Element>
void attend_queries(const Head<Element>& h, const float* const* query, int length,
                    float* const* out, float* scores, std::int64_t stride,
                    std::vector<float>* weights) {
    const int longest = length + Q - 1;
    const auto seen_from = [&](int q) {
        return h.window > 0 ? std::max(0, length + q - h.window) : 0;
    };
    const int first = seen_from(0) / block_tokens, skipped = first * block_tokens;
    const int padded_length = (longest - skipped + lane_count - 1) / lane_count * lane_count;
    score<Q>(h, query, first, longest, scores, stride);
    float inverse[Q];
    for (int q = 0; q < Q; ++q)
        inverse[q] = 1.0f / exponentials(scores + q * stride, seen_from(q) - skipped,
                                         length + q - skipped, padded_length, h.sink);
    for (int q = 0; weights && q < Q; ++q) {
        weights[q].assign(index(skipped), 0.0f);
        const float* const of = scores + q * stride;
        for (int u = skipped; u < length + q; ++u)
            weights[q].push_back(of[u - skipped] * inverse[q]);
    }
    // Weights after a query's own position, or before its window, are exactly 0. So a sum up to
    // `longest` has the right value for every query, if all values are finite.
    int d = 0;
    if constexpr (Q == 1) {
        for (; d + 4 * lane_count <= h.padded; d += 4 * lane_count)
            weighted_values<Q, 4>(h, scores, stride, first, longest, d, inverse, out);
    }
    for (; d + 2 * lane_count <= h.padded; d += 2 * lane_count)
        weighted_values<Q, 2>(h, scores, stride, first, longest, d, inverse, out);
    for (; d < h.padded; d += lane_count)
        weighted_values<Q, 1>(h, scores, stride, first, longest, d, inverse, out);
    if constexpr (Q > 1) {
        // 0 · ∞ is NaN: a query must not meet values that it does not see.
        const auto zero = [](const Lanes& v) { return v * Lanes::zero(); };
        float sum = 0;  // stays 0 if all outputs are finite
        for (int q = 0; q < Q; ++q) sum += simd::sum_row(out[q], h.size, 0.0f, zero);
        for (int q = 0; sum != 0 && q < Q; ++q)
            attend_queries<1>(h, query + q, length + q, out + q, scores, stride,
                              weights ? weights + q : nullptr);
    }
}

// Floats for the scores of one query, enough for the longest sequence.
std::int64_t scores_stride(std::span<const SequenceRows> sequences) {
    int longest = 0;
    for (const SequenceRows& s : sequences)
        longest = std::max(longest, s.cache->length() + s.tokens);
    return (longest + block_tokens - 1) / block_tokens * block_tokens + block_tokens;
}

}  // namespace

std::int64_t attention_scratch_size(std::span<const SequenceRows> sequences) {
    return tile * scores_stride(sequences);
}

void append_keys_and_values(const float* qkv, std::span<const SequenceRows> sequences,
                            const AttentionShape& shape, int layer, const Worker& worker) {
    const int heads = shape.key_heads(), size = shape.head_size();
    const auto [begin, end] = worker.share(length_of(sequences) * heads);
    for (std::int64_t pair = begin; pair < end; ++pair) {
        const SequenceRows& s = sequences[index(pair / heads)];
        const int head = to_int(pair % heads);
        for (int t = 0; t < s.tokens; ++t) {
            const float* key = qkv + (s.first_row + t) * shape.row() + shape.channels + head * size;
            const float* value = key + heads * size;
            if (s.parents.empty())
                s.cache->write(s.cache->length() + t, layer, head, size, key, value);
            else s.cache->stage(t, layer, head, size, key, value);
        }
    }
}

// The rows are a tree: drafted continuations of the cached text (speculative decoding). A row sees
// the cached text, its ancestors and itself. For each row, the keys and values of its branch are
// written to the positions after the cached text, over those of another row's branch. So a row is
// computed as in a text without branches, with sums in the same order. [Miao et al. 2024: a mask]
template <class Element>
static void attend_tree(const Head<Element>& h, const SequenceRows& s, const float* qkv,
                        const AttentionShape& shape, int head, float* out, float* scores,
                        std::int64_t stride, std::vector<float>* weights) {
    const int length = s.cache->length(), key_offset = shape.channels + h.place.head * h.size;
    int row_at_depth[max_tree_depth];  // the row whose keys and values the cache has at this depth
    std::fill(std::begin(row_at_depth), std::end(row_at_depth), -1);
    for (int t = 0; t < s.tokens; ++t) {
        int branch[max_tree_depth], depth = 0;
        for (int a = t; a >= 0; a = s.parents[index(a)]) branch[depth++] = a;
        for (int d = 0; d < depth; ++d) {
            const int row = branch[depth - 1 - d];
            if (std::exchange(row_at_depth[d], row) == row) continue;
            const float* key = qkv + (s.first_row + row) * shape.row() + key_offset;
            s.cache->write(length + d, h.place.layer, h.place.head, h.size, key,
                           key + shape.key_heads() * h.size);
        }
        const float* query = qkv + (s.first_row + t) * shape.row() + head * h.size;
        float* result = out + (s.first_row + t) * shape.channels + head * h.size;
        attend_queries<1>(h, &query, length + depth, &result, scores, stride,
                          weights ? weights + t : nullptr);
    }
}

// Attention of one query head for all rows of a sequence. A row sees the rows before it and
// itself; if `bidirectional`, it sees all rows of its sequence.
template <class Element>
static void attend_head(const Head<Element>& h, const SequenceRows& s, const float* qkv,
                        const AttentionShape& shape, int head, float* out, float* scores,
                        std::int64_t stride, bool bidirectional, std::vector<float>* weights) {
    if (!s.parents.empty())
        return attend_tree(h, s, qkv, shape, head, out, scores, stride, weights);
    int t = 0;
    const auto attend_next = [&]<int Q>() {
        const float* query[Q];
        float* result[Q];
        for (int q = 0; q < Q; ++q) {
            query[q] = qkv + (s.first_row + t + q) * shape.row() + head * h.size;
            result[q] = out + (s.first_row + t + q) * shape.channels + head * h.size;
        }
        const int seen = s.cache->length() + (bidirectional ? s.tokens : t + 1);
        attend_queries<Q>(h, query, seen, result, scores, stride, weights ? weights + t : nullptr);
        t += Q;
    };
    while (!bidirectional && t + tile <= s.tokens) attend_next.template operator()<tile>();
    while (t < s.tokens) attend_next.template operator()<1>();
}

// One thread does all query heads that read the same keys, so that no other thread reads the keys
// and values while attend_tree() overwrites them.
static void attend_rows(const float* qkv, std::span<const SequenceRows> sequences,
                        const AttentionShape& shape, int layer, float* out, float* scratch,
                        const Worker& worker, bool bidirectional, AttentionWatch* watch) {
    const int heads = shape.key_heads(), size = shape.head_size(), group = shape.group();
    const float scale =
        1.0f / std::sqrt(shape.scalar > 0 ? shape.scalar : static_cast<float>(size));
    const std::int64_t stride = scores_stride(sequences);
    float* scores = scratch + worker.rank * tile * stride;
    const Range mine = worker.share(length_of(sequences) * heads);
    const auto place_of = [&](std::int64_t pair) {
        return Place{sequences[index(pair / heads)].cache, layer, to_int(pair % heads)};
    };
    for (std::int64_t pair = mine.begin; pair < mine.end; ++pair) {
        const SequenceRows& s = sequences[index(pair / heads)];
        for (int i = 0; i < group; ++i) {
            const int head = to_int(pair % heads) * group + i;
            const Place next = place_of(i + 1 < group ? pair : std::min(pair + 1, mine.end - 1));
            std::vector<float>* weights = watch && watch->layer == layer && watch->head == head
                                              ? &watch->rows.at(index(s.first_row))
                                              : nullptr;
            const auto run_with_type = [&]<class Element>(Element) {
                attend_head(Head<Element>{place_of(pair), size, s.cache->padded_head_size(), next,
                                          scale, bidirectional ? 0 : shape.window, shape.cap,
                                          shape.sinks ? shape.sinks[head] : minus_infinity},
                            s, qkv, shape, head, out, scores, stride, bidirectional, weights);
            };
            if (s.cache->type() == WeightType::f16) run_with_type(simd::F16{});
            else run_with_type(0.0f);
        }
    }
}

void attend(const float* qkv, std::span<const SequenceRows> sequences, const AttentionShape& shape,
            int layer, float* out, float* scratch, const Worker& worker, AttentionWatch* watch) {
    attend_rows(qkv, sequences, shape, layer, out, scratch, worker, false, watch);
}

void attend_bidirectional(const float* qkv, std::span<const SequenceRows> sequences,
                          const AttentionShape& shape, int layer, float* out, float* scratch,
                          const Worker& worker) {
    attend_rows(qkv, sequences, shape, layer, out, scratch, worker, true, nullptr);
}

}  // namespace tbt
