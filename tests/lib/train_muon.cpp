// Muon's step: the orthogonal matrix, and what it leaves to AdamW.
#include "tests/catch.hpp"

#include <cmath>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "lib/train/adamw.hpp"
#include "lib/train/muon.hpp"
#include "tests/support/tiny_training.hpp"

using namespace tbt;
using namespace tbt::train;
using namespace tbt::train::test;

namespace {

using Doubles = std::vector<double>;

// The definition, in double precision, as plain loops.
Doubles plain_orthogonal(Doubles x, std::size_t R, std::size_t C) {
    double squares = 0;
    for (const double v : x) squares += v * v;
    for (double& v : x) v /= std::sqrt(squares);
    for (int i = 0; i < 5; ++i) {
        Doubles a(R * R), b(R * R), next(R * C);
        for (std::size_t r = 0; r < R; ++r)
            for (std::size_t s = 0; s < R; ++s)
                for (std::size_t c = 0; c < C; ++c) a[r * R + s] += x[r * C + c] * x[s * C + c];
        for (std::size_t r = 0; r < R; ++r)
            for (std::size_t s = 0; s < R; ++s) {
                for (std::size_t t = 0; t < R; ++t)
                    b[r * R + s] += 2.0315 * a[r * R + t] * a[t * R + s];
                b[r * R + s] -= 4.775 * a[r * R + s];
            }
        for (std::size_t r = 0; r < R; ++r)
            for (std::size_t c = 0; c < C; ++c) {
                next[r * C + c] = 3.4445 * x[r * C + c];
                for (std::size_t s = 0; s < R; ++s) next[r * C + c] += b[r * R + s] * x[s * C + c];
            }
        x = next;
    }
    return x;
}

Doubles random_numbers(std::size_t n, std::uint64_t seed) {
    Rng rng(seed);
    Doubles x(n);
    for (double& v : x) v = rng.normal();
    return x;
}

}  // namespace

TEST_CASE("Muon makes a matrix orthogonal, wide or tall, as its plain definition", "[train]") {
    const auto [R, C] = GENERATE(std::pair{16, 48}, std::pair{48, 16}, std::pair{32, 32});
    const Doubles start = random_numbers(index(R * C), 5);
    std::vector<float> x(start.begin(), start.end());
    MuonScratch scratch;
    orthogonalise(x, R, C, scratch);
    const Doubles plain = plain_orthogonal(start, index(R), index(C));
    for (std::size_t i = 0; i < x.size(); ++i)
        REQUIRE(std::abs(static_cast<double>(x[i]) - plain[i]) <= 1e-4);
    if (R == C) return;  // a random square matrix has singular values near 0
    // The smaller of x xᵀ and xᵀ x is near the identity: its trace is the sum of the squares.
    double squares = 0;
    for (const float v : x) squares += static_cast<double>(v) * static_cast<double>(v);
    CHECK(squares / std::min(R, C) > 0.68 * 0.68);
    CHECK(squares / std::min(R, C) < 1.14 * 1.14);
}

TEST_CASE("Muon refuses a matrix whose sizes fill no vectors", "[train]") {
    std::vector<float> x(16 * 24);
    MuonScratch scratch;
    CHECK_THROWS_AS(orthogonalise(x, 16, 24, scratch), Error);
    CHECK_THROWS_AS(orthogonalise(x, 16, 16, scratch), Error);
    CHECK_THROWS_AS(orthogonalise({}, 0, 16, scratch), Error);
}

TEST_CASE("a step of Muon changes matrices of layers by orthogonal ones and others as AdamW",
          "[train]") {
    const ParameterLayout layout(tiny);
    AdamWOptions options;
    AdamW adamw(layout, options);
    options.muon = true;
    AdamW muon(layout, options);
    const std::size_t n = index(layout.total);
    std::vector<float> w(n, 0.0f), v(n, 0.0f), g(n, 0.0f);
    const Doubles numbers = random_numbers(n, 8);
    for (const ParameterInfo& t : layout.tensors)
        for (std::int64_t i = t.offset; i < t.offset + t.size; ++i)
            g[index(i)] = static_cast<float>(1e-4 * numbers[index(i)]);
    adamw.step(w, g, 1, 0.5, 1);
    muon.step(v, g, 1, 0.5, 2);
    for (const ParameterInfo& t : layout.tensors) {
        if (!t.layer) {
            for (std::int64_t i = t.offset; i < t.offset + t.size; ++i)
                REQUIRE(w[index(i)] == v[index(i)]);
            continue;
        }
        INFO(t.name);
        const std::int64_t parts = t.name.ends_with("c_attn.weight") ? 3 : 1, R = t.shape[0],
                           C = t.shape[1] / parts;
        for (std::int64_t part = 0; part < parts; ++part) {
            Doubles block;
            for (std::int64_t r = 0; r < R; ++r)
                for (std::int64_t c = 0; c < C; ++c)
                    block.push_back(numbers[index(t.offset + r * t.shape[1] + part * C + c)]);
            const Doubles direction = plain_orthogonal(block, index(R), index(C));
            const double scale = 0.5 * 0.2 * std::sqrt(static_cast<double>(std::max(R, C)));
            for (std::int64_t i = 0; i < R * C; ++i) {
                const std::int64_t at = t.offset + i / C * t.shape[1] + part * C + i % C;
                REQUIRE(std::abs(static_cast<double>(v[index(at)]) + scale * direction[index(i)]) <=
                        1e-4);
            }
        }
    }
}
