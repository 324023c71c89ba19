// Writes the rounds of a draft as lines of a trace (version 2).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "chapters/10_generate/recording/trace_json.hpp"
#include "chapters/10_generate/text_writer.hpp"
#include "chapters/12_speculative/coupled_rounds.hpp"
#include "chapters/12_speculative/speculative.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

struct Model;

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
