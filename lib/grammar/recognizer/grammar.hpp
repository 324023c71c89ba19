// A compiled context-free grammar. Each rule is a small graph over bytes; rules call each other.
//
//   node        a position inside a rule
//   byte edge   a byte from a range leads to another node
//   call edge   any text of another rule leads to another node
//   final       the rule may end at this node
//
// All constraints of guided generation are compiled to this form: GBNF, regular expressions, JSON
// Schema, choices, ranges, tools.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/grammar/automata/expression.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"

namespace tbt {

class Grammar;

// Measures the length of texts in a unit: bytes (ByteMeasure), or tokens of a vocabulary
// (token_bound.hpp). The fewest units to the end of a text are computed with it.
class Measure {
public:
    virtual ~Measure() = default;

    virtual const Grammar& grammar() const = 0;
    virtual bool in_tokens() const = 0;
    // Identifies the unit and vocabulary: measures with the same id give a text the same cost.
    virtual unsigned id() const = 0;
    // The cost of the cheapest text of a rule.
    virtual int rule(int r) const = 0;
    // Changes whenever a result of rule() may change; never 0.
    virtual unsigned version() const = 0;
    // left[i] becomes the cost of the text without its first i bytes; left has text.size() + 1
    // entries. cut[i]: may a token end, and another begin, just before byte i? An empty cut means
    // yes for all i. If not, the text is counted byte by byte up to the next cut.
    virtual void of_suffixes(std::string_view text, const std::vector<bool>& cut,
                             std::span<int> left) const = 0;
    std::vector<int> of_suffixes(std::string_view text) const {
        std::vector<int> left(text.size() + 1);
        of_suffixes(text, {}, left);
        return left;
    }
    int of(std::string_view text) const { return of_suffixes(text)[0]; }
    // The lengths in bytes of the words that cost 1 and consist of printable ASCII characters that
    // JSON does not escape.
    virtual std::vector<int> lengths_of_words() const = 0;
};

// Costs in bytes. The costs of rules are the grammar's current ones.
class ByteMeasure : public Measure {
public:
    explicit ByteMeasure(const Grammar& grammar) : grammar_(&grammar) {}

    using Measure::of_suffixes;
    const Grammar& grammar() const override { return *grammar_; }
    bool in_tokens() const override { return false; }
    unsigned id() const override { return 1; }
    int rule(int r) const override;
    unsigned version() const override;
    void of_suffixes(std::string_view text, const std::vector<bool>& cut,
                     std::span<int> left) const override;
    std::vector<int> lengths_of_words() const override { return {1}; }

private:
    const Grammar* grammar_;
};

// Annotations: state that a derivation keeps in addition to its node, for example which members of
// an object were written. If each such set were a node, n members would need 2^n nodes.
//
// These are the annotations of one part of a grammar. Annotations are numbers; equal annotations
// have the same number. Number 0 (forgotten) means that an abstraction does not know the
// annotation.
class StateAnnotations {
public:
    static constexpr int forgotten = 0;
    static constexpr int at_entry = 1;  // what a derivation has at the entry node

    virtual ~StateAnnotations() = default;

    // The entry node of this part.
    virtual int entry() const = 0;
    // The annotation after a byte of an annotated edge, and after a call with a label.
    virtual int read(int annotation, std::uint8_t byte) = 0;
    virtual int called(int annotation, int) { return annotation; }
    // keep_like(annotation, byte, low, high): narrows the range low..high, which holds the byte, to
    // bytes that lead to the same annotation as this byte.
    virtual void keep_like(int, int, int&, int&) const {}
    // As Grammar::Node::cost, in the measure's unit: the least cost from here to the end of the
    // rule. Grammar::never if the end cannot be reached or the pair is impossible.
    virtual int cost(const Measure& measure, int node, int annotation) = 0;
    // Is the cost in bytes less than never?
    virtual bool alive(const Measure& bytes, int node, int annotation);
    // The rules whose costs cost() uses.
    virtual std::vector<int> rules() const { return {}; }

    // abstracted(node, annotation): the annotation that an abstraction keeps. It knows all that
    // cost() depends on, and otherwise only what masks depend on.
    virtual int abstracted(int, int annotation) { return annotation; }
    // kept(node, annotation): the same when a derivation of an abstraction reaches a node.
    virtual int kept(int, int annotation) { return annotation; }
    // Announces that tokens have at most this many bytes. Returns true if abstractions made earlier
    // may know too little for such tokens.
    virtual bool tokens_have_at_most(int) { return false; }

    virtual std::size_t memory() const { return 0; }
    virtual void forget() {}
};

// A rule calls itself, directly or through others, before it has read a byte.
class LeftRecursion : public UsageError {
public:
    LeftRecursion(const std::string& what, int r) : UsageError(what), rule(r) {}
    int rule;  // the lowest number among the rules of the cycle
};

class Grammar {
public:
    struct ByteEdge {
        std::uint8_t low, high;
        int to;
        bool annotated = false;  // the byte changes the derivation's annotation
        auto operator<=>(const ByteEdge&) const = default;
    };
    struct CallEdge {
        int rule, to;   // `to`: the node after the call
        int label = 0;  // passed to StateAnnotations::called()
    };
    struct Node {
        std::vector<ByteEdge> bytes;
        std::vector<CallEdge> calls;
        int cost = never;      // the fewest bytes to the end of the rule
        int annotations = -1;  // the table of the annotations at this node; −1: none
        // This source makes the edges when a derivation first gets here (NodeSource); −1: none.
        int source = -1;
        bool expanded = false;  // the source has made the edges
        bool final = false;
    };
    struct Rule {
        std::string name;
        int start = -1;    // −1: not defined yet
        int cost = never;  // the length in bytes of the rule's shortest text
        int rank = 0;      // lower than that of every rule it may call before reading a byte
    };
    // A cost that means: the end cannot be reached.
    static constexpr int never = TokensToEnd::never;

    // A part of the grammar that is built on demand, because all of it would be too large: for
    // example a string of at most a million characters.
    class NodeSource {
    public:
        virtual ~NodeSource() = default;
        // As Node::cost, in the measure's unit (bytes or tokens), from the costs of rules.
        virtual int cost(const Measure& measure, int node) const = 0;
        // The rules whose costs cost() uses.
        virtual std::vector<int> rules() const = 0;
        // Adds the node's edges, and further nodes.
        virtual void expand(Grammar& grammar, int node) = 0;
    };

    // These return the number of what they add. All functions that take such a number throw Error
    // if it does not exist.
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
    // An ε-edge reads no byte. These are added by skip() and removed by finish().
    struct EpsilonEdge {
        int from, to;
    };
    std::span<const EpsilonEdge> epsilon_edges() const { return epsilon_edges_; }
    // Sets the most nodes that the grammar may have; add_node() throws TooLarge beyond.
    void limit_nodes(int most) { max_nodes_ = most; }

    // ---- building: each adds a piece after `from` and returns the node after the piece ----
    int bytes(int from, std::string_view text);
    // sorted: alternatives in ascending order, none of them a prefix of another.
    int sequences(int from, std::span<const ByteSequence> sorted, int to);
    int call(int from, int rule);
    void call(int from, int rule, int to) { node(from).calls.push_back({rule, to}); }
    void skip(int from, int to) {
        node(from);  // throws if there is no such node
        epsilon_edges_.push_back({from, to});
    }
    void edge(int from, std::uint8_t low, std::uint8_t high, int to) {
        node(from).bytes.push_back({low, high, to});
    }

    // Call this when all rules are complete. Texts are derived from the rule `root`. Throws
    // UsageError if a rule has no start, LeftRecursion if a rule is left-recursive.
    void finish(int root);
    int root() const { return root_; }
    // A number that changes whenever the cost of a rule changes.
    unsigned version() const { return version_; }
    // Lets the node's source make its edges, if there is one and it has not done so yet.
    void expand(int node);
    bool is_open(int id) const { return node(id).source >= 0 && !node(id).expanded; }
    // Does the rule end here for certain? Then a call that leads here is a tail call.
    bool is_end(int id) const {
        const Node& n = node(id);
        return n.final && n.bytes.empty() && n.calls.empty() && !is_open(id);
    }

private:
    std::vector<ByteEdge> spread(std::span<const ByteSequence> sorted, std::size_t depth, int to,
                                 std::map<std::vector<ByteEdge>, int>& known);
    void close_epsilon_edges(int first);
    std::vector<int> rules_for_cost(int id);
    int cost_of(int id, const Measure& bytes);
    void settle_costs(int first);
    void rank_rules();

    static constexpr int max_nodes = 4'000'000, max_copies = 10'000'000;

    std::vector<Node> nodes_;
    int max_nodes_ = max_nodes;
    std::vector<EpsilonEdge> epsilon_edges_;
    std::vector<Rule> rules_;
    std::vector<std::unique_ptr<NodeSource>> sources_;
    std::vector<std::unique_ptr<StateAnnotations>> annotations_;
    int root_ = -1;
    unsigned version_ = 1;
};

// The sum of two costs, in bytes or tokens; `never` plus anything is `never`.
inline int saturating_add(int a, int b) { return std::min(a + b, Grammar::never); }

}  // namespace tbt
