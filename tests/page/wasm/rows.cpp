// The kernels of WebAssembly against one fused multiply-add after the other, bit for bit; built and
// run by rows.sh. What is compared with is held against a processor's by tests/lib/exact_fma.cpp.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "lib/kernels/wasm/exact_fma.hpp"
#include "lib/kernels/wasm/try_row.hpp"
#include "lib/quantized/integer_kernel.hpp"

using namespace tbt;

namespace {

int passed = 0, failed = 0;
void check(const char* what, long wrong) {
    wrong == 0 ? ++passed : ++failed;
    if (wrong) std::printf("wasm: FAIL: %s: %ld wrong\n", what, wrong);
}

int below(Rng& rng, int n) { return static_cast<int>(rng.next() % static_cast<unsigned>(n)); }

// Numbers of so many bits at most, with exponents from -spread to spread around 2^centre: whole
// numbers of large steps, whose sums lie between two floats often.
struct Numbers {
    int centre, spread, bits;
    bool zeros = false;
    double any(Rng& rng) const {
        if (zeros && rng.next() % 4 == 0) return rng.next() % 2 ? 0.0 : -0.0;
        const int used = 1 + below(rng, bits), exponent = centre + below(rng, 2 * spread + 1);
        const std::uint64_t random = rng.next() << 32 | (rng.next() & 0xffffffff);
        const double whole = static_cast<double>(random >> (64 - used) | 1ull << (used - 1));
        return std::ldexp(random & 1 ? -whole : whole, exponent - spread - used + 1);
    }
    void fill(Rng& rng, std::vector<float>& row) const {
        for (float& x : row) x = static_cast<float>(any(rng));
    }
};

bool same(float a, float b) {
    return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

// A row by a panel; what try_row leaves to others counts as right if it left y alone. Returns how
// many of 4 · Vectors sums are wrong.
template <int Vectors>
long wrong_in_row(Rng& rng, const Numbers& of_x, const Numbers& of_w, long& tried) {
    constexpr int columns = 4 * Vectors;
    const int k = 1 + below(rng, 100);
    const bool add = rng.next() % 2;
    std::vector<float> x(index(k)), w(index(k * columns)), y(columns), bias(columns);
    of_x.fill(rng, x), of_w.fill(rng, w);
    const Numbers sums{of_x.centre + of_w.centre, of_w.spread, 24};  // as large as the products
    sums.fill(rng, y), sums.fill(rng, bias);
    std::vector<float> got = y;
    const Magnitudes weights = magnitudes_of(w.data(), 1, k * columns);
    const bool done =
        wasm::try_row<Vectors>(x.data(), 1, w.data(), weights, k, got.data(), bias.data(), add);
    tried += done;
    long wrong = 0;
    for (int n = 0; n < columns; ++n) {
        float sum = add ? y[index(n)] : 0.0f;
        for (int i = 0; i < k; ++i) sum = wasm::fma(x[index(i)], w[index(i * columns + n)], sum);
        wrong += !same(got[index(n)], done ? sum + bias[index(n)] : y[index(n)]);
    }
    return wrong;
}

void check_rows() {
    Rng rng(5);
    long wrong = 0, tried = 0, sums = 0;
    const Numbers usual[] = {{0, 3, 11}, {0, 12, 24}, {-3, 2, 5, true}, {0, 0, 3}, {20, 4, 11}};
    for (const Numbers& w : usual)
        for (int i = 0; i < 1500; ++i, ++sums)
            wrong += wrong_in_row<4>(rng, {0, 6, 24, w.zeros}, w, tried) +
                     wrong_in_row<1>(rng, {0, 2, 12}, w, tried);
    check("rows of usual numbers", wrong);
    check("nearly all of them are done without others' help", tried < sums * 2 * 9 / 10);
    wrong = tried = 0;
    const Numbers odd[] = {{-60, 8, 24}, {-70, 2, 11}, {-70, 2, 24},
                           {-75, 3, 11}, {60, 5, 24},  {63, 2, 11}};
    for (const Numbers& w : odd)
        for (int i = 0; i < 1000; ++i) wrong += wrong_in_row<2>(rng, w, w, tried);
    check("rows of numbers so small or so large that sums are not normal", wrong);
    // The last bit of the first product is 2^-150: what is left of it after its float is no float.
    const float x[] = {0x1.ceb536p-52f, -0x1.ceb536p-52f, 0x1.f84a52p-52f};
    const float factors[] = {0x1.bf51eep-52f, 0x1.bf51eep-52f, 0x1.e49958p-52f};
    float w[12], y[4] = {}, sum = 0;
    for (int i = 0; i < 12; ++i) w[i] = factors[i / 4];
    for (int i = 0; i < 3; ++i) sum = wasm::fma(x[i], factors[i], sum);
    const bool done = wasm::try_row<1>(x, 1, w, magnitudes_of(w, 1, 12), 3, y, nullptr, false);
    check("a product whose last bit no float has", done && !same(y[0], sum));
}

void check_vectors() {
    Rng rng(6);
    long wrong = 0;
    const Numbers kinds[] = {{0, 3, 11}, {0, 12, 24}, {-66, 6, 24}, {-72, 4, 12}, {62, 3, 24}};
    for (const Numbers& n : kinds)
        for (int i = 0; i < 40000; ++i) {
            std::vector<float> a(4), b(4), c(4), got(4);
            n.fill(rng, a), n.fill(rng, b);
            Numbers{2 * n.centre, 3 * n.spread, 24, true}.fill(rng, c);
            wasm_v128_store(got.data(),
                            wasm::fma_f32x4(wasm_v128_load(a.data()), wasm_v128_load(b.data()),
                                            wasm_v128_load(c.data())));
            for (std::size_t j = 0; j < 4; ++j) wrong += !same(got[j], wasm::fma(a[j], b[j], c[j]));
        }
    check("four fused multiply-adds", wrong);
    // c + a · b lies below the middle of two of the smallest floats by less than a double can say.
    const v128_t a = wasm_f32x4_splat(0x1.00001p-75f), b = wasm_f32x4_splat(0x1.ffffep-76f),
                 c = wasm_f32x4_splat(0x80001p-149f);
    check("a sum just below the middle of two floats that are not normal",
          wasm_f32x4_extract_lane(wasm::fma_f32x4(a, b, c), 0) != 0x80001p-149f);
    wrong = 0;
    const std::pair<Numbers, Numbers> factors[] = {
        {{0, 3, 53, true}, {0, 3, 53, true}}, {{0, 30, 53, true}, {0, 99, 53, true}},
        {{0, 330, 53}, {0, 330, 53, true}},   {{-500, 40, 53}, {-500, 40, 53}},
        {{1005, 10, 53}, {-1005, 10, 53}},    {{500, 20, 53}, {500, 20, 53}}};
    for (const auto& [n, m] : factors)
        for (int i = 0; i < 40000; ++i) {
            const Numbers sum{n.centre + m.centre, std::min(n.spread + m.spread, 900), 53, true};
            double a[2], b[2], c[2], got[2];
            for (std::size_t j = 0; j < 2; ++j) {
                a[j] = n.any(rng), b[j] = m.any(rng), c[j] = sum.any(rng);
                // Every third cancels, nearly or wholly.
                if (i % 3 == 0) c[j] = -a[j] * b[j] * (1 + 0x1p-52 * below(rng, 3));
            }
            wasm_v128_store(
                got, wasm::fma_f64x2(wasm_v128_load(a), wasm_v128_load(b), wasm_v128_load(c)));
            for (std::size_t j = 0; j < 2; ++j) {
                const double wanted = std::fma(a[j], b[j], c[j]);  // the sign of a 0 is not kept
                wrong += got[j] != wanted && !(std::isnan(wanted) && std::isnan(got[j]));
            }
        }
    check("two fused multiply-adds of doubles", wrong);
}

void check_int8() {
    Rng rng(7);
    long wrong = 0;
    for (int i = 0; i < 1000; ++i) {
        constexpr int columns = kernel::Int8Sums::columns, groups = 50;
        std::int8_t x[4 * groups], w[4 * groups * columns];
        for (std::int8_t& v : x) v = static_cast<std::int8_t>(below(rng, 255) - 127);
        for (std::int8_t& v : w) v = static_cast<std::int8_t>(below(rng, 255) - 127);
        kernel::Int8Sums sums;
        for (int g = 0; g < groups; ++g)
            sums.add(kernel::Int8Sums::broadcast(x + 4 * g), w + 4 * columns * g);
        std::int32_t got[columns];
        sums.store(got);
        for (int c = 0; c < columns; ++c) {
            std::int32_t wanted = 0;
            for (int k = 0; k < 4 * groups; ++k)
                wanted += x[k] * w[k / 4 * 4 * columns + 4 * c + k % 4];
            wrong += got[c] != wanted;
        }
    }
    check("sums of products of 8 bits", wrong);
}

}  // namespace

int main() {
    check_rows();
    check_vectors();
    check_int8();
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
