// What a schema costs that was never met before: to compile it, its first mask, the masks on the
// way of a text, near the end of a budget, and of the same text once more. Times are those of the
// thread, which others on the machine disturb little.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/core/rng.hpp"
#include "lib/grammar/tokens/token_trie.hpp"
#include "tests/bench/bench.hpp"

namespace tbt::bench {

// Of steps: the time of the mask in seconds, and how often it asked for memory.
struct Steps {
    std::vector<double> times;
    std::size_t allocations = 0;
};
struct SchemaFigures {
    std::vector<double> compile, first;
    Steps masks, tight, again;
    std::size_t memory = 0, texts = 0;

    void add(const SchemaFigures& other);
};

// Compiles the schema and adds what it costs. Throws Error for a schema that is refused.
void measure_schema(SchemaFigures& f, const std::string& schema,
                    const std::shared_ptr<const TokenTrie>& trie, Rng& rng);

// The vocabulary, as a trie; its name and the columns' meanings are printed.
std::shared_ptr<const TokenTrie> schema_vocabulary();
double thread_seconds();
double microseconds(std::vector<double> times, double share);  // share .99: p99
double mean_microseconds(const std::vector<double>& times);

class SchemaTable {
public:
    explicit SchemaTable(const std::string& section);
    void row(const std::string& what, const SchemaFigures& figures);

private:
    Table table_;
};

}  // namespace tbt::bench
