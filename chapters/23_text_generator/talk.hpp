// A chat at a terminal or through pipes.
//
// At a terminal: type a line, read the answer as it is written. Ctrl-C interrupts an answer,
// a second one or one at the prompt leaves; so do Ctrl-D, a blank line, quit, exit and q.
// From a pipe: one question in each line of the input; stdout has only the answers, each ended by a
// line break; echo shows both sides. Errors go to stderr.
#pragma once

#include "chapters/23_text_generator/text_generator.hpp"

namespace tbt {

// The default for chats: an answer leaves less choice than a story (chapter 10, chat.md).
inline constexpr double chat_temperature = 0.4;

// Sets the options of a chat: its temperature, unless the options say how tokens are chosen.
TextOptions for_chat(TextOptions options);

void talk(const TextOptions& options, bool echo);

}  // namespace tbt
