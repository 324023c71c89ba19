// What a beam search is asked for, what it finds, and what became of everything it looked at.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chapters/06_combining/candidates.hpp"
#include "chapters/06_combining/steps.hpp"
#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/09_stopping/stopping.hpp"
#include "chapters/10_generate/batch_text.hpp"
#include "chapters/11_beam_search/plain_beam_search.hpp"
#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"

namespace tbt {

// When B texts are finished, is there still a reason to go on?
enum class EarlyStopping {
    yes,    // no: stop at once
    no,     // while the best live beam, if it ended now, would beat the worst finished one (false)
    never,  // while it could do so by any length up to the budget
};

EarlyStopping early_stopping_named(std::string_view name);

// transformers' names and defaults.
struct BeamOptions {
    int num_beams = 4;
    double length_penalty = 1;
    EarlyStopping early_stopping = EarlyStopping::no;
    int num_return_sequences = 1;
    // How transformers 4 stopped: the best of a step's candidates speaks for what may still come,
    // even if it just ended. Version 5 and we ask the best that lives.
    bool ends_speak = false;
    // As transformers counts groups of beams: one that has finished goes on "writing" this token,
    // and later groups pay for agreeing with it. −1: it is silent.
    int finished_groups_write = -1;
};

// Changes a beam's log-probabilities (V) before they are added to its sum,
// knowing its ids, prompt included; −∞ bans a token. A penalty, a grammar's mask, …:
// it must depend on nothing but its arguments.
using BeamProcessor = std::function<void(std::span<float> log_probs, std::span<const int> ids)>;

struct BeamRequest {
    BeamOptions beams;
    StopRules stop;
    TokenBytes bytes;         // for stop strings and the text; without it results have no text
    Chain chain;              // what the processor does, for those who ask later
    BeamProcessor processor;  // may be empty
    // The only token that may come next, −1: there are several (a grammar, chapter 13).
    // May be empty; saves passes, changes nothing.
    std::function<int(const TextSoFar& text)> forced;
    std::optional<std::uint64_t> seed;  // beam sampling: candidates are drawn, not the best taken
    bool keep_lattice = false;
};

// A text the search found.
struct BeamText {
    std::vector<int> ids;  // generated, EOS included
    double sum = 0;        // Σ of the processed log-probabilities
    double score = 0;      // the same, length-normalised
    FinishReason reason = FinishReason::length;
    int stop_string = -1;  // index into the request's
    std::string text;      // without EOS and the stop string
};

void check_beams(const BeamRequest& r, std::size_t prompt_length);

// A sampling chain (chapters 06 and 08) as a processor:
// it works on log-probabilities as if they were logits, and what it gives is not normalised again.
// That is transformers' way.
BeamProcessor processor_of(Chain chain, std::size_t prompt_length);

// What became of everything that a beam search looked at.

enum class Fate { live, finished, pruned };

// One candidate: a live hypothesis with one token more. All that a step looked at stand in
// order of their sums.
struct LatticeNode {
    int step = 0;     // from 1: the number of generated tokens
    int parent = -1;  // index of a node, −1: the prompt
    int token = 0;
    double log_probability = 0;
    double sum = 0;
    double score = 0;
    Fate fate = Fate::live;
    std::string why;
};

// Written while the search runs; one that is switched off does nothing.
class Lattice {
public:
    explicit Lattice(bool on) : on_(on) {}
    const std::vector<LatticeNode>& nodes() const { return nodes_; }

    // A candidate that was kept or not, and ends its text or not. The node's number;
    // -1 when switched off.
    int add(LatticeNode node, std::optional<FinishReason> end, bool kept, std::size_t beams);
    // Somebody changed their mind.
    void prune(int node, const char* why);

private:
    bool on_;
    std::vector<LatticeNode> nodes_;
};

// Which nodes lead to a text, as far as the search has them.
std::vector<bool> path_of(const std::vector<LatticeNode>& lattice, const std::vector<int>& ids);

// Of all continuations of all beams, B·V numbers, the best 2·B.

struct BeamCandidate {
    std::size_t parent = 0;  // which beam
    int id = 0;
    float value =
        0;  // orders the tokens of one parent, also where their sums round to the same number
    double sum = 0;
    double key =
        0;  // what is kept: the greatest sums, or with sampling the greatest sums plus noise
};

class BeamCandidates {
public:
    explicit BeamCandidates(const BeamRequest& request);

    // Adds the best continuations of one beam. Without a processor the logits stay where they are:
    //   ln p_i = s_i − ln Σ_j e^(s_j)
    void extend(std::size_t parent, double sum, std::span<const int> ids,
                std::span<const float> logits);

    // The best of what was added, in order: greater sum, then the better parent, then the lower id.
    std::vector<BeamCandidate> take_best();

private:
    // −ln(−ln u). The keys ln w + gumbel in descending order are a draw without replacement by the
    // weights w [Vieira 2014; Kool, van Hoof & Welling 2019].
    double gumbel();

    const BeamRequest* request_;
    std::size_t wanted_ = 0;
    std::vector<BeamCandidate> all_;
    Rng rng_;
    Candidates row_;
    std::vector<float> log_probs_;
};

// Beam search as transformers does it, so that scores compare: all beams in one forward pass a
// step, their caches forked, ends kept apart.
//
// Each step, for B beams:
//   1. score(beam, token) = sum(beam) + ln p(token | beam), processed           B·V numbers
//   2. the best 2·B of them, so that B can go on even if B of them end          [candidates]
//   3. an end among the first B is finished:  score = sum / length^α;  the B best finished are kept
//   4. the first B that do not end live on; the rest is pruned
// until nothing live can beat the worst finished one, or the budget is used up.

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
