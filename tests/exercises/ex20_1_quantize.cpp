// Exercise 20_1: the weights of numpy's seed 42, the losses at six widths, and the edges.
#include "20_1_quantize.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex20_1;

namespace {

void check_near(const char* what, double got, double expected, double tolerance) {
    INFO(what);
    CHECK_NEAR(got, expected, tolerance);
}

struct Row {
    int bits;
    double mse, max_error, snr, kept_snr;
};
// Printed with seven digits, six decimals and six decimals.
const Row rows[] = {{2, 2.439812e-4, .026161, 2.176644, 6.036676},
                    {3, 4.177408e-5, .011211, 9.841138, 13.447297},
                    {4, 9.240855e-6, .005232, 16.393086, 20.026281},
                    {5, 2.135936e-6, .002532, 22.754326, 26.308587},
                    {6, 5.159499e-7, .001246, 28.924132, 32.551396},
                    {8, 3.154825e-8, .000308, 41.060454, 44.624085}};

}  // namespace

TEST_CASE("two bits have four levels", "[ex20_1]") {
    const std::vector<float> w = {-3, -1, 0, .75, 6};  // min −3, step 3: levels −3 0 3 6
    const std::vector<double> expected = {-3, 0, 0, 0, 6};
    INFO("think about: four marks have three gaps");
    INPUT(w);
    const std::vector<double> got = quantized(w, 2);
    REQUIRE(got.size() == w.size());
    CHECK(got == expected);
    const Loss l = loss(w, got);
    check_near("MSE", l.mse, (1 + .5625) / 5, 1e-15);
    check_near("max error", l.max_error, 1, 0);
    check_near("SNR", l.snr, 10 * std::log10(46.5625 / 1.5625), 1e-12);
}

TEST_CASE("halfway goes to the even level", "[ex20_1]") {
    const std::vector<float> w = {0, .5, 1.5, 2.5, 3};
    INPUT(w);
    THINK("std::round goes away from zero and would give 1 and 3");
    CHECK(quantized(w, 2) == std::vector<double>{0, 0, 2, 2, 3});
}

TEST_CASE("the weights are those of numpy's seed 42", "[ex20_1]") {
    THINK("this test is not about your lines, unless they throw");
    const std::vector<float> w = normal_weights(10000, 42);
    const double first[] = {.00993428, -.00276529, .01295377, .0304606, -.00468307};
    for (std::size_t i = 0; i < 5; ++i)
        check_near("weight", w[i], first[i], 5e-9 * (i == 3 ? 10 : 1));
    check_near("threshold", threshold_of(w, .01), .05206296, 5e-9);
}

TEST_CASE("what each width loses", "[ex20_1]") {
    THINK("mean square, greatest error, and 10 log10 of signal over noise");
    const std::vector<float> w = normal_weights(10000, 42);
    for (const Row& row : rows) {
        INFO(row.bits << " bits");
        const Loss l = loss(w, quantized(w, row.bits));
        // The printed values come from arithmetic in float; its rounding moves the sixth digit.
        check_near("MSE", l.mse, row.mse, 1e-6 * row.mse);
        check_near("max error", l.max_error, row.max_error, 1e-6);
        check_near("SNR", l.snr, row.snr, 1e-5);
    }
}

TEST_CASE("with the greatest hundredth kept, the others have a shorter ruler", "[ex20_1]") {
    const std::vector<float> w = normal_weights(10000, 42);
    const double keep = threshold_of(w, .01);
    int kept = 0;
    INFO("10,000 weights in 4 bits, those from " << keep << " on are kept");
    const std::vector<double> got = quantized(w, 4, keep);
    REQUIRE(got.size() == w.size());
    for (std::size_t i = 0; i < w.size(); ++i) {
        if (std::fabs(w[i]) < keep) continue;
        ++kept;
        CHECK(got[i] == w[i]);
    }
    CHECK(kept == 100);
    INFO(
        "think about: keeping the outliers alone gains one percent; a range without them gains "
        "more than half");
    const Loss l = loss(w, got);
    check_near("MSE", l.mse, 4.003066e-6, 4e-12);
    check_near("percent lower", 100 * (1 - l.mse / loss(w, quantized(w, 4)).mse), 56.6808, 1e-3);
    for (const Row& row : rows) {
        INFO(row.bits << " bits");
        check_near("SNR", loss(w, quantized(w, row.bits, keep)).snr, row.kept_snr, 1e-5);
    }
}

TEST_CASE("equal weights lose nothing", "[ex20_1]") {
    const std::vector<float> w(7, .25f);
    INPUT(w);
    const std::vector<double> got = quantized(w, 4);
    INFO("think about: a step of 0 and 0/0");
    CHECK(got == std::vector<double>(7, .25));
    const Loss l = loss(w, got);
    CHECK(l.mse == 0);
    CHECK(l.max_error == 0);
    CHECK(l.snr == std::numeric_limits<double>::infinity());
}

TEST_CASE("a weight exactly at the threshold is kept, and all may be", "[ex20_1]") {
    THINK("at least the threshold, or above it?");
    const std::vector<float> w = {-8, -1, 0, .3f, 1, 8};
    INPUT(w);
    const std::vector<double> got = quantized(w, 1, 8);
    INFO("1 bit, threshold 8");
    REQUIRE(got.size() == 6);
    CHECK(got[0] == -8);
    CHECK(got[5] == 8);
    CHECK(got[3] == 1);  // −1 and 1 are the two levels
    const std::vector<double> all = quantized(w, 1, 0);
    for (std::size_t i = 0; i < 6; ++i) CHECK(all[i] == w[i]);
}

TEST_CASE("no error is greater than half a step, and both ends are exact", "[ex20_1]") {
    THINK("(max − min) / (2^bits − 1) is a step; both ends are levels");
    Rng rng(15);
    for (int round = 0; round < 60; ++round) {
        std::vector<float> w(2 + static_cast<std::size_t>(round) / 4);
        for (float& x : w) x = static_cast<float>(3 * rng.normal() + 1);
        const int bits = 1 + static_cast<int>(rng.below(8));
        const auto [low, high] = std::minmax_element(w.begin(), w.end());
        const double step = (static_cast<double>(*high) - *low) / ((1 << bits) - 1);
        INPUT(w, bits);
        const std::vector<double> got = quantized(w, bits);
        REQUIRE(got.size() == w.size());
        for (std::size_t i = 0; i < w.size(); ++i) {
            INFO("index " << i << ": within half a step, " << step / 2);
            CHECK_NEAR(got[i], w[i], step / 2 * (1 + 1e-9));  // rounding of a few operations
        }
        CHECK_NEAR(got[static_cast<std::size_t>(low - w.begin())], *low, 1e-12);
        CHECK_NEAR(got[static_cast<std::size_t>(high - w.begin())], *high, 1e-12);
    }
}

TEST_CASE("one percent at 32 bits costs more than a quarter of a bit", "[ex20_1]") {
    THINK("(1 − share) · bits + share · 32");
    check_near("bits", average_bits(4, .01), 4.28, 1e-12);
    check_near("bits", average_bits(8, 0), 8, 0);
    check_near("bits", average_bits(2, 1), 32, 0);
}

TEST_CASE("in double precision: many bits, and what they lose", "[ex20_1]") {
    Rng rng(201);
    for (int round = 0; round < 300; ++round) {
        const std::vector<float> w =
            normal_row<float>(rng, 2 + static_cast<std::size_t>(round) / 10);
        const int bits = 1 + static_cast<int>(rng.below(16));
        const double keep = round % 3 ? HUGE_VAL : 1.5;
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (const double x : w)
            if (std::fabs(x) < keep) low = std::min(low, x), high = std::max(high, x);
        const double step = (high - low) / ((1 << bits) - 1);
        std::vector<double> expected;
        double signal = 0, noise = 0, most = 0;
        for (const double x : w) {
            const bool stays = std::fabs(x) >= keep || !(step > 0);
            expected.push_back(stays ? x : low + std::nearbyint((x - low) / step) * step);
            const double error = x - expected.back();
            signal += x * x, noise += error * error, most = std::max(most, std::fabs(error));
        }
        const std::string given = in_words(w) + " in " + std::to_string(bits) + " bits";
        same(quantized(w, bits, keep), expected, given, "floats have only 24 bits", 1e-14);
        const Loss l = loss(w, expected);
        const double n = static_cast<double>(w.size());
        same(std::vector<double>{l.mse, l.max_error}, std::vector<double>{noise / n, most}, given,
             "in doubles", 1e-15 * most);
        if (noise > 0) check_near("SNR", l.snr, 10 * std::log10(signal / noise), 1e-10);
    }
}

TEST_CASE("a width of 16 bits has 65,536 levels, one bit has two", "[ex20_1]") {
    std::vector<float> all;
    for (int i = 0; i < 65536; ++i) all.push_back(static_cast<float>(i));
    const std::vector<double> got = quantized(all, 16);
    REQUIRE(got.size() == all.size());
    for (std::size_t i = 0; i < all.size(); ++i) REQUIRE(got[i] == all[i]);  // a step of 1
    const std::vector<float> w{-1, -.2f, .2f, 1};
    same(quantized(w, 1), std::vector<double>{-1, -1, 1, 1}, in_words(w) + " in 1 bit", "", 1e-15);
}
