// A JSON object whose members come in any order: a part of a grammar that is built as it is walked.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "chapters/14_guided/dfa.hpp"
#include "chapters/14_guided/grammar.hpp"

namespace tbt {

struct ObjectShape {
    struct Member {
        std::string name;
        int rule = 0;           // of its value
        bool required = false;
    };
    std::vector<Member> members;  // each at most once
    int other_rule = -1;          // of the value of any other key; −1: there may be none
};

// White space: at most so many characters, or any number (−1).
int add_blanks(Grammar& grammar, int from, int most);

// With n members there are 2^n sets of members that may have been written already, and for each of them another
// part of the grammar: the keys that are left, and whether the object may close. Only those that a text comes to
// are ever built. No key is offered twice; one that leads nowhere is not offered at all.
class ObjectSource : public Grammar::NodeSource {
public:
    ObjectSource(ObjectShape shape, int most_blanks, Spelling spelling);

    // The node behind the opening brace. `index`: this source's, in the grammar.
    int first_node(Grammar& grammar, int index);

    int cost(const Grammar& grammar, int node) const override;
    std::vector<int> rules() const override;
    void expand(Grammar& grammar, int node) override;

private:
    enum class Where { first, key, after };  // behind the brace, behind a comma, behind a member
    using Seen = std::vector<bool>;          // by member
    struct Spot {
        Where where;
        Seen seen;
        auto operator<=>(const Spot&) const = default;
    };

    int node_at(Grammar& grammar, Where where, const Seen& seen);
    int member_cost(const Grammar& grammar, std::size_t member) const;
    int cost_of(const Grammar& grammar, const Spot& spot) const;
    void add_keys(Grammar& grammar, int from, const Seen& seen);
    void add_value(Grammar& grammar, int behind_key, int rule, const Seen& seen);

    ObjectShape shape_;
    int index_ = -1, most_blanks_;
    Spelling spelling_;
    std::vector<int> key_bytes_;  // of each member's key, without quotes
    Dfa other_keys_;
    int other_key_bytes_ = 0;     // of the shortest one
    std::map<Spot, int> nodes_;
    std::map<int, Spot> spots_;
};

}  // namespace tbt
