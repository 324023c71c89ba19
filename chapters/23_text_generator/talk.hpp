// A conversation at a terminal or through pipes.
//
// At a terminal: type a line, read the answer as it is written. Ctrl-C interrupts an answer,
// a second one or one at the prompt leaves; so do Ctrl-D, a blank line, quit, exit and q.
// From a pipe: one question a line in, and on stdout nothing but the answers,
// each ended by a line break; echo shows both sides. What cannot be answered is said on stderr.
#pragma once

#include "chapters/23_text_generator/text_generator.hpp"

namespace tbt {

// An answer has less freedom than a story (chapter 10, chat.md: what a small model makes of it).
inline constexpr double chat_temperature = 0.4;

// The options of a chat: its temperature, unless they say how a token is chosen.
TextOptions for_chat(TextOptions options);

void talk(const TextOptions& options, bool echo);

}  // namespace tbt
