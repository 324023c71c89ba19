// What happened in a generation, for those who want to see it: --html and --trace.
//
// Only what is gone afterwards is written down while the texts are written: the passes of the
// model, what was guessed, what a search looked at. The choice of each token is replayed behind
// (chapter 06): logits and steps depend on the text alone. So a recording changes no text.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "chapters/06_combining/trace.hpp"
#include "chapters/10_generate/text_writer.hpp"
#include "chapters/11_beam_search/lattice.hpp"
#include "chapters/12_speculative/speculative.hpp"

namespace tbt {

struct Generation;
struct GeneratedText;
struct GenerateRequest;

// One pass of the model.
struct RecordedPass {
    struct Text {
        std::size_t slot = 0, length = 0;  // where its cache is, and the tokens it then has
        std::size_t rows = 1;              // logits that were asked for
    };
    std::vector<Text> texts;
    long computed = 0;  // tokens that it read; the others were in the cache
};

// One round of a draft: text number, its length before the round, and what came of it. Coupled by
// seed, u is the number both drew with, and a guess stays where the target draws it too.
struct RecordedRound {
    std::size_t text = 0, step = 0;
    Round round;
    Guesses guesses = {};  // of a tree, all of them; the round has those that the text went along
};

// What a search looked at for one prompt, a lattice for each group of beams.
struct RecordedSearch {
    std::size_t prompt = 0;
    std::vector<std::vector<LatticeNode>> groups;
};

// What a guide allowed before a token.
struct GuideState {
    int allowed = 0;                         // tokens
    bool complete = false;                   // the text may end here
    int closing_bytes = 0;                   // the fewest bytes that end it
    std::vector<std::pair<int, int>> bytes;  // which may come next: first and last of each range
};

// One choice.
struct RecordedToken {
    struct Slice {  // of the wheel: the token that u from … to draws
        int id = 0;
        double from = 0, to = 0;
    };
    Trace trace;
    // The model's first choices, and the token that was drawn: their probabilities after
    // each step of the chain, 0 for those that are gone.
    std::vector<std::vector<double>> after;
    std::vector<Slice> wheel;  // in the order of ids; of many candidates the largest slices
    std::optional<GuideState> guide;
    int pass = 0;  // of a canvas: the pass it came with, from 1
};

struct Recording {
    std::vector<RecordedPass> passes;
    std::vector<RecordedRound> rounds;
    std::vector<RecordedSearch> searches;
    std::vector<std::vector<RecordedToken>> tokens;  // of each text
    bool has_u = false;                              // one number belongs to each token

    static constexpr int first_choices = 8;
};

// Notes each guess of a request that has a draft, and what became of it.
void record_guesses(GenerateRequest& request, Recording& recording);

// The chain once more, on logits of which `chosen` was drawn with u.
RecordedToken recorded_choice(const Chain& chain, std::span<const float> logits,
                              const TextSoFar& text, double u, int chosen);

// The choices of all texts, with the model that wrote them.
void replay(const Generation& generation, const std::vector<GeneratedText>& texts,
            Recording& recording);

}  // namespace tbt
