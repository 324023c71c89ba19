// The grammar of a JSON object: the members that the schema names, in its order, then others.
//
// The nodes form one tree of all keys (ObjectGraph) and do not depend on what was written before.
// The annotation of a derivation records that (ObjectAnnotations): which member may come next, how
// many members were written, and which keys that the schema does not name, since no key may come
// twice. Annotations are made only when a text reaches them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/containers.hpp"
#include "lib/grammar/recognizer/grammar.hpp"
#include "lib/grammar/schema/arrays.hpp"
#include "lib/grammar/schema/text_sets.hpp"

namespace tbt {

struct ObjectShape {
    struct Member {
        std::string name;
        int rule;  // the rule of its value
        bool required = false;
    };
    struct KeyClass {
        Dfa keys;
        int rule;          // the rule of their values
        int longest = -1;  // `least` different keys exist up to this many bytes; −1: unknown
    };
    std::vector<Member> members;    // each at most once, in this order
    std::vector<KeyClass> classes;  // all other keys that may come; no key is in two classes
    int least = 0, most = -1;       // number of members; −1: no upper limit
};

class ObjectGraph {
public:
    // Where a node is. A node with `extra` > 0 is that many bytes before this place.
    enum class Where : std::uint8_t {
        first,        // after the brace
        after,        // after a member
        key,          // a key must come
        tree,         // in a key, at this branch of the tree
        of_class,     // in a key of this class
        colon,        // after the key of this member
        class_colon,  // after a key of this class
        closing,      // only white space before the brace
        end,
    };
    struct Position {
        Where where;
        int index = 0, extra = 0;
        int to_end = 0;        // of_class: the fewest bytes to the end of the key
        bool endless = false;  // of_class: infinitely many keys go on from here
    };
    // A branch of the tree. Below it are the members low to high − 1 of the sorted order.
    struct Branch {
        int low = 0, high = 0;
        int bytes = 0;  // bytes from the root of the tree to here
    };

    ObjectGraph(const ObjectShape& shape, const Blanks& blanks);

    // Adds the node after the opening brace. annotations: their number in the grammar.
    int begin(Grammar& grammar, int annotations);
    // Adds all other nodes. The call of a value has a label: 1 + m for member m,
    // 1 + (number of members) + c for class c.
    void build(Grammar& grammar);
    // About how many nodes that are without classes.
    std::size_t nodes_of_members() const;

    int first() const { return first_; }
    // The node after the opening quote of a key.
    int tree() const { return tree_; }
    // The node at which the keys of a class begin.
    int class_start(int c) const { return class_starts_[static_cast<std::size_t>(c)]; }
    const Position& at(int node) const {
        return positions_[node == first_ ? 0 : static_cast<std::size_t>(node - base_)];
    }
    const Branch& branch(int b) const { return branches_[static_cast<std::size_t>(b)]; }
    // The key of a member and everything after it up to the value. cuts: for each byte, may a token
    // begin there?
    std::string written_key(int member, std::vector<bool>& cuts) const;
    // The fewest bytes from a node to the end of a key of a class that differs from all keys of the
    // set `written`. text: the key so far. If no written key begins with it, the result is to_end.
    // Grammar::never if all keys that begin with the text were written.
    int bytes_to_end(const Grammar& grammar, int node, const TextSets& keys, int written,
                     int text) const;
    // The i-th member in sorted order.
    int member(int i) const { return order_[static_cast<std::size_t>(i)]; }

private:
    struct Open {
        int branch, depth, node;
    };
    void mark(Grammar& grammar, Position position);
    int add_text(Grammar& grammar, int from, const std::string& text, Position after);
    int add_layout(Grammar& grammar, int from, const std::string& fixed, Position after);
    void add_ends(Grammar& grammar, int key);
    void add_tree(Grammar& grammar, int key);
    int add_branch(Grammar& grammar, const Open& from, int low, int high);
    void add_value(Grammar& grammar, int after_key, Position colon, int rule, int label);
    void add_class(Grammar& grammar, int index, int key);
    void measure_class(const Grammar& grammar, int first, std::size_t first_epsilon, int out);

    const ObjectShape* shape_;
    const Blanks* blanks_;
    std::vector<std::vector<std::int32_t>> points_;  // the code points of each member's name
    std::vector<int> order_;                         // the members in sorted order
    std::vector<Branch> branches_;
    std::vector<Position> positions_;
    std::vector<int> class_starts_;
    int annotations_ = -1, base_ = 0, first_ = -1, after_ = -1, tree_ = -1;
};

class ObjectAnnotations : public StateAnnotations {
public:
    ObjectAnnotations(ObjectShape shape, Blanks blanks);
    ObjectAnnotations(const ObjectAnnotations&) = delete;

    // Adds the nodes after the opening brace; returns the first. index: the number of these
    // annotations in the grammar. If the schema names all keys, a text that gets there adds the
    // others (NodeSource): most texts reach few of the objects of a large schema.
    int add_nodes(Grammar& grammar, int index);
    // An estimate of the nodes that are still to be added.
    std::size_t nodes_to_come() const {
        return shape_.classes.empty() ? graph_.nodes_of_members() : 0;
    }

    int entry() const override { return graph_.first(); }
    int read(int annotation, std::uint8_t byte) override;
    int called(int annotation, int label) override;
    void keep_like(int annotation, int byte, int& low, int& high) const override;
    // Adds up what must still come: required members, then others until there are enough.
    int cost(const Measure& measure, int node, int annotation) override;
    bool alive(const Measure& bytes, int node, int annotation) override;
    std::vector<int> rules() const override;
    int abstracted(int node, int annotation) override;
    int kept(int node, int annotation) override;
    std::size_t memory() const override;
    void forget() override;

private:
    using Where = ObjectGraph::Where;
    // Values of Annotation::text that are no texts. An unnamed key: the schema does not name it.
    static constexpr int nowhere = -1;    // not in an unnamed key
    static constexpr int a_new_one = -2;  // in an unnamed key that was not written before
    static constexpr int stale = -3;      // in an abstraction, after a key that `others` lacks

    struct Annotation {
        int next = 0;        // the first named member that may still come
        int written = 0;     // number of members written, as far as it matters
        int others = 0;      // the set of unnamed keys written
        int text = nowhere;  // the unnamed key that is being read, so far
        // In an abstraction: `text` is kept only while a written key begins with it.
        bool brief = false;
        bool operator==(const Annotation&) const = default;
    };
    struct Hash {
        std::uint64_t operator()(const Annotation& a) const {
            const auto pair = [](int high, int low) {
                return std::uint64_t{static_cast<std::uint32_t>(high)} << 32 |
                       static_cast<std::uint32_t>(low);
            };
            return mixed(mixed(a.brief, pair(a.next, a.written)), pair(a.others, a.text));
        }
    };
    class Later;
    // The costs of the parts of an object, in one measure.
    struct Costs {
        unsigned id = 0, version = 0;
        int open = 0;
        std::vector<int> before_key, colon, close;  // texts between values, by bytes already read
        std::vector<std::vector<int>> keys;         // by member; empty: not computed yet
        // By m, over the members from m on, with their commas: the sum of the required ones, and
        // the cost of the cheapest one.
        std::vector<int> required, any;
        WordMap counted;  // results of rest() if members are counted
    };

    int number_of(const Annotation& annotation) {
        const int found = numbers_.find_or_add(annotation, static_cast<int>(all_.size()));
        if (found == static_cast<int>(all_.size())) all_.push_back(annotation);
        return found;
    }
    const Annotation& at(int number) const { return all_[static_cast<std::size_t>(number)]; }
    int members() const { return static_cast<int>(shape_.members.size()); }
    int rule_of(int label) const;
    // The last named member that may come now: the first required one from `next` on.
    int last(int next) const { return last_[static_cast<std::size_t>(next)]; }
    bool complete(const Annotation& now) const {
        return last(now.next) == members() && now.written >= shape_.least;
    }
    bool possible(const Annotation& now, int label) const {
        if (shape_.most >= 0 && now.written >= shape_.most) return false;
        return label <= members() ? label > now.next && label <= last(now.next) + 1
                                  : last(now.next) == members();
    }
    Annotation after(Annotation now, int label) const {
        now.next = std::min(label, members());
        if (shape_.most >= 0 || now.written < shape_.least) ++now.written;
        return now;
    }
    // Does only the position in the order of members matter, not their number?
    bool simple() const { return shape_.least <= 1 && shape_.most < 0; }

    Costs& costs(const Measure& measure);
    void add_texts(const Measure& measure, Costs& costs) const;
    const std::vector<int>& key(const Measure& measure, int member);
    int before_key(const Costs& costs, int left) const;
    int member_cost(const Measure& measure, int label);
    int rest(const Measure& measure, const Annotation& now, bool some);
    int rest_counted(const Measure& measure, const Annotation& now, int least);
    int value_and_rest(const Measure& measure, const Annotation& now, int label);
    int in_tree(const Measure& measure, const ObjectGraph::Position& p, const Annotation& now);
    int in_key(const Measure& measure, int node, const Annotation& now);

    // risky: does a written unnamed key begin with this text? known: was this unnamed key written?
    bool risky(int others, int text) const { return text >= 0 && keys_.has_prefix(others, text); }
    bool known(int others, int text) const {
        return text != a_new_one && keys_.contains(others, text < 0 ? 0 : text);
    }

    ObjectShape shape_;
    Blanks blanks_;
    ObjectGraph graph_;
    std::vector<int> last_;         // results of last()
    std::vector<int> class_bytes_;  // by class: the bytes of its shortest key
    Costs costs_[2];                // in bytes and in tokens
    std::vector<Annotation> all_;
    FlatMap<Annotation, Hash> numbers_;
    TextSets keys_;
};

}  // namespace tbt
