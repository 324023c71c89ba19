// The bytes about which a language leaves no choice: after {"name": "Ella", comes "job": " and
// nothing else. How they are cut into tokens is left to the caller.
//
// Blanks are no choice: where they are allowed but not required, one is expected after a colon or a
// comma, as JSON is mostly written, and none elsewhere.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lib/grammar/recognizer/recognizer.hpp"

namespace tbt {

// What comes after a byte; none: there are several ways to go on, or the text may end here.
inline std::optional<unsigned char> known_byte(Recognizer& recognizer, Recognizer::State state,
                                               unsigned char before) {
    if (state == Recognizer::dead || recognizer.accepts(state)) return {};
    std::optional<unsigned char> blank, other;
    for (int byte = 0; byte < 256; ++byte) {
        const auto c = static_cast<unsigned char>(byte);
        const bool alive = recognizer.next(state, c) != Recognizer::dead;
        if (c == ' ' || (c >= '\t' && c <= '\r')) {
            if (alive) blank = c;  // of several the last, which is a space
            continue;
        }
        byte = recognizer.last_equivalent(state, byte);
        if (alive && (other || byte > c)) return {};
        if (alive) other = c;
    }
    const bool spaced = before == ':' || before == ',';
    return blank && (spaced || !other) ? blank : other;
}

// All of them in a row, at most so many.
inline std::string known_bytes(Recognizer& recognizer, Recognizer::State state,
                               unsigned char before, std::size_t most) {
    std::string bytes;
    while (bytes.size() < most) {
        const auto byte = known_byte(recognizer, state, before);
        if (!byte) break;
        bytes += static_cast<char>(*byte);
        state = recognizer.next(state, *byte), before = *byte;
    }
    return bytes;
}

}  // namespace tbt
