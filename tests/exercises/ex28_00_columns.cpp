// Exercise 28_00: a product by columns.
#include "28_00_columns.hpp"
#include "chapters/28_several_machines/plain_split.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;

namespace {

using ex28_00::gather;
using ex28_00::keep;
using Matrix = ex28_00::Matrix;

}  // namespace

TEST_CASE("two machines keep two and three of five columns", "[ex28_00]") {
    THINK("of each row, the numbers from N · i / machines on");
    const Matrix w = {{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}};
    INPUT(w);
    CHECK(keep(w, 0, 2) == Matrix({{1, 2}, {6, 7}}));
    CHECK(keep(w, 1, 2) == Matrix({{3, 4, 5}, {8, 9, 10}}));
}

TEST_CASE("what two machines have computed for two rows", "[ex28_00]") {
    THINK("row t has row t of machine 0, then row t of machine 1");
    const std::vector<Matrix> parts = {{{1, 2}, {6, 7}}, {{3, 4, 5}, {8, 9, 10}}};
    INPUT(parts[0], parts[1]);
    CHECK(gather(parts) == Matrix({{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}}));
}

TEST_CASE("one machine keeps everything", "[ex28_00]") {
    THINK("one share from 0 to N");
    const Matrix w = {{1, 2, 3}};
    CHECK(keep(w, 0, 1) == w);
    CHECK(gather({w}) == w);
}

TEST_CASE("random products, with the bits of one machine", "[ex28_00]") {
    THINK("are the columns of all machines there, each once and in order?");
    Rng rng(28);
    for (int round = 0; round < 40; ++round) {
        const std::size_t T = 1 + rng.below(3), K = 1 + rng.below(9), N = 1 + rng.below(9),
                          machines = 1 + rng.below(N);
        const Matrix x = normal_rows<float>(rng, T, K), w = normal_rows<float>(rng, K, N);
        Matrix alone;
        std::vector<Matrix> parts(machines);
        for (const auto& row : x) alone.push_back(plain::product(row, w));
        for (std::size_t i = 0; i < machines; ++i) {
            const Matrix own = keep(w, i, machines);
            INPUT(i, machines, w);
            EXPECT(own.size() == K, "as many rows as w has", own.size());
            EXPECT(own[0].size() == N * (i + 1) / machines - N * i / machines,
                   "the share of machine i", own[0].size());
            for (const auto& row : x) parts[i].push_back(plain::product(row, own));
        }
        INPUT(T, N, machines);
        CHECK(gather(parts) == alone);
    }
}
