// Splits a text into the pieces that are encoded one by one: carries out the steps of
// TextRules::Split. No token crosses the border of a piece.
#pragma once

#include <bitset>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "lib/core/unicode.hpp"
#include "lib/text/vocabulary.hpp"

namespace tbt {

// ---- scanners (GPT-2's own is in lib/core/unicode.hpp) ------------------------------------------
// The end of the piece that starts at `begin`, with the pattern of Llama 3 (max_digits 3), Qwen (1)
// and many other models. max_digits is the maximum number of digits in a piece; 0: no limit.
//
//     (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|
//      ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
std::size_t cl100k_pretoken_end(std::string_view text, std::size_t begin, int max_digits);

// The end of the piece at `begin` that is either all digits, at most max_digits of them (0: no
// limit), or without digits: \p{N}{1,max_digits}|\P{N}+
std::size_t digits_end(std::string_view text, std::size_t begin, int max_digits);

// The length in bytes of the Unicode white space character at `begin` < text.size(); 0 if there is
// none.
std::size_t white_space_length(std::string_view text, std::size_t begin);
// The end of the white space that begins at `begin`; the beginning, at or after `least`, of the
// white space that ends at `end`.
std::size_t white_space_after(std::string_view text, std::size_t begin);
std::size_t white_space_before(std::string_view text, std::size_t least, std::size_t end);

// ---- one step -----------------------------------------------------------------------------------
// For regular expressions we use the library PCRE2.
class SplitPattern {
public:
    // Throws Error if a literal is empty, if PCRE2 does not accept the regular expression, or if
    // this build has no PCRE2.
    explicit SplitPattern(const TextRules::Split& rule);
    SplitPattern(SplitPattern&&) noexcept;
    SplitPattern& operator=(SplitPattern&&) noexcept;
    ~SplitPattern();

    // The pieces of the text, in order; none is empty. The text may have any bytes; for a regular
    // expression a byte that is not UTF-8 is a control character. Throws Error if a regular
    // expression exceeds the limit of steps: for some patterns the time doubles with every
    // character.
    std::vector<std::string_view> split(std::string_view text) const;
    // For a rule with a scanner: the end of the piece that begins at this byte.
    bool has_scanner() const { return rule_.kind <= TextRules::Split::Kind::digits; }
    std::size_t piece_end(std::string_view text, std::size_t begin) const;

private:
    struct Compiled;
    struct Span {
        std::size_t begin, end;
        bool is_match;
    };
    std::vector<Span> spans(std::string_view text) const;
    // Append the matches to `found`, in order.
    void find_literal(std::string_view text, std::vector<Span>& found) const;
    void find_regex(std::string_view text, std::vector<Span>& found) const;

    TextRules::Split rule_;
    std::unique_ptr<Compiled> compiled_;  // null unless it is a regular expression
};

// Does this build support regular expressions (PCRE2)?
bool has_regular_expressions();

// ---- all steps ----------------------------------------------------------------------------------
// Which neighbouring characters a merge can join. Where none can, a text may be cut: its parts have
// the same ids as the whole, and short parts are found in the cache of words. Of the left character
// only the last byte counts, of the right one only the first, so some pairs seem joined that are
// not. "▁", which begins most words, counts as a byte of its own.
class JoinedCharacters {
public:
    // Both as the merge has them; if a byte such as <0x0A> is among them, no text is cut any more.
    void add_merge(std::string_view left, std::string_view right);
    // The end of the part of the text that begins at `begin` < text.size().
    std::size_t part_end(std::string_view text, std::size_t begin) const;

private:
    std::bitset<256 * 256> joined_;
};

class TextSplitter {
public:
    TextSplitter() = default;
    // joined: also cut where no merge joins the characters. That keeps pieces short and changes no
    // ids, unless a whole piece can be a token without merges. Null: no cuts. Throws the errors of
    // SplitPattern.
    TextSplitter(const std::vector<TextRules::Split>& rules, const JoinedCharacters* joined) {
        for (const TextRules::Split& rule : rules) steps_.emplace_back(rule);
        if (joined) joined_ = *joined;
    }

    // Calls visit(piece) for each piece, in order.
    template <class Visit>
    void split(std::string_view text, Visit&& visit) const {
        split_from(0, text, visit);
    }

private:
    template <class Visit>
    void split_from(std::size_t step, std::string_view text, Visit& visit) const {
        const auto each = [&](auto&& end_of, auto&& use) {
            for (std::size_t begin = 0; begin < text.size();) {
                const std::size_t end = end_of(begin);
                use(text.substr(begin, end - begin));
                begin = end;
            }
        };
        const auto further = [&](std::string_view piece) { split_from(step + 1, piece, visit); };
        if (step == steps_.size()) {
            if (joined_) each([&](std::size_t i) { return joined_->part_end(text, i); }, visit);
            else if (!text.empty()) visit(text);
        } else if (const SplitPattern& s = steps_[step]; s.has_scanner()) {
            each([&](std::size_t i) { return s.piece_end(text, i); }, further);
        } else {
            for (const std::string_view piece : s.split(text)) further(piece);
        }
    }

    std::vector<SplitPattern> steps_;
    std::optional<JoinedCharacters> joined_;
};

}  // namespace tbt
