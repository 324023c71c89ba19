// A JSON array of which some items are counted: like the object, a part of a grammar that is
// built as it is walked.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "lib/grammar/recognizer/grammar.hpp"
#include "lib/grammar/schema/blanks.hpp"
#include "lib/grammar/schema/keyed_nodes.hpp"
#include "lib/index.hpp"

namespace tbt {

struct ArrayShape {
    // An item may be written to meet what a counter counts, to fail it, or without regard to it.
    enum class Meets : char { either, yes, no };
    using Choice = std::vector<Meets>;  // by counter
    struct Counter {
        int from = 0, least = 0, most = -1;  // items from this index on; −1: any number
    };
    std::vector<std::map<Choice, int>> rules;  // by index; the last for all items after
    std::vector<Counter> counters;
    int least = 0, most = -1;
};

class ArraySource : public Grammar::NodeSource {
public:
    ArraySource(ArrayShape shape, Blanks blanks);

    // The node after the opening bracket. `index`: this source's, in the grammar.
    int first_node(Grammar& grammar, int index);
    // The choices that matter for an item at this index. Also says which rules the shape must have.
    static std::vector<ArrayShape::Choice> choices(const std::vector<ArrayShape::Counter>& counters,
                                                   int index);
    // The index from which on all items are alike, and the number of states of the counters.
    static int last_index(const ArrayShape& shape);
    static double count_states(const ArrayShape& shape);

    int cost(const Measure& measure, int node) const override;
    std::vector<int> rules() const override;
    void expand(Grammar& grammar, int node) override;

private:
    enum class Where { first, item, after };  // after the bracket, after a comma, after an item
    struct Key {
        Where where = Where::first;
        int index = 0;            // of the next item, as far as it matters
        std::vector<int> counts;  // by counter, as far as they matter
        auto operator<=>(const Key&) const = default;
    };

    const std::map<ArrayShape::Choice, int>& rules_at(int index) const;
    bool complete(int index, const std::vector<int>& counts) const;
    bool count_item(std::vector<int>& counts, const ArrayShape::Choice& choice) const;
    int next_index(int index) const {
        return shape_.most < 0 ? std::min(index + 1, last_) : index + 1;
    }
    std::size_t place(int index, const std::vector<int>& counts) const;
    // What must still come from (index, counts) on, each item with its comma, by one measure.
    struct Table {
        unsigned version = 0;
        int comma = 0, close = 0, open = 0;  // the texts between items
        std::vector<int> rest;
    };
    const Table& table(const Measure& measure) const;
    int cheapest(const Measure& measure, const Table& t, int index,
                 const std::vector<int>& counts) const;

    ArrayShape shape_;
    Blanks blanks_;
    int index_ = -1, last_;
    std::size_t states_ = 1;  // of the counters
    KeyedNodes<Key> nodes_;
    mutable Table tables_[2];  // in bytes and in tokens
};

}  // namespace tbt
