// Weights that go from a file into panels as they are stored, without floats in between.
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>

#include "lib/core/index.hpp"
#include "lib/core/simd.hpp"
#include "lib/files/model.hpp"
#include "lib/files/random_model.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/machine/files.hpp"
#include "lib/quantized/integer_matrix.hpp"
#include "tests/catch.hpp"
#include "tests/lib/logits.hpp"
#include "tests/support/products.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using test::Floats;
using test::random_floats;

namespace {

constexpr WeightType kinds[] = {WeightType::f32, WeightType::f16, WeightType::bf16};

// Numbers as a file of this type holds them.
std::vector<std::uint16_t> halves(const Floats& values, WeightType type) {
    std::vector<std::uint16_t> bits;
    for (const float v : values) bits.push_back(type == WeightType::f16 ? to_f16(v) : to_bf16(v));
    return bits;
}

std::vector<float> logits_of(Transformer gpt) {
    return test::all_logits(gpt, std::vector{5, 299, 0, 17, 17, 256});
}

TransformerConfig tiny() { return gpt_config(2, 2, 24, 40, 300); }

}  // namespace

TEST_CASE("numbers of 16 bits are packed to what their floats are packed to", "[matmul][half]") {
    constexpr std::int64_t K = 37, N = 101;
    const Floats w = random_floats(K * N, 1), x = random_floats(K, 2);
    const MatrixView row = MatrixView::of(x.data(), 1, K);
    for (const WeightType stored : {WeightType::f16, WeightType::bf16}) {
        const std::vector<std::uint16_t> bits = halves(w, stored);
        Floats wide = w;
        for (float& v : wide) v = test::stored(v, stored);
        // (K, N) as it lies, and an (N, K) turned round.
        const StoredView as_stored[] = {{bits.data(), stored, K, N},
                                        StoredView(bits.data(), stored, N, K).transposed()};
        const MatrixView floats[] = {MatrixView::of(wide.data(), K, N),
                                     MatrixView::of(wide.data(), N, K).transposed()};
        for (const WeightType type : {WeightType::f32, WeightType::f16, WeightType::bf16,
                                      WeightType::int8, WeightType::int4}) {
            for (const int turned : {0, 1}) {
                INFO(static_cast<int>(stored)
                     << " as " << static_cast<int>(type) << ", turned " << turned);
                const Floats y(index(N));
                REQUIRE(test::same_bits(
                    test::multiplied(row, pack_weights(as_stored[turned], type, 3), y, N),
                    test::multiplied(row, pack_weights(floats[turned], type), y, N)));
            }
        }
    }
}

TEST_CASE("a column of packed weights is what was packed", "[matmul][half]") {
    constexpr std::int64_t K = 19;
    for (const std::int64_t N : {1, 16, 47, 48, 49, 131}) {
        const Floats w = random_floats(K * N, 3);
        for (const WeightType type : kinds) {
            const PackedMatrix packed(MatrixView::of(w.data(), K, N), type);
            Floats column(index(K)), expected(index(K));
            for (std::int64_t n = 0; n < N; ++n) {
                packed.column(n, column.data());
                for (std::int64_t k = 0; k < K; ++k)
                    expected[index(k)] = test::stored(w[index(k * N + n)], type);
                REQUIRE(test::same_bits(column, expected));
            }
            REQUIRE_THROWS_WITH(packed.column(N, column.data()), Catch::Contains("column"));
            REQUIRE_THROWS_WITH(packed.column(-1, column.data()), Catch::Contains("column -1"));
        }
    }
}

TEST_CASE("a model read from a file computes what its weights as floats compute", "[gpt][half]") {
    for (const WeightType stored : kinds) {
        const test::TemporaryFolder folder;
        write_random_model(folder.path(), tiny(), {4, stored});
        const Safetensors file = Safetensors::open_directory(folder.path());
        const WeightSource floats = [&](const std::string& name, const Shape& shape) {
            return file.read_weight(name, shape);
        };
        for (const WeightType type : {WeightType::f32, WeightType::f16, WeightType::bf16,
                                      WeightType::int8, WeightType::int4}) {
            INFO(static_cast<int>(stored) << " as " << static_cast<int>(type));
            REQUIRE(logits_of(load_transformer(folder.path(), {2, type})) ==
                    logits_of(Transformer(tiny(), floats, {1, type})));
        }
    }
}

TEST_CASE("beside 4 bits a tied embedding has the 8 bits of the output matrix", "[gpt][half]") {
    for (TransformerConfig config : {tiny(), llama_config(2, 4, 2, 32, 40, 40, 300)}) {
        const std::string name =
            config.architecture.is_gpt2() ? "wte.weight" : "model.embed_tokens.weight";
        const WeightSource weights = random_weights(config, 5);
        // The embedding rounded beforehand: rounded again, it has the same bits.
        const WeightSource rounded = [&](const std::string& wanted, const Shape& shape) {
            Tensor w = weights(wanted, shape);
            if (wanted != name) return w;
            std::vector<std::int8_t> q(index(shape[1]));
            for (std::int64_t row = 0; row < shape[0]; ++row) {
                float* const x = w.data() + row * shape[1];
                const float scale = quantize_row(x, shape[1], 1, q.data());
                for (std::int64_t i = 0; i < shape[1]; ++i)
                    x[i] = scale * static_cast<float>(q[index(i)]);
            }
            return w;
        };
        const auto both_agree = [&](WeightType type) {
            return test::same_bits(logits_of(Transformer(config, weights, {1, type})),
                                   logits_of(Transformer(config, rounded, {1, type})));
        };
        REQUIRE(config.tie_word_embeddings);
        CHECK(both_agree(WeightType::int4));
        CHECK(!both_agree(WeightType::int8));  // as it is stored
        config.tie_word_embeddings = false;
        CHECK(!both_agree(WeightType::int4));  // not the output matrix
    }
}

TEST_CASE("weights opened as bf16 leave a tied embedding's rows as they are stored",
          "[gpt][half]") {
    const WeightSource weights = random_weights(tiny(), 5);
    const WeightSource rounded = [&](const std::string& name, const Shape& shape) {
        Tensor w = weights(name, shape);
        if (name == "wte.weight")
            for (float& v : w.values()) v = test::stored(v, WeightType::bf16);
        return w;
    };
    // The output matrix is rounded to bf16 in both.
    CHECK(logits_of(Transformer(tiny(), weights, {1, WeightType::bf16})) !=
          logits_of(Transformer(tiny(), rounded, {1, WeightType::bf16})));
}

TEST_CASE("weights in a file are read while their owner is kept, and not after", "[gpt][half]") {
    // A store that gives each matrix away in memory of its own, which is NaN once nobody owns it.
    class Lender final : public WeightStore {
    public:
        explicit Lender(const WeightSource& source) : source_(source) {}
        Tensor read(const std::string& name, const Shape& shape) const override {
            return source_(name, shape);
        }
        std::optional<Stored> stored(const std::string& name, const Shape& shape) const override {
            auto* lent = memory_.emplace_back(std::make_unique<Tensor>(source_(name, shape))).get();
            const auto spoil = [lent](const void*) {
                for (float& v : lent->values()) v = std::numeric_limits<float>::quiet_NaN();
            };
            const StoredView view(lent->data(), WeightType::f32, shape[0], shape[1]);
            return Stored{view, std::shared_ptr<const void>(lent, spoil)};
        }

    private:
        const WeightSource& source_;
        mutable std::vector<std::unique_ptr<Tensor>> memory_;
    };
    const TransformerConfig llama = llama_config(2, 4, 2, 32, 40, 40, 300);
    for (const TransformerConfig& config : {tiny(), llama}) {
        const WeightSource weights = random_weights(config, 3);
        const Lender lender(weights);
        REQUIRE(logits_of(Transformer(config, lender, {1, {}})) ==
                logits_of(Transformer(config, weights, {1, {}})));
    }
}

TEST_CASE("a model of 16 bits has one copy of its embedding in memory, and no floats of it",
          "[gpt][memory]") {
    const test::TemporaryFolder folder;
    const TransformerConfig config = tiny();
    write_random_model(folder.path(), config, {4, WeightType::f16});
    // So many columns fill whole registers.
    const auto filled = [](std::int64_t n) {
        constexpr std::int64_t lanes = simd::batch_size;
        return (n + lanes - 1) / lanes * lanes;
    };
    const std::int64_t C = config.n_embd, columns = filled(300);
    // Columns of a layer: 3C, C, 4C and, of 4C inputs, C.
    const std::int64_t layer =
        2 * C * (filled(3 * C) + filled(C) + filled(4 * C)) + 2 * 4 * C * filled(C);
    const std::int64_t positions = 4 * C * config.n_positions;
    Transformer as_stored = load_transformer(folder.path()),
                rounded = load_transformer(folder.path(), {0, WeightType::bf16});
    CHECK(as_stored.weight_bytes() == 2 * layer + positions + 2 * C * columns);
    // Rounded once more, the output matrix is another one: the embedding's rows stay in the file.
    CHECK(rounded.weight_bytes() == as_stored.weight_bytes());
}

TEST_CASE("weights at odd addresses and weights that are no numbers are found in a whole model",
          "[gpt][safetensors]") {
    for (const WeightType stored : kinds) {
        const test::TemporaryFolder folder;
        write_random_model(folder.path(), tiny(), {4, stored});
        const std::vector<float> expected = logits_of(load_transformer(folder.path()));
        const std::string path = folder.file("model.safetensors");
        std::string bytes = read_file(path);
        std::uint64_t header = 0;
        std::memcpy(&header, bytes.data(), sizeof header);
        bytes.insert(8 + header, " ");  // JSON may end in a space
        ++header;
        std::memcpy(bytes.data(), &header, sizeof header);
        write_file(path, bytes);
        REQUIRE(logits_of(load_transformer(folder.path())) == expected);

        bytes.erase(7 + header, 1);
        --header;
        std::memcpy(bytes.data(), &header, sizeof header);
        write_file(path, bytes);
        const Safetensors file = Safetensors::open(path);
        const StoredTensor& view = *file.find("h.1.mlp.c_fc.weight");
        const std::string start(reinterpret_cast<const char*>(view.bytes.data()), 64);
        std::string broken = bytes;
        const std::size_t at = broken.find(start);
        REQUIRE(at != std::string::npos);
        const std::size_t size = stored == WeightType::f32 ? 4 : 2;
        // The seventh number becomes infinity, an exponent of ones before zeros.
        const std::uint32_t infinity = stored == WeightType::f16   ? 0x7c00
                                       : stored == WeightType::f32 ? 0x7f800000
                                                                   : 0x7f80;
        std::memcpy(broken.data() + at + 6 * size, &infinity, size);
        write_file(path, broken);
        REQUIRE_THROWS_WITH(load_transformer(folder.path()),
                            Catch::Contains("\"h.1.mlp.c_fc.weight\": number 6 is ") &&
                                Catch::Contains("expected finite weights"));
    }
}
