// The options of chapters 13 to 16 for the text that a model writes under a mask, and the page of
// such a text: --html.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chapters/06_combining/chain.hpp"
#include "chapters/06_combining/dialects.hpp"
#include "chapters/13_json_grammar/guide_state.hpp"
#include "chapters/13_json_grammar/guided_loop.hpp"
#include "lib/grammar/tokens/grammar_matcher.hpp"
#include "lib/machine/command_line.hpp"

namespace tbt {

struct Model;

struct GuidedOptions {
    std::string prompt, model;
    std::string figure, html, trace_file;  // empty: none
    std::string command;                   // as it was typed, for a page
    SamplingOptions sampling;
    int max_new_tokens = 60, shown = 8;  // steps
    std::uint64_t seed = 1;

    GuidedOptions(std::string beginning, std::uint64_t seed);
    // The prompt, --temperature, --max-new-tokens, …; returns what it declared.
    std::vector<DeclaredOption> declare(CommandLine line);
};

// The trace of it (version 2): each choice again, with what the guide said there; a number is drawn
// where there was a choice. start: the constraint before the first token; ended: by end-of-text.
// guide: what the text was held to.
std::string guided_trace(const GuidedOptions& options, const std::string& guide, Model& model,
                         const Chain& chain, const GrammarMatcher& start, const GuidedText& text,
                         bool ended, const StateWords& words = {});

}  // namespace tbt
