// Random numbers that are the same on every machine: xoshiro256** [Blackman & Vigna 2018],
// seeded by SplitMix64.
//
// The generators of <random> are portable but its distributions are not, and log()
// differs by an ulp between C libraries; so everything here, down to the logarithm inside normal(),
// is made of operations that IEEE 754 fixes to the last bit.
#pragma once

#include <array>
#include <cstdint>

namespace tbt {

// SplitMix64 [Steele, Lea & Flood 2014]: turns any 64-bit number, even 0 or 1,
// into well-mixed ones.
class SplitMix64 {
public:
    explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next();

private:
    std::uint64_t state_;
};

class Rng {
public:
    // The whole state: save it in a checkpoint, restore it, and the sequence goes on where it was.
    using State = std::array<std::uint64_t, 4>;

    // One seed gives 2^64 independent streams, for example one for each document or for each
    // sequence of a batch. Stream 0 is the generator seeded in the way its authors recommend.
    explicit Rng(std::uint64_t seed, std::uint64_t stream = 0);
    // Throws Error when all four words are zero, from which it never leaves.
    explicit Rng(const State& state);

    const State& state() const { return state_; }

    std::uint64_t next();   // 64 random bits
    double uniform();       // in [0, 1), a multiple of 2^-53
    float uniform_float();  // in [0, 1), a multiple of 2^-24
    std::uint64_t below(
        std::uint64_t n);  // 0 … n − 1, all equally likely; throws Error when n is 0
    double normal();       // mean 0, standard deviation 1

private:
    State state_;
};

}  // namespace tbt
