// Tables for what an object still costs, in bytes or in tokens. ObjectNotes::cost() in
// object_costs.cpp adds them up: required members, and others until there are enough.
#pragma once

#include <vector>

namespace tbt {

// The lengths of the texts between values, by one measure.
struct ObjectLengths {
    unsigned id = 0, version = 0;
    int open = 0;
    std::vector<int> before_key, colon, close;  // by the bytes that are read
    std::vector<std::vector<int>> keys;         // by member; empty: not asked for yet
    // Sums over the members from each on, with their commas: those that are required; the
    // least of one.
    std::vector<int> required, any;
};

}  // namespace tbt
