// A grammar, compiled: rules are small graphs over bytes that call each other.
//
//   a node      where one may be inside a rule
//   byte edge   a byte from a range leads to another node
//   call edge   a whole text of another rule leads to another node
//   final       the rule may end here
//
// Everything guided generation knows is compiled to this: GBNF, regular expressions, JSON Schema,
// choices, ranges, tools.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/check.hpp"
#include "lib/error.hpp"
#include "lib/grammar/automata/code_points.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"
#include "lib/grammar/recognizer/state_annotations.hpp"
#include "lib/index.hpp"

namespace tbt {

// A rule calls itself before it has read anything.
class LeftRecursion : public UsageError {
public:
    LeftRecursion(const std::string& what, int r) : UsageError(what), rule(r) {}
    int rule;  // of those that call each other, the first
};

// A grammar or an automaton would need more memory than we want to pay for.
class TooLarge : public UsageError {
public:
    using UsageError::UsageError;
};

class Grammar {
public:
    struct ByteEdge {
        std::uint8_t low, high;
        int to;
        bool annotated = false;  // the annotation changes with the byte
        auto operator<=>(const ByteEdge&) const = default;
    };
    struct CallEdge {
        int rule, to;
        int label = 0;  // for the annotation after the call
    };
    struct Node {
        std::vector<ByteEdge> bytes;
        std::vector<CallEdge> calls;
        std::vector<int> free;  // steps without a byte; finish() removes them
        bool final = false;
        // The edges are made by this source when a derivation gets here: see NodeSource.
        int source = -1;
        bool expanded = false;  // they were
        int cost = never;       // the fewest bytes to the end of the rule
        int annotations = -1;   // a derivation that is here has an annotation of these
    };
    struct Rule {
        std::string name;
        int start = -1;    // −1: not defined yet
        int cost = never;  // the fewest bytes of a text of this rule; 0: it may be empty
        int rank = 0;      // a rule that may begin with a call of another has the lower rank
    };
    static constexpr int never = TokensToEnd::never;

    // A part of the grammar that is built while it is walked, because all of it would be too much:
    // a string of at most a million characters.
    class NodeSource {
    public:
        virtual ~NodeSource() = default;
        // As Node::cost, in bytes or tokens, from the costs of rules.
        virtual int cost(const Measure& measure, int node) const = 0;
        virtual std::vector<int> rules() const = 0;  // those that cost() asks for
        virtual void expand(Grammar& grammar,
                            int node) = 0;  // adds the node's edges and further nodes
    };

    int add_rule(std::string name);
    int add_node();
    int add_source(std::unique_ptr<NodeSource> source);
    NodeSource& source(int index) {
        return *sources_[checked_place("grammar: source", index, sources_.size())];
    }
    int add_annotations(std::unique_ptr<StateAnnotations> annotations);
    StateAnnotations& annotations(int index) const {
        return *annotations_[checked_place("grammar: annotations", index, annotations_.size())];
    }
    int annotation_tables() const { return count(annotations_); }
    Node& node(int id) { return nodes_[checked_place("grammar: node", id, nodes_.size())]; }
    const Node& node(int id) const {
        return nodes_[checked_place("grammar: node", id, nodes_.size())];
    }
    Rule& rule(int id) { return rules_[checked_place("grammar: rule", id, rules_.size())]; }
    const Rule& rule(int id) const {
        return rules_[checked_place("grammar: rule", id, rules_.size())];
    }
    int rules() const { return static_cast<int>(rules_.size()); }
    int nodes() const { return static_cast<int>(nodes_.size()); }

    // ---- building: each adds a piece after `from` and returns the node after the piece ----
    int bytes(int from, std::string_view text);
    int sequences(int from, const std::vector<ByteSequence>& alternatives) {
        return sequences(from, alternatives, add_node());
    }
    int sequences(int from, const std::vector<ByteSequence>& alternatives, int to);
    int call(int from, int rule);
    void call(int from, int rule, int to) { node(from).calls.push_back({rule, to}); }
    void skip(int from, int to) { node(from).free.push_back(to); }
    void edge(int from, std::uint8_t low, std::uint8_t high, int to) {
        node(from).bytes.push_back({low, high, to});
    }

    // All rules are there. Throws UsageError on left recursion. `root` is the rule that texts
    // are derived from.
    void finish(int root);
    int root() const { return root_; }
    // Changes with the costs of rules.
    unsigned version() const { return version_; }
    // Gives a node its edges, if a source has them.
    void expand(int node);
    bool is_open(int id) const { return node(id).source >= 0 && !node(id).expanded; }
    // Nothing can come before the rule's end: a call that ends here need not be returned to.
    bool is_end(int id) const {
        const Node& n = node(id);
        return n.final && n.bytes.empty() && n.calls.empty() && !is_open(id);
    }

private:
    std::vector<ByteEdge> spread(std::span<const ByteSequence> sorted, std::size_t depth, int to,
                                 std::map<std::vector<ByteEdge>, int>& known);
    void close_free_steps(int first);
    void settle_costs(int first);
    void rank_rules();

    std::vector<Node> nodes_;
    std::vector<Rule> rules_;
    std::vector<std::unique_ptr<NodeSource>> sources_;
    std::vector<std::unique_ptr<StateAnnotations>> annotations_;
    int root_ = -1;
    unsigned version_ = 1;
};

// The sum of two costs, in bytes or tokens; with never it is never.
inline int saturating_add(int a, int b) { return std::min(a + b, Grammar::never); }

}  // namespace tbt
