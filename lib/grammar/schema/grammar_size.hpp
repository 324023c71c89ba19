// Limits the memory of a grammar while a schema is compiled to it.
#pragma once

#include <cstddef>
#include <string>

#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

class GrammarSize {
public:
    // Other data that is built with a grammar of this size takes about as much memory again.
    static constexpr int max_nodes = 800'000;
    static constexpr std::size_t max_bytes = 84'000'000;

    // Adds the memory of the nodes that are new since the last call. Throws TooLarge if the whole
    // grammar takes too much.
    void check(const Grammar& grammar) {
        for (; measured_ < grammar.nodes(); ++measured_) {
            // An estimate: lists of edges have spare room, and an allocation has at least 32 bytes.
            const std::size_t edges = grammar.node(measured_).bytes.size();
            bytes_ += sizeof(Grammar::Node) + 3 * edges * sizeof(Grammar::ByteEdge);
        }
        if (bytes_ > max_bytes)
            throw TooLarge("the grammar takes more than " + std::to_string(max_bytes / 1'000'000) +
                           " MB; ask for fewer members or alternatives");
    }

private:
    int measured_ = 0;  // number of nodes added up so far
    std::size_t bytes_ = 0;
};

}  // namespace tbt
