// Measures the length of texts in a unit: bytes (ByteMeasure), or tokens of a vocabulary
// (token_bound.hpp). The fewest units to the end of a text are computed with it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace tbt {

class Grammar;

class Measure {
public:
    virtual ~Measure() = default;

    virtual const Grammar& grammar() const = 0;
    virtual bool in_tokens() const = 0;
    // Identifies the unit and vocabulary: measures with the same id give a text the same cost.
    virtual unsigned id() const = 0;
    // The cost of the cheapest text of a rule.
    virtual int rule(int r) const = 0;
    // Changes whenever a result of rule() may change; never 0.
    virtual unsigned version() const = 0;
    // left[i] becomes the cost of the text without its first i bytes; left has text.size() + 1
    // entries. cut[i]: may a token end, and another begin, just before byte i? An empty cut means
    // yes for all i. If not, the text is counted byte by byte up to the next cut.
    virtual void of_suffixes(std::string_view text, const std::vector<bool>& cut,
                             std::span<int> left) const = 0;
    std::vector<int> of_suffixes(std::string_view text) const {
        std::vector<int> left(text.size() + 1);
        of_suffixes(text, {}, left);
        return left;
    }
    int of(std::string_view text) const { return of_suffixes(text)[0]; }
    // The lengths in bytes of the words that cost 1 and consist of printable ASCII characters that
    // JSON does not escape.
    virtual std::vector<int> lengths_of_words() const = 0;
};

// Costs in bytes. The costs of rules are the grammar's current ones.
class ByteMeasure : public Measure {
public:
    explicit ByteMeasure(const Grammar& grammar) : grammar_(&grammar) {}

    using Measure::of_suffixes;
    const Grammar& grammar() const override { return *grammar_; }
    bool in_tokens() const override { return false; }
    unsigned id() const override { return 1; }
    int rule(int r) const override;
    unsigned version() const override;
    void of_suffixes(std::string_view text, const std::vector<bool>& cut,
                     std::span<int> left) const override;
    std::vector<int> lengths_of_words() const override { return {1}; }

private:
    const Grammar* grammar_;
};

}  // namespace tbt
