// The options of chapters 13 to 16 for generating a text under a mask, and the trace of such a text
// for its page (--html).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chapters/06_combining/chain.hpp"
#include "chapters/13_json_grammar/guide_state.hpp"
#include "chapters/13_json_grammar/guided_loop.hpp"
#include "lib/grammar/tokens/grammar_matcher.hpp"
#include "lib/machine/command_line.hpp"

namespace tbt {

struct Model;

struct GuidedOptions {
    std::string prompt, model;
    std::string figure, html, trace_file;  // empty: none
    std::string command;                   // the command line as typed, for the page
    SamplingOptions sampling;
    int max_new_tokens = 60, shown = 8;  // shown: the steps to print
    std::uint64_t seed = 1;

    GuidedOptions(std::string beginning, std::uint64_t seed);
    // Declares the prompt, --temperature, --max-new-tokens, … and returns these options.
    std::vector<DeclaredOption> declare(CommandLine line);
};

// The trace of a text (version 2): replays each choice, with what the guide did there. A random
// number is used only if there was a choice. start: the matcher before the first token. ended: did
// the text end with end-of-text? guide: a name for the grammar or schema.
std::string guided_trace(const GuidedOptions& options, const std::string& guide, Model& model,
                         const Chain& chain, const GrammarMatcher& start, const GuidedText& text,
                         bool ended, const StateWords& words = {});

}  // namespace tbt
