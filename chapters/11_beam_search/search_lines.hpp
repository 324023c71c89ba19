// What a search looked at as lines of a trace (version 2).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "chapters/10_generate/generate.hpp"
#include "chapters/10_generate/recording/trace_json.hpp"
#include "chapters/11_beam_search/hypothesis.hpp"
#include "chapters/11_beam_search/lattice.hpp"
#include "lib/machine/json_file.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

struct BeamSettings;
struct Model;

// What a search looked at for one prompt, a lattice for each group of beams.
struct RecordedSearch {
    std::size_t prompt = 0;
    std::vector<std::vector<LatticeNode>> groups;
};

// A line for each node; those of all groups in one row, so that a parent is a node of the file.
std::string search_lines(const Tokenizer& tokenizer, const std::vector<RecordedSearch>& searches);

// What was searched for, for a trace's first line.
OrderedJson beams_json(const BeamSettings& settings, bool do_sample);

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
