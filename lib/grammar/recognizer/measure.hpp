// The unit of the shortest text to the end: bytes, or tokens of a vocabulary (token_bound.hpp).
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
    // Of the vocabulary: as long as it stays the same, texts cost the same.
    virtual unsigned id() const = 0;
    // The least of all texts of a rule.
    virtual int rule(int r) const = 0;
    // Changes whenever rule() may say something else; never 0.
    virtual unsigned version() const = 0;
    // What is left of a text after its first 0, 1, … bytes; left: of text.size() + 1.
    // cut[i] (empty: all): may tokens end and begin before byte i? Else the text goes on from there
    // byte by byte up to the next cut.
    virtual void of_suffixes(std::string_view text, const std::vector<bool>& cut,
                             std::span<int> left) const = 0;
    std::vector<int> of_suffixes(std::string_view text) const {
        std::vector<int> left(text.size() + 1);
        of_suffixes(text, {}, left);
        return left;
    }
    int of(std::string_view text) const { return of_suffixes(text)[0]; }
    // How many bytes words have that consist of plain letters (none of which a JSON string escapes)
    // and cost 1.
    virtual std::vector<int> lengths_of_words() const = 0;
};

// In bytes, as far as the costs of rules are settled.
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
