// Shows distributions and rounds as a table, as lanes in the terminal, as a picture, as JSON lines.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "chapters/10_generate/generate.hpp"
#include "chapters/10_generate/tools/recording.hpp"
#include "chapters/12_speculative/coupling.hpp"
#include "chapters/12_speculative/speculative.hpp"
#include "lib/files/model.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

// Prints the distribution of one round over three tokens: every outcome is enumerated, with the
// right correction and with the usual wrong one.
void show_by_hand();

// "·there ·was [·an] → ·a": accepted, [rejected], → correction or + bonus.
std::string lane_of(const Tokenizer& tokenizer, const Round& round);

// Prints one line for each judged token: p, q, u, and accepted or rejected. correction: what a
// token after a rejection was drawn from.
void print_judgements(const Tokenizer& tokenizer, const Round& round,
                      Correction correction = Correction::residual);

// Part 2 of the program: the first rounds. Part 3: the text, and how much of the draft was
// accepted.
void show_rounds(const Tokenizer& tokenizer, const SpeculativeText& written, bool coupled,
                 Correction correction = Correction::residual);
void show_counts(const std::string& prompt, const SpeculativeText& written, bool coupled);

// Draws the lanes of the first rounds as boxes (SVG).
void write_lanes(const std::string& file, const Tokenizer& tokenizer,
                 const std::vector<Round>& rounds);

// --trace: JSON lines, the request and then the rounds. The lesson documents the fields.
std::string speculative_trace(const Tokenizer& tokenizer, const std::string& prompt,
                              std::span<const int> prompt_ids, const GenerateRequest& request,
                              const std::string& draft, const SpeculativeText& written);

// ---- the rounds of a draft as lines of a trace (version 2) ----

// One round: the number of the text, its length before the round, and the round's result. If
// coupled by seed, u is the number that draft and target drew with.
struct RecordedRound {
    std::size_t text = 0, step = 0;
    Round round;
    Guesses guesses = {};  // if they form a tree: all of them; the round has the followed branch
};

// The rounds of one text in order. guessed: their guesses, if they form trees (chapter 21).
std::vector<RecordedRound> recorded_rounds(const std::vector<Round>& rounds,
                                           std::span<const GuessedRound> guessed = {});

// One line for each round; trace.md of chapter 23 documents the fields.
std::string round_lines(const Tokenizer& tokenizer, const std::vector<RecordedRound>& rounds);

// The trace of a text with the rounds that wrote it. Its choices are replayed; with rejection no
// random number belongs to a token.
struct DraftedRun {
    RunFacts run;
    std::string draft, coupling;
    std::vector<RecordedRound> rounds;
};
std::string drafted_trace(const DraftedRun& drafted, Model& model, const GenerateRequest& request,
                          const ShownPrompt& prompt, const GeneratedText& text);

}  // namespace tbt
