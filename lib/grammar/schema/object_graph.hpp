// The nodes of a JSON object: one tree of all keys, whatever was written before.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/recognizer/grammar.hpp"
#include "lib/grammar/schema/blanks.hpp"
#include "lib/grammar/text_sets.hpp"

namespace tbt {

struct ObjectShape {
    struct Member {
        std::string name;
        int rule;  // of its value
        bool required = false;
    };
    struct KeyClass {
        Dfa keys;
        int rule;
        int longest = -1;  // so many bytes are enough for `least` different keys; −1: unknown
    };
    std::vector<Member> members;    // each at most once, in this order
    std::vector<KeyClass> classes;  // of other keys, each in one class at most
    int least = 0, most = -1;       // members; −1: any number
};

class ObjectGraph {
public:
    // Where a node is: `extra` bytes before the place that is named.
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
    // A branch of the tree: the members below it, in the tree's order.
    struct Branch {
        int low = 0, high = 0;
        int bytes = 0;  // on the way to it
    };

    ObjectGraph(const ObjectShape& shape, const Blanks& blanks);

    // Adds the nodes after the opening brace, with these annotations. Calls of a value have a
    // label: 1 + the member, or after all members the class.
    void build(Grammar& grammar, int annotations);

    int first() const { return first_; }
    // After the quote of a key.
    int tree() const { return tree_; }
    // The node at which the keys of a class begin.
    int class_start(int c) const { return class_starts_[static_cast<std::size_t>(c)]; }
    const Position& at(int node) const {
        return positions_[static_cast<std::size_t>(node - base_)];
    }
    const Branch& branch(int b) const { return branches_[static_cast<std::size_t>(b)]; }
    // The key of a member with what comes before its value, and where tokens may end in it.
    std::string written_key(int member, std::vector<bool>& cuts) const;
    // The fewest bytes to the end of a key of a class that is none of those written. As soon as
    // none of these begins so, it goes on as if there were none. Grammar::never: all that the text
    // may become were written.
    int bytes_to_end(const Grammar& grammar, int node, const TextSets& keys, int written,
                     int text) const;
    // The i-th member as the tree has them.
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
    void measure_class(const Grammar& grammar, int first, int end);

    const ObjectShape* shape_;
    const Blanks* blanks_;
    std::vector<std::vector<std::int32_t>> points_;  // of each member's name
    std::vector<int> order_;
    std::vector<Branch> branches_;
    std::vector<Position> positions_;
    std::vector<int> class_starts_;
    int annotations_ = -1, base_ = 0, first_ = -1, after_ = -1, tree_ = -1;
};

}  // namespace tbt
