// Records filled gaps as a trace (--html, --trace): for each place, the distribution from which its
// token was chosen, given what was known at that step.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chapters/10_generate/tools/output.hpp"
#include "chapters/10_generate/tools/recording.hpp"
#include "chapters/22_diffusion/filling.hpp"

namespace tbt {

// Wraps a distribution so that each row for which it is called is added to `rows`. Both arguments
// must outlive it.
MaskedDistribution noting(const MaskedDistribution& distribution, std::vector<Canvas>& rows);

// The choice at each place of [begin, end). `rows` has the row before each pass, and the complete
// row at the end. `banned` are ids that could not be chosen. Throws Error if a place of the last
// row is still masked.
std::vector<RecordedToken> replay_filling(MaskedModel& model, const Chain& chain,
                                          std::span<const int> banned,
                                          const std::vector<Canvas>& rows, std::size_t begin,
                                          std::size_t end);

// Filled gaps, with their places one after the other in the texts.
struct FilledTexts {
    std::vector<GeneratedText> texts;
    std::vector<std::vector<RecordedToken>> tokens;  // of each text
    FillOptions fill;
    std::optional<std::string> suffix;  // the text after the gap
};

// The lines of a trace. This function sets run.decoder and run.texts.
std::string filled_trace(RunFacts run, const MaskedModel& model, const Chain& chain,
                         std::span<const ShownPrompt> prompts, const FilledTexts& filled);

}  // namespace tbt
