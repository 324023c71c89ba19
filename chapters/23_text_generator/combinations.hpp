// Checks which techniques can be combined: the lesson's table as code.
#pragma once

#include "chapters/23_text_generator/text_generator.hpp"
#include "lib/model/attention.hpp"

namespace tbt {

// Throws UsageError, in one line, for two options that cannot be combined.
void check_combination(const TextOptions& options, std::size_t prompts = 1);

// Throws UsageError if --explain is requested for texts whose choices are not plain or coupled
// draws.
void check_replay(const TextOptions& options, bool explain);

// "2.5" is head 5 of layer 2. Throws UsageError for anything else, or if it cannot be watched.
AttentionWatch watch_of(const TextOptions& options);

}  // namespace tbt
