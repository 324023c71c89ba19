// The shortest text of a language, as its machine knows it: for tables and messages.
#pragma once

#include <string>

#include "lib/grammar/recognizer/byte_machine.hpp"

namespace tbt {

// The first of the shortest, in the order of bytes. "": the empty text, or there is no text at all.
inline std::string shortest_text(ByteMachine& machine) {
    std::string text;
    for (ByteMachine::State at = machine.start();
         at != ByteMachine::dead && machine.closing_bytes(at) > 0;) {
        const int left = machine.closing_bytes(at);
        int byte = 0;
        while (byte < 256) {
            const auto next = machine.next(at, static_cast<unsigned char>(byte));
            if (next != ByteMachine::dead && machine.closing_bytes(next) < left) {
                at = next;
                break;
            }
            ++byte;
        }
        if (byte == 256) return text;
        text += static_cast<char>(byte);
    }
    return text;
}

}  // namespace tbt
