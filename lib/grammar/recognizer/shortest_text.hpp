// The shortest text of a language, found with its recognizer; for tables and messages.
#pragma once

#include <string>

#include "lib/grammar/recognizer/recognizer.hpp"

namespace tbt {

// The shortest text from a state to the end; among several, the first in byte order. "" if the text
// may end here, or if no text leads to the end.
inline std::string shortest_text(Recognizer& recognizer, Recognizer::State at) {
    std::string text;
    while (at != Recognizer::dead && recognizer.closing_bytes(at) > 0) {
        const int left = recognizer.closing_bytes(at);
        int byte = 0;
        Recognizer::State next = Recognizer::dead;
        for (; byte < 256; ++byte) {
            next = recognizer.next(at, static_cast<unsigned char>(byte));
            if (next != Recognizer::dead && recognizer.closing_bytes(next) < left) break;
        }
        if (byte == 256) return text;
        text += static_cast<char>(byte), at = next;
    }
    return text;
}
inline std::string shortest_text(Recognizer& recognizer) {
    return shortest_text(recognizer, recognizer.start());
}

}  // namespace tbt
