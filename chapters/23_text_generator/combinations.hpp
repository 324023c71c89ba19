// Which techniques go together: the table of the lesson, as code.
#pragma once

#include "chapters/23_text_generator/text_generator.hpp"
#include "lib/model/attention.hpp"

namespace tbt {

// Throws UsageError, in one line, on two options of which one would make the other senseless.
void check_combination(const TextOptions& options, std::size_t prompts = 1);

// What only a plain or coupled draw can be asked for: --explain shows choices while they are made.
void check_replay(const TextOptions& options, bool explain);

// "2.5" is head 5 of layer 2. Throws UsageError for anything else, and where it cannot be watched.
AttentionWatch watch_of(const TextOptions& options);

}  // namespace tbt
