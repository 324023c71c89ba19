// Measures how often the guesses of heads are right. The tree is chosen with these rates.
#pragma once

#include <string>
#include <vector>

#include "chapters/21_medusa/heads.hpp"
#include "lib/files/model.hpp"

namespace tbt {

// The prompts of all measurements of this chapter.
inline const std::vector<std::string> measured_prompts = {
    "Once upon a time", "The weather today is",
    "Explain photosynthesis:", "User: What is gravity?\nAssistant:"};

// acceptance[k][r]: how often the guess of rank r at depth k was the token that the target drew,
// among all positions where the guesses before it were right. It is counted with trees of all ranks
// while the target continues the prompts above, greedily and sampled (T .8, top-p .9).
std::vector<std::vector<double>> measure_acceptance(Model& target, Heads& heads);

// Measures trained heads and writes the rates to their config.json.
void measure_heads(const std::string& heads, const std::string& target, int threads);

}  // namespace tbt
