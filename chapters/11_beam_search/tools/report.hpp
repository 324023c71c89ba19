// What a beam search found and what became of the rest, for people (a lattice)
// and for programs (JSON).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "chapters/10_generate/generate.hpp"
#include "chapters/10_generate/tools/recording.hpp"
#include "chapters/11_beam_search/beam_search.hpp"
#include "chapters/11_beam_search/options.hpp"
#include "lib/files/model.hpp"
#include "lib/json/json.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

// "3. ln p -12.3456, score -0.4938, 25 tokens, ended by eos" and the text.
void print_beam_texts(const std::vector<BeamText>& texts, const std::string& prompt);

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

// ---- what a search looked at, as lines of a trace (version 2) ----

// What a search looked at for one prompt, a lattice for each group of beams.
struct RecordedSearch {
    std::size_t prompt = 0;
    std::vector<std::vector<LatticeNode>> groups;
};

// A line for each node; those of all groups in one row, so that a parent is a node of the file.
std::string search_lines(const Tokenizer& tokenizer, const std::vector<RecordedSearch>& searches);

// What was searched for, for a trace's first line.
Json beams_json(const BeamSettings& settings, bool do_sample);

// A text that was found, as other texts are.
GeneratedText generated_text(BeamText found);

// A search for one prompt as a trace of its own; the choices of its texts are replayed.
// lattices: of each group.
std::string search_trace(RunFacts run, Model& model, const BeamSettings& settings,
                         const BeamRequest& request, const ShownPrompt& prompt,
                         const std::vector<std::vector<LatticeNode>>& lattices,
                         const std::vector<BeamText>& texts,
                         const std::vector<RecordedPass>& passes);

}  // namespace tbt
