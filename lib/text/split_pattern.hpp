// Splits a text at the matches of a pattern from tokenizer.json: a literal string, or a regular
// expression, for which we use the library PCRE2.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "lib/text/text_rules.hpp"

namespace tbt {

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
    std::unique_ptr<Compiled> compiled_;  // null for a literal
};

// Does this build support regular expressions (PCRE2)?
bool has_regular_expressions();

}  // namespace tbt
