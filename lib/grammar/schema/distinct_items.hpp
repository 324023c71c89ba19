// A JSON array whose items are all different: from a list of values, or, where nobody lists them,
// of kinds that have no value in common, at most one of each. Like other arrays, a part of a
// grammar that is built as it is walked, here with what was written.
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

// For each value that an item of such an array may have: the item's demands with the value as a
// const. Where enum, const or the type (boolean, null) do not list them: for each kind, which is
// told. `kinds`: schemas of which every JSON value meets exactly one, made once a document.
// Throws UnsupportedSchema beside prefixItems or contains, and where there are too many.
std::vector<Demands> distinct_items(SchemaDocument& document, ShapeRules& shapes,
                                    std::vector<const Json*>& kinds, const ArrayPlan& plan,
                                    const Demands& facts);

class DistinctItems : public Grammar::NodeSource {
public:
    // values: a rule for each, or for each kind. least, most: items; most −1: as many as there are.
    DistinctItems(std::vector<int> values, int least, int most, Blanks blanks);

    // The node after the opening bracket. `index`: this source's, in the grammar.
    int first_node(Grammar& grammar, int index);

    int cost(const Measure& measure, int node) const override;
    std::vector<int> rules() const override { return values_; }
    void expand(Grammar& grammar, int node) override;

private:
    enum class Where { first, item, after };      // after the bracket, after a comma, after an item
    using Key = std::pair<Where, std::set<int>>;  // places in values_ that were written

    int needed(const Key& key) const;

    std::vector<int> values_;
    int least_, most_;
    Blanks blanks_;
    int index_ = -1;
    KeyedNodes<Key> nodes_;
};

}  // namespace tbt
