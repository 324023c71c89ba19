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

// One head of keys and values of one sequence: everything that the passes of attention need.
// Element is the type of the stored keys and values, float or F16.
template <class Element>
struct Head {
    Place place;
    int size;      // D
    int padded;    // D rounded up to a multiple of sixteen
    Place next;    // the head that is read after this one
    bool fetches;  // its matrices are read once, from memory: they are prefetched
    float scale;   // a score is query · key · scale
    int window;    // the number of tokens that a query sees, its own included; 0: all
    float cap;     // a score s becomes cap · tanh(s / cap); 0: stays

    const Element* keys(int block) const { return as(place.matrix(block)); }
    const Element* values(int block) const {
        return as(place.matrix(place.cache->blocks() + block));
    }
    // The matrix to prefetch while matrix i is used; it may belong to the next head. Blocks lie far
    // apart in memory, and the processor's own prefetching stops at the end of a block.
    const Element* later(int i) const {
        if (!fetches) return nullptr;
        const int distance = fetch_bytes / (block_tokens * padded * to_int(sizeof(Element)));
        i += std::clamp(distance, 1, place.matrices());
        const int rest = i - place.matrices();
        return as(rest < 0 ? place.matrix(i) : next.matrix(std::min(rest, next.matrices() - 1)));
    }

private:
    static const Element* as(const void* matrix) { return static_cast<const Element*>(matrix); }
};

// A query sees the positions 0 … length − 1, or with a window only the last of them.
struct Query {
    const float* components;  // (D)
    float* out;               // (D)
    int length;
    float sink;                   // a score without a value; −∞: none
    std::vector<float>* weights;  // receives the attention weights; null: none
};

// The most queries that read a head's keys and values together: of the heads that share them, and
// of consecutive tokens.
constexpr int most_queries = 8;
constexpr int groups = block_tokens / lane_count;  // sixteen keys each
// The most sums, of a register each, that are kept at the same time: about half of the registers
// (a machine with registers of 512 bits has 32 of them).
constexpr int most_sums = simd::batch_count == 1 ? 16 : 8;
constexpr int most_rows = 4;
// With `rows` queries, this many vectors of sixteen keys or components; each has so many sums.
constexpr int vectors_of(int rows, int sums) {
    return std::clamp(most_sums / (rows * sums * simd::batch_count), 1, groups);
}
constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

// Divides n into parts of `most`, then of 2, then of 1, and calls f<size>(first) for each.
template <int most, class F>
void in_parts(int n, F&& f) {
    int first = 0;
    for (; first + most <= n; first += most) f.template operator()<most>(first);
    if constexpr (most > 2)
        for (; first + 2 <= n; first += 2) f.template operator()<2>(first);
    if constexpr (most > 1)
        for (; first < n; ++first) f.template operator()<1>(first);
}

// Prefetches `Numbers` elements of a later matrix, beginning with element `at`.
template <int Numbers, class Element>
void prefetch(const Element* matrix, int at) {
    constexpr int step = 64 / static_cast<int>(sizeof(Element));
    for (int i = 0; i < Numbers; i += step) __builtin_prefetch(matrix + at + i);
}

// cap · tanh(s / cap)
Lanes soft_cap(const Lanes& s, float cap) {
    return Lanes::all(cap) * simd::tanh(s / Lanes::all(cap));
}

// Pass 1, some keys of a block: scores[q][u] = (Σ_d query[q][d] · key[u][d]) · h.scale for R
// queries and G groups of sixteen keys, summed in order of d. `ahead` is the matrix to prefetch
// meanwhile, or null.
template <int R, int G, class Element>
void score_keys(const Head<Element>& h, const Query* queries, const Element* keys,
                const Element* ahead, float* scores, std::int64_t stride) {
    Lanes sum[R][G];
    for (int q = 0; q < R; ++q) {
        for (int g = 0; g < G; ++g) sum[q][g] = Lanes::zero();
    }
    for (int d = 0; d < h.size; ++d) {
        if (ahead) prefetch<G * lane_count>(ahead, d * block_tokens);
        Lanes component[R];
        for (int q = 0; q < R; ++q) component[q] = Lanes::all(queries[q].components[d]);
        for (int g = 0; g < G; ++g) {
            const Lanes key = load_lanes(keys + d * block_tokens + g * lane_count);
            for (int q = 0; q < R; ++q) sum[q][g] = fma(component[q], key, sum[q][g]);
        }
    }
    const Lanes scale = Lanes::all(h.scale);
    for (int q = 0; q < R; ++q) {
        for (int g = 0; g < G; ++g) {
            const Lanes s = sum[q][g] * scale;
            (h.cap > 0 ? soft_cap(s, h.cap) : s).store(scores + q * stride + g * lane_count);
        }
    }
}

// Pass 1 for all blocks from `first` on that a query sees.
template <class Element>
void score_all(const Head<Element>& h, std::span<const Query> queries, int first, int longest,
               float* scores, std::int64_t stride) {
    for (int b = first; b * block_tokens < longest; ++b, scores += block_tokens) {
        const int keys = std::min(block_tokens, longest - b * block_tokens);
        in_parts<most_rows>(count(queries), [&]<int R>(int q) {
            const Element* const ahead = q == 0 ? h.later(b) : nullptr;
            in_parts<vectors_of(R, 1)>((keys + lane_count - 1) / lane_count, [&]<int G>(int g) {
                const int at = g * lane_count;
                score_keys<R, G>(h, queries.data() + q, h.keys(b) + at,
                                 ahead ? ahead + at : nullptr, scores + q * stride + at, stride);
            });
        });
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

// Pass 3, one block of n tokens: sums[q][0 or 1][d] += weight[q][u] · value[u][d] for R queries and
// G vectors of sixteen components from d on. Even and odd positions have separate sums, each in
// order of u.
template <int R, int G, class Element>
void add_values(const Head<Element>& h, const Element* values, const Element* ahead,
                const float* weights, std::int64_t stride, int n, int d, float* sums) {
    const auto place = [&](int q, int odd, int g) {
        return sums + (2 * q + odd) * h.padded + d + g * lane_count;
    };
    Lanes even[R][G], odd[R][G];
    for (int q = 0; q < R; ++q) {
        for (int g = 0; g < G; ++g) {
            even[q][g] = Lanes::load(place(q, 0, g));
            odd[q][g] = Lanes::load(place(q, 1, g));
        }
    }
    // Adds position u to one of the two sums.
    const auto add = [&](int u, Lanes(&sum)[R][G]) __attribute__((always_inline)) {
        if (ahead) prefetch<G * lane_count>(ahead + d, u * h.padded);
        Lanes weight[R];
        for (int q = 0; q < R; ++q) weight[q] = Lanes::all(weights[q * stride + u]);
        for (int g = 0; g < G; ++g) {
            const Lanes value = load_lanes(values + u * h.padded + d + g * lane_count);
            for (int q = 0; q < R; ++q) sum[q][g] = fma(weight[q], value, sum[q][g]);
        }
    };
    int u = 0;
    for (; u + 2 <= n; u += 2) {
        add(u, even);
        add(u + 1, odd);
    }
    if (u < n) add(u, even);
    for (int q = 0; q < R; ++q) {
        for (int g = 0; g < G; ++g) {
            even[q][g].store(place(q, 0, g));
            odd[q][g].store(place(q, 1, g));
        }
    }
}

// Pass 3 for all blocks from `first` on. Weights after a query's own position, or before its
// window, are exactly 0. So a sum up to `longest` has the right value for every query, if all
// values are finite.
template <class Element>
void add_all(const Head<Element>& h, int n, int first, int longest, const float* weights,
             std::int64_t stride, float* sums) {
    std::fill_n(sums, 2 * n * h.padded, 0.0f);
    for (int b = first; b * block_tokens < longest; ++b, weights += block_tokens) {
        const int tokens = std::min(block_tokens, longest - b * block_tokens);
        const Element* const later = h.later(h.place.cache->blocks() + b);
        const auto add = [&]<int G>(int g) {
            in_parts<most_rows / 2>(n, [&]<int R>(int q) {
                add_values<R, G>(h, h.values(b), q == 0 ? later : nullptr, weights + q * stride,
                                 stride, tokens, g * lane_count, sums + 2 * q * h.padded);
            });
        };
        if (n == 1) in_parts<vectors_of(1, 2)>(h.padded / lane_count, add);
        else in_parts<vectors_of(most_rows / 2, 2)>(h.padded / lane_count, add);
    }
}

// out[q][d] = (sums[q][0][d] + sums[q][1][d]) · inverse
void store_output(const float* sums, int size, int padded, float inverse, float* out) {
    for (int d = 0; d < size; d += lane_count) {
        const Lanes result =
            (Lanes::load(sums + d) + Lanes::load(sums + padded + d)) * Lanes::all(inverse);
        if (d + lane_count <= size) result.store(out + d);
        else result.store_first(out + d, size - d);
    }
}

// Attention of at most most_queries queries over the same keys and values, in three passes: each
// block is read once for all of them. The bits do not depend on which queries come together.
// scores: most_queries rows of `stride` floats, and then 2 · most_queries · h.padded for the sums.
template <class Element>
void attend_queries(const Head<Element>& h, std::span<const Query> queries, float* scores,
                    std::int64_t stride) {
    const int n = count(queries);
    const auto seen_from = [&](const Query& q) {
        return h.window > 0 ? std::max(0, q.length - h.window) : 0;
    };
    int longest = 0, first = std::numeric_limits<int>::max();
    for (const Query& q : queries) {
        longest = std::max(longest, q.length);
        first = std::min(first, seen_from(q) / block_tokens);
    }
    score_all(h, queries, first, longest, scores, stride);
    float inverse[most_queries];
    const int skipped = first * block_tokens;
    const int padded_length = (longest - skipped + lane_count - 1) / lane_count * lane_count;
    for (int q = 0; q < n; ++q) {
        const Query& query = queries[index(q)];
        float* const of = scores + q * stride;
        const int begin = seen_from(query) - skipped, end = query.length - skipped;
        inverse[q] = 1.0f / exponentials(of, begin, end, padded_length, query.sink);
        if (!query.weights) continue;
        query.weights->assign(index(skipped), 0.0f);
        for (int u = 0; u < end; ++u) query.weights->push_back(of[u] * inverse[q]);
    }
    float* const sums = scores + most_queries * stride;
    add_all(h, n, first, longest, scores, stride, sums);
    for (int q = 0; q < n; ++q)
        store_output(sums + 2 * q * h.padded, h.size, h.padded, inverse[q], queries[index(q)].out);
    // 0 · ∞ is NaN: a query must not meet values that it does not see.
    const auto zero = [](const Lanes& v) { return v * Lanes::zero(); };
    float sum = 0;  // stays 0 if all outputs are finite
    for (int q = 0; n > 1 && q < n; ++q)
        sum += simd::sum_row(queries[index(q)].out, h.size, 0.0f, zero);
    for (int q = 0; sum != 0 && q < n; ++q)
        attend_queries(h, queries.subspan(index(q), 1), scores, stride);
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
    return most_queries * (scores_stride(sequences) + 2 * sequences[0].cache->padded_head_size());
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
// written to the positions after the cached text, over those of another row's branch; then
// attend_row(row, length of its text) is called. So a row is computed as in a text without
// branches, with sums in the same order. [Miao et al. 2024: a mask]
template <class F>
static void for_each_branch(const SequenceRows& s, const float* qkv, const AttentionShape& shape,
                            int layer, int kv_head, F&& attend_row) {
    const int length = s.cache->length(), size = shape.head_size();
    int row_at_depth[max_tree_depth];  // the row whose keys and values the cache has at this depth
    std::fill(std::begin(row_at_depth), std::end(row_at_depth), -1);
    for (int t = 0; t < s.tokens; ++t) {
        int branch[max_tree_depth], depth = 0;
        for (int a = t; a >= 0; a = s.parents[index(a)]) branch[depth++] = a;
        for (int d = 0; d < depth; ++d) {
            const int row = branch[depth - 1 - d];
            if (std::exchange(row_at_depth[d], row) == row) continue;
            const float* key =
                qkv + (s.first_row + row) * shape.row() + shape.channels + kv_head * size;
            s.cache->write(length + d, layer, kv_head, size, key, key + shape.key_heads() * size);
        }
        attend_row(t, length + depth);
    }
}

// Attention of all query heads that read one head of keys, for all rows of a sequence. A row sees
// the rows before it and itself; if `bidirectional`, it sees all rows of its sequence.
template <class Element>
static void attend_head(const Head<Element>& h, const SequenceRows& s, const float* qkv,
                        const AttentionShape& shape, float* out, float* scores, std::int64_t stride,
                        bool bidirectional, AttentionWatch* watch) {
    const int group = shape.group(), layer = h.place.layer;
    Query queries[most_queries];
    int n = 0;
    const auto attend_all = [&] {
        if (n > 0) attend_queries(h, std::span(queries).first(index(n)), scores, stride);
        n = 0;
    };
    const auto add_row = [&](int t, int length) {
        const std::int64_t row = s.first_row + t;
        for (int i = 0; i < group; ++i) {
            const int head = h.place.head * group + i;
            const bool watched = watch && watch->layer == layer && watch->head == head;
            queries[n++] = {qkv + row * shape.row() + head * h.size,
                            out + row * shape.channels + head * h.size, length,
                            shape.sinks ? shape.sinks[head] : minus_infinity,
                            watched ? &watch->rows.at(index(row)) : nullptr};
            if (n == most_queries) attend_all();
        }
    };
    if (!s.parents.empty()) {
        for_each_branch(s, qkv, shape, layer, h.place.head, [&](int t, int length) {
            add_row(t, length);
            attend_all();
        });
        return;
    }
    for (int t = 0; t < s.tokens; ++t)
        add_row(t, s.cache->length() + (bidirectional ? s.tokens : t + 1));
    attend_all();
}

// One thread does all query heads that read the same keys, so that no other thread reads the keys
// and values while for_each_branch() overwrites them.
static void attend_rows(const float* qkv, std::span<const SequenceRows> sequences,
                        const AttentionShape& shape, int layer, float* out, float* scratch,
                        const Worker& worker, bool bidirectional, AttentionWatch* watch) {
    const int heads = shape.key_heads(), size = shape.head_size();
    const float scale =
        1.0f / std::sqrt(shape.scalar > 0 ? shape.scalar : static_cast<float>(size));
    float* scores = scratch + worker.rank * attention_scratch_size(sequences);
    const std::int64_t stride = scores_stride(sequences);
    const Range mine = worker.share(length_of(sequences) * heads);
    const auto place_of = [&](std::int64_t pair) {
        return Place{sequences[index(pair / heads)].cache, layer, to_int(pair % heads)};
    };
    for (std::int64_t pair = mine.begin; pair < mine.end; ++pair) {
        const SequenceRows& s = sequences[index(pair / heads)];
        const bool once = s.tokens == 1 || s.tokens * shape.group() <= most_queries;
        const auto run_with_type = [&]<class Element>(Element) {
            attend_head(Head<Element>{place_of(pair), size, s.cache->padded_head_size(),
                                      place_of(std::min(pair + 1, mine.end - 1)), once, scale,
                                      bidirectional ? 0 : shape.window, shape.cap},
                        s, qkv, shape, out, scores, stride, bidirectional, watch);
        };
        if (s.cache->type() == WeightType::f16) run_with_type(simd::F16{});
        else run_with_type(0.0f);
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
