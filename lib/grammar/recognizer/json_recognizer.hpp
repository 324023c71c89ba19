// JSON as a recognizer over bytes, all of RFC 8259: one mode, and a stack of the
// containers that are open.
//
// Nothing recurses: the stack is a list of cells, each with a pointer to the one below.
// Cells are never changed, so a state is (mode, top cell) and copies share what lies
// below, at any depth.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/grammar/recognizer/recognizer.hpp"

namespace tbt {

struct JsonOptions {
    // The most white space characters in a row; −1: any number. A model that may write blanks for
    // ever sometimes does.
    int max_whitespace = 12;
    // RFC 8259's grammar lets \uD800 stand alone, though it is no character and many parsers
    // refuse it (§8.2).
    bool lone_surrogates = false;
    // The text must be an object or an array, as chat programs mostly want it.
    bool container_only = false;

    // What a file may look like, as opposed to what we want to write.
    static JsonOptions rfc() { return {-1, true, false}; }
};

class JsonRecognizer : public Recognizer {
public:
    enum class Mode : std::uint8_t {
        value,
        first_item,
        first_key,
        key,
        colon,
        after,  // between symbols
        string,
        escape,
        hex1,
        hex2,
        hex3,
        hex4,  // in a string; in an escape \uXXXX
        hex2_d,
        high3,
        high4,
        low_backslash,
        low_u,
        low1,
        low2,  // in a surrogate pair \uD83D\uDE00
        more1,
        more2,
        more3,
        after_e0,
        after_ed,
        after_f0,
        after_f4,  // in UTF-8: bytes still missing
        minus,
        zero,
        digits,
        point,
        fraction,
        exponent,
        exponent_sign,
        exponent_digits,
        t_rue,
        tr_ue,
        tru_e,
        f_alse,
        fa_lse,
        fal_se,
        fals_e,
        n_ull,
        nu_ll,
        nul_l,
        beyond,  // an abstraction that lost its way: see recognizer.hpp
    };
    struct View {
        Mode mode = Mode::value;
        bool is_key = false;  // the string being read is a key
        int blanks = 0;       // white space characters just read
        std::uint32_t cell = 0;
    };

    explicit JsonRecognizer(JsonOptions options = {});

    State start() override { return pack({Mode::value, false, 0, bottom}); }
    State next(State state, unsigned char byte) override;
    bool accepts(State state) const override;
    int closing_bytes(State state) const override;
    State abstraction(State state) override;
    bool escaped(State state) const override { return unpack(state).mode == Mode::beyond; }
    int hidden_bytes(State state) const override;

    // For programs that show what goes on.
    static View unpack(State state);
    std::string stack(State state) const;  // "[{[": the open containers, outermost first
    static const char* name(Mode mode);

private:
    enum Kind : std::uint8_t { array, object, none };
    static constexpr std::uint32_t bottom = 0;   // nothing is open
    static constexpr std::uint32_t unknown = 1;  // below this an abstraction knows nothing
    struct Cell {
        std::uint32_t below = 0;
        std::uint32_t depth = 0;
        std::array<std::uint32_t, 2>
            above{};  // the cell of an array or object opened here; 0: not made yet
        Kind kind = none;
    };

    static State pack(const View& v) {
        return State{v.cell} << 32 | static_cast<State>(v.blanks) << 16 |
               static_cast<State>(v.is_key) << 8 | static_cast<State>(v.mode);
    }
    static State in(const View& v, Mode mode) { return pack({mode, v.is_key, 0, v.cell}); }

    State unknown_state(State state) const;
    std::uint32_t open(std::uint32_t cell, Kind kind);
    State begin_value(const View& v, unsigned char byte);
    State between(const View& v, unsigned char byte);
    State close(const View& v, Kind kind) const;
    State in_string(const View& v, unsigned char byte) const;
    State in_escape(const View& v, unsigned char byte) const;
    static State in_sequence(const View& v, unsigned char byte);
    State in_number(const View& v, unsigned char byte);

    JsonOptions options_;
    std::vector<Cell> cells_;
};

}  // namespace tbt
