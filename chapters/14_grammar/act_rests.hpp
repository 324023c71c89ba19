// What is left of acts that may come in any order, by how many of each kind: the exits of the best
// order.
//
//   rest(left, u) = the end's exits from u, where nothing is left, else the best of
//                   stretch(kind, u → v) + rest(left without one of that kind, v)
//
// Where all that is left must come, that is a table of numbers (act_box.hpp); where some may, only
// what is asked for is worked out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "chapters/13_json_grammar/arena.hpp"
#include "chapters/13_json_grammar/flat_map.hpp"
#include "chapters/14_grammar/act_box.hpp"
#include "chapters/14_grammar/token_exits.hpp"

namespace tbt {

class ActRests {
public:
    explicit ActRests(ExitCutter& cutter) : cutter_(&cutter) {}

    // end: the exits of the end from each class, by nodes of the tree.
    void set(std::vector<ActKind> kinds, std::vector<TokenExits> end);

    // How many of each kind must come; how many more of those that may, and the tokens of
    // each, the fewest first, of which so many were taken; and the class of the node of the tree,
    // which find() is told.
    struct Left {
        std::vector<int> must;
        std::vector<std::vector<int>> may;
        std::vector<int> taken;
        int more = 0, place = 0;
    };
    // To be filled, kind by kind, before find() or expect().
    Left& nothing_left();
    // What is asked for next is a part of what is left now.
    void expect();
    using Rest = std::span<const TokenExit>;
    // false: there are too many kinds to tell. Until the next call.
    bool find(int place, Rest& found);

    std::size_t memory() const {
        std::size_t boxes = 0;
        for (const ActBox& b : boxes_) boxes += b.memory();
        return boxes + known_.capacity() * sizeof(Known) + keys_.capacity() * sizeof(keys_[0]) +
               known_index_.memory() + exits_.memory();
    }

private:
    static constexpr double most_states = 2e4;
    static constexpr std::size_t most_boxes = 4, most_ends = 8;
    struct Known {
        std::size_t key, size;  // in keys_
        int alike;              // another one with the same hash
        Rest rest;
    };

    double states() const;
    const ActBox* box() const;
    Rest rest(std::size_t depth);
    std::uint64_t write_key();
    int known(std::uint64_t hash) const;

    ExitCutter* cutter_;
    std::vector<ActKind> kinds_;
    std::vector<TokenExits> end_;
    bool few_ends_ = false;  // so few that none is ever cut for their number
    std::vector<ActBox> boxes_;
    std::size_t oldest_ = 0;  // of the boxes
    std::vector<Known> known_;
    std::vector<std::uint64_t> keys_;  // of all that are known
    WordMap known_index_;              // by their hashes, the last one
    Arena exits_;
    // What is left now, its key, and what was found of it, by how much was taken.
    Left left_;
    std::vector<std::uint64_t> key_;
    std::deque<TokenExits> found_;
};

}  // namespace tbt
