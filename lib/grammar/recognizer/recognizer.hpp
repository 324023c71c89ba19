// The interface of recognizers. A recognizer reads a text byte by byte. It says which byte may come
// next, and whether the text may end here.
//
// json_recognizer.hpp is a handwritten recognizer for JSON. grammar_recognizer.hpp works for a
// grammar, a regular expression or a JSON Schema. All other code (masks over tokens, closing in
// time, the decoding loop) uses only this interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/core/error.hpp"

namespace tbt {

class TokenTrie;

// An upper bound of the tokens that complete a text (token_bound.hpp has one for grammars). The
// JSON recognizer has none; then the fewest bytes are the bound, if every byte is a token.
class TokensToEnd {
public:
    using State = std::uint64_t;  // a state of the recognizer
    static constexpr int never = std::numeric_limits<int>::max() / 4;

    virtual ~TokensToEnd() = default;

    // The text can be completed with this many tokens, the first of which leads to a state with a
    // smaller bound. For an abstracted state only the known part is counted.
    virtual int of(State state) = 0;
    // An upper bound of the tokens for the part that the abstraction of this state has forgotten.
    virtual int hidden(State state) = 0;
    // `reached` was reached from the abstraction of `state`. Returns the bound of the full state
    // that is reached from `state` itself by the same bytes; -1 if it is unknown.
    virtual int of_reached(State state, State reached) = 0;
    // The memory in use, in bytes; and gives it back.
    virtual std::size_t memory() const = 0;
    virtual void forget() = 0;
};

// Texts can be read under a grammar in so many ways that following all of them takes too long.
class TooAmbiguous : public UsageError {
public:
    using UsageError::UsageError;
};

class Recognizer {
public:
    // A state is a number, so copying it is free: beams can fork and drafts can be taken back.
    // States with equal numbers accept the same continuations.
    using State = std::uint64_t;
    static constexpr State dead = ~State{0};
    static constexpr int never = TokensToEnd::never;

    virtual ~Recognizer() = default;

    virtual State start() = 0;
    // The state after one more byte; dead if no text of the language begins with these bytes.
    // next(dead) is dead.
    virtual State next(State state, unsigned char byte) = 0;
    // Call it after next(state, byte). All bytes from `byte` to the result lead to the same state;
    // higher bytes may lead there too.
    virtual int last_equivalent(State, int byte) const { return byte; }
    // May the text end here?
    virtual bool accepts(State state) const = 0;
    // The fewest bytes that complete the text; `never` for dead.
    virtual int closing_bytes(State state) const = 0;

    // An upper bound in tokens. Null: closing_bytes is the bound, with one token for each byte, and
    // what an abstraction forgets adds as much to each of the states reached from it.
    virtual std::unique_ptr<TokensToEnd> tokens_to_end(const TokenTrie&) { return nullptr; }

    // The memory of all states in bytes, and a function that frees it. After forget() epoch() has
    // changed and all states are invalid: call start() and read the texts again.
    virtual std::size_t memory() const { return 0; }
    virtual void forget() {}
    virtual unsigned epoch() const { return 0; }

    // Limits the work of what follows: next() throws TooAmbiguous after this many derivations.
    static constexpr std::size_t any_work = ~std::size_t{0};
    virtual void allow_work(std::size_t) {}

    // ---- for the cache of masks ----
    // The innermost part of a state is enough to decide most tokens. abstraction(state) is a state
    // that knows only this part. A state reached from it is `escaped` if the forgotten part is
    // needed to go on. closing_bytes of an abstracted state counts the known part only.
    virtual State abstraction(State state) = 0;
    virtual bool escaped(State state) const = 0;
};

// The state after reading a text from `state`; dead if the text is not allowed there.
inline Recognizer::State read_bytes(Recognizer& recognizer, Recognizer::State state,
                                    std::string_view text) {
    for (const char c : text) {
        if (state == Recognizer::dead) break;
        state = recognizer.next(state, static_cast<unsigned char>(c));
    }
    return state;
}

// Is the text, as a whole, in the language?
inline bool accepts_text(Recognizer& recognizer, std::string_view text) {
    const Recognizer::State state = read_bytes(recognizer, recognizer.start(), text);
    return state != Recognizer::dead && recognizer.accepts(state);
}

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

// Forced bytes: bytes about which a language leaves no choice. After {"name": "Ella", only "job": "
// may come. The caller splits them into tokens.
//
// Optional white space does not count as a choice. These functions expect one blank after a colon
// or a comma, as JSON is usually written, and none elsewhere.
//
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
