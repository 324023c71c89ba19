// Exercise 19_00: what does a text cost a model?
#include "19_00_bits.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex19_00;

namespace {

constexpr double rounding = 1e-11;  // of at most some hundred logarithms

const Checker check_bits("bits(p)", ex19_00::bits, rounding);
const Checker check_rate("bits_per_byte(p, bytes)", ex19_00::bits_per_byte, rounding);

}  // namespace

TEST_CASE("1/4 costs two bits, 1/2 one, a certain token nothing", "[ex19_00]") {
    check_bits({.25}, 2, "2² is 4");
    check_bits({.5}, 1, "2¹ is 2");
    check_bits({1}, 0, "what is certain costs nothing");
    check_bits({.25, .5, 1}, 3, "what each costs, added up");
    check_bits({.125, .125}, 6, "3 and 3");
    check_bits({}, 0, "no tokens");
    check_bits({.1}, 3.321928094887362, "−log2 .1: not every cost is a whole number");
    check_bits(std::vector<double>(2000, .5), 2000,
               "their product is too small for a double: add up logarithms");
}

TEST_CASE("divided by bytes, whatever the tokens were", "[ex19_00]") {
    check_rate({.25, .5, 1}, 12, .25, "3 bits on 12 bytes");
    check_rate({.25}, 5, .4, "the lesson's token of 5 bytes");
    check_rate({.125}, 12, .25, "the same text as one token: as many bits a byte");
    check_rate({.5, .5}, 1, 2, "a byte may cost more than a bit");
    check_rate({.25}, 3, 2. / 3, "a quotient of doubles, not of whole numbers");
    check_rate({}, 4, 0, "no tokens");
}

TEST_CASE("any text: to write it is a guess among 2^bits", "[ex19_00]") {
    Rng rng(1900);
    for (int round = 0; round < 300; ++round) {
        std::vector<double> p;
        double product = 1;
        for (std::size_t n = rng.below(9); n > 0; --n) {
            p.push_back(.01 + .99 * rng.uniform());
            product *= p.back();
        }
        const int bytes = 1 + int(rng.below(40));
        const double expected = -std::log(product) / std::log(2.);
        check_bits(p, expected, "−log2 of each, added up");
        check_rate(p, bytes, expected / bytes, "the bits of the whole text, divided by its bytes");
    }
}
