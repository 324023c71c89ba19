// Exercise 11_00: one beam, extended, and the score of a text.
//
// A beam is a text and the sum of ln p of its generated tokens.
//
//     longer(beam, id, log)    the beam and one token more: its id is appended, its ln p added
//     extended(beam, logs)     one longer beam for every token, by id; logs[id] is its ln p. A
//                              token with ln p = −∞ makes none.
//     score(sum, tokens, a)    sum / tokens^a, a being the length penalty
//
// Example: the beam 7 with −1, and logs {−.5, −∞, −2}: 7 0 with −1.5, and 7 2 with −3.
// Two tokens with −1.2 and six with −2.4: a = 0 gives −1.2 and −2.4, a = 1 gives −.6 and −.4.
//
// tokens is at least 1; at(logs, id) is logs[id] for an int.
//
// Write three functions, of about 3, 4 and 1 lines. Check: make check EX=11_00
#pragma once

#include <cmath>
#include <iterator>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/index.hpp"

namespace tbt::ex11_00 {

struct Beam {
    std::vector<int> ids;
    double sum = 0;
};

inline Beam longer([[maybe_unused]] Beam beam, [[maybe_unused]] int id,
                   [[maybe_unused]] double log) {
    // >>> write here
    beam.ids.push_back(id);
    beam.sum += log;
    return beam;
    // <<< to here
}

inline std::vector<Beam> extended([[maybe_unused]] const Beam& beam,
                                  [[maybe_unused]] const std::vector<double>& logs) {
    // >>> write here
    std::vector<Beam> beams;
    for (int id = 0; id < std::ssize(logs); ++id)
        if (at(logs, id) != -HUGE_VAL) beams.push_back(longer(beam, id, at(logs, id)));
    return beams;
    // <<< to here
}

inline double score([[maybe_unused]] double sum, [[maybe_unused]] int tokens,
                    [[maybe_unused]] double a) {
    // >>> write here
    return sum / std::pow(tokens, a);
    // <<< to here
}

}  // namespace tbt::ex11_00
