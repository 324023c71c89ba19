// A string with a limit on its length: the automaton of its texts, and beside it the number of
// characters read. A node for each character and state would be millions.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/automata/spelling.hpp"
#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

class CountedText : public StateAnnotations {
public:
    // least, most: characters; most −1: any number. A least above 0 is for texts of any characters
    // only. at_limit: called when a further character was refused, if it is set.
    CountedText(long long least, long long most, std::function<void()> at_limit = nullptr)
        : least_(least), most_(most), at_limit_(std::move(at_limit)) {}

    // Adds the nodes after the opening quote, up to the closing one; returns the first.
    int add_nodes(Grammar& grammar, int index, const Dfa& texts, Spelling spelling);

    int entry() const override { return first_; }
    int first_annotation() override { return 1; }
    int read(int annotation, std::uint8_t byte) override;
    // Along the completion of the fewest characters, which fits whenever any does; before it words
    // of plain letters, as many as `least` asks for.
    int cost(const Measure& measure, int node, int annotation) override;
    // Where no token reaches a limit the count does not matter to the next one.
    int abstracted(int node, int annotation) override;
    bool tokens_have_at_most(int bytes) override;
    std::size_t memory() const override { return 4 * fewest_.capacity(); }

private:
    // To the end of the text: the characters that must still begin, the bytes, and the first of
    // these with the node after it.
    struct Completion {
        int characters = Grammar::never, bytes = Grammar::never;
        int byte = -1, to = -1;
        int tokens = -1;  // of one vocabulary; −1: not asked yet
    };
    // Annotations: 1 + characters read, as far as it matters. Of an abstraction: far() where no
    // token reaches the limit; else far() + 1 + characters read since, up to `near`.
    static constexpr int near = 64;  // characters; hardly a token has more
    int far() const { return to_int(std::max(least_, most_)) + 3; }
    long long characters(int annotation) const { return annotation - 1; }

    Completion& completion(int node) { return completions_[index(node - first_)]; }
    void find_completions(const Grammar& grammar);
    int tokens(const Measure& measure, int node);
    int words(const Measure& measure, long long letters);

    long long least_, most_;
    int longest_token_ = 0;  // in bytes; 0: not known
    std::function<void()> at_limit_;
    int first_ = -1, end_ = -1, last_ = -1;  // nodes: the first, after the closing quote, the last
    std::vector<Completion> completions_;
    // Of one vocabulary: the lengths of words of plain letters, and the fewest words that spell so
    // many letters, as far as it was asked for.
    unsigned version_ = 0, id_ = 0;
    std::vector<int> lengths_, fewest_;
};

}  // namespace tbt
