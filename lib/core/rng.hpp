// A random number generator with the same numbers on every machine: xoshiro256** [Blackman &
// Vigna 2018], seeded by SplitMix64.
//
// The generators of <random> are portable, but its distributions are not, and log() differs by an
// ulp between C libraries. So everything here, even the logarithm inside normal(), uses only
// operations whose results IEEE 754 defines to the last bit.
#pragma once

#include <array>
#include <cstdint>

namespace tbt {

// SplitMix64 [Steele, Lea & Flood 2014]: makes well-mixed numbers from any 64-bit seed, even 0 or
// 1.
class SplitMix64 {
public:
    explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next();

private:
    std::uint64_t state_;
};

class Rng {
public:
    // The whole state. A generator constructed from a saved state continues its sequence.
    using State = std::array<std::uint64_t, 4>;

    // Each seed has 2^64 independent streams, for example one for each document or for each
    // sequence of a batch. Stream 0 is seeded as the generator's authors recommend.
    explicit Rng(std::uint64_t seed, std::uint64_t stream = 0);
    // Throws Error if all four words are zero: the generator would return only zeros.
    explicit Rng(const State& state);

    const State& state() const { return state_; }

    std::uint64_t next();                  // 64 random bits
    double uniform();                      // in [0, 1), a multiple of 2^-53
    float uniform_float();                 // in [0, 1), a multiple of 2^-24
    std::uint64_t below(std::uint64_t n);  // 0 … n − 1, all equally likely; throws Error if n is 0
    double normal();                       // mean 0, standard deviation 1

private:
    State state_;
};

}  // namespace tbt
