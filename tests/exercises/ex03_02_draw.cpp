// Exercise 03_02: the draw.
#include "03_02_draw.hpp"
#include "chapters/03_temperature/plain_draw.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex03_02;

namespace {

using Wheel = std::vector<std::uint64_t>;

const Checker check("spin(w, u)", ex03_02::spin);

constexpr double last_u = 1 - 0x1p-53;

}  // namespace

TEST_CASE("eight notches", "[ex03_02]") {
    const Wheel w{2, 0, 1, 5};
    check(w, 0, 0, "the first notch is 0");
    check(w, .2, 0, "notch 1");
    check(w, .25, 2, "notch 2 is the first that token 0 does not hold");
    check(w, .374, 2, "notch 2; the fraction is cut off, not rounded");
    check(w, .375, 3, "notch 3");
    check(w, last_u, 3, "the last notch");
    check(Wheel(10, 1), .3, 3, "notch 3 of ten: .1 + .1 + .1 is more than .3, but 3 notches are 3");
}

TEST_CASE("a token without notches never comes", "[ex03_02]") {
    check({0, 0, 4, 0}, 0, 2, "walk past tokens that hold none");
    check({0, 0, 4, 0}, last_u, 2, "walk past tokens that hold none");
    check({1, 0, 0, 1, 0}, .5, 3, "walk past tokens that hold none");
    check({3}, .7, 0, "one token alone");
}

TEST_CASE("every notch of a wheel", "[ex03_02]") {
    Rng rng(302);
    for (int round = 0; round < 200; ++round) {
        Wheel w(1 + rng.below(6));
        for (std::uint64_t& n : w) n = rng.below(4);
        std::vector<int> holder;
        for (std::size_t i = 0; i < w.size(); ++i) holder.insert(holder.end(), w[i], int(i));
        for (std::size_t notch = 0; notch < holder.size(); ++notch) {
            const double u = (double(notch) + .5) / double(holder.size());
            check(w, u, holder[notch], "whose notch is number ⌊u·W⌋?");
        }
    }
}

TEST_CASE("large wheels are counted exactly", "[ex03_02]") {
    const std::uint64_t half = std::uint64_t{1} << 51;
    check({half, half}, .5, 1, "whole numbers, not floats");
    check({half, half}, .5 - 0x1p-52, 0, "whole numbers, not floats");
    check({half, 1, half - 1}, .5, 1, "whole numbers, not floats");
}

TEST_CASE("u must lie in [0, 1)", "[ex03_02]") {
    for (const double u : {-.1, 1., 2., std::nan("")}) {
        INPUT(u);
        CHECK_THROWS_AS(spin({1, 1}, u), UsageError);
    }
}

TEST_CASE("a wheel without notches is an error", "[ex03_02]") {
    CHECK_THROWS_AS(spin({}, .5), Error);
    CHECK_THROWS_AS(spin({0, 0}, .5), Error);
}

TEST_CASE("random rows: the same as the chapter's draw", "[ex03_02]") {
    Rng rng(32);
    for (int round = 0; round < 3000; ++round) {
        const std::vector<float> s = some_row(rng, round);
        const double u = rng.uniform();
        check(integer_weights(s, 1), u, draw(s, 1, u), "whose notch is number ⌊u·W⌋?");
    }
}
