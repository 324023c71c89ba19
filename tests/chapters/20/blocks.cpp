// Products with the blocks of GGUF files: the fast ones have the bits of the plain one.
#include "tests/catch.hpp"

#include "chapters/20_quantization/plain_blocks.hpp"
#include "lib/core/rng.hpp"
#include "lib/kernels/matmul.hpp"
#include "lib/quantized/block_matrix.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;

namespace {

constexpr std::uint32_t quantised[] = {2, 3, 6, 7, 8, 10, 11, 12, 13, 14, 20, 23, 39};

// Any bytes are a block; only the floats in it must be finite.
struct RandomBlocks {
    std::vector<std::byte> bytes;
    BlockRows rows;
    RandomBlocks(const GgufBlock& type, std::int64_t n, std::int64_t k, std::uint64_t seed) {
        Rng rng(seed);
        rows.type = &type, rows.k = k;
        const std::int64_t blocks = n * k / type.numbers;
        bytes.resize(index(blocks * type.bytes));
        BlockParts parts;
        for (std::int64_t b = 0; b < blocks; ++b) {
            std::byte* const block = bytes.data() + b * type.bytes;
            do {
                for (std::int64_t i = 0; i < type.bytes; ++i)
                    block[i] = static_cast<std::byte>(rng.below(256));
                type.take_apart(block, parts);
            } while (!(std::abs(parts.d) < 1e3f && std::abs(parts.m) < 1e3f));
        }
        for (std::int64_t r = 0; r < n; ++r)
            rows.rows.push_back(bytes.data() + r * k / type.numbers * type.bytes);
    }
};

std::vector<float> random_rows(std::int64_t size, std::uint64_t seed) {
    Rng rng(seed);
    std::vector<float> x(index(size));
    for (float& value : x) value = static_cast<float>(rng.normal());
    return x;
}

std::vector<float> product(const std::vector<float>& x, std::int64_t rows, const PackedMatrix& w,
                           int threads, const MatmulOptions& options = {}) {
    Tensor in({rows, w.k()}, x), out({rows, w.n()});
    matmul(in, w, out, options, threads);
    return {out.data(), out.data() + out.size()};
}

}  // namespace

TEST_CASE(
    "products with blocks of every type have the plain one's bits, for any rows and threads") {
    const test::FullTeams full;
    for (const std::uint32_t number : quantised) {
        const GgufBlock& type = *gguf_block(number);
        const std::int64_t n = 75, k = 512;  // two panels and a part
        const RandomBlocks w(type, n, k, number);
        const PackedMatrix packed(std::make_shared<const BlockMatrix>(w.rows, 2));
        CHECK(packed.bytes() == 96 * k / type.numbers * type.bytes_in_memory());
        for (const std::int64_t rows : {1, 2, 3, 4, 5, 9}) {
            const std::vector<float> x = random_rows(rows * k, 7);
            std::vector<float> expected;
            for (std::int64_t r = 0; r < rows; ++r)
                for (std::int64_t c = 0; c < n; ++c)
                    expected.push_back(
                        plain_block_product(std::span(x).subspan(index(r * k), index(k)), type,
                                            w.rows.rows[index(c)], [&](const std::byte* block) {
                                                BlockParts parts;
                                                type.take_apart(block, parts);
                                                return parts;
                                            }));
            INFO(type.name << ", " << rows << " rows");
            CHECK(product(x, rows, packed, 1) == expected);
            CHECK(product(x, rows, packed, 3) == expected);
        }
    }
}

// An error of rounding x to 8 bits: at most half a step of 1/127 of a block's largest |x|.
TEST_CASE("a product with blocks is that of the widened weights, but for x in 8 bits") {
    for (const std::uint32_t number : quantised) {
        const GgufBlock& type = *gguf_block(number);
        const std::int64_t n = 33, k = 256;
        const RandomBlocks w(type, n, k, number);
        const std::vector<float> x = random_rows(k, 5),
                                 y = product(
                                     x, 1,
                                     PackedMatrix(std::make_shared<const BlockMatrix>(w.rows, 1)),
                                     1);
        std::vector<float> wide(index(k));
        for (std::int64_t c = 0; c < n; ++c) {
            w.rows.widen_row(c, wide.data());
            double exact = 0, error = 0;
            for (std::size_t i = 0; i < wide.size(); ++i) {
                exact += static_cast<double>(x[i]) * static_cast<double>(wide[i]);
                error += std::abs(static_cast<double>(wide[i])) * 5.0 / 254;  // |x| stays below 5
            }
            INFO(type.name << ", column " << c);
            CHECK(std::abs(static_cast<double>(y[index(c)]) - exact) <= error * 1.001);
        }
    }
}

TEST_CASE("matrices of several types side by side are one, with bias and the old y") {
    const std::int64_t k = 256;
    const RandomBlocks a(*gguf_block(12), 40, k, 1), b(*gguf_block(14), 24, k, 2);
    std::vector<PackedMatrix> parts;
    for (const RandomBlocks* part : {&a, &b})
        parts.emplace_back(std::make_shared<const BlockMatrix>(part->rows, 1));
    const std::vector<float> x = random_rows(2 * k, 3), of_a = product(x, 2, parts[0], 1),
                             of_b = product(x, 2, parts[1], 1), bias = random_rows(64, 4);
    const PackedMatrix joined(std::make_shared<const JoinedMatrix>(std::move(parts)));
    CHECK(joined.n() == 64);
    const std::vector<float> y = product(x, 2, joined, 2, {bias.data()});
    for (std::size_t r = 0; r < 2; ++r)
        for (std::size_t c = 0; c < 64; ++c)
            CHECK(y[r * 64 + c] == (c < 40 ? of_a[r * 40 + c] : of_b[r * 24 + c - 40]) + bias[c]);
}

TEST_CASE("a block whose scale is not finite, or half a block, is refused") {
    RandomBlocks w(*gguf_block(8), 4, 64, 1);
    w.bytes[35] = std::byte{0x7c};  // the second half of an F16: infinity or NaN
    w.bytes[34] = std::byte{0};
    CHECK(test::error_of([&] { BlockMatrix(w.rows, 1); }) ==
          "blocks: a scale is not finite; the file is broken");
    w.rows.k = 48;
    CHECK(test::contains(test::error_of([&] { BlockMatrix(w.rows, 1); }), "whole blocks"));
}
