// Whole forward passes: reading a prompt and writing tokens, as tokens a second and as a share of
// what the machine allows. Weights are random: their values change nothing.
//
//   prefill   limit: multiply-adds at the probed peak
//   decode    limit: every weight, and the keys and values so far, read once a token
//             at the probed bandwidth
#pragma once

#include <string>
#include <vector>

#include "lib/model/transformer.hpp"
#include "tests/bench/bench.hpp"

namespace tbt::bench {

struct Subject {
    std::string name;
    TransformerConfig config;
    int prompt;  // tokens read at once
    int depth;   // decoding deep in a text: so many tokens before
    int rounds;
};

// What a token after `depth` others needs: multiplications and additions, and the bytes of the
// weights that it reads.
double token_flops(const TransformerConfig& config, int depth);
double weight_bytes(const TransformerConfig& config, WeightType type);

// The columns of what measure_passes prints.
std::vector<std::string> pass_columns();

Transformer random_transformer(const TransformerConfig& config, WeightType weights, int threads);

// Three rows: a prompt, tokens near the beginning of a text, tokens deep in one. With aims, what
// share of the limit each should reach.
void measure_passes(Table& table, const Subject& subject, WeightType type, int threads,
                    bool with_aims = false);

}  // namespace tbt::bench
