// Plain against fast, with a clock.
#pragma once

#include <string>

#include "chapters/18_transformer/plain_gpt.hpp"

namespace tbt {

// Part 6: one step of speed after the other, on the model in this directory.
void show_times(const PlainGpt& gpt, const std::string& directory);

}  // namespace tbt
