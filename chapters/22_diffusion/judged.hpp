// Parts 3, 4 and 5 of chapter 22's program: texts that are checked by chapter 19's recognizer.
#pragma once

#include <string>

#include "chapters/19_training/corpus/corpus.hpp"
#include "chapters/22_diffusion/masked_model.hpp"
#include "lib/files/model.hpp"

namespace tbt {

// 3. Fifty gaps, filled with both ends given and from the beginning alone; if best_of is above 1,
// also by the most probable of best_of fillings.
void show_gaps(MaskedModel& model, Model& storyteller, const Corpus& corpus, int best_of);
// 4. Fewer steps: the right fills that theory guarantees and that are counted. `figure` is a file,
// or empty.
void show_steps(MaskedModel& model, const Corpus& corpus, const std::string& figure);
// 5. Texts from an empty canvas.
void show_empty(MaskedModel& model, const Corpus& corpus);

}  // namespace tbt
