#include "lib/core/rng.hpp"

#include <bit>
#include <cmath>

#include "lib/core/error.hpp"
#include "lib/core/math.hpp"

namespace tbt {

namespace {

// The output function of SplitMix64: a bijection of the 64-bit numbers that maps 0 to 0.
std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

}  // namespace

std::uint64_t SplitMix64::next() {
    state_ += 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio
    return mix(state_);
}

Rng::Rng(std::uint64_t seed, std::uint64_t stream) {
    // Different streams of one seed start SplitMix64 at distant states.
    SplitMix64 words(seed ^ mix(stream));
    for (std::uint64_t& word : state_) word = words.next();
}

Rng::Rng(const State& state) : state_(state) {
    if (state == State{})
        throw Error("rng: the saved state is all zero, expected the four words of a generator");
}

std::uint64_t Rng::next() {
    auto& [a, b, c, d] = state_;
    const std::uint64_t result = std::rotl(b * 5, 7) * 9;
    const std::uint64_t t = b << 17;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= t;
    d = std::rotl(d, 45);
    return result;
}

double Rng::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

float Rng::uniform_float() { return static_cast<float>(next() >> 40) * 0x1p-24f; }

std::uint64_t Rng::below(std::uint64_t n) {
    if (n == 0) throw Error("rng: got the limit 0, expected at least 1");
    // The first 2^64 mod n values are rejected, so that each remainder occurs equally often.
    const std::uint64_t surplus = (0 - n) % n;
    for (;;) {
        const std::uint64_t x = next();
        if (x >= surplus) return x % n;
    }
}

double Rng::normal() {
    // Marsaglia's polar method. A point (u, v) drawn in the unit disc, s = u² + v²:
    // u √(−2 ln s / s) is normal. So is v √(…), independently; it is not kept,
    // so that the state stays four words.
    for (;;) {
        const double u = 2 * uniform() - 1;
        const double v = 2 * uniform() - 1;
        const double s = u * u + v * v;
        if (s > 0 && s < 1) return u * std::sqrt(-2 * portable_log(s) / s);
    }
}

}  // namespace tbt
