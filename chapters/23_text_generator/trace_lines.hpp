// --trace: a generation as JSON lines, version 2 of the course's traces. The lesson documents the
// fields; the lines of chapters 10, 11 and 12 are such lines with fewer of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "chapters/10_generate/output.hpp"
#include "chapters/23_text_generator/filled_texts.hpp"
#include "chapters/23_text_generator/text_generator.hpp"

namespace tbt {

// The last generation of a generator that recorded it. command: what was typed, for those who
// want to type it again.
std::string trace_lines(const TextGenerator& generator, const TextOptions& options,
                        const GenerateRequest& request, std::span<const ShownPrompt> prompts,
                        const std::vector<GeneratedText>& texts, const std::string& command);

// The same of texts that were filled in.
std::string filled_trace_lines(const TextFiller& filler, const TextOptions& options,
                               const GenerateRequest& request, std::span<const ShownPrompt> prompts,
                               const std::vector<GeneratedText>& texts, const std::string& command);

}  // namespace tbt
