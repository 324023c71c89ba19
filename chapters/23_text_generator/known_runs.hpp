// Known runs: bytes that a guide knows without a model. After {"name": "Ella", comes "job": ". Such
// a run may be split into tokens in several ways, so no token is forced and the model chooses. The
// tokenizer's own split is guessed and judged like a draft, coupled by seed (chapter 12). That
// gives the same text in fewer passes, without a model that drafts.
#pragma once

#include <memory>
#include <vector>

#include "chapters/10_generate/text_writer.hpp"
#include "chapters/23_text_generator/guided_texts.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

// The tokens of the bytes that must follow a text, at most `most`; none if there is a choice. A
// last word that may go on is left out, with the blank before it.
std::vector<int> known_run(GuidedTexts& guide, const Tokenizer& tokenizer, const TextSoFar& text,
                           int most);

// Adds known runs to the guesses of a request. After a run, a draft guesses on in the same pass.
// Heads guess from the model's hidden state, so they wait until the run was read. The tokenizer
// must outlive the request.
enum class AfterRun { draft, wait };
void guess_known_runs(GenerateRequest& request, const std::shared_ptr<GuidedTexts>& guide,
                      const Tokenizer& tokenizer, AfterRun after_run = AfterRun::draft);

}  // namespace tbt
