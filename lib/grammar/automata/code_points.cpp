#include "lib/grammar/automata/code_points.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"

namespace tbt {

CodePointSet CodePointSet::all() { return {0, highest}; }

CodePointSet CodePointSet::of(std::string_view ascii) {
    CodePointSet set;
    for (const char c : ascii) set.add(c, c);
    return set;
}

void CodePointSet::add(std::int32_t low, std::int32_t high) {
    if (low < 0xd800) insert(low, std::min(high, 0xd7ff));
    if (high > 0xdfff) insert(std::max(low, 0xe000), high);
}

void CodePointSet::insert(std::int32_t low, std::int32_t high) {
    low = std::max(low, 0), high = std::min(high, highest);
    if (low > high) return;
    // Merges the new range with all ranges that overlap or touch it.
    auto first = std::partition_point(ranges_.begin(), ranges_.end(),
                                      [&](const Range& r) { return r.high + 1 < low; });
    auto last = first;
    for (; last != ranges_.end() && last->low <= high + 1; ++last) {
        low = std::min(low, last->low);
        high = std::max(high, last->high);
    }
    ranges_.insert(ranges_.erase(first, last), Range{low, high});
}

void CodePointSet::add(const CodePointSet& other) {
    for (const Range& r : other.ranges_) insert(r.low, r.high);
}

bool CodePointSet::contains(std::int32_t c) const {
    return std::any_of(ranges_.begin(), ranges_.end(),
                       [&](const Range& r) { return c >= r.low && c <= r.high; });
}

std::int64_t CodePointSet::count() const {
    std::int64_t n = 0;
    for (const Range& r : ranges_) n += r.high - r.low + 1;
    return n;
}

CodePointSet CodePointSet::complement() const {
    CodePointSet rest;
    std::int32_t next = 0;
    for (const Range& r : ranges_) {
        if (next < r.low) rest.add(next, r.low - 1);
        next = r.high + 1;
    }
    if (next <= highest) rest.add(next, highest);
    return rest;
}

CodePointSet CodePointSet::operator&(const CodePointSet& other) const {
    CodePointSet both;
    for (std::size_t i = 0, j = 0; i < ranges_.size() && j < other.ranges_.size();) {
        const Range &a = ranges_[i], &b = other.ranges_[j];
        const Range common{std::max(a.low, b.low), std::min(a.high, b.high)};
        if (common.low <= common.high) both.ranges_.push_back(common);
        a.high < b.high ? ++i : ++j;
    }
    return both;
}

namespace {

// Splits low … high into sequences of digit ranges. One sequence is enough if, after the first
// digit that differs between low and high, low has only zeros and high only highest digits.
// Otherwise cuts the range in two, at the lowest place that breaks this, and splits both parts.
void split_digits(std::int32_t low, std::int32_t high, const std::vector<int>& bits,
                  std::vector<DigitRanges>& out) {
    int below = 0;
    for (std::size_t place = bits.size() - 1; place > 0; --place) {
        below += bits[place];
        const std::int32_t mask = (1 << below) - 1;
        if ((low & ~mask) == (high & ~mask)) continue;
        if ((low & mask) != 0) {
            split_digits(low, low | mask, bits, out);
            split_digits((low | mask) + 1, high, bits, out);
            return;
        }
        if ((high & mask) != mask) {
            split_digits(low, (high & ~mask) - 1, bits, out);
            split_digits(high & ~mask, high, bits, out);
            return;
        }
    }
    DigitRanges digits(bits.size());
    for (std::size_t place = bits.size(); place-- > 0;) {
        const std::int32_t mask = (1 << bits[place]) - 1;
        digits[place] = {static_cast<std::uint8_t>(low & mask),
                         static_cast<std::uint8_t>(high & mask)};
        low >>= bits[place];
        high >>= bits[place];
    }
    out.push_back(digits);
}

}  // namespace

std::vector<DigitRanges> digit_sequences(const std::vector<CodePointSet::Range>& numbers,
                                         const std::vector<int>& digit_bits) {
    std::vector<DigitRanges> out;
    check_at_least("digits: places", static_cast<long long>(digit_bits.size()), 1);
    for (const CodePointSet::Range& r : numbers) split_digits(r.low, r.high, digit_bits, out);
    return out;
}

// UTF-8 writes a number in digits of six bits, each with a mark: 0xxxxxxx, 110xxxxx 10xxxxxx, …
std::vector<ByteSequence> utf8_sequences(const CodePointSet& set) {
    struct Length {
        std::int32_t low, high;
        std::vector<int> bits;
        int mark;
    };
    static const std::vector<Length> lengths = {{0, 0x7f, {7}, 0},
                                                {0x80, 0x7ff, {5, 6}, 0xc0},
                                                {0x800, 0xffff, {4, 6, 6}, 0xe0},
                                                {0x10000, 0x10ffff, {3, 6, 6, 6}, 0xf0}};
    std::vector<ByteSequence> out;
    for (const Length& length : lengths) {
        for (const DigitRanges& digits :
             digit_sequences((set & CodePointSet(length.low, length.high)).ranges(), length.bits)) {
            ByteSequence bytes;
            for (std::size_t i = 0; i < digits.size(); ++i) {
                const int mark = i == 0 ? length.mark : 0x80;
                bytes.push_back({{static_cast<std::uint8_t>(digits[i].low | mark),
                                  static_cast<std::uint8_t>(digits[i].high | mark)}});
            }
            out.push_back(std::move(bytes));
        }
    }
    return out;
}

std::vector<std::int32_t> code_points_of(std::string_view text, const std::string& what) {
    const std::size_t bad = find_invalid_utf8(text);
    if (bad != std::string_view::npos)
        throw UsageError(what + ": byte " + std::to_string(bad + 1) +
                         " is not UTF-8; save the text as UTF-8");
    std::vector<std::int32_t> points;
    for (std::size_t i = 0; i < text.size();) {
        const CodePoint c = decode_utf8(text, i);
        points.push_back(c.value);
        i += index(c.length);
    }
    return points;
}

CodePointSet digits() { return {'0', '9'}; }
CodePointSet word() {
    CodePointSet s('a', 'z');
    s.add('A', 'Z');
    s.add('0', '9');
    s.add('_', '_');
    return s;
}
CodePointSet line_ends() {
    CodePointSet s = CodePointSet::of("\n\r");
    s.add(0x2028, 0x2029);
    return s;
}
CodePointSet space() {
    CodePointSet s = line_ends();
    s.add(CodePointSet::of("\t\v\f "));
    constexpr std::pair<int, int> blanks[] = {{0xa0, 0xa0},     {0x1680, 0x1680}, {0x2000, 0x200a},
                                              {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000},
                                              {0xfeff, 0xfeff}};
    for (const auto& [low, high] : blanks) s.add(low, high);
    return s;
}

namespace {

// The characters of each category by its short name, computed once.
const std::map<std::string_view, CodePointSet>& categories() {
    static const std::map<std::string_view, CodePointSet> all = [] {
        std::map<std::string_view, CodePointSet> sets;
        std::int32_t from = 0;
        for (std::int32_t c = 1; c <= CodePointSet::highest + 1; ++c) {
            if (c <= CodePointSet::highest && category_of(c) == category_of(from)) continue;
            sets[name_of(category_of(from))].add(from, c - 1);
            from = c;
        }
        return sets;
    }();
    return all;
}

}  // namespace

CodePointSet category(const std::string& name) {
    static const std::map<std::string, std::string> shorts = {{"Letter", "L"},
                                                              {"Cased_Letter", "LC"},
                                                              {"Uppercase_Letter", "Lu"},
                                                              {"Lowercase_Letter", "Ll"},
                                                              {"Titlecase_Letter", "Lt"},
                                                              {"Modifier_Letter", "Lm"},
                                                              {"Other_Letter", "Lo"},
                                                              {"Mark", "M"},
                                                              {"Combining_Mark", "M"},
                                                              {"Nonspacing_Mark", "Mn"},
                                                              {"Spacing_Mark", "Mc"},
                                                              {"Enclosing_Mark", "Me"},
                                                              {"Number", "N"},
                                                              {"Decimal_Number", "Nd"},
                                                              {"digit", "Nd"},
                                                              {"Letter_Number", "Nl"},
                                                              {"Other_Number", "No"},
                                                              {"Punctuation", "P"},
                                                              {"punct", "P"},
                                                              {"Symbol", "S"},
                                                              {"Math_Symbol", "Sm"},
                                                              {"Currency_Symbol", "Sc"},
                                                              {"Separator", "Z"},
                                                              {"Space_Separator", "Zs"},
                                                              {"Control", "Cc"},
                                                              {"cntrl", "Cc"},
                                                              {"Format", "Cf"}};
    const auto long_name = shorts.find(name);
    const std::string wanted = long_name == shorts.end() ? name : long_name->second;
    if (wanted == "ASCII") return {0, 0x7f};
    if (wanted == "Any") return CodePointSet::all();
    CodePointSet set;
    for (const auto& [is, characters] : categories())
        if (is == wanted || (wanted.size() == 1 && is[0] == wanted[0]) ||
            (wanted == "LC" && (is == "Lu" || is == "Ll" || is == "Lt")))
            set.add(characters);
    return set;
}

}  // namespace tbt
