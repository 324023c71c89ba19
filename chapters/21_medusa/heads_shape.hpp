// The weights of Medusa's heads, with their names and shapes in a file.
//
// Head k = 1 … K reads a state after token t (C numbers, the input of the target's output matrix)
// and the token after it, and computes a state one token further [Cai et al. 2024; with the tokens
// drafted so far: Ankner et al. 2024]:
//
//     s_k = s_(k−1) + W₂ · gelu(W₁ · [s_(k−1), e(x_k)] + b₁) + b₂      e: the target's embedding
//     logits_k = E · s_k                   E: the rows of the embedding for the drafted tokens
//
// W₂ and b₂ are 0 at first, so that an untrained head passes its state on unchanged.
#pragma once

#include <string>
#include <vector>

#include "lib/core/tensor.hpp"

namespace tbt {

struct HeadsShape {
    int heads = 3, channels = 192, inner = 192;

    struct Weight {
        std::string name;
        Shape shape;  // matrices are (in, out)
    };
    std::vector<Weight> weights() const {
        std::vector<Weight> all;
        for (int k = 0; k < heads; ++k) {
            const std::string head = "heads." + std::to_string(k) + ".";
            all.push_back({head + "in.weight", {2 * channels, inner}});
            all.push_back({head + "in.bias", {inner}});
            all.push_back({head + "out.weight", {inner, channels}});
            all.push_back({head + "out.bias", {channels}});
        }
        return all;
    }
};

}  // namespace tbt
