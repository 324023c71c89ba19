// The shortest way to complete an object: which members to write, and which of them serve
// which needs.
#pragma once

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "chapters/15_regular/spelling.hpp"
#include "chapters/16_json_schema/object_shape.hpp"

namespace tbt {

struct ObjectWay {
    int bytes = Grammar::never;  // with a comma for each member
    std::vector<int> acts;       // by the order of members
};

class ObjectPlanner {
public:
    // overhead: bytes of a member beside its key and value.
    ObjectPlanner(const ObjectShape& shape, int overhead, Spelling spelling);

    // One way to write a member: its value by one of its rules. Numbered from 1.
    struct Act {
        int member, key_class;  // one of them is −1
        Needs serves;
        int rule;
    };
    const Act& act(int number) const { return acts_[static_cast<std::size_t>(number) - 1]; }
    int acts() const { return static_cast<int>(acts_.size()); }
    const std::vector<int>& of_member(int m) const {
        return of_member_[static_cast<std::size_t>(m)];
    }
    const std::vector<int>& of_class(int c) const { return of_class_[static_cast<std::size_t>(c)]; }
    int key_bytes(int m) const { return member_bytes_[static_cast<std::size_t>(m)]; }
    int key_bytes_of_class(int c) const { return class_bytes_[static_cast<std::size_t>(c)]; }
    int bytes(const Grammar& grammar, int act) const;

    // Of further members. `some`: at least one must follow. Of several as short the one that
    // writes earlier members.
    ObjectWay shortest(const Grammar& grammar, const std::vector<bool>& gone, Needs served,
                       int count, bool some);
    // Does a plan depend on more than the members that are missing?
    bool simple() const { return shape_->needs == 0 && shape_->least <= 1 && shape_->most < 0; }

private:
    using Key = std::tuple<int, Needs, int>;
    struct Choice {
        int bytes = Grammar::never, act = 0;
    };
    ObjectWay shortest_simple(const Grammar& grammar, const std::vector<bool>& gone,
                              bool some) const;
    ObjectWay shortest_counted(const Grammar& grammar, const std::vector<bool>& gone, int count,
                               int least);
    int from(const Grammar& grammar, int member, Needs served, int added);
    int next(int member, Needs served, int added, int act) const;

    const ObjectShape* shape_;
    int overhead_;
    std::vector<int> member_bytes_, class_bytes_;
    std::vector<Act> acts_;
    std::vector<std::vector<int>> of_member_, of_class_;
    // Of one search.
    const std::vector<bool>* gone_ = nullptr;
    int count_ = 0, least_ = 0;
    std::map<Key, Choice> known_;
    std::vector<std::pair<int, int>> others_;  // bytes, act
};

}  // namespace tbt
