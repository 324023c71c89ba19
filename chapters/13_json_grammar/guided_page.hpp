// The page of a text that a model wrote under a mask: --html of chapters 13 to 16.
#pragma once

#include <span>
#include <string>

#include "chapters/06_combining/chain.hpp"
#include "chapters/13_json_grammar/guide_state.hpp"
#include "chapters/13_json_grammar/guided_loop.hpp"
#include "chapters/13_json_grammar/guided_options.hpp"
#include "lib/grammar/tokens/grammar_matcher.hpp"

namespace tbt {

struct Model;

// The trace of it (version 2): each choice again, with what the guide said there; a number is drawn
// where there was a choice. start: the constraint before the first token; ended: by end-of-text.
// guide: what the text was held to.
std::string guided_trace(const GuidedOptions& options, const std::string& guide, Model& model,
                         const Chain& chain, const GrammarMatcher& start, const GuidedText& text,
                         bool ended, const StateWords& words = {});

}  // namespace tbt
