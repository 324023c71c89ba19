// A round of a draft as a line of a trace (version 2).
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

// One round: text number, its length before the round, and what came of it. Coupled by seed, u is
// the number both drew with, and a guess stays where the target draws it too.
struct RecordedRound {
    std::size_t text = 0, step = 0;
    Round round;
    Guesses guesses = {};  // of a tree, all of them; the round has those that the text went along
};

// The rounds of one text in order, each after the one before it. guessed: their trees, if they
// were any (chapter 21).
std::vector<RecordedRound> recorded_rounds(const std::vector<Round>& rounds,
                                           std::span<const GuessedRound> guessed = {});

// A line each; trace.md of chapter 23 documents the fields.
std::string round_lines(const Tokenizer& tokenizer, const std::vector<RecordedRound>& rounds);

// A text with the rounds that wrote it as a trace of its own. Its choices are replayed; where the
// draft was judged by rejection (coupling) no number belongs to a token.
struct DraftedRun {
    RunFacts run;
    std::string draft, coupling;
    std::vector<RecordedRound> rounds;
};
std::string drafted_trace(const DraftedRun& drafted, Model& model, const GenerateRequest& request,
                          const ShownPrompt& prompt, const GeneratedText& text);

}  // namespace tbt
