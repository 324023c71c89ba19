// Parts 3, 4 and 5 of chapter 22's program: texts that the corpus's judge reads.
#pragma once

#include <string>

#include "chapters/19_training/corpus/corpus.hpp"
#include "chapters/22_diffusion/masked_model.hpp"
#include "lib/model/model.hpp"

namespace tbt {

// 3. Fifty gaps that nobody chose, filled with both ends given and with the beginning alone; with
// best_of above 1 also by the likeliest of so many.
void show_gaps(MaskedModel& model, Model& storyteller, const Corpus& corpus, int best_of);
// 4. Fewer steps: what theory predicts and what the judge counts. figure: a file, or empty.
void show_steps(MaskedModel& model, const Corpus& corpus, const std::string& figure);
// 5. From an empty canvas.
void show_empty(MaskedModel& model, const Corpus& corpus);

}  // namespace tbt
