#include "tests/catch.hpp"

#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/rng.hpp"

using tbt::Rng;
using tbt::SplitMix64;

TEST_CASE("SplitMix64 gives its published numbers", "[rng]") {
    SplitMix64 mix(1234567);
    for (const std::uint64_t expected :
         {6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u,
          16408922859458223821u}) {
        REQUIRE(mix.next() == expected);
    }
}

TEST_CASE("xoshiro256** gives its published numbers", "[rng]") {
    Rng rng(Rng::State{1, 2, 3, 4});
    for (const std::uint64_t expected :
         {std::uint64_t{11520}, std::uint64_t{0}, std::uint64_t{1509978240},
          std::uint64_t{1215971899390074240}, std::uint64_t{1216172134540287360},
          std::uint64_t{607988272756665600}, std::uint64_t{16172922978634559625u},
          std::uint64_t{8476171486693032832}, std::uint64_t{10595114339597558777u},
          std::uint64_t{2904607092377533576}}) {
        REQUIRE(rng.next() == expected);
    }
}

TEST_CASE("stream 0 is seeded as the authors recommend, by four numbers of SplitMix64", "[rng]") {
    SplitMix64 mix(42);
    const Rng rng(42);
    for (const std::uint64_t word : rng.state()) REQUIRE(word == mix.next());
}

TEST_CASE("seeds and streams give different sequences, from the first number on", "[rng]") {
    std::set<std::uint64_t> first;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        for (std::uint64_t stream = 0; stream < 100; ++stream)
            first.insert(Rng(seed, stream).next());
    }
    REQUIRE(first.size() == 10000);  // by chance two of them are equal once in 10^11 runs
    REQUIRE(Rng(3, 4).next() != Rng(4, 3).next());
}

TEST_CASE("neighbouring streams do not agree more often than chance", "[rng]") {
    // Of 64 · 10,000 bits half agree, ± 400 (one standard deviation);
    // six of those happen once in 5 · 10^8 runs.
    Rng a(1, 0), b(1, 1);
    int agree = 0;
    for (int i = 0; i < 10000; ++i) {
        for (std::uint64_t same = ~(a.next() ^ b.next()); same; same &= same - 1) ++agree;
    }
    REQUIRE(std::abs(agree - 320000) <= 2400);
}

TEST_CASE("a saved state goes on where it was", "[rng]") {
    Rng rng(7, 9);
    for (int i = 0; i < 5; ++i) rng.normal();
    Rng restored(rng.state());
    for (int i = 0; i < 100; ++i) {
        REQUIRE(rng.next() == restored.next());
        REQUIRE(rng.normal() == restored.normal());
    }
}

TEST_CASE("an all-zero state is refused", "[rng]") {
    REQUIRE_THROWS_AS(Rng(Rng::State{}), tbt::Error);
}

TEST_CASE("uniform numbers fill [0, 1) evenly with all their bits", "[rng]") {
    Rng rng(1);
    constexpr int n = 200000;
    double sum = 0, squares = 0, float_sum = 0;
    bool in_range = true, last_bit = false, float_last_bit = false;
    for (int i = 0; i < n; ++i) {
        const double u = rng.uniform();
        const float f = rng.uniform_float();
        in_range = in_range && u >= 0 && u < 1 && f >= 0 && f < 1;
        last_bit = last_bit || std::fmod(u * 0x1p53, 2) == 1;
        float_last_bit = float_last_bit || std::fmod(f * 0x1p24f, 2.0f) == 1;
        sum += u;
        squares += u * u;
        float_sum += static_cast<double>(f);
    }
    REQUIRE(in_range);
    REQUIRE(last_bit);
    REQUIRE(float_last_bit);
    // Standard deviations of the means: √(1/12n) = 0.00065 and √(4/45n) = 0.00067; five of them.
    REQUIRE(std::fabs(sum / n - 0.5) <= 0.0034);
    REQUIRE(std::fabs(float_sum / n - 0.5) <= 0.0034);
    REQUIRE(std::fabs(squares / n - 1.0 / 3) <= 0.0034);
}

TEST_CASE("integers below n are equally likely, also where 2^64 is no multiple of n", "[rng]") {
    // With n = 3 · 2^62, taking the remainder alone gives a third of the numbers twice as often:
    // half of all draws instead of a third of them lie below 2^62. Standard deviation √(2/9 · n)
    // = 67; six of them.
    Rng rng(2);
    constexpr int draws = 20000;
    int low = 0;
    for (int i = 0; i < draws; ++i)
        low += rng.below(std::uint64_t{3} << 62) < std::uint64_t{1} << 62;
    REQUIRE(std::abs(low - draws / 3) <= 400);

    std::vector<int> count(6);
    for (int i = 0; i < 60000; ++i) ++count.at(rng.below(6));
    for (const int c : count) REQUIRE(std::abs(c - 10000) <= 6 * 91);
    REQUIRE(rng.below(1) == 0);
    REQUIRE_THROWS_AS(rng.below(0), tbt::Error);
}

TEST_CASE("normal numbers have the moments and tails of the normal distribution", "[rng]") {
    Rng rng(3);
    constexpr int n = 200000;
    double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
    int beyond_two = 0;
    for (int i = 0; i < n; ++i) {
        const double z = rng.normal();
        m1 += z / n;
        m2 += z * z / n;
        m3 += z * z * z / n;
        m4 += z * z * z * z / n;
        beyond_two += std::fabs(z) > 2;
    }
    // Variances of z, z², z³, z⁴ are 1, 2, 15, 96; five standard deviations of each mean.
    REQUIRE(std::fabs(m1) <= 5 * std::sqrt(1.0 / n));
    REQUIRE(std::fabs(m2 - 1) <= 5 * std::sqrt(2.0 / n));
    REQUIRE(std::fabs(m3) <= 5 * std::sqrt(15.0 / n));
    REQUIRE(std::fabs(m4 - 3) <= 5 * std::sqrt(96.0 / n));
    REQUIRE(std::fabs(beyond_two / double{n} - 0.045500) <= 5 * std::sqrt(0.0455 * 0.9545 / n));
}

TEST_CASE("normal numbers are the same to the last bit on every platform", "[rng]") {
    Rng rng(2026, 7);
    for (const double expected :
         {0x1.0ae9137ee4a7bp+0, 0x1.d62caf2e210cfp-2, -0x1.c5611c935318ap-3, -0x1.2557eb5026baap-2})
        REQUIRE(rng.normal() == expected);
}
