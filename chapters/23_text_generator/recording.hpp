// What happened in a generation, for those who want to see it: --html and --trace.
//
// Only what is gone afterwards is written down while the texts are written: the passes of the
// model, what was guessed, what a search looked at. The choice of each token is replayed after
// (chapter 06): logits and steps depend on the text alone. So a recording changes no text.
#pragma once

#include <cstddef>
#include <vector>

#include "chapters/10_generate/recording/recorded_token.hpp"
#include "chapters/11_beam_search/search_lines.hpp"
#include "chapters/12_speculative/recorded_round.hpp"

namespace tbt {

struct Generation;
struct GeneratedText;
struct GenerateRequest;

struct Recording {
    std::vector<RecordedPass> passes;
    std::vector<RecordedRound> rounds;
    std::vector<RecordedSearch> searches;
    std::vector<std::vector<RecordedToken>> tokens;  // of each text
    bool has_u = false;                              // one number belongs to each token
};

// Notes each guess of a request that has a draft, and what became of it.
void record_guesses(GenerateRequest& request, Recording& recording);

// The choices of all texts, with the model that wrote them.
void replay(const Generation& generation, const std::vector<GeneratedText>& texts,
            Recording& recording);

}  // namespace tbt
