#include "lib/grammar/recognizer/json_recognizer.hpp"

#include "lib/core/error.hpp"
#include "lib/grammar/recognizer/json_modes.hpp"

#include "lib/core/index.hpp"

namespace tbt {

namespace {

using Mode = JsonRecognizer::Mode;
using State = Recognizer::State;

bool is_blank(unsigned char b) { return b == ' ' || b == '\t' || b == '\n' || b == '\r'; }
bool is_digit(unsigned char b) { return b >= '0' && b <= '9'; }
bool is_hex(unsigned char b) {
    return is_digit(b) || (b >= 'a' && b <= 'f') || (b >= 'A' && b <= 'F');
}
bool is_letter(unsigned char b, char letter) { return (b | 0x20) == letter; }
bool takes_blanks(Mode m) { return m <= Mode::after; }

}  // namespace

JsonRecognizer::JsonRecognizer(JsonOptions options) : options_(options), cells_(2) {
    if (options_.max_whitespace < -1 || options_.max_whitespace > 255) {
        throw UsageError("white space: at most " + std::to_string(options_.max_whitespace) +
                         " characters in a row, expected 0 to 255, or -1 for any number");
    }
}

JsonRecognizer::View JsonRecognizer::unpack(State s) {
    return {static_cast<Mode>(s & 0xff), (s >> 8 & 1) != 0, to_int(s >> 16 & 0xff),
            static_cast<std::uint32_t>(s >> 32)};
}

std::uint32_t JsonRecognizer::open(std::uint32_t cell, Kind kind) {
    if (cells_[cell].above[kind] == 0) {
        cells_[cell].above[kind] = static_cast<std::uint32_t>(cells_.size());
        cells_.push_back({cell, cells_[cell].depth + 1, {}, kind});
    }
    return cells_[cell].above[kind];
}

State JsonRecognizer::next(State state, unsigned char byte) {
    const View v = unpack(state);
    if (v.cell >= cells_.size()) return unknown_state(state);
    if (takes_blanks(v.mode)) return between(v, byte);
    if (v.mode == Mode::string) return in_string(v, byte);
    if (v.mode < Mode::more1) return in_escape(v, byte);
    if (v.mode < Mode::minus) return in_sequence(v, byte);
    if (is_number(v.mode)) return in_number(v, byte);
    const JsonLetter letter = letter_after(v.mode);
    return v.mode != Mode::beyond && byte == letter.byte ? in(v, letter.next) : dead;
}

// Every mode treats the bytes of a range alike.
int JsonRecognizer::last_equivalent(State, int byte) const {
    using namespace std::string_view_literals;
    static constexpr auto first =  // of each range
        "\0\t\n\v\r\x0e !\"#+,-./018:;ACDEFG[\\]^abcdefglmnorstuv{|}~"
        "\x80\x90\xa0\xc0\xc2\xe0\xe1\xed\xee\xf0\xf1\xf4\xf5"sv;
    static const auto last = [] {
        std::array<unsigned char, 256> table{};
        for (int b = 255, end = 255; b >= 0; --b) {
            table[index(b)] = static_cast<unsigned char>(end);
            if (first.find(static_cast<char>(b)) != first.npos) end = b - 1;
        }
        return table;
    }();
    return last[index(byte)];
}

// Reads a byte between symbols, where white space is allowed.
State JsonRecognizer::between(const View& v, unsigned char byte) {
    if (is_blank(byte)) {
        if (options_.max_whitespace < 0) return pack(v);
        return v.blanks < options_.max_whitespace ? pack({v.mode, v.is_key, v.blanks + 1, v.cell})
                                                  : dead;
    }
    switch (v.mode) {
        case Mode::value:
            return begin_value(v, byte);
        case Mode::first_item:
            return byte == ']' ? close(v, array) : begin_value(v, byte);
        case Mode::first_key:
            if (byte == '}') return close(v, object);
            [[fallthrough]];
        case Mode::key:
            return byte == '"' ? pack({Mode::string, true, 0, v.cell}) : dead;
        case Mode::colon:
            return byte == ':' ? in(v, Mode::value) : dead;
        default:
            break;
    }
    const Kind kind = cells_[v.cell].kind;  // after a value
    if (byte == ',' && kind == array) return in(v, Mode::value);
    if (byte == ',' && kind == object) return in(v, Mode::key);
    if (byte == ']' && kind == array) return close(v, array);
    return byte == '}' && kind == object ? close(v, object) : dead;
}

State JsonRecognizer::begin_value(const View& v, unsigned char byte) {
    if (byte == '{') return pack({Mode::first_key, false, 0, open(v.cell, object)});
    if (byte == '[') return pack({Mode::first_item, false, 0, open(v.cell, array)});
    if (options_.container_only && v.cell == bottom) return dead;
    if (byte == '"') return in(v, Mode::string);
    if (byte == '-') return in(v, Mode::minus);
    if (byte == '0') return in(v, Mode::zero);
    if (is_digit(byte)) return in(v, Mode::digits);
    if (byte == 't') return in(v, Mode::t_rue);
    if (byte == 'f') return in(v, Mode::f_alse);
    return byte == 'n' ? in(v, Mode::n_ull) : dead;
}

State JsonRecognizer::close(const View& v, Kind kind) const {
    if (cells_[v.cell].kind != kind) return dead;
    const std::uint32_t below = cells_[v.cell].below;
    return pack({below == unknown ? Mode::beyond : Mode::after, false, 0, below});
}

// The first byte of a UTF-8 sequence says how many bytes follow. After E0, ED, F0 and F4 the second
// byte has a smaller range. That rules out a second spelling of a character, surrogates, and code
// points above U+10FFFF [RFC 3629, §4].
State JsonRecognizer::in_string(const View& v, unsigned char byte) const {
    if (byte == '"') return pack({v.is_key ? Mode::colon : Mode::after, false, 0, v.cell});
    if (byte == '\\') return in(v, Mode::escape);
    if (byte < 0x20) return dead;
    if (byte < 0x80) return pack(v);
    if (byte < 0xc2) return dead;
    if (byte < 0xe0) return in(v, Mode::more1);
    if (byte == 0xe0) return in(v, Mode::after_e0);
    if (byte == 0xed) return in(v, Mode::after_ed);
    if (byte < 0xf0) return in(v, Mode::more2);
    if (byte == 0xf0) return in(v, Mode::after_f0);
    if (byte < 0xf4) return in(v, Mode::more3);
    return byte == 0xf4 ? in(v, Mode::after_f4) : dead;
}

State JsonRecognizer::in_sequence(const View& v, unsigned char byte) {
    const auto within = [&](int low, int high, Mode mode) {
        return byte >= low && byte <= high ? in(v, mode) : dead;
    };
    switch (v.mode) {
        case Mode::more1:
            return within(0x80, 0xbf, Mode::string);
        case Mode::more2:
            return within(0x80, 0xbf, Mode::more1);
        case Mode::more3:
            return within(0x80, 0xbf, Mode::more2);
        case Mode::after_e0:
            return within(0xa0, 0xbf, Mode::more1);
        case Mode::after_ed:
            return within(0x80, 0x9f, Mode::more1);
        case Mode::after_f0:
            return within(0x90, 0xbf, Mode::more2);
        default:
            return within(0x80, 0x8f, Mode::more2);
    }
}

// \uD800 … \uDBFF is the first half of a character; the second, \uDC00 … \uDFFF, must follow.
State JsonRecognizer::in_escape(const View& v, unsigned char byte) const {
    const auto hex = [&](Mode mode) { return is_hex(byte) ? in(v, mode) : dead; };
    switch (v.mode) {
        case Mode::escape:
            if (byte == 'u') return in(v, Mode::hex1);
            return byte != 0 && std::string_view("\"\\/bfnrt").find(static_cast<char>(byte)) !=
                                    std::string_view::npos
                       ? in(v, Mode::string)
                       : dead;
        case Mode::hex1:
            return is_letter(byte, 'd') && !options_.lone_surrogates ? in(v, Mode::hex2_d)
                                                                     : hex(Mode::hex2);
        case Mode::hex2:
            return hex(Mode::hex3);
        case Mode::hex3:
            return hex(Mode::hex4);
        case Mode::hex4:
            return hex(Mode::string);
        case Mode::hex2_d:
            if (byte >= '0' && byte <= '7') return in(v, Mode::hex3);
            return byte == '8' || byte == '9' || is_letter(byte, 'a') || is_letter(byte, 'b')
                       ? in(v, Mode::high3)
                       : dead;
        case Mode::high3:
            return hex(Mode::high4);
        case Mode::high4:
            return hex(Mode::low_backslash);
        case Mode::low_backslash:
            return byte == '\\' ? in(v, Mode::low_u) : dead;
        case Mode::low_u:
            return byte == 'u' ? in(v, Mode::low1) : dead;
        case Mode::low1:
            return is_letter(byte, 'd') ? in(v, Mode::low2) : dead;
        default:
            return (byte | 0x20) >= 'c' && (byte | 0x20) <= 'f' ? in(v, Mode::hex3) : dead;
    }
}

// number = [ minus ] int [ frac ] [ exp ]. A number has no closing symbol: it ends at the first
// byte that may follow a value.
State JsonRecognizer::in_number(const View& v, unsigned char byte) {
    const bool digit = is_digit(byte);
    switch (v.mode) {
        case Mode::minus:
            return !digit ? dead : in(v, byte == '0' ? Mode::zero : Mode::digits);
        case Mode::point:
            return digit ? in(v, Mode::fraction) : dead;
        case Mode::exponent:
            if (byte == '+' || byte == '-') return in(v, Mode::exponent_sign);
            [[fallthrough]];
        case Mode::exponent_sign:
            return digit ? in(v, Mode::exponent_digits) : dead;
        default:
            break;
    }
    if (digit) return v.mode == Mode::zero ? dead : in(v, v.mode);  // no leading zeros
    if (byte == '.' && (v.mode == Mode::zero || v.mode == Mode::digits)) return in(v, Mode::point);
    if (is_letter(byte, 'e') && v.mode != Mode::exponent_digits) return in(v, Mode::exponent);
    return between({Mode::after, false, 0, v.cell}, byte);
}

// Returns dead for dead; throws Error for any other number, which is no state of this recognizer.
State JsonRecognizer::unknown_state(State state) const {
    if (state == dead) return dead;
    throw Error("json: there is no state " + std::to_string(state) + " of this recognizer");
}

bool JsonRecognizer::accepts(State state) const {
    const View v = unpack(state);
    if (v.cell >= cells_.size()) return unknown_state(state), false;
    return v.cell == bottom && (v.mode == Mode::after || number_may_end(v.mode));
}

int JsonRecognizer::closing_bytes(State state) const {
    const View v = unpack(state);
    if (v.cell >= cells_.size()) return unknown_state(state), never;
    const int value = options_.container_only && v.cell == bottom ? 2 : 1;  // {} or 0
    const int string = v.is_key ? 3 : 1;                                    // ":0 or "
    return to_int(cells_[v.cell].depth) + bytes_to_close(v.mode, value, string);
}

// Keeps the innermost container only: the containers below matter only after it is closed.
State JsonRecognizer::abstraction(State state) {
    View v = unpack(state);
    if (v.cell >= cells_.size()) return unknown_state(state);
    if (cells_[v.cell].depth > 1) v.cell = open(unknown, cells_[v.cell].kind);
    return pack(v);
}

int JsonRecognizer::hidden_bytes(State state) const {
    if (unpack(state).cell >= cells_.size()) return unknown_state(state), 0;
    const auto depth = to_int(cells_[unpack(state).cell].depth);
    return depth > 1 ? depth - 1 : 0;
}

std::string JsonRecognizer::stack(State state) const {
    std::string text;
    if (unpack(state).cell >= cells_.size()) return unknown_state(state), text;
    for (std::uint32_t cell = unpack(state).cell; cell > unknown; cell = cells_[cell].below)
        text += cells_[cell].kind == array ? '[' : '{';
    return {text.rbegin(), text.rend()};
}

}  // namespace tbt
