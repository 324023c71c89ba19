// A language as a machine that reads bytes: which byte may come next, and may the text end here?
//
// Chapter 13 writes such a machine for JSON by hand; chapters 14 to 16 compile one from a grammar,
// a regular expression or a JSON Schema. Everything else (masks over tokens, closing in time,
// the decoding loop) only knows this interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>

#include "lib/grammar/recognizer/tokens_to_end.hpp"

namespace tbt {

class TokenTrie;

class ByteMachine {
public:
    // All that the machine remembers, as a number: copying a state costs nothing,
    // so that beams may fork and drafts may be taken back. Equal numbers mean equal futures.
    using State = std::uint64_t;
    static constexpr State dead = ~State{0};
    static constexpr int never = std::numeric_limits<int>::max() / 4;

    virtual ~ByteMachine() = default;

    virtual State start() = 0;
    // dead when no text of the language goes on like this; otherwise at least one does.
    // next(dead) is dead.
    virtual State next(State state, unsigned char byte) = 0;
    // Once next(state, byte) was asked: up to here at least, the bytes behind it lead there too.
    virtual int last_alike(State, int byte) const { return byte; }
    virtual bool accepts(State state) const = 0;
    // The fewest bytes that complete the text; `never` behind dead.
    virtual int closing_bytes(State state) const = 0;

    // An upper bound in tokens. Null: closing_bytes is the bound, a token for each byte.
    virtual std::unique_ptr<TokensToEnd> tokens_to_end(const TokenTrie&) { return nullptr; }

    // The bytes of memory that all states take, and to give them back: afterwards epoch() is
    // another one, and all states but start() must be read anew.
    virtual std::size_t memory() const { return 0; }
    virtual void forget() {}
    virtual unsigned epoch() const { return 0; }

    // ---- what masks are cached by ----
    // Most tokens are decided by the innermost part of a state. outline(state)
    // knows only that part; walking on from it, a state that would need to know more is `escaped`.
    // closing_bytes of an outlined state counts its known part, and hidden_bytes is the most that
    // the forgotten part adds.
    virtual State outline(State state) = 0;
    virtual bool escaped(State state) const = 0;
    virtual int hidden_bytes(State state) const = 0;
};

// The state behind a text.
inline ByteMachine::State read_bytes(ByteMachine& machine, ByteMachine::State state,
                                     std::string_view text) {
    for (const char c : text) {
        if (state == ByteMachine::dead) break;
        state = machine.next(state, static_cast<unsigned char>(c));
    }
    return state;
}

// Is the text, as a whole, in the language?
inline bool accepts_text(ByteMachine& machine, std::string_view text) {
    const ByteMachine::State state = read_bytes(machine, machine.start(), text);
    return state != ByteMachine::dead && machine.accepts(state);
}

}  // namespace tbt
