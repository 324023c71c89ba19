// Exercise 07_2: the memory calculator.
#include "07_2_memory.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex07_2;

namespace {

constexpr double printed = 1e-6;  // with six places

struct Row {
    double billions, bits;
    int context, batch;
    double weights, kv, activations, total, left;
    Advice advice;
};

void check_memory(const Memory& m, const Row& row) {
    CHECK_NEAR(m.weights, row.weights, printed);
    CHECK_NEAR(m.kv, row.kv, printed);
    CHECK_NEAR(m.activations, row.activations, printed);
    CHECK_NEAR(m.total, row.total, printed);
    CHECK_NEAR(m.left, row.left, printed);
    CHECK(m.advice == row.advice);
}

}  // namespace

TEST_CASE("seven billion weights in four bits, 4096 tokens: 6 GB, fits", "[ex07_2]") {
    THINK(
        "weights: billions · bits / 8; KV: 2 · layers · dim · context · batch · 2 bytes; "
        "activations: a tenth of the weights");

    INFO("m = memory(7, 4, 4096, 1)");
    check_memory(memory(7, 4, 4096, 1),
                 {7, 4, 4096, 1, 3.5, 2.147484, .35, 5.997484, 18.002516, Advice::fits});
}

TEST_CASE("other models, contexts and batches on 24 GB", "[ex07_2]") {
    const Advice fits = Advice::fits, shorter = Advice::shorter_context_or_fewer_bits,
                 smaller = Advice::smaller_model;
    for (const Row& row :
         {Row{13, 4, 2048, 1, 6.5, 1.677722, .65, 8.827722, 15.172278, fits},
          Row{70, 4, 4096, 1, 35, 10.737418, 3.5, 49.237418, -25.237418, smaller},
          Row{70, 4, 8192, 1, 35, 21.474836, 3.5, 59.974836, -35.974836, smaller},
          Row{7, 16, 4096, 1, 14, 2.147484, 1.4, 17.547484, 6.452516, fits},
          Row{7, 4, 4096, 8, 3.5, 17.179869, .35, 21.029869, 2.970131, fits},
          Row{41.5, 4, 4096, 1, 20.75, 3.355443, 2.075, 26.180443, -2.180443, shorter}}) {
        const Memory m = memory(row.billions, row.bits, row.context, row.batch);
        INFO(row.billions
             << " billion, " << row.bits << " bits, context " << row.context << ", batch "
             << row.batch
             << "; think about: GB are 10^9 bytes, and 2 · layers · dim · context · batch does not "
                "fit into an int");
        check_memory(m, row);
    }
}

TEST_CASE("eight groups of heads shrink the cache of the large model eightfold", "[ex07_2]") {
    THINK("only keys and values shrink with the groups");
    CHECK_NEAR(memory(70, 4, 4096, 1).grouped, 1.342177, printed);
    CHECK_NEAR(memory(7, 4, 4096, 1).grouped, .536871, printed);
    CHECK_NEAR(memory(13, 4, 2048, 1).grouped, .335544, printed);
}

TEST_CASE("the nearest size wins, of two equally near ones the smaller", "[ex07_2]") {
    THINK("of two that are equally near the smaller one");
    const std::pair<double, int> cases[] = {{0, 7},     {9.9, 7},   {10, 7},    {10.1, 13},
                                            {41.4, 13}, {41.5, 13}, {41.6, 70}, {1000, 70}};
    for (const auto& [billions, row] : cases) {
        INFO(billions << " billion");
        CHECK(nearest(billions).billions == row);
    }
    CHECK(nearest(8).layers == 32);
    CHECK(nearest(8).dim == 4096);
    CHECK(nearest(14).layers == 40);
    CHECK(nearest(14).dim == 5120);
    CHECK(nearest(65).layers == 80);
    CHECK(nearest(65).dim == 8192);
}

TEST_CASE("exactly full fits", "[ex07_2]") {
    THINK("a total equal to the card still fits");
    INFO("full = memory(8, 8, 0, 1, 8.8)");
    CHECK(memory(8, 8, 0, 1, 9).advice == Advice::fits);
    const Memory m = memory(8, 8, 0, 1, 8.8);
    const Memory full = memory(8, 8, 0, 1, m.total);
    CHECK(full.left == 0);
    CHECK(full.advice == Advice::fits);
    CHECK(memory(8, 8, 0, 1, std::nextafter(m.total, 0)).advice ==
          Advice::shorter_context_or_fewer_bits);
}

TEST_CASE("a fifth of the total decides the advice", "[ex07_2]") {
    THINK("short by under 20 % of the total: which advice?");
    // Weights 80, activations 8, no cache: 88 in all. Short by 17.6 is a fifth.
    CHECK(memory(80, 8, 0, 1, 70.5).advice == Advice::shorter_context_or_fewer_bits);
    CHECK(memory(80, 8, 0, 1, 70.3).advice == Advice::smaller_model);
    INFO("think about: of 110 exactly 22 are missing, and a fifth is not under a fifth");
    CHECK(memory(100, 8, 0, 1, 88).advice == Advice::smaller_model);
}

TEST_CASE("negative numbers and what is no number are refused", "[ex07_2]") {
    THINK("NaN is not negative, and no number either");
    CHECK_THROWS_AS(memory(-7, 4, 4096, 1), UsageError);
    CHECK_THROWS_AS(memory(7, -4, 4096, 1), UsageError);
    CHECK_THROWS_AS(memory(7, 4, -1, 1), UsageError);
    CHECK_THROWS_AS(memory(7, 4, 4096, -1), UsageError);
    CHECK_THROWS_AS(memory(7, 4, 4096, 1, -24), UsageError);
    CHECK_THROWS_AS(memory(std::numeric_limits<double>::quiet_NaN(), 4, 4096, 1), UsageError);
}
