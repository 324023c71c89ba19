// A JSON object whose members come in any order: a part of a grammar that is built as it is walked.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "chapters/14_grammar/grammar.hpp"
#include "chapters/15_regular/dfa.hpp"

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
    };
    struct KeyClass {
        Dfa keys;
        Values values;
    };
    std::vector<Member> members;  // each at most once
    std::vector<KeyClass>
        classes;  // of other keys; they share none with each other, nor with the members
    Needs needs = 0;
    int least = 0, most = -1;  // members; −1: any number
};

// White space: at most so many characters, or any number (−1).
int add_blanks(Grammar& grammar, int from, int most);

// With n members there are 2^n sets of members that may have been written already, and for each
// of them another part of the grammar: the keys that are left, and whether the object may close.
// Only those that a text comes to are ever built. No member is offered twice;
// one that leads nowhere is not offered at all.
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
    struct Spot {
        Where where = Where::first;
        std::vector<bool> seen;  // by member
        Needs served = 0;
        int count = 0;  // members written, as far as it matters
        auto operator<=>(const Spot&) const = default;
    };
    int node_at(Grammar& grammar, const Spot& spot);
    Spot behind_member(const Spot& spot, int member, Needs serves) const;
    bool complete(const Spot& spot) const;
    void add_keys(Grammar& grammar, int from, const Spot& spot);
    void add_values(Grammar& grammar, int behind_key, const ObjectShape::Values& values, int member,
                    const Spot& spot);

    ObjectShape shape_;
    int index_ = -1, most_blanks_;
    Spelling spelling_;
    std::vector<int> member_bytes_,
        class_bytes_;  // of each key, without quotes; of a class, its shortest
    std::map<Spot, int> nodes_;
    std::map<int, Spot> spots_;
};

}  // namespace tbt
