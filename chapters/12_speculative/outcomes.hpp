// Enumerates every outcome of a random procedure, with its probability.
//
// A procedure that asks an object `chance` for its random decisions can be run with real random
// numbers, or once for each possible outcome. The second way gives its distribution exactly, if
// there are few enough outcomes: no statistics, and no error but rounding.
//
//     AllOutcomes chance;
//     do { distribution[procedure(chance)] += chance.probability(); } while (chance.next());
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "chapters/06_combining/steps.hpp"
#include "chapters/12_speculative/plain_speculative.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"

namespace tbt {

// Random decisions by random numbers.
class RandomChance {
public:
    explicit RandomChance(Rng rng) : rng_(rng) {}

    // True with this probability; always true for 1 and more.
    bool accept(double probability) { return (u_ = rng_.uniform()) < probability; }
    int draw(Candidates& distribution) { return tbt::draw(distribution, u_ = rng_.uniform()); }
    int draw(std::span<const double> weights) { return plain_draw(weights, u_ = rng_.uniform()); }
    double u() const { return u_; }  // the last number

private:
    Rng rng_;
    double u_ = 0;
};

// Every outcome of the random decisions in turn, depth first. The procedure must ask the same
// questions if it gets the same answers.
class AllOutcomes {
public:
    bool accept(double probability);
    int draw(Candidates& distribution);
    int draw(std::span<const double> weights);
    double u() const { return 0; }

    double probability() const { return probability_; }  // of the current outcome
    // Goes on to the next outcome; false after the last.
    bool next();

private:
    struct Way {
        int index;
        double probability;
    };
    struct Question {
        std::vector<Way> ways;  // the possible answers
        std::size_t at = 0;
    };

    int choose(std::span<const double> probabilities);

    std::vector<Question> path_;
    std::size_t depth_ = 0;
    double probability_ = 1;
};

}  // namespace tbt
