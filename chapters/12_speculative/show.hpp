// Rounds made visible: lanes for the terminal, a picture, JSON lines.
#pragma once

#include <string>
#include <vector>

#include "chapters/12_speculative/speculative.hpp"
#include "tokenizer.hpp"

namespace tbt {

// "·there ·was [·an] → ·a": accepted, [rejected], → correction or + bonus.
std::string lane_of(const Tokenizer& tokenizer, const Round& round);

// One line for each judged token: p, q, u and the verdict.
void print_judgements(const Tokenizer& tokenizer, const Round& round);

// The lanes of the first rounds as boxes.
void write_lanes(const std::string& file, const Tokenizer& tokenizer, const std::vector<Round>& rounds);

// --trace: one JSON object a round, with its line break. The lesson documents the fields.
std::string round_line(const Tokenizer& tokenizer, const Round& round, int number);

}  // namespace tbt
