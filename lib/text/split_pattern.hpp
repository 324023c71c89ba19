// Splitting a text where a pattern of tokenizer.json matches: a literal string, or a regular
// expression, which PCRE2 carries out.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "lib/text/text_rules.hpp"

namespace tbt {

class SplitPattern {
public:
    // Throws Error for a literal that is empty and for a regular expression that PCRE2 does not
    // compile, or where this build has no PCRE2.
    explicit SplitPattern(const TextRules::Split& rule);
    SplitPattern(SplitPattern&&) noexcept;
    SplitPattern& operator=(SplitPattern&&) noexcept;
    ~SplitPattern();

    // The pieces of the text, in order, none of them empty. Any bytes will do; a regular expression
    // reads a byte that is not UTF-8 as a control character. Throws Error where a regular
    // expression needs more steps than its limit: some patterns take time that doubles with every
    // character.
    std::vector<std::string_view> split(std::string_view text) const;

private:
    struct Compiled;
    struct Span {
        std::size_t begin, end;
        bool is_match;
    };
    std::vector<Span> spans(std::string_view text) const;
    // The matches, in order.
    void find_literal(std::string_view text, std::vector<Span>& found) const;
    void find_regex(std::string_view text, std::vector<Span>& found) const;

    TextRules::Split rule_;
    std::unique_ptr<Compiled> compiled_;  // of a regular expression
};

// Are regular expressions part of this build?
bool has_regular_expressions();

}  // namespace tbt
