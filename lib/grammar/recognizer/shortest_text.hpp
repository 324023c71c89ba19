// The shortest text of a language, as its recognizer knows it: for tables and messages.
#pragma once

#include <string>

#include "lib/grammar/recognizer/recognizer.hpp"

namespace tbt {

// From a state to the end; of several the first in the order of bytes. "": the text may end here,
// or there is no text at all.
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
