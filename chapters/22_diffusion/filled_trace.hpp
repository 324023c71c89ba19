// Filled gaps as a trace (--html, --trace): for each place the distribution that its token was
// chosen from, with what was known then.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chapters/10_generate/output.hpp"
#include "chapters/10_generate/recording/recorded_token.hpp"
#include "chapters/10_generate/recording/trace_json.hpp"
#include "chapters/22_diffusion/filling.hpp"

namespace tbt {

// A distribution that notes each row that it is asked about. distribution and rows must outlive it.
MaskedDistribution noting(const MaskedDistribution& distribution, std::vector<Canvas>& rows);

// The choice of each place of [begin, end). rows: before each pass, the last one complete. banned:
// ids that could not be chosen. Throws Error where a place of the last row is still masked.
std::vector<RecordedToken> replay_filling(MaskedModel& model, const Chain& chain,
                                          std::span<const int> banned,
                                          const std::vector<Canvas>& rows, std::size_t begin,
                                          std::size_t end);

// Some fillings of gaps, their places after one another in the texts.
struct FilledTexts {
    std::vector<GeneratedText> texts;
    std::vector<std::vector<RecordedToken>> tokens;  // of each text
    FillOptions fill;
    std::optional<std::string> suffix;  // what follows the gap
};

// The lines of a trace. run.decoder and run.texts are filled in here.
std::string filled_trace(RunFacts run, const MaskedModel& model, const Chain& chain,
                         std::span<const ShownPrompt> prompts, const FilledTexts& filled);

}  // namespace tbt
