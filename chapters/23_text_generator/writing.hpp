// Runs the command line: generates the requested texts and shows them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "chapters/10_generate/tools/output.hpp"
#include "chapters/23_text_generator/command_line.hpp"
#include "chapters/23_text_generator/filled_texts.hpp"
#include "chapters/23_text_generator/text_generator.hpp"

namespace tbt {

// Continues the prompts, or makes a page of existing traces. Returns the exit status: 130 after
// Ctrl-C, as a shell does.
int write(const Settings& settings);

// A chat at a terminal or through pipes.
//
// At a terminal: type a line, read the answer as it is written. Ctrl-C interrupts an answer,
// a second one or one at the prompt leaves; so do Ctrl-D, a blank line, quit, exit and q.
// From a pipe: one question in each line of the input; stdout has only the answers, each ended by a
// line break; echo shows both sides. Errors go to stderr.
void talk(const TextOptions& options, bool echo);

// The default for chats: an answer leaves less choice than a story (chapter 10, chat.md).
inline constexpr double chat_temperature = 0.4;

// Sets the options of a chat: its temperature, unless the options say how tokens are chosen.
TextOptions for_chat(TextOptions options);

// The option --trace: a generation as JSON lines, version 2 of the course's traces. trace.md
// documents the fields; the lines of chapters 10, 11 and 12 have fewer fields.
//
// The lines of the generator's last generation, which must have been recorded. command: the command
// line as typed.
std::string trace_lines(const TextGenerator& generator, const TextOptions& options,
                        const GenerateRequest& request, std::span<const ShownPrompt> prompts,
                        const std::vector<GeneratedText>& texts, const std::string& command);

}  // namespace tbt
