// How much memory a grammar takes while it grows.
#pragma once

#include <cstddef>
#include <string>

#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

class GrammarSize {
public:
    // What is built beside a grammar of this size takes about as much again.
    static constexpr int most_nodes = 800'000;
    static constexpr std::size_t most_bytes = 84'000'000;

    // Adds up the nodes that are new; throws TooLarge where all together take too much.
    void check(const Grammar& grammar) {
        for (; measured_ < grammar.nodes(); ++measured_) {
            // Lists of edges have room for more, and the smallest piece of memory has 32 bytes.
            const std::size_t edges = grammar.node(measured_).bytes.size();
            bytes_ += sizeof(Grammar::Node) + 3 * edges * sizeof(Grammar::ByteEdge);
        }
        if (bytes_ > most_bytes)
            throw TooLarge("the grammar takes more than " + std::to_string(most_bytes / 1'000'000) +
                           " MB; ask for fewer members or alternatives");
    }

private:
    int measured_ = 0;  // nodes
    std::size_t bytes_ = 0;
};

}  // namespace tbt
