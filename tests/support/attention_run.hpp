// Attention of one sequence after a cache, as the model calls it.
#pragma once

#include <vector>

#include "lib/model/attention.hpp"

namespace tbt::test {

// Appends and attends the tokens of one sequence; rows of out are (C).
inline std::vector<float> run(KvCache& cache, const std::vector<float>& qkv,
                              const AttentionShape& shape, int threads = 1) {
    const int tokens = static_cast<int>(qkv.size()) / (3 * shape.channels);
    cache.make_room(tokens);
    std::vector<float> out(static_cast<std::size_t>(tokens * shape.channels));
    const SequenceRows rows{&cache, 0, tokens};
    std::vector<float> scratch(
        static_cast<std::size_t>(threads * attention_scratch_size({&rows, 1})));
    run_team(threads, [&](const Worker& worker) {
        append_keys_and_values(qkv.data(), {&rows, 1}, shape, 0, worker);
        attend(qkv.data(), {&rows, 1}, shape, 0, out.data(), scratch.data(), worker);
    });
    cache.advance(tokens);
    return out;
}

}  // namespace tbt::test
