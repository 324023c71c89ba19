// The parts of chapter 25's program.
#pragma once

#include <string>
#include <vector>

#include "chapters/25_todays_models/plain_llama.hpp"
#include "lib/model/transformer.hpp"

namespace tbt {

// The small Llama that the program looks at: random weights by a seed, the same on every machine.
TransformerConfig small_llama_config();
WeightSource small_llama_weights();

// 1. One token through the first layer, number by number.
void show_layer(const PlainLlama& llama);
// 2. A query and a key at several positions: only their distance counts.
void show_distances(const PlainLlama& llama);
// 3. The logits against the library's, then with each part given back.
void show_parts(const PlainLlama& llama);
// 4. What the cache of published models takes for each token.
void show_caches();

// A small mixture of experts: 8 experts in each of 2 layers, 2 for each token.
TransformerConfig small_mixture_config();
struct ExpertsOfText {
    std::vector<std::string> words;
    std::vector<Rows> shares;  // for each layer (words, experts): weights, 0 if not chosen
};
// What the router gives each token of a sentence.
ExpertsOfText experts_of_text();
// 5. The same as a table.
void show_experts();

}  // namespace tbt
