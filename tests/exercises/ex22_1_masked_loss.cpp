// Exercise 22_1: the masked loss.
#include "22_1_masked_loss.hpp"
#include "tests/exercises/masked_distributions.hpp"

using namespace tbt;
using namespace tbt::ex22_1;

namespace {

using Row = tbt::ex22_1::Row;  // other exercises of the room have a Row

// Three texts of two tokens: 0 0 with one half, 0 1 with three tenths, 1 1 with two tenths.
const auto three_texts = perfect({{{0, 0}, .5}, {{0, 1}, .3}, {{1, 1}, .2}}, 2);

// Says the same of every row: token v with probability (v + 1) / 6.
std::vector<double> deaf(const Row&, std::size_t) { return {1.0 / 6, 2.0 / 6, 3.0 / 6}; }

// Some distribution for each row, place and what is seen.
std::vector<double> some_distribution(const Row& row, std::size_t place) {
    std::uint64_t number = place;
    for (const int id : row) number = number * 5 + static_cast<std::uint64_t>(id + 1);
    Rng rng(4, number);
    return random_distribution(rng, 3);
}

void check_near(const char* what, double got, double expected) {
    INFO(what);
    CHECK_NEAR(got, expected, 1e-12 * (1 + std::abs(expected)));
}

}  // namespace

TEST_CASE("the hidden places hold masks, the others their tokens", "[ex22_1]") {
    THINK("a mask where hidden says true, the token elsewhere");
    INFO("masked_row({7, 8, 9}, {true, false, true})");
    const Row row = masked_row({7, 8, 9}, {true, false, true});
    REQUIRE(row == Row{masked, 8, masked});
    REQUIRE(masked_row({7, 8}, {false, false}) == Row{7, 8});
    CHECK_THROWS_AS(masked_row({7, 8}, {true}), Error);
    CHECK_THROWS_AS(masked_row({7}, {true, false}), Error);
}

TEST_CASE("by hand: tokens 0, 2 and 1, the first two hidden", "[ex22_1]") {
    INFO("think about: −ln of 1/6 and of 3/6, two terms, so divided by two");
    check_near("loss", loss(deaf, {0, 2, 1}, {true, true, false}), (std::log(6) + std::log(2)) / 2);
    check_near("one hidden", loss(deaf, {0, 2, 1}, {false, false, true}), std::log(3));
}

TEST_CASE("the model sees the masks, and is asked about the hidden places only", "[ex22_1]") {
    INFO("loss(distribution, {1, 1, 0, 0}, {true, false, true, false}): what the model is asked");
    std::vector<std::size_t> asked;
    const Distribution distribution = [&](const Row& row, std::size_t place) {
        INFO("think about: a model that sees the answer learns to copy it");
        REQUIRE(row == Row{masked, 1, masked, 0});
        asked.push_back(place);
        return std::vector<double>{.5, .5};
    };
    check_near("loss", loss(distribution, {1, 1, 0, 0}, {true, false, true, false}), std::log(2));
    REQUIRE(asked == std::vector<std::size_t>{0, 2});
}

TEST_CASE("a deaf model pays for each token by itself", "[ex22_1]") {
    INFO("think about: L times the mean, and L of the means for one token each");
    check_near("bound", bound(deaf, {0, 1, 2}), std::log(6) + std::log(3) + std::log(2));
    check_near("bound of one token", bound(deaf, {2}), std::log(2));
}

TEST_CASE("of a model that contradicts itself nowhere, the bound is -ln p(text)", "[ex22_1]") {
    THINK("L times the loss, averaged first over the ways to hide k places, then over k");
    check_near("0 0", bound(three_texts, {0, 0}), -std::log(.5));
    check_near("0 1", bound(three_texts, {0, 1}), -std::log(.3));
    check_near("1 1", bound(three_texts, {1, 1}), -std::log(.2));
}

TEST_CASE("every k counts the same, however many ways there are to hide k places", "[ex22_1]") {
    const Row text = {2, 0, 1, 1, 0};
    double expected = 0;
    const int ways[] = {0, 5, 10, 10, 5, 1};
    for (unsigned set = 1; set < 32; ++set) {
        Row row = text;
        int k = 0;
        for (std::size_t i = 0; i < 5; ++i)
            if (set >> i & 1) row[i] = masked, ++k;
        double sum = 0;
        for (std::size_t i = 0; i < 5; ++i)
            if (row[i] == masked)
                sum -= std::log(some_distribution(row, i)[static_cast<std::size_t>(text[i])]);
        expected += sum / k / ways[k];
    }
    INFO("think about: 5 ways to hide one, 10 ways to hide two, and each k a fifth");
    check_near("bound", bound(some_distribution, text), expected);
}
