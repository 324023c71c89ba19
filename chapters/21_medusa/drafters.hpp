// Part 4 of chapter 21's program: compares heads with the drafts of chapter 12.
#pragma once

#include "chapters/10_generate/options.hpp"
#include "chapters/21_medusa/demo.hpp"

namespace tbt {

// Prints the tokens per pass without a draft, with lookup, with sketch and with heads, greedily and
// sampled. All are coupled by seed, so all write the same texts. With `times` also the speed
// relative to plain decoding (processor time of one thread).
void show_drafters(MedusaTour& tour, const GenerateOptions& options, bool times);

}  // namespace tbt
