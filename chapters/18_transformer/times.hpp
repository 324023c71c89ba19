// Measures the times of the plain code and of the library.
#pragma once

#include <string>

#include "chapters/18_transformer/plain_gpt.hpp"

namespace tbt {

// Part 6: the time per token after each step from plain to fast code, for the model in this
// directory.
void show_times(const PlainGpt& gpt, const std::string& directory);

}  // namespace tbt
