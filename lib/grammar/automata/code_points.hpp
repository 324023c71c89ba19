// Sets of Unicode code points, and their spelling in bytes.
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
    // All that text consists of: surrogates are not characters.
    static CodePointSet all();
    static CodePointSet of(std::string_view ascii);

    // Surrogates within the range are left out.
    void add(std::int32_t low, std::int32_t high);
    void add(const CodePointSet& other);
    bool contains(std::int32_t c) const;
    bool empty() const { return ranges_.empty(); }
    std::int64_t count() const;
    const std::vector<Range>& ranges() const& { return ranges_; }
    std::vector<Range> ranges() && {
        return std::move(ranges_);
    }  // outlives the set, in a loop too

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
using ByteSequence = std::vector<ByteChoice>;  // one from each

// The UTF-8 spellings of a set: together the sequences stand for all of it, and for nothing else.
std::vector<ByteSequence> utf8_sequences(const CodePointSet& set);

// Numbers as digits: digit_bits gives the bits of each digit, most significant first.
// Each result has one range of digits for each place. (Four hexadecimal digits: {4, 4, 4, 4}.)
using DigitRanges = std::vector<ByteRange>;
std::vector<DigitRanges> digit_sequences(const std::vector<CodePointSet::Range>& numbers,
                                         const std::vector<int>& digit_bits);

// The code points of a text; throws Error naming the place of the first byte that is not UTF-8.
std::vector<std::int32_t> code_points_of(std::string_view text, const std::string& what);

}  // namespace tbt
