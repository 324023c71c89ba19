// Part 4 of chapter 21's program: heads against the drafts of chapter 12.
#pragma once

#include "chapters/10_generate/options/options.hpp"
#include "chapters/21_medusa/demo.hpp"

namespace tbt {

// Tokens a pass without a draft, by lookup, with the sketch and with heads, greedily and drawn, all
// coupled by seed: so all write the same texts. With the clock also how many times as fast
// (processor time of one thread).
void show_drafters(MedusaTour& tour, const GenerateOptions& options, bool times);

}  // namespace tbt
