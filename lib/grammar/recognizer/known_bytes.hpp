// Forced bytes: bytes about which a language leaves no choice. After {"name": "Ella", only "job": "
// may come. The caller splits them into tokens.
//
// Optional white space does not count as a choice. This header expects one blank after a colon or a
// comma, as JSON is usually written, and none elsewhere.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lib/grammar/recognizer/recognizer.hpp"

namespace tbt {

// The forced byte in a state; `before` is the last byte read. None if several bytes may come, or if
// the text may end here.
inline std::optional<unsigned char> known_byte(Recognizer& recognizer, Recognizer::State state,
                                               unsigned char before) {
    if (state == Recognizer::dead || recognizer.accepts(state)) return {};
    std::optional<unsigned char> blank, other;
    for (int byte = 0; byte < 256; ++byte) {
        const auto c = static_cast<unsigned char>(byte);
        const bool alive = recognizer.next(state, c) != Recognizer::dead;
        if (c == ' ' || (c >= '\t' && c <= '\r')) {
            if (alive) blank = c;  // the last one allowed, which is the space if that is allowed
            continue;
        }
        byte = recognizer.last_equivalent(state, byte);
        if (alive && (other || byte > c)) return {};
        if (alive) other = c;
    }
    const bool spaced = before == ':' || before == ',';
    return blank && (spaced || !other) ? blank : other;
}

// The forced bytes in a row, at most `most` of them.
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
