// The nodes of a JSON object: one tree of all keys, whatever was written before.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/automata/spelling.hpp"
#include "lib/grammar/recognizer/grammar.hpp"
#include "lib/grammar/schema/blanks.hpp"

namespace tbt {

// What an object still needs: up to 32 things, one bit each, that some member must be good for.
using Needs = unsigned;

struct ObjectShape {
    // The rules of a value: one for each set of needs that it may be written to serve; {0:
    // rule} where there are none.
    using Values = std::map<Needs, int>;
    struct Member {
        std::string name;
        Values values;
        bool required = false;
        bool unnamed = false;  // by the schema: these are the last ones, in no order
    };
    struct KeyClass {
        Dfa keys;
        Values values;
    };
    std::vector<Member> members;  // each at most once, in this order
    std::vector<KeyClass>
        classes;  // of other keys; they share none with each other, nor with the members
    Needs needs = 0;
    int least = 0, most = -1;  // members; −1: any number
};

class ObjectGraph {
public:
    // Where a node is: `extra` bytes before the place that is named.
    enum class Where : std::uint8_t {
        first,        // behind the brace
        after,        // behind a member
        key,          // a key must come
        tree,         // in a key, at this branch of the tree
        of_class,     // in a key of this class
        colon,        // behind the key of this member
        class_colon,  // … of this class
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

    // One way to write a member: its value by one of its rules. Numbered from 1.
    struct Act {
        int member, key_class;  // one of them is −1
        Needs serves;
        int rule;
    };

    ObjectGraph(const ObjectShape& shape, const Blanks& blanks, Spelling spelling);

    // Adds the nodes behind the opening brace, of that annotations.
    void build(Grammar& grammar, int annotations);

    const Act& act(int number) const { return acts_[static_cast<std::size_t>(number) - 1]; }
    int acts() const { return static_cast<int>(acts_.size()); }
    const std::vector<int>& of_member(int m) const {
        return of_member_[static_cast<std::size_t>(m)];
    }
    const std::vector<int>& of_class(int c) const { return of_class_[static_cast<std::size_t>(c)]; }

    int first() const { return first_; }
    int after() const { return after_; }
    // After the quote of a key.
    int tree() const { return tree_; }
    // The node at which the keys of a class begin.
    int class_start(int c) const { return class_starts_[static_cast<std::size_t>(c)]; }
    const Position& at(int node) const {
        return positions_[static_cast<std::size_t>(node - base_)];
    }
    const Branch& branch(int b) const { return branches_[static_cast<std::size_t>(b)]; }
    // The i-th member as the tree has them.
    int member(int i) const { return order_[static_cast<std::size_t>(i)]; }

private:
    struct Open {
        int branch, depth, node;
    };
    void mark(Grammar& grammar, Position position);
    int add_text(Grammar& grammar, int from, const std::string& text, Position behind);
    int add_layout(Grammar& grammar, int from, const std::string& fixed, Position behind);
    void add_ends(Grammar& grammar, int key);
    void add_tree(Grammar& grammar, int key);
    int add_branch(Grammar& grammar, const Open& from, int low, int high);
    void add_values(Grammar& grammar, int behind_key, Position colon, const std::vector<int>& acts);
    void add_class(Grammar& grammar, int index, int key);
    void measure_class(const Grammar& grammar, int first, int end);

    const ObjectShape* shape_;
    const Blanks* blanks_;
    Spelling spelling_;
    std::vector<Act> acts_;
    std::vector<std::vector<int>> of_member_, of_class_;
    std::vector<std::vector<std::int32_t>> points_;  // of each member's name
    std::vector<int> order_;
    std::vector<Branch> branches_;
    std::vector<Position> positions_;
    std::vector<int> class_starts_;
    int notebook_ = -1, base_ = 0, first_ = -1, after_ = -1, tree_ = -1;
};

}  // namespace tbt
