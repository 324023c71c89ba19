// Exercise 07_1: generate with and without a KV cache, and count.
//
// Both loops write the same greedy text; only what they ask the model to read differs.
//
//     without: every step reads the whole text:
//              Σ_{i<G} (P + i) = G·P + G(G − 1)/2 positions
//     with:    the first step reads the prompt, each further one the token just
//              chosen; the last token chosen is never read: P + G − 1 positions
//
// A read of `fresh` tokens after `past` known ones counts as `fresh` positions. Token i of the
// fresh ones (from 0) meets past + i + 1 keys, and each of these takes one causal dot product.
//
// P: length of the prompt; G: number of new tokens. G = 0 reads nothing.
// A prompt without tokens and a G below 0 are an Error. argmax (chapter 02) chooses.
//
// Write two functions, about 20 lines; no clock in them. Check: make check EX=07_1.
// With the shipped model and a clock: make try EX=07_1
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "chapters/02_greedy/greedy.hpp"
#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex07_1 {

// Reads ids that follow `past` already read ones; gives the logits after the last of them.
using Read = std::function<std::span<const float>(std::span<const int> fresh, int past)>;

struct Run {
    std::vector<int> ids;  // the prompt and G new tokens
    std::int64_t positions = 0;
    std::int64_t dot_products = 0;
};

// Reads the fresh tokens and counts this read in run; both loops use it.
inline std::span<const float> counted([[maybe_unused]] Run& run, [[maybe_unused]] const Read& read,
                                      [[maybe_unused]] std::span<const int> fresh,
                                      [[maybe_unused]] int past) {
    // >>> write here
    for (std::size_t i = 0; i < fresh.size(); ++i)
        run.dot_products += past + static_cast<std::int64_t>(i) + 1;
    run.positions += static_cast<std::int64_t>(fresh.size());
    return read(fresh, past);
    // <<< to here
}

inline Run generate([[maybe_unused]] const Read& read,
                    [[maybe_unused]] const std::vector<int>& prompt, [[maybe_unused]] int G,
                    [[maybe_unused]] bool cached) {
    // >>> write here
    if (prompt.empty() || G < 0)
        throw Error("generate: expected a prompt of one token or more, and G of 0 or more");
    Run run{prompt};
    int past = 0;
    for (int i = 0; i < G; ++i) {
        const std::span<const int> fresh =
            std::span<const int>(run.ids).subspan(static_cast<std::size_t>(past));
        const int next = argmax(counted(run, read, fresh, past));
        if (cached) past = static_cast<int>(run.ids.size());
        run.ids.push_back(next);
    }
    return run;
    // <<< to here
}

}  // namespace tbt::ex07_1
