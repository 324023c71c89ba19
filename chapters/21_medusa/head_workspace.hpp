// The inside of HeadTrainer: the memory of a thread for one text, and the scale of the inputs.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "chapters/21_medusa/heads_shape.hpp"
#include "lib/core/index.hpp"
#include "lib/model/kv_cache.hpp"
#include "lib/model/transformer.hpp"
#include "lib/train/train_layers.hpp"

namespace tbt {

using train::Linear;

inline AlignedFloats zeros(std::int64_t n) {
    AlignedFloats block = allocate_floats(n);
    std::fill_n(block.get(), n, 0.0f);
    return block;
}

struct Head {
    Linear in, out;
};

// The memory of one thread for one text of M rows.
struct Workspace {
    std::vector<AlignedFloats> states, joined, before, inner;  // of each head
    AlignedFloats logits, d_state, d_inner, d_joined, d_next;
    PackedMatrix packed;
    std::int64_t rows = 0;

    void reserve(const HeadsShape& s, std::int64_t M, std::int64_t drafted) {
        if (M <= rows) return;
        rows = M;
        states.resize(index(s.heads + 1)), joined.resize(index(s.heads));
        before.resize(index(s.heads)), inner.resize(index(s.heads));
        for (AlignedFloats& a : states) a = zeros(M * s.channels);
        for (AlignedFloats& a : joined) a = zeros(M * 2 * s.channels);
        for (AlignedFloats& a : before) a = zeros(M * s.inner);
        for (AlignedFloats& a : inner) a = zeros(M * s.inner);
        logits = zeros(M * drafted);
        for (AlignedFloats* a : {&d_state, &d_next}) *a = zeros(M * s.channels);
        d_joined = zeros(M * 2 * s.channels), d_inner = zeros(M * s.inner);
    }
};

// The root mean square of these values.
inline float size_of(std::span<const float> values) {
    double sum = 0;
    for (const float v : values) sum += double{v} * double{v};
    return static_cast<float>(std::sqrt(sum / static_cast<double>(values.size())));
}

// The root mean square of the target's states, measured after up to 64 tokens.
inline float state_unit(Transformer& target) {
    KvCache cache(target.config());
    const int n = std::min({64, target.config().n_positions, target.config().vocab_size});
    std::vector<int> ids(index(n));
    for (int i = 0; i < n; ++i) ids[index(i)] = target.config().vocab_size / n * i;
    return size_of(target.forward_all(cache, ids).states);
}

}  // namespace tbt
