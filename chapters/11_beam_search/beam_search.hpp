// Beam search as transformers does it, so that scores compare: all beams in one forward pass a
// step, their caches forked, ends kept apart.
//
// Each step, for B beams:
//   1. score(beam, token) = sum(beam) + ln p(token | beam), processed           B·V numbers
//   2. the best 2·B of them, so that B can go on even if B of them end          [candidates]
//   3. an end among the first B is finished:  score = sum / length^α;  the B best finished are kept
//   4. the first B that do not end live on; the rest is pruned
// until nothing live can beat the worst finished one, or the budget is used up.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chapters/10_generate/batch.hpp"
#include "chapters/11_beam_search/beam_candidates.hpp"
#include "chapters/11_beam_search/hypothesis.hpp"
#include "chapters/11_beam_search/lattice.hpp"
#include "chapters/11_beam_search/plain_length_penalty.hpp"
#include "lib/core/check.hpp"
#include "lib/core/index.hpp"

namespace tbt {

// A search under way: texts() says what the model must read, step() takes its answer.
// The request must outlive it.
class BeamSearch {
public:
    BeamSearch(const BeamRequest& request, std::span<const int> prompt);

    bool done() const { return live_.empty(); }

    // The live beams, the best first. Beam i is kept in slot first_slot + i.
    // Where none of them has a choice, all are read on to the first that has: one pass for a run.
    std::vector<BatchText> texts(std::size_t first_slot = 0);

    // The rows of logits (V) that texts() asked for.
    void step(std::span<const std::span<const float>> rows);

    // Nobody wants to wait any longer: what lives is finished as it stands.
    void interrupt();

    // The best first, at most num_return_sequences. Throws Error when everything was banned.
    std::vector<BeamText> results() const;

    const std::vector<LatticeNode>& lattice() const { return lattice_.nodes(); }
    // What the beams took in the last step, ends of their own accord left out.
    const std::vector<int>& last_tokens() const { return last_tokens_; }

private:
    struct Hypothesis {
        std::vector<int> ids;  // prompt included
        double sum = 0;
        TextStream stream;
        int node = -1;           // in the lattice
        std::size_t parent = 0;  // which beam it was before this step
    };
    struct Finished {
        Hypothesis h;
        double score = 0;
        FinishReason reason = FinishReason::length;
    };

    double score_of(double sum) const;

    // One row for each live beam.
    void step_once(std::span<const std::span<const float>> logits);

    // The tokens that every live beam must take next, as many as all of them must.
    void read_ahead();

    // Decides what becomes of one candidate.
    void place(const BeamCandidate& c, std::size_t rank, std::vector<Hypothesis>& next);

    // Into the list of finished texts, after those that are as good; only the B best stay.
    void admit(Finished f);

    // Could the best live beam still get into the list? Its sum can only fall;
    // with α > 0 its score can rise with the length, which `no` ignores and `never` does not.
    bool worth_going_on() const;

    void end_live(const char* why);

    const BeamRequest* request_;
    std::size_t beams_;  // B
    std::size_t prompt_length_;
    std::size_t limit_ = 0;           // tokens that may be generated
    std::size_t generated_ = 0;       // by each live beam
    double best_sum_ = 0;             // of the last step's candidates
    std::vector<Hypothesis> live_;    // by sum
    std::vector<Finished> finished_;  // by score
    std::vector<int> last_tokens_;
    bool asked_ = false;                   // ahead_ and run_ are those of the live beams
    std::size_t run_ = 0;                  // tokens that no live beam has a choice about
    std::vector<std::vector<int>> ahead_;  // the live beams, with them
    BeamCandidates candidates_;
    Lattice lattice_;
};

// go_on, when given, is asked before each pass; false ends the search.
BeamSearch run_beam_search(const BatchLogits& model, const BeamRequest& request,
                           std::span<const int> prompt, const std::function<bool()>& go_on = {});

std::vector<BeamText> beam_search(const BatchLogits& model, const BeamRequest& request,
                                  std::span<const int> prompt);

}  // namespace tbt
