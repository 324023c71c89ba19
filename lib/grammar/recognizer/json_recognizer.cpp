#include "lib/grammar/recognizer/json_recognizer.hpp"

#include <algorithm>
#include <array>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

namespace {

using Mode = JsonRecognizer::Mode;
using State = Recognizer::State;
using enum JsonRecognizer::Mode;

constexpr auto modes = static_cast<std::size_t>(refused);

// In mode `from`, bytes in any of the ranges "first last …" lead to another mode.
struct Step {
    Mode from;
    std::string_view ranges;
    Mode to;
};
constexpr std::string_view any_hex = "09afAF", continuation = "\x80\xbf";
constexpr Step steps[] = {
    // clang-format off
    {value, "[[", begin_array}, {value, "{{", begin_object}, {value, "\"\"", string},
    {value, "--", minus}, {value, "00", zero}, {value, "19", digits},
    {value, "tt", t_rue}, {value, "ff", f_alse}, {value, "nn", n_ull},
    {first_item, "]]", end_container}, {first_key, "}}", end_container},
    {key, "\"\"", begin_key}, {colon, "::", value},
    {after, ",,", comma}, {after, "]]}}", end_container},
    // The first byte of a UTF-8 sequence says how many bytes follow. After E0, ED, F0 and F4 the
    // second byte has a smaller range. That rules out a second spelling of a character,
    // surrogates, and code points above U+10FFFF [RFC 3629, §4].
    {string, "\"\"", end_string}, {string, "\\\\", escape}, {string, " !#[]\x7f", string},
    {string, "\xc2\xdf", more1}, {string, "\xe0\xe0", after_e0},
    {string, "\xe1\xec\xee\xef", more2}, {string, "\xed\xed", after_ed},
    {string, "\xf0\xf0", after_f0}, {string, "\xf1\xf3", more3}, {string, "\xf4\xf4", after_f4},
    {more1, continuation, string}, {more2, continuation, more1}, {more3, continuation, more2},
    {after_e0, "\xa0\xbf", more1}, {after_ed, "\x80\x9f", more1}, {after_f0, "\x90\xbf", more2},
    {after_f4, "\x80\x8f", more2},
    // \uD800 … \uDBFF is the first half of a character; the second, \uDC00 … \uDFFF, must follow.
    {escape, "\"\"\\\\//bbffnnrrtt", string}, {escape, "uu", hex1},
    {hex1, "09acefACEF", hex2}, {hex1, "ddDD", hex2_d}, {hex2, any_hex, hex3},
    {hex3, any_hex, hex4}, {hex4, any_hex, string},
    {hex2_d, "07", hex3}, {hex2_d, "89abAB", high3}, {high3, any_hex, high4},
    {high4, any_hex, low_backslash}, {low_backslash, "\\\\", low_u}, {low_u, "uu", low1},
    {low1, "ddDD", low2}, {low2, "cfCF", hex3},
    // number = [ minus ] int [ frac ] [ exp ], without leading zeros.
    {minus, "00", zero}, {minus, "19", digits}, {zero, "..", point}, {zero, "eeEE", exponent},
    {digits, "09", digits}, {digits, "..", point}, {digits, "eeEE", exponent},
    {point, "09", fraction}, {fraction, "09", fraction}, {fraction, "eeEE", exponent},
    {exponent, "++--", exponent_sign}, {exponent, "09", exponent_digits},
    {exponent_sign, "09", exponent_digits}, {exponent_digits, "09", exponent_digits},
    {t_rue, "rr", tr_ue}, {tr_ue, "uu", tru_e}, {tru_e, "ee", after},
    {f_alse, "aa", fa_lse}, {fa_lse, "ll", fal_se}, {fal_se, "ss", fals_e}, {fals_e, "ee", after},
    {n_ull, "uu", nu_ll}, {nu_ll, "ll", nul_l}, {nul_l, "ll", after},
    // clang-format on
};

struct Table {
    std::array<std::array<Mode, 256>, modes> next;  // by mode and byte
    std::array<unsigned char, 256> last;            // the last byte of a range with equal columns
    // The fewest bytes from inside a string to its text, from inside a number or word to its end.
    std::array<int, modes> distance;

    constexpr Table() : next(), last(), distance() {
        for (auto& row : next) row.fill(refused);
        for (const Step& s : steps)
            for (std::size_t i = 0; i < s.ranges.size(); i += 2)
                for (int b = byte_at(s.ranges, i); b <= byte_at(s.ranges, i + 1); ++b)
                    row_of(s.from)[index(b)] = s.to;
        for (std::size_t m = 0; m <= index_of(after); ++m)
            for (const char b : {' ', '\t', '\n', '\r'})
                next[m][static_cast<unsigned char>(b)] = blank;
        add(first_item, value), add(first_key, key);
        // A number has no closing symbol: it ends at the first byte that may follow a value.
        for (const Mode m : {zero, digits, fraction, exponent_digits}) add(m, after);
        for (int b = 255; b >= 0; --b) {
            const bool same =
                b < 255 && std::all_of(next.begin(), next.end(), [&](const auto& row) {
                    return row[index(b)] == row[index(b + 1)];
                });
            last[index(b)] = same ? last[index(b + 1)] : static_cast<unsigned char>(b);
        }
        constexpr int far = 100;
        for (std::size_t m = index_of(escape); m < index_of(beyond); ++m)
            distance[m] = m >= index_of(zero) && m <= index_of(exponent_digits) ? 0 : far;
        for (int n = 0; n < 8; ++n)
            for (std::size_t m = 0; m < index_of(beyond); ++m)
                for (const Mode to : next[m])
                    if (to < beyond)
                        distance[m] = std::min(distance[m], 1 + distance[index_of(to)]);
    }
    static constexpr std::size_t index_of(Mode m) { return static_cast<std::size_t>(m); }
    static constexpr int byte_at(std::string_view s, std::size_t i) {
        return static_cast<unsigned char>(s[i]);
    }
    constexpr std::array<Mode, 256>& row_of(Mode m) { return next[index_of(m)]; }
    // What a mode refuses, it takes as another does.
    constexpr void add(Mode to, Mode from) {
        for (std::size_t b = 0; b < 256; ++b)
            if (row_of(to)[b] == refused) row_of(to)[b] = row_of(from)[b];
    }
};
constexpr Table table;

bool is_number(Mode m) { return m >= minus && m <= exponent_digits; }
bool number_may_end(Mode m) { return m >= zero && m <= exponent_digits; }
// Between the quotation marks of a string.
bool in_text(Mode m) { return m >= string && m <= after_f4; }

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
    if (!known(v)) return unknown_state(state);
    const Kind kind = cells_[v.cell].kind;
    switch (const Mode to = table.next[Table::index_of(v.mode)][byte]) {
        case refused:
            return dead;
        case blank:
            if (v.blanks == options_.max_whitespace) return dead;
            return pack({is_number(v.mode) ? after : v.mode, v.is_key,
                         options_.max_whitespace < 0 ? 0 : v.blanks + 1, v.cell});
        case begin_array:
            return pack({first_item, false, 0, open(v.cell, array)});
        case begin_object:
            return pack({first_key, false, 0, open(v.cell, object)});
        case end_container:
            return close(v, byte == ']' ? array : object);
        case comma:
            return kind == none ? dead : in(v, kind == array ? value : key);
        case begin_key:
            return pack({string, true, 0, v.cell});
        case end_string:
            return pack({v.is_key ? colon : after, false, 0, v.cell});
        case hex2_d:
            return in(v, options_.lone_surrogates ? hex2 : hex2_d);
        default:  // the beginning of a string, number or word, or a byte inside one
            if (options_.container_only && v.mode == value && v.cell == bottom) return dead;
            return in(v, to);
    }
}

// Every mode treats the bytes of a range alike.
int JsonRecognizer::last_equivalent(State, int byte) const { return table.last[index(byte)]; }

State JsonRecognizer::close(const View& v, Kind kind) const {
    if (cells_[v.cell].kind != kind) return dead;
    const std::uint32_t below = cells_[v.cell].below;
    return pack({below == unknown ? beyond : after, false, 0, below});
}

// Returns dead for dead; throws Error for any other number, which is no state of this recognizer.
State JsonRecognizer::unknown_state(State state) const {
    if (state == dead) return dead;
    throw Error("json: there is no state " + std::to_string(state) + " of this recognizer");
}

bool JsonRecognizer::accepts(State state) const {
    const View v = unpack(state);
    if (!known(v)) return unknown_state(state), false;
    return v.cell == bottom && (v.mode == after || number_may_end(v.mode));
}

int JsonRecognizer::closing_bytes(State state) const {
    const View v = unpack(state);
    if (!known(v)) return unknown_state(state), never;
    int bytes = to_int(cells_[v.cell].depth) + table.distance[Table::index_of(v.mode)];
    if (v.mode == value) bytes += options_.container_only && v.cell == bottom ? 2 : 1;  // {} or 0
    if (v.mode == key) bytes += 4;                                                      // "":0
    if (v.mode == colon) bytes += 2;                                                    // :0
    if (in_text(v.mode)) bytes += v.is_key ? 3 : 1;                                     // ":0 or "
    return bytes;
}

// Keeps the innermost container only: the containers below matter only after it is closed.
State JsonRecognizer::abstraction(State state) {
    View v = unpack(state);
    if (!known(v)) return unknown_state(state);
    if (cells_[v.cell].depth > 1) v.cell = open(unknown, cells_[v.cell].kind);
    return pack(v);
}

std::string JsonRecognizer::stack(State state) const {
    std::string text;
    if (!known(unpack(state))) return unknown_state(state), text;
    for (std::uint32_t cell = unpack(state).cell; cell > unknown; cell = cells_[cell].below)
        text += cells_[cell].kind == array ? '[' : '{';
    return {text.rbegin(), text.rend()};
}

const char* JsonRecognizer::name(Mode mode) {
    if (mode == value) return "a value";
    if (mode == first_item) return "a value or ]";
    if (mode == first_key) return "a key or }";
    if (mode == key) return "a key";
    if (mode == colon) return "a colon";
    if (mode == after) return "after a value";
    if (mode < more1) return mode == string ? "in a string" : "in an escape";
    if (mode < minus) return "in a character";
    return is_number(mode) ? "in a number" : mode == beyond ? "beyond" : "in a word";
}

namespace {

constexpr std::size_t longest_key = 30;

// An open container of a JSON text, with the last key of an object or the item number of an array.
struct Open {
    bool object = false;
    std::string key = {};
    int item = 1;
};

std::string words_of(const std::vector<Open>& open, const std::string& mode) {
    std::string words = open[0].object ? "the object" : "the list";
    for (const Open& o : open) {
        if (!o.object) words += " › item " + std::to_string(o.item);
        else if (!o.key.empty()) words += " › " + o.key;
    }
    return words + ": " + mode;
}

}  // namespace

std::string json_place(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) return "";
    JsonRecognizer recognizer(JsonOptions::rfc());
    Recognizer::State state = recognizer.start();
    std::vector<Open> open;
    for (const char c : text) {
        const JsonRecognizer::View was = JsonRecognizer::unpack(state);
        state = recognizer.next(state, static_cast<unsigned char>(c));
        if (state == Recognizer::dead) return "";
        const JsonRecognizer::View is = JsonRecognizer::unpack(state);
        if (is.is_key && in_text(is.mode)) {
            if (!in_text(was.mode)) open.back().key.clear();
            else if (open.back().key.size() < longest_key) open.back().key += c;
        }
        const std::size_t depth = recognizer.stack(state).size();
        if (depth > open.size()) open.push_back({c == '{'});
        else if (depth < open.size()) open.pop_back();
        else if (c == ',' && !in_text(was.mode) && !open.empty())
            ++open.back().item, open.back().key.clear();
    }
    const JsonRecognizer::View here = JsonRecognizer::unpack(state);
    if (in_text(here.mode) && here.is_key) return words_of(open, "in a key");
    if (open.empty()) return "complete";
    return words_of(open, JsonRecognizer::name(here.mode));
}

}  // namespace tbt
