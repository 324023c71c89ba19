// Trains heads for a target model on documents of the corpus and writes a directory of heads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chapters/21_medusa/heads.hpp"

namespace tbt {

struct HeadTrainingOptions {
    std::string corpus, target = "data/models/storyteller", out;
    HeadsShape shape;        // its channels are set to the target's
    int draft_vocab = 1024;  // the number of most frequent tokens that are drafted
    std::int64_t batch = 8, sequence = 256, steps = 700, warm_up = 50;
    double learning_rate = 0.002;
    std::uint64_t seed = 1;
    int parts = 4, threads = 0;  // 0: all cores; the result does not depend on them
    bool smoke = false;          // only a few steps, to test that everything works
};

// Trains and writes config.json, model.safetensors (F16), recipe.json, curve.csv and README.md. The
// same options give the same bits, except for the recorded time.
void train_heads(const HeadTrainingOptions& options);

// Measures how often the guesses of trained heads are right, and writes the rates to their
// config.json. The tree is chosen with these rates.
void measure_heads(const std::string& heads, const std::string& target, int threads);

}  // namespace tbt
