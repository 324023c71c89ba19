// JSON strings in a grammar, with limits on their length.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/recognizer/compile.hpp"
#include "lib/grammar/recognizer/grammar.hpp"
#include "lib/grammar/schema/scalars.hpp"
#include "lib/grammar/schema/schema.hpp"

namespace tbt {

// A JSON string with limits on its length. Its nodes are those of an automaton; the number of
// characters read is an annotation. A node for each pair of state and number could be millions.
class CountedText : public StateAnnotations {
public:
    // least, most: limits of the number of characters; most −1: no upper limit. least may be above
    // 0 only if the automaton accepts all texts. at_limit is called when a further character is
    // refused.
    CountedText(long long least, long long most, std::function<void()> at_limit = nullptr)
        : least_(least), most_(most), at_limit_(std::move(at_limit)) {}

    // Adds the nodes from the opening quote to the closing one; returns the first. index: the
    // number of these annotations in the grammar.
    int add_nodes(Grammar& grammar, int index, const Dfa& texts);

    int entry() const override { return first_; }
    int read(int annotation, std::uint8_t byte) override;
    // The cost of the completion with the fewest characters, which fits the limit if any does. If
    // characters are missing up to `least`, plus the cost of as many plain letters.
    int cost(const Measure& measure, int node, int annotation) override;
    // If no token can reach a limit, the count does not matter for the next token.
    int abstracted(int node, int annotation) override;
    bool tokens_have_at_most(int bytes) override;
    std::size_t memory() const override { return 4 * fewest_.capacity(); }

private:
    // The best completion from a node: the characters that must still begin, the bytes, and the
    // first byte with the node after it.
    struct Completion {
        int characters = Grammar::never, bytes = Grammar::never;
        int byte = -1, to = -1;
        int tokens = -1;  // its cost in tokens of the current vocabulary; −1: not computed yet
    };
    // An annotation is 1 + the number of characters read, up to where the number matters. In an
    // abstraction it is far() if no token reaches the limit; else far() + 1 + the number of
    // characters read since then, up to `near`.
    static constexpr int near = 64;  // in characters; few tokens have more
    int far() const { return to_int(std::max(least_, most_)) + 3; }
    long long characters(int annotation) const { return annotation - 1; }

    Completion& completion(int node) { return completions_[index(node - first_)]; }
    void find_completions(const Grammar& grammar);
    int tokens(const Measure& measure, int node);
    int words(const Measure& measure, long long letters);

    long long least_, most_;
    int longest_token_ = 0;  // in bytes; 0: not known
    std::function<void()> at_limit_;
    int first_ = -1, end_ = -1;  // its nodes: from the first one to the one after the closing quote
    std::vector<Completion> completions_;
    // For the current vocabulary: the lengths of words of plain letters, and for each number of
    // letters the fewest such words that spell it, as far as computed.
    unsigned id_ = 0;
    std::vector<int> lengths_, fewest_;
};

// Adds the strings that a schema allows to a grammar.
class WrittenStrings {
public:
    WrittenStrings(const SchemaOptions& options, std::string name)
        : options_(options), name_(std::move(name)) {}

    // Adds the strings of s, with their quotes, between the nodes start and end. Throws TooLarge.
    void add(Grammar& grammar, const Scalars& s, int start, int end) const;

private:
    std::function<void()> said_at(long long most, const char* raised_by) const;

    SchemaOptions options_;
    std::string name_;
    std::shared_ptr<bool> said_ = std::make_shared<bool>(false);
};

}  // namespace tbt
