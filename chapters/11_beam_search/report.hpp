// What a beam search found and what became of the rest, for people (a lattice)
// and for programs (JSON).
#pragma once

#include <string>
#include <vector>

#include "chapters/11_beam_search/hypothesis.hpp"
#include "chapters/11_beam_search/lattice.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

// "3. ln p -12.3456, score -0.4938, 25 tokens, ended by eos" and the text.
void print_beam_texts(const std::vector<BeamText>& texts, const std::string& prompt);

// Which nodes lead to a text, as far as the search has them.
std::vector<bool> path_of(const std::vector<LatticeNode>& lattice, const std::vector<int>& ids);

// Each step's candidates with their fates; those on the way to the best text and on
// greedy's way are marked.
void print_lattice(const Tokenizer& tokenizer, const std::vector<LatticeNode>& lattice,
                   const std::vector<int>& best, const std::vector<int>& greedy, int steps);

// The lattice as a picture: steps from left to right, the best candidates on top.
void write_lattice_figure(const std::string& file, const Tokenizer& tokenizer,
                          const std::string& title, const std::vector<LatticeNode>& lattice,
                          const std::vector<int>& best);

// --trace: a header, a line for each node of the lattice, a line for each text. --json:
// the texts in one object.
std::string beam_trace(const std::string& model, const std::string& prompt,
                       const BeamRequest& request, const std::vector<int>& prompt_ids,
                       const Tokenizer& tokenizer, const std::vector<LatticeNode>& lattice,
                       const std::vector<BeamText>& texts);
std::string beam_json(const std::string& model, const std::string& prompt,
                      const BeamRequest& request, const std::vector<int>& prompt_ids,
                      const std::vector<BeamText>& texts);

}  // namespace tbt
