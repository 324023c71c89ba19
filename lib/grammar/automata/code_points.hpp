// Sets of Unicode code points, and the UTF-8 bytes that spell their members.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tbt {

class CodePointSet {
public:
    struct Range {
        std::int32_t low, high;  // both included
        auto operator<=>(const Range&) const = default;
    };
    static constexpr std::int32_t highest = 0x10ffff;

    CodePointSet() = default;
    CodePointSet(std::int32_t low, std::int32_t high) { add(low, high); }
    // All characters: every code point but the surrogates.
    static CodePointSet all();
    static CodePointSet of(std::string_view ascii);

    // Adds low to high, both included, without the surrogates among them.
    void add(std::int32_t low, std::int32_t high);
    void add(const CodePointSet& other);
    bool contains(std::int32_t c) const;
    bool empty() const { return ranges_.empty(); }
    std::int64_t count() const;
    const std::vector<Range>& ranges() const& { return ranges_; }
    // Of a temporary set: by value, so that a loop over the ranges is safe.
    std::vector<Range> ranges() && { return std::move(ranges_); }

    CodePointSet complement() const;
    CodePointSet operator&(const CodePointSet& other) const;
    CodePointSet operator-(const CodePointSet& other) const { return *this & other.complement(); }
    auto operator<=>(const CodePointSet&) const = default;

private:
    void insert(std::int32_t low, std::int32_t high);
    std::vector<Range> ranges_;  // ascending, with gaps between them
};

struct ByteRange {
    std::uint8_t low, high;
    auto operator<=>(const ByteRange&) const = default;
};
using ByteChoice = std::vector<ByteRange>;     // one byte from any of these
using ByteSequence = std::vector<ByteChoice>;  // one byte from each choice in turn

// The UTF-8 spellings of the members of a set: the sequences match all of them and nothing else.
std::vector<ByteSequence> utf8_sequences(const CodePointSet& set);

// Ranges of numbers as ranges of their digits. digit_bits: the bits of each digit, most significant
// first; four hexadecimal digits are {4, 4, 4, 4}. A result has one range of digits per place.
using DigitRanges = std::vector<ByteRange>;
std::vector<DigitRanges> digit_sequences(const std::vector<CodePointSet::Range>& numbers,
                                         const std::vector<int>& digit_bits);

// The code points of a text. Throws UsageError "WHAT: byte N is not UTF-8 …".
std::vector<std::int32_t> code_points_of(std::string_view text, const std::string& what);

// ---- the named character classes of regular expressions ----

CodePointSet digits();     // \d
CodePointSet word();       // \w
CodePointSet line_ends();  // the characters that . does not match
CodePointSet space();      // \s

// The characters of a general category of Unicode, by its short or long name. One letter names a
// group of categories. The set is empty if there is no such category.
CodePointSet category(const std::string& name);

inline bool is_digit(std::int32_t c) { return c >= '0' && c <= '9'; }

// A text of code points and a position in it: the base class of recursive descent parsers.
class CodePointReader {
protected:
    explicit CodePointReader(std::vector<std::int32_t> text) : text_(std::move(text)) {}

    bool at_end() const { return at_ >= text_.size(); }
    // The code point `ahead` places after the position; −1 after the end of the text.
    std::int32_t peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : -1;
    }
    // If this comes next, moves past it and returns true.
    bool take(std::int32_t c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    bool take(std::string_view ascii) {
        for (std::size_t i = 0; i < ascii.size(); ++i) {
            if (peek(i) != ascii[i]) return false;
        }
        at_ += ascii.size();
        return true;
    }

    // "3:17" for an index into the text: line 3, column 17.
    std::string line_and_column(std::size_t where) const {
        std::size_t line = 1, column = 1;
        for (std::size_t i = 0; i < std::min(where, text_.size()); ++i)
            text_[i] == '\n' ? (++line, column = 1) : ++column;
        return std::to_string(line) + ":" + std::to_string(column);
    }

    std::vector<std::int32_t> text_;
    std::size_t at_ = 0;
};

}  // namespace tbt
