// The nodes of a JSON object, with all keys in one tree. They do not depend on which members were
// written before: annotations keep track of that (object_annotations.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/recognizer/grammar.hpp"
#include "lib/grammar/schema/blanks.hpp"
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

    // Adds the nodes after the opening brace. annotations: their number in the grammar. The call of
    // a value has a label: 1 + m for member m, 1 + (number of members) + c for class c.
    void build(Grammar& grammar, int annotations);

    int first() const { return first_; }
    // The node after the opening quote of a key.
    int tree() const { return tree_; }
    // The node at which the keys of a class begin.
    int class_start(int c) const { return class_starts_[static_cast<std::size_t>(c)]; }
    const Position& at(int node) const {
        return positions_[static_cast<std::size_t>(node - base_)];
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

}  // namespace tbt
