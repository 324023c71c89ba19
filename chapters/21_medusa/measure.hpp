// How often heads are right: what the tree is chosen by.
#pragma once

#include <string>
#include <vector>

#include "chapters/21_medusa/heads.hpp"
#include "lib/model/model.hpp"

namespace tbt {

// What all measurements of this chapter begin with.
inline const std::vector<std::string> measured_prompts = {
    "Once upon a time", "The weather today is",
    "Explain photosynthesis:", "User: What is gravity?\nAssistant:"};

// acceptance[k][r]: how often the guess of rank r at depth k was what the target drew, of all
// places where the guesses before it were right. Counted with trees of all ranks while the target
// writes, greedily and drawn (T .8, top-p .9), after prompts that are always the same.
std::vector<std::vector<double>> measure_acceptance(Model& target, Heads& heads);

// Measures heads that were trained, and writes it into their config.json.
void measure_heads(const std::string& heads, const std::string& target, int threads);

}  // namespace tbt
