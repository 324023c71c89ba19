// The grammar of a JSON array whose items are all different (uniqueItems). If the schema lists the
// possible values, each is written at most once. Otherwise values are divided into kinds that have
// no value in common, and at most one value of each kind is written. The grammar is built on
// demand, while a text is read; a node knows which values or kinds were written.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "lib/grammar/recognizer/grammar.hpp"
#include "lib/grammar/schema/blanks.hpp"
#include "lib/grammar/schema/keyed_nodes.hpp"
#include "lib/grammar/schema/schema_shapes.hpp"

namespace tbt {

// The demands for each possible item: for each listed value those of the item with the value as a
// const, or else those for each kind. Values are listed by enum, const or the type (boolean, null).
// If they are not, the user is told that kinds are used. kinds: schemas such that every JSON value
// meets exactly one; they are made once for each document, when first needed.
// Throws UnsupportedSchema if prefixItems or contains are used too, or if there are too many
// values.
std::vector<Conjunction> distinct_items(SchemaDocument& document, ShapeRules& shapes,
                                        std::vector<const Json*>& kinds, const ArrayPlan& plan,
                                        const Conjunction& facts);

class DistinctItems : public Grammar::NodeSource {
public:
    // values: a rule for each value or kind. least, most: the number of items; most −1: as many as
    // there are values.
    DistinctItems(std::vector<int> values, int least, int most, Blanks blanks);

    // The node after the opening bracket. index: the number of this source in the grammar.
    int first_node(Grammar& grammar, int index);

    int cost(const Measure& measure, int node) const override;
    std::vector<int> rules() const override { return values_; }
    void expand(Grammar& grammar, int node) override;

private:
    enum class Where { first, item, after };      // after the bracket, after a comma, after an item
    using Key = std::pair<Where, std::set<int>>;  // the set: indices of values_ that were written

    int needed(const Key& key) const;

    std::vector<int> values_;
    int least_, most_;
    Blanks blanks_;
    int index_ = -1;
    KeyedNodes<Key> nodes_;
};

}  // namespace tbt
