// What it costs to run a model on several machines, from its sizes alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/model/model_config.hpp"

namespace tbt {

// Per layer and token, in numbers of four bytes.
struct LayerTraffic {
    std::int64_t gathers = 0, numbers = 0;  // exchanges, and the numbers that they put together
};

// Split by columns: after attention (Q numbers), its projection (C), the MLP's inner width (F), and
// its projection (C) everyone needs all columns.
LayerTraffic traffic_by_columns(const TransformerConfig& config);
// Split alternately by columns and by rows [Shoeybi et al. 2019]: two sums of C numbers.
LayerTraffic traffic_by_rows(const TransformerConfig& config);

// The bytes that one of n machines receives for an exchange of so many numbers: all that the others
// have, or, for sums (a ring: scatter the sums, then gather them), twice that.
double bytes_to_gather(std::int64_t numbers, int machines);
double bytes_to_sum(std::int64_t numbers, int machines);

struct Machine {
    double memory = 16e9;            // bytes
    double memory_bandwidth = 5e10;  // bytes per second
};
struct Network {
    double bandwidth = 1e9 / 8;  // bytes per second
    double latency = 5e-5;       // seconds for a message to arrive
};

// Seconds for a token of one text: each machine reads its part of the weights once, then the
// exchanges of each layer, one after the other. A gather or sum among n machines takes
// ⌈log2 n⌉ messages one after the other [Thakur et al. 2005].
double seconds_per_token(const TransformerConfig& config, double bytes_per_weight,
                         const Machine& machine, const Network& network, int machines);

// Models whose sizes are well known: the storyteller's, GPT-2 124M, Llama 3 8B and 70B.
struct KnownModel {
    std::string name;
    TransformerConfig config;
    double bytes_per_weight;
};
std::vector<KnownModel> known_models();

}  // namespace tbt
