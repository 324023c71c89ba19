// Exercise 28_1: gradients that are added by process.
#include "28_1_find_the_bug.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;

namespace {

using ex28_1::added_by_process;
using ex28_1::Row;
using ex28_1::slice;

}  // namespace

TEST_CASE("the witness has another sum on two processes", "[ex28_1]") {
    THINK("where does a float lose a small number?");
    const std::vector<Row> parts = ex28_1::witness();
    INPUT(parts);
    EXPECT(parts.size() == 4, "four parts", parts.size());
    for (const Row& part : parts)
        EXPECT(part.size() == 1 && std::isfinite(part[0]), "parts of one finite number", part);
    const float one = added_by_process(parts, 1)[0], two = added_by_process(parts, 2)[0];
    EXPECT(one != two && std::isfinite(one) && std::isfinite(two),
           "two finite sums with different bits", two);
}

TEST_CASE("two processes add three numbers of two parts", "[ex28_1]") {
    THINK("of all parts, but only of a share of the numbers");
    const std::vector<Row> parts = {{1, 2, 3}, {10, 20, 30}};
    INPUT(parts[0], parts[1]);
    CHECK(slice(parts, 0, 2) == Row({11}));
    CHECK(slice(parts, 1, 2) == Row({22, 33}));
    CHECK(slice(parts, 0, 1) == Row({11, 22, 33}));
}

TEST_CASE("random gradients, with the bits of one process", "[ex28_1]") {
    THINK("in which order does one process add a number's parts, and in which type?");
    Rng rng(28);
    for (int round = 0; round < 60; ++round) {
        const std::size_t P = 1 + rng.below(8), G = 1 + rng.below(9),
                          processes = 1 + rng.below(std::min<std::uint64_t>(G, 4));
        const std::vector<Row> parts = normal_rows<float>(rng, P, G);
        Row gathered;
        for (std::size_t i = 0; i < processes; ++i)
            for (const float v : slice(parts, i, processes)) gathered.push_back(v);
        INPUT(P, G, processes, parts[0]);
        CHECK(gathered == added_by_process(parts, 1));
        for (std::size_t i = 0; i < processes; ++i)
            CHECK(slice(parts, i, processes).size() == G * (i + 1) / processes - G * i / processes);
    }
}
