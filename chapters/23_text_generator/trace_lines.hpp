// The option --trace: a generation as JSON lines, version 2 of the course's traces. trace.md
// documents the fields; the lines of chapters 10, 11 and 12 have fewer fields.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "chapters/10_generate/output.hpp"
#include "chapters/23_text_generator/filled_texts.hpp"
#include "chapters/23_text_generator/text_generator.hpp"

namespace tbt {

// The lines of the generator's last generation, which must have been recorded. command: the command
// line as typed.
std::string trace_lines(const TextGenerator& generator, const TextOptions& options,
                        const GenerateRequest& request, std::span<const ShownPrompt> prompts,
                        const std::vector<GeneratedText>& texts, const std::string& command);

// The same for texts that were filled in.
std::string filled_trace_lines(const TextFiller& filler, const TextOptions& options,
                               const GenerateRequest& request, std::span<const ShownPrompt> prompts,
                               const std::vector<GeneratedText>& texts, const std::string& command);

}  // namespace tbt
