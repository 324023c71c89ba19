// Products with 8-bit weights against their definition, bit for bit.

#include "chapters/20_quantization/demo.hpp"
#include "chapters/20_quantization/plain_quantize.hpp"
#include "chapters/20_quantization/rounding.hpp"
#include "lib/files/model.hpp"
#include "lib/model/kv_cache.hpp"
#include "lib/model/layers.hpp"
#include "lib/quantized/integer_matrix.hpp"
#include "tests/catch.hpp"
#include "tests/support/captured.hpp"
#include "tests/support/products.hpp"

using namespace tbt;
using test::contains;
using test::Floats;
using test::same_bits;

namespace {

Floats random_floats(std::size_t n, std::uint64_t seed, double width = 2) {
    Rng rng(seed);
    Floats x(n);
    for (float& v : x) v = static_cast<float>((rng.uniform() - 0.5) * width);
    return x;
}

struct Shape3 {
    std::int64_t m, k, n;
};

// y by the plain definition: every row and column rounded by itself.
Floats plain_product(const Floats& x, const Floats& w, const Shape3& s, const Floats* bias,
                     const Floats* old, bool bend) {
    std::vector<QuantizedRow> columns;
    for (std::int64_t n = 0; n < s.n; ++n) {
        Floats column;
        for (std::int64_t k = 0; k < s.k; ++k) column.push_back(w[index(k * s.n + n)]);
        columns.push_back(quantize(column));
    }
    Floats y;
    for (std::int64_t m = 0; m < s.m; ++m) {
        const QuantizedRow row =
            quantize(Floats(x.begin() + static_cast<std::ptrdiff_t>(m * s.k),
                            x.begin() + static_cast<std::ptrdiff_t>((m + 1) * s.k)));
        for (std::int64_t n = 0; n < s.n; ++n) {
            const QuantizedRow& column = columns[index(n)];
            float v = static_cast<float>(dot(row, column)) * (row.scale * column.scale);
            if (old) v = (*old)[y.size()] + v;
            if (bias) v += (*bias)[index(n)];
            if (bend) gelu(&v, 1);
            y.push_back(v);
        }
    }
    return y;
}

Floats fast_product(const Floats& x, const Floats& w, const Shape3& s, const Floats* bias,
                    const Floats* old, bool bend, int threads) {
    const PackedMatrix packed = pack_weights(MatrixView::of(w.data(), s.k, s.n), WeightType::int8);
    Floats y = old ? *old : Floats(index(s.m * s.n), -1.0f);
    MatmulOptions options{bias ? bias->data() : nullptr, old != nullptr};
    if (bend) options.activation = gelu;
    run_team(threads, [&](const Worker& worker) {
        matmul(MatrixView::of(x.data(), s.m, s.k), packed, y.data(), s.n, options, worker);
    });
    return y;
}

}  // namespace

TEST_CASE(
    "a row is rounded as the plain code says, in a row or with steps between, and whole or not") {
    constexpr float infinite = std::numeric_limits<float>::infinity();
    const float not_a_number = std::numeric_limits<float>::quiet_NaN();
    Rng rng(20);
    int whole = 0, broken = 0;
    for (int turn = 0; turn < 2000; ++turn) {
        const std::size_t n = 1 + rng.below(70);
        Floats x = random_floats(n, rng.next(), turn % 7 == 0 ? 1e-38 : 4);
        if (turn % 5 == 0) x[rng.below(n)] = 127;  // ties: all others are halves
        if (turn % 5 == 0)
            for (float& v : x)
                if (v != 127) v = std::floor(v) + 0.5f;
        if (turn % 11 == 0) std::fill(x.begin(), x.end(), -0.0f);
        if (turn % 6 == 0)
            x[rng.below(n)] =
                std::array{infinite, -infinite, not_a_number, -not_a_number}[rng.below(4)];
        const std::int64_t step = 1 + static_cast<std::int64_t>(rng.below(3));
        Floats spread(n * index(step),
                      1e30f);  // what is between is not looked at
        for (std::size_t i = 0; i < n; ++i) spread[i * index(step)] = x[i];
        std::vector<std::int8_t> codes(n, 99);
        const float scale =
            quantize_row(spread.data(), static_cast<std::int64_t>(n), step, codes.data());
        const QuantizedRow expected = quantize(x);
        INFO("turn " << turn << ", " << n << " values, step " << step);
        REQUIRE(std::vector<int>(codes.begin(), codes.end()) ==
                std::vector<int>(expected.q.begin(), expected.q.end()));
        REQUIRE(std::memcmp(&scale, &expected.scale, std::isnan(scale) ? 0 : sizeof scale) == 0);
        REQUIRE(std::isnan(scale) == std::isnan(expected.scale));
        ++(std::isnan(scale) ? broken : whole);
    }
    CHECK(whole > 1000);
    CHECK(broken > 200);
}

TEST_CASE("8-bit products are the plain ones, bit for bit, at awkward sizes") {
    std::uint64_t seed = 1;
    for (const std::int64_t m : {1, 2, 3, 5, 11, 12, 13, 25})
        for (const std::int64_t k : {1, 3, 4, 5, 31, 192, 1027})
            for (const std::int64_t n : {1, 15, 31, 32, 33, 100, 224}) {
                const Shape3 s{m, k, n};
                ++seed;
                const Floats x = random_floats(index(m * k), seed, 6),
                             w = random_floats(index(k * n), seed + 1000, 0.2),
                             bias = random_floats(index(n), seed + 2000),
                             old = random_floats(index(m * n), seed + 3000);
                INFO(m << " x " << k << " x " << n);
                const bool bend = seed % 3 == 0;
                const Floats* b = seed % 2 ? &bias : nullptr;
                const Floats* o = seed % 5 < 2 ? &old : nullptr;
                const int threads = 1 + static_cast<int>(seed % 3);
                REQUIRE(same_bits(fast_product(x, w, s, b, o, bend, threads),
                                  plain_product(x, w, s, b, o, bend)));
            }
}

TEST_CASE("a row is rounded to within half a step, and its greatest number is kept") {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const Floats x = random_floats(1 + seed, seed, 10);
        const QuantizedRow row = quantize(x);
        const Floats back = restored(row);
        int largest = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            // Half a step, and the rounding of the multiplications by 1/s and s: 127 · 2^-23 of it.
            REQUIRE(std::abs(x[i] - back[i]) <= row.scale * 0.50005f);
            largest = std::max(largest, std::abs(static_cast<int>(row.q[i])));
        }
        REQUIRE(largest == 127);
    }
}

TEST_CASE("halfway goes to the even number") {
    const QuantizedRow row = quantize({127, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f});
    REQUIRE(row.q == std::vector<std::int8_t>{127, 0, 2, 2, 0, -2});
}

TEST_CASE("the greatest sums that may occur fit: 127 · 127 · K") {
    const std::int64_t K = Int8Matrix::max_rows;
    const Floats x(index(K), 1.0f), w(index(K), -1.0f);
    const Shape3 s{1, K, 1};
    const Floats y = fast_product(x, w, s, nullptr, nullptr, false, 1);
    REQUIRE(same_bits(y, plain_product(x, w, s, nullptr, nullptr, false)));
    REQUIRE(std::abs(y[0] + static_cast<float>(K)) <= static_cast<float>(K) * 1e-6f);
    const Floats more(index(K) + 1, 1.0f);
    REQUIRE(contains(test::error_of([&] {
                         pack_weights(MatrixView::of(more.data(), K + 1, 1), WeightType::int8);
                     }),
                     "133145 rows, expected at most 133144"));
}

TEST_CASE(
    "rows and columns of zeros give zeros; broken rows give NaN and broken weights are refused") {
    const Shape3 s{3, 8, 40};
    Floats x = random_floats(24, 1), w = random_floats(320, 2);
    std::fill(x.begin() + 8, x.begin() + 16, 0.0f);
    for (std::size_t k = 0; k < 8; ++k) w[k * 40 + 7] = 0;
    Floats y = fast_product(x, w, s, nullptr, nullptr, false, 1);
    for (std::size_t n = 0; n < 40; ++n) REQUIRE(y[40 + n] == 0);
    for (std::size_t m = 0; m < 3; ++m) REQUIRE(y[m * 40 + 7] == 0);
    for (const float broken : {std::numeric_limits<float>::quiet_NaN(), INFINITY, -INFINITY}) {
        x[17] = broken;
        y = fast_product(x, w, s, nullptr, nullptr, false, 1);
        for (std::size_t n = 0; n < 40; ++n) {
            REQUIRE(std::isnan(y[80 + n]));
            REQUIRE(std::isfinite(y[n]));
        }
        Floats bad = w;
        bad[5 * 40 + 33] = broken;
        REQUIRE(contains(test::error_of([&] {
                             pack_weights(MatrixView::of(bad.data(), 8, 40), WeightType::int8);
                         }),
                         "column 33 is not finite"));
    }
    // Numbers whose reciprocal is none.
    REQUIRE(quantize({1e-40f, -1e-40f}).scale == 0);
}

TEST_CASE("an int8 model's logits depend on no cache, batch or threads") {
    const std::string directory = shipped_model("storyteller").string();
    Transformer gpt = load_transformer(directory, {1, WeightType::int8});
    Rng rng(3);
    std::vector<int> ids;
    for (int t = 0; t < 90; ++t) ids.push_back(to_int(rng.below(4000)));
    KvCache whole(gpt.config());
    const Logits all = gpt.forward_all(whole, ids);
    const Floats expected(all.values.begin(), all.values.end());
    const std::size_t V = index(gpt.config().vocab_size);
    for (const int threads : {1, 2, 3}) {
        Transformer other = load_transformer(directory, {threads, WeightType::int8});
        KvCache cache(other.config()), second(other.config());
        for (std::size_t t = 0; t < ids.size();) {
            const std::size_t n = std::min<std::size_t>(1 + t % 5, ids.size() - t);
            const std::span<const int> next = std::span(ids).subspan(t, n);
            const Step steps[] = {{&cache, next, true}, {&second, next, false}};
            const Logits logits = other.forward(steps);
            INFO(threads << " threads, position " << t);
            REQUIRE(std::memcmp(logits.values.data(), expected.data() + t * V, n * V * 4) == 0);
            t += n;
        }
    }
}

TEST_CASE("shorter rulers are more precise: a matrix, a column, a group; and a bit is worth 6 dB") {
    using Share = Rounding::Share;
    Floats numbers = random_floats(128 * 64, 9);
    for (float& v : numbers) v = v * v * v;  // few are large, as weights are
    Tensor w({128, 64}, numbers);
    for (std::int64_t k = 0; k < 128; ++k) w.data()[k * 64 + 5] *= 20;  // a loud column
    const auto noise = [&](int bits, Share share, int group = 32) {
        return signal_to_noise(w, rounded(w, {"", bits, share, group}));
    };
    REQUIRE(noise(8, Share::column) > noise(8, Share::matrix) + 3);
    REQUIRE(noise(4, Share::group, 16) > noise(4, Share::column) + 0.5);
    for (int bits = 3; bits < 8; ++bits) {
        const double gain = noise(bits + 1, Share::column) - noise(bits, Share::column);
        INFO(bits << " bits and one more: " << gain << " dB");
        REQUIRE((gain > 5 && gain < 9));  // 20·log10(levels): 7.4 dB from 3 to 7, 6.0 at the end
    }
    // A group as long as the column is the column; a transposed embedding is rounded alike.
    REQUIRE(noise(5, Share::group, 128) == noise(5, Share::column));
    Tensor turned({64, 128});
    for (std::int64_t k = 0; k < 128; ++k)
        for (std::int64_t n = 0; n < 64; ++n) turned.data()[n * 128 + k] = w.data()[k * 64 + n];
    const Tensor a = rounded(w, {"", 8, Share::column}),
                 b = rounded(turned, {"", 8, Share::column}, true);
    for (std::int64_t k = 0; k < 128; ++k)
        for (std::int64_t n = 0; n < 64; ++n)
            REQUIRE(a.data()[k * 64 + n] == b.data()[n * 128 + k]);
    REQUIRE_THROWS_AS(rounded(Tensor({4}), {}), Error);
    REQUIRE_THROWS_AS(rounded(w, {"", 9, Share::column}), Error);
    REQUIRE_THROWS_AS(rounded(w, {"", 4, Share::group, 0}), Error);
}

TEST_CASE("a model's distribution is at distance 0 from itself, and int8's is near") {
    const std::string directory = shipped_model("sketch").string();
    Transformer exact = load_transformer(directory, {1, WeightType::f32}),
                same = load_transformer(directory, {1, WeightType::f16}),
                int8 = load_transformer(directory, {1, WeightType::int8});
    const Tokenizer tokenizer = Tokenizer::load(directory);
    const std::vector<std::vector<int>> texts = {tokenizer.encode("Once upon a time, there was a"),
                                                 tokenizer.encode("The weather today is")};
    const DistributionShift none = compare_distributions(exact, same, texts),
                            near = compare_distributions(exact, int8, texts);
    REQUIRE(none.kl == 0);
    REQUIRE(none.same_first == 1);
    REQUIRE(near.kl > 0);
    REQUIRE(near.kl < 0.05);
    REQUIRE(near.loss != none.loss);
    // Ids without a token have no probability, which is no distance.
    for (Transformer* gpt : {&exact, &same}) gpt->mask_ids_from(tokenizer.vocab_size() - 8);
    REQUIRE(compare_distributions(exact, same, texts).kl == 0);
}

TEST_CASE("of a Llama, the part about GPT-2's matrices is skipped among all parts, else refused") {
    const std::string llama = "tests/data/tiny-llama";
    CHECK(test::written_to(1, [&] { show_matrices(llama, true); }) ==
          "2. Skipped: it shows GPT-2's matrices, and this model is of model_type llama.\n");
    CHECK_THROWS_AS(show_matrices(llama), Error);
    CHECK(test::written_to(1, [] {
              show_matrices(shipped_model("sketch").string(), true);
          }).starts_with("2. Signal to noise in dB"));
}
