// The grammar of a JSON array. It is built on demand, while a text is read: one node for each state
// of the array that the text reaches.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

// The white space in a container: free (any, up to a limit), or fixed texts.
struct Blanks {
    int most = 12;  // if free: the most white space characters in a row; −1: any number
    bool free = true;
    // If not free: the text after "{" or "[", after ",", after ":", and before "}" or "]".
    std::string open, comma, colon, close;
};

// Adds free white space after the node `from`: at most `most` characters, or any number (−1).
// Returns the node after it.
int add_blanks(Grammar& grammar, int from, int most);

// What both kinds of arrays have in common: brackets, commas and white space.
class ArrayNodes : public Grammar::NodeSource {
public:
    // The node after the opening bracket. index: the number of this source in the grammar.
    int first_node(Grammar& grammar, int index);
    void expand(Grammar& grammar, int node) override;

protected:
    enum class Where { first, item, after };  // after the bracket, after a comma, after an item
    struct State {
        int index = 0;             // of the next item
        std::vector<int> written;  // what else must be known about the items before it
        auto operator<=>(const State&) const = default;
    };
    using Key = std::pair<Where, State>;
    struct Item {
        int rule;
        State after;
    };

    ArrayNodes(State start, Blanks blanks) : blanks_(std::move(blanks)), start_(std::move(start)) {}
    // May the array end in this state? Has it as many items as it may have? What may come next?
    virtual bool complete(const State& state) const = 0;
    virtual bool full(const State& state) const = 0;
    virtual std::vector<Item> items(const Grammar& grammar, const State& state) const = 0;

    const Key& key(int node) const { return keys_.at(node); }

    Blanks blanks_;

private:
    int node_of(Grammar& grammar, const Key& key);

    State start_;
    int source_ = -1;
    std::map<Key, int> nodes_;
    std::map<int, Key> keys_;
};

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

    // The choices for an item at this index: there must be a rule for each of them.
    std::vector<Choice> choices(int index) const;
    int last_index() const;       // the largest index that must be told apart
    double count_states() const;  // the number of states (index, counts)
};

// An array with limits on the number of items and, for contains, on the number of items that meet a
// schema. State::written has one count for each counter, up to the highest count that matters.
class ArraySource : public ArrayNodes {
public:
    ArraySource(ArrayShape shape, Blanks blanks);

    int cost(const Measure& measure, int node) const override;
    std::vector<int> rules() const override;

private:
    bool complete(const State& state) const override;
    bool full(const State& state) const override {
        return shape_.most >= 0 && state.index >= shape_.most;
    }
    std::vector<Item> items(const Grammar& grammar, const State& state) const override;

    bool count_item(std::vector<int>& counts, const ArrayShape::Choice& choice) const;
    std::size_t place(const State& state) const;
    // The least cost to the end for each state (index, counts), each item with its comma, in one
    // measure.
    struct Table {
        unsigned version = 0;
        int comma = 0, close = 0, open = 0;  // costs of the texts between items
        std::vector<int> rest;
    };
    const Table& table(const Measure& measure) const;
    int cheapest(const Measure& measure, const Table& t, const State& state) const;

    ArrayShape shape_;
    int last_;
    std::size_t states_ = 1;   // number of combinations of counts
    mutable Table tables_[2];  // in bytes and in tokens
};

// An array whose items are all different (uniqueItems): each of the values, or kinds of values that
// have no value in common, is written at most once. State::written has the indices of those that
// were written, sorted.
class DistinctItems : public ArrayNodes {
public:
    // values: a rule for each value or kind. least, most: the number of items; most −1: as many as
    // there are values.
    DistinctItems(std::vector<int> values, int least, int most, Blanks blanks);

    int cost(const Measure& measure, int node) const override;
    std::vector<int> rules() const override { return values_; }

private:
    bool complete(const State& state) const override { return state.index >= least_; }
    bool full(const State& state) const override { return state.index >= most_; }
    std::vector<Item> items(const Grammar& grammar, const State& state) const override;

    std::vector<int> values_;
    int least_, most_;
};

}  // namespace tbt
