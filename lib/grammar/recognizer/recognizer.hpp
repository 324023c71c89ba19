// A recognizer reads the bytes of a text: which byte may come next, and may the text end here?
//
// json_recognizer.hpp is one for JSON, written by hand; grammar_recognizer.hpp is made from a
// grammar, a regular expression or a JSON Schema. Everything else (masks over tokens, closing in
// time, the decoding loop) only knows this interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>

namespace tbt {

class TokenTrie;

// An upper bound of the tokens to the end of a text (token_bound.hpp has one for grammars). Without
// one, as for the JSON recognizer, the fewest bytes are the bound: every byte is a token.
class TokensToEnd {
public:
    using State = std::uint64_t;  // of the recognizer
    static constexpr int never = std::numeric_limits<int>::max() / 4;

    virtual ~TokensToEnd() = default;

    // So many tokens complete the text, and after one of them the bound is smaller.
    // Of an abstracted state it counts the known part only.
    virtual int of(State state) = 0;
    // The most that the part that an abstraction of the state has forgotten adds.
    virtual int hidden(State state) = 0;
    // The bound of the state that `reached` means, which was reached from the abstraction of
    // `state`. -1: unknown.
    virtual int of_reached(State state, State reached) = 0;

    virtual std::size_t memory() const = 0;
    virtual void forget() = 0;
};

class Recognizer {
public:
    // All that the recognizer remembers, as a number: copying a state costs nothing,
    // so that beams may fork and drafts may be taken back. Equal numbers mean equal futures.
    using State = std::uint64_t;
    static constexpr State dead = ~State{0};
    static constexpr int never = TokensToEnd::never;

    virtual ~Recognizer() = default;

    virtual State start() = 0;
    // dead when no text of the language goes on like this; otherwise at least one does.
    // next(dead) is dead.
    virtual State next(State state, unsigned char byte) = 0;
    // Once next(state, byte) was asked: up to here at least, the bytes after it lead there too.
    virtual int last_equivalent(State, int byte) const { return byte; }
    virtual bool accepts(State state) const = 0;
    // The fewest bytes that complete the text; `never` after dead.
    virtual int closing_bytes(State state) const = 0;

    // An upper bound in tokens. Null: closing_bytes is the bound, a token for each byte.
    virtual std::unique_ptr<TokensToEnd> tokens_to_end(const TokenTrie&) { return nullptr; }

    // The bytes of memory that all states take, and to give them back: afterwards epoch() is
    // another one, and all states but start() must be read anew.
    virtual std::size_t memory() const { return 0; }
    virtual void forget() {}
    virtual unsigned epoch() const { return 0; }

    // ---- what masks are cached by ----
    // Most tokens are decided by the innermost part of a state. abstraction(state)
    // knows only that part; walking on from it, a state that would need to know more is `escaped`.
    // closing_bytes of an abstracted state counts its known part, and hidden_bytes is the most that
    // the forgotten part adds.
    virtual State abstraction(State state) = 0;
    virtual bool escaped(State state) const = 0;
    virtual int hidden_bytes(State state) const = 0;
};

// The state after a text.
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

}  // namespace tbt
