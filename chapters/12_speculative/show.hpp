// Shows distributions and rounds as a table, as lanes in the terminal, as a picture, as JSON lines.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "chapters/12_speculative/speculative_text.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

// Prints the distribution of one round over three tokens: every outcome is enumerated, with the
// right correction and with the usual wrong one.
void show_by_hand();

// "·there ·was [·an] → ·a": accepted, [rejected], → correction or + bonus.
std::string lane_of(const Tokenizer& tokenizer, const Round& round);

// Prints one line for each judged token: p, q, u, and accepted or rejected.
void print_judgements(const Tokenizer& tokenizer, const Round& round);

// Draws the lanes of the first rounds as boxes (SVG).
void write_lanes(const std::string& file, const Tokenizer& tokenizer,
                 const std::vector<Round>& rounds);

// --trace: JSON lines, the request and then the rounds. The lesson documents the fields.
std::string speculative_trace(const Tokenizer& tokenizer, const std::string& prompt,
                              std::span<const int> prompt_ids, const GenerateRequest& request,
                              const std::string& draft, const SpeculativeText& written);

}  // namespace tbt
