// The grammar of a JSON array, with limits on the number of items and, for contains, on the number
// of items that meet a schema. It is built on demand, while a text is read.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/grammar/recognizer/grammar.hpp"
#include "lib/grammar/schema/blanks.hpp"
#include "lib/grammar/schema/keyed_nodes.hpp"

namespace tbt {

struct ArrayShape {
    // What an item is for a counter: meets its schema (yes), fails it (no), or may do either.
    enum class Meets : char { either, yes, no };
    using Choice = std::vector<Meets>;  // one entry for each counter
    struct Counter {
        // Counts items from index `from` on that meet its schema; most −1: no upper limit.
        int from = 0, least = 0, most = -1;
    };
    // rules[i][choice]: the rule of item i. The last entry is for all further items.
    std::vector<std::map<Choice, int>> rules;
    std::vector<Counter> counters;
    int least = 0, most = -1;  // the number of items; most −1: no upper limit
};

class ArraySource : public Grammar::NodeSource {
public:
    ArraySource(ArrayShape shape, Blanks blanks);

    // The node after the opening bracket. index: the number of this source in the grammar.
    int first_node(Grammar& grammar, int index);
    // The choices for an item at this index: the shape must have a rule for each of them.
    static std::vector<ArrayShape::Choice> choices(const std::vector<ArrayShape::Counter>& counters,
                                                   int index);
    // last_index: the largest index that must be told apart. count_states: the number of states
    // (index, counts) of the array.
    static int last_index(const ArrayShape& shape);
    static double count_states(const ArrayShape& shape);

    int cost(const Measure& measure, int node) const override;
    std::vector<int> rules() const override;
    void expand(Grammar& grammar, int node) override;

private:
    enum class Where { first, item, after };  // after the bracket, after a comma, after an item
    struct Key {
        Where where = Where::first;
        int index = 0;            // of the next item, at most last_index
        std::vector<int> counts;  // by counter, each up to the highest count that matters
        auto operator<=>(const Key&) const = default;
    };

    const std::map<ArrayShape::Choice, int>& rules_at(int index) const;
    bool complete(int index, const std::vector<int>& counts) const;
    bool count_item(std::vector<int>& counts, const ArrayShape::Choice& choice) const;
    int next_index(int index) const {
        return shape_.most < 0 ? std::min(index + 1, last_) : index + 1;
    }
    std::size_t place(int index, const std::vector<int>& counts) const;
    // The least cost to the end for each state (index, counts), each item with its comma, in one
    // measure.
    struct Table {
        unsigned version = 0;
        int comma = 0, close = 0, open = 0;  // costs of the texts between items
        std::vector<int> rest;
    };
    const Table& table(const Measure& measure) const;
    int cheapest(const Measure& measure, const Table& t, int index,
                 const std::vector<int>& counts) const;

    ArrayShape shape_;
    Blanks blanks_;
    int index_ = -1, last_;
    std::size_t states_ = 1;  // number of combinations of counts
    KeyedNodes<Key> nodes_;
    mutable Table tables_[2];  // in bytes and in tokens
};

}  // namespace tbt
