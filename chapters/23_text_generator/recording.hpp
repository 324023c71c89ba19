// Records a generation for --html and --trace.
//
// Only what could not be found out afterwards is recorded during the generation: the passes of the
// model, the guesses, the candidates of a search. The choice of each token is replayed afterwards
// (chapter 06), since logits and steps depend on the text alone. So a recording changes no text.
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
    std::vector<std::vector<RecordedToken>> tokens;  // by text
    bool has_u = false;                              // each token has a random number
};

// Lets a request with a draft record each guess and whether it was right.
void record_guesses(GenerateRequest& request, Recording& recording);

// Replays the choices of all texts, with the model that wrote them.
void replay(const Generation& generation, const std::vector<GeneratedText>& texts,
            Recording& recording);

}  // namespace tbt
