// What a guide knows without a model: after {"name": "Ella", comes "job": ". A run of such bytes
// may be cut into tokens in several ways, so none of them is forced and the model has the choice.
// The tokenizer's own cut is guessed and judged like a draft's, coupled by seed (chapter 12): the
// same text in fewer passes, and nobody drafts.
#pragma once

#include <memory>
#include <vector>

#include "chapters/10_generate/text_writer.hpp"
#include "chapters/23_text_generator/guided_texts.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

// The tokens of the bytes that must follow a text, at most `most`; none where there is a choice.
// A word at the end that may go on is left out with its blank.
std::vector<int> known_run(GuidedTexts& guide, const Tokenizer& tokenizer, const TextSoFar& text,
                           int most);

// Adds the runs to what is guessed already. After a run a draft goes on in the same pass; heads,
// which guess from the model's state, wait until it was read. The tokenizer must outlive the
// request.
enum class AfterRun { draft, wait };
void guess_known_runs(GenerateRequest& request, const std::shared_ptr<GuidedTexts>& guide,
                      const Tokenizer& tokenizer, AfterRun after_run = AfterRun::draft);

}  // namespace tbt
