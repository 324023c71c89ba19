// What is left of acts that may come in any order, by how many of each kind: the exits of the best
// order.
//
//   rest(left, u) = the end's exits from u, where nothing is left, else the best of
//                   stretch(kind, u → v) + rest(left without one of that kind, v)
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "chapters/13_json_grammar/arena.hpp"
#include "chapters/13_json_grammar/flat_map.hpp"
#include "chapters/14_grammar/token_exits.hpp"

namespace tbt {

class ActRests {
public:
    explicit ActRests(ExitCutter& cutter) : cutter_(&cutter) {}

    // From each class of nodes, with which classes a stretch is left.
    struct Kind {
        std::vector<TokenExits> from;
    };
    // end: the exits of the end from each class, by nodes of the tree.
    void set(std::vector<Kind> kinds, std::vector<TokenExits> end);

    // How many of each kind must come; how many more of those that may, and the tokens of
    // each, the fewest first, of which so many were taken; and the class of the node of the tree.
    struct Left {
        std::vector<int> must;
        std::vector<std::vector<int>> may;
        std::vector<int> taken;
        int more = 0, place = 0;
    };
    // To be filled, kind by kind, before find().
    Left& nothing_left();
    using Rest = std::span<const TokenExit>;
    // false: there are too many kinds to tell.
    bool find(Rest& found);

    std::size_t memory() const {
        return known_.capacity() * sizeof(Known) + keys_.capacity() * sizeof(std::uint64_t) +
               known_index_.memory() + exits_.memory();
    }

private:
    static constexpr double most_states = 2e4;
    struct Known {
        std::size_t key, size;  // in keys_
        int alike;              // another one with the same hash
        Rest rest;
    };

    bool small() const;
    Rest rest(std::size_t depth);
    std::uint64_t write_key();
    int known(std::uint64_t hash) const;

    ExitCutter* cutter_;
    std::vector<Kind> kinds_;
    std::vector<TokenExits> end_;
    std::vector<Known> known_;
    std::vector<std::uint64_t> keys_;  // of all that are known
    WordMap known_index_;    // by their hashes, the last one
    Arena exits_;
    // What is left now, its key, and what was found of it, by how much was taken.
    Left left_;
    std::vector<std::uint64_t> key_;
    std::deque<TokenExits> found_;
};

}  // namespace tbt
