// A handwritten recognizer for JSON, all of RFC 8259. It reads bytes; its state is a mode and a
// stack of the open containers (arrays and objects).
//
// Nothing recurses: the stack is a linked list of cells, each with the number of the cell below it.
// The depth and kind of a cell never change, so a state is only (mode, top cell), and states share
// the cells below. What each byte does in each mode is in one table, in the .cpp.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grammar/recognizer/recognizer.hpp"

namespace tbt {

struct JsonOptions {
    // The most white space characters in a row, 0 to 255; −1: any number. Without a limit some
    // models write white space for ever.
    int max_whitespace = 12;
    // May \uD800 come without its other half? RFC 8259's grammar allows it, though it is not a
    // character and many parsers refuse it (§8.2).
    bool lone_surrogates = false;
    // Must the text be an object or an array? Chat programs mostly expect that.
    bool container_only = false;

    // For reading files: everything that RFC 8259 allows. The defaults above are for generation.
    static JsonOptions rfc() { return {-1, true, false}; }
};

class JsonRecognizer : public Recognizer {
public:
    enum class Mode : std::uint8_t {
        // clang-format off
        // Between symbols: white space is allowed.
        value, first_item, first_key, key, colon, after,
        // In a string; hex1 to hex4: in an escape \uXXXX.
        string, escape, hex1, hex2, hex3, hex4,
        // In a surrogate pair \uD83D\uDE00.
        hex2_d, high3, high4, low_backslash, low_u, low1, low2,
        // Inside a character of UTF-8: the number of bytes that must follow, or the first byte.
        more1, more2, more3, after_e0, after_ed, after_f0, after_f4,
        // In a number; from zero on it may end.
        minus, point, exponent, exponent_sign, zero, digits, fraction, exponent_digits,
        // In true, false or null, after the letters before the underscore.
        t_rue, tr_ue, tru_e, f_alse, fa_lse, fal_se, fals_e, n_ull, nu_ll, nul_l,
        beyond,  // an abstraction that has escaped: see recognizer.hpp
        // No modes: what else a byte can be. A container's brackets and commas concern the stack.
        refused, blank, begin_key, end_string, begin_array, begin_object, end_container, comma
        // clang-format on
    };
    // A state, unpacked.
    struct View {
        Mode mode = Mode::value;
        bool is_key = false;     // the string being read is a key
        int blanks = 0;          // white space characters just read, in a row
        std::uint32_t cell = 0;  // the top of the stack
    };

    // Throws UsageError if max_whitespace is below −1 or above 255.
    explicit JsonRecognizer(JsonOptions options = {});

    State start() override { return pack({Mode::value, false, 0, bottom}); }
    State next(State state, unsigned char byte) override;
    int last_equivalent(State, int byte) const override;
    bool accepts(State state) const override;
    int closing_bytes(State state) const override;
    State abstraction(State state) override;
    bool escaped(State state) const override { return unpack(state).mode == Mode::beyond; }

    // For programs that display the state.
    static View unpack(State state);
    std::string stack(State state) const;  // "[{[": the open containers, outermost first
    static const char* name(Mode mode);    // "a key or }"

private:
    enum Kind : std::uint8_t { array, object, none };
    static constexpr std::uint32_t bottom = 0;   // nothing is open
    static constexpr std::uint32_t unknown = 1;  // what an abstraction has instead of lower cells
    struct Cell {
        std::uint32_t below = 0;
        std::uint32_t depth = 0;  // cells below this one
        // The cell above for an array and for an object opened here; 0: not made yet.
        std::array<std::uint32_t, 2> above{};
        Kind kind = none;
    };

    static State pack(const View& v) {
        return State{v.cell} << 32 | static_cast<State>(v.blanks) << 16 |
               static_cast<State>(v.is_key) << 8 | static_cast<State>(v.mode);
    }
    static State in(const View& v, Mode mode) { return pack({mode, v.is_key, 0, v.cell}); }

    // Can this be a state of this recognizer?
    bool known(const View& v) const { return v.cell < cells_.size() && v.mode < Mode::refused; }
    State unknown_state(State state) const;
    std::uint32_t open(std::uint32_t cell, Kind kind);
    State close(const View& v, Kind kind) const;

    JsonOptions options_;
    std::vector<Cell> cells_;
};

// Says in words where an incomplete JSON text stops, for example "the object › likes › item 2: in a
// string"; "complete" after the closing bracket. Empty if the text is not the beginning of a JSON
// object or array. Keys are truncated to 30 bytes, perhaps inside a character.
std::string json_place(std::string_view text);

}  // namespace tbt
