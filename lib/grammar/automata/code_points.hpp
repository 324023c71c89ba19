// Sets of Unicode code points, and the UTF-8 bytes that spell their members.
#pragma once

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

}  // namespace tbt
