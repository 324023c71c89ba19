// Weights of 4 bits in files: written, read back, broken, and rounded by GPTQ.
#include <filesystem>

#include "chapters/18_transformer/load_plain.hpp"
#include "chapters/20_quantization/plain_gptq_groups.hpp"
#include "chapters/20_quantization/rounding.hpp"
#include "chapters/20_quantization/tools/few_bits.hpp"
#include "chapters/20_quantization/tools/quantized_model.hpp"
#include "lib/files/model.hpp"
#include "lib/files/random_model.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/files/safetensors_write.hpp"
#include "lib/files/stored_integers.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"
#include "tests/catch.hpp"
#include "tests/support/products.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using test::contains;
using test::error_of;
using test::Floats;
using test::same_bits;

namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr const char* weight = "h.0.mlp.c_fc.weight";

Floats logits_of(Transformer& gpt) {
    std::vector<int> ids;
    for (int i = 0; i < std::min(60, gpt.config().n_positions); ++i)
        ids.push_back(i * i * 11 % gpt.config().vocab_size);
    KvCache cache(gpt.config());
    const Logits first = gpt.forward_all(cache, std::span(ids).first(23));
    Floats all(first.values.begin(), first.values.end());
    for (std::size_t t = 23; t < ids.size(); ++t)
        for (const float v : gpt.forward(cache, std::span(ids).subspan(t, 1))) all.push_back(v);
    return all;
}

// The three tensors of a matrix (5, 2), one group, and what may be broken in them.
struct Parts {
    Bytes codes = {0x97, 0x1f, 0x88, 0xf1, 0x8e, 0x82}, multipliers = {3, 127};
    Floats units = {0.5f, 0.25f};
    Shape codes_shape = {3, 2};
    bool has_multipliers = true;
};

std::string complaint(const Parts& parts) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("x.safetensors"), name = weight;
    return error_of([&] {
        std::vector<TensorToWrite> tensors = {
            {.name = name + "_codes",
             .shape = parts.codes_shape,
             .values = {},
             .bytes = parts.codes},
            {.name = name + "_units", .shape = {length_of(parts.units)}, .values = parts.units}};
        if (parts.has_multipliers)
            tensors.push_back({.name = name + "_multipliers",
                               .shape = {1, length_of(parts.multipliers)},
                               .values = {},
                               .bytes = parts.multipliers});
        write_safetensors(path, std::move(tensors));
        const Safetensors file = Safetensors::open(path);
        file.check_weight(name, {5, 2});
        const Tensor w = file.read_weight(name, {5, 2});
        REQUIRE(Floats(w.values().begin(), w.values().end()) ==
                Floats{-1.5f, 31.75f * 7, 1.5f, 31.75f * -7, 0, 31.75f * -7, 0, 31.75f * 7, 9,
                       31.75f * -6});
    });
}

Parts with(const std::function<void(Parts&)>& change) {
    Parts parts;
    change(parts);
    return parts;
}

}  // namespace

TEST_CASE("a model written in 4 bits computes what it computes with --weights int4, bit for bit") {
    const test::TemporaryFolder folder;
    for (const char* name : {"storyteller", "sketch"}) {
        const std::string from = shipped_model(name).string(), to = folder.file(name);
        const QuantizedSizes sizes = write_quantized_model(from, to, {4});
        REQUIRE(sizes.after ==
                static_cast<std::int64_t>(std::filesystem::file_size(to + "/model.safetensors")));
        REQUIRE(sizes.after < sizes.before);
        Transformer rounded = load_transformer(from, {2, WeightType::int4});
        Model stored = load_model(to, {1, {}});  // recognised by itself
        REQUIRE(stored.transformer.weight_bytes() == rounded.weight_bytes());
        REQUIRE(same_bits(logits_of(stored.transformer), logits_of(rounded)));
        // With every other kind of weights it opens too, as another model than the original.
        for (const WeightType type : {WeightType::f32, WeightType::f16, WeightType::int8}) {
            Transformer other = load_transformer(to, {1, type}),
                        original = load_transformer(from, {1, type});
            REQUIRE(!same_bits(logits_of(other), logits_of(original)));
        }
        REQUIRE(contains(error_of([&] { write_quantized_model(to, folder.file("again"), {4}); }),
                         "in 4 bits already"));
    }
    const Json config = read_json(folder.file("sketch") + "/config.json");
    REQUIRE(config["quantization_config"]["quant_method"] == "int4-groups");
    REQUIRE(config["quantization_config"]["bits"] == 4);
}

TEST_CASE("sharp shapes and zeros are written in 4 bits too, and chapter 18 says who reads them") {
    const test::TemporaryFolder folder;
    int number = 0;
    for (const WeightType type : {WeightType::f32, WeightType::bf16}) {
        TransformerConfig config = gpt_config(2, 3, 33, 50, 300);
        config.n_inner = 71;
        const std::string from = folder.file("from" + std::to_string(number)),
                          to = folder.file("to" + std::to_string(number++));
        write_random_model(from, config, {3, type});
        REQUIRE(write_quantized_model(from, to, {4}).matrices == 8);
        Transformer rounded = load_transformer(from, {1, WeightType::int4}),
                    stored = load_transformer(to, {1, {}});
        REQUIRE(same_bits(logits_of(stored), logits_of(rounded)));
        REQUIRE_THROWS_WITH(load_plain_gpt(to),
                            Catch::Contains("8 bits or fewer, which the complete generator opens"));
    }
    Tensor w({70, 3});
    for (std::int64_t k = 0; k < 40; ++k) w.data()[k * 3 + 1] = static_cast<float>(k);
    const Int4Columns four = quantized_groups("w", w);
    REQUIRE(four.units.data()[0] == 0);
    REQUIRE(four.multipliers[0] == 0);
    REQUIRE(four.multipliers[1] == 101);  // 127 · 31 / 39, rounded
    REQUIRE(four.multipliers[2 * 3 + 1] == 0);
    REQUIRE(four.codes[0] == 0x88);
    for (const float broken : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
        w.data()[7] = broken;
        REQUIRE(contains(error_of([&] { quantized_groups("h.0.mlp.c_fc.weight", w); }),
                         "column 1 of h.0.mlp.c_fc.weight is not finite"));
    }
    REQUIRE(contains(error_of([&] {
                         quantized_groups("w", Tensor({19021, 1}));
                     }),
                     "19021 rows, expected at most 19020"));
    REQUIRE(contains(error_of([&] { write_quantized_model("a", "b", {5}); }), "expected 8 or 4"));
}

TEST_CASE("beside 4 bits a tied embedding is stored in 8, and not rounded again") {
    const test::TemporaryFolder folder;
    TransformerConfig config = gpt_config(1, 2, 16, 30, 300);
    for (const bool tied : {true, false}) {
        config.tie_word_embeddings = tied;
        const std::string from = folder.file(tied ? "a" : "b"), to = from + "4";
        write_random_model(from, config, {3, WeightType::f16});
        REQUIRE(write_quantized_model(from, to, {4}).matrices == 4);
        const Safetensors file = Safetensors::open_directory(to);
        REQUIRE(stored_type(file) == WeightType::int4);
        REQUIRE(file.expect("wte.weight").dtype == (tied ? "I8" : "F16"));
        const Shape shape = {300, 16};
        Tensor expected = Safetensors::open_directory(from).read_weight("wte.weight", shape);
        if (tied) expected = rounded(expected, {"", 8, Rounding::Share::column}, true);
        const Tensor stored = file.read_weight("wte.weight", shape);
        REQUIRE(same_bits({stored.values().begin(), stored.values().end()},
                          {expected.values().begin(), expected.values().end()}));
        Transformer nearest = load_transformer(from, {1, WeightType::int4}),
                    opened = load_transformer(to, {1, {}});
        REQUIRE(same_bits(logits_of(opened), logits_of(nearest)));
    }
    // The same file, but its embedding is rounded again when it is loaded.
    class RoundedAgain final : public WeightStore {
    public:
        explicit RoundedAgain(const std::string& path) : file_(Safetensors::open_directory(path)) {}
        Tensor read(const std::string& name, const Shape& shape) const override {
            return file_.read_weight(name, shape);
        }
        std::optional<PackedMatrix> packed(const std::string& name, const Shape& shape, WeightType,
                                           int threads) const override {
            const auto codes = file_.stored_int4(name, shape);
            if (!codes) return std::nullopt;
            return PackedMatrix(std::make_shared<const Int4Matrix>(*codes, threads));
        }

    private:
        Safetensors file_;
    };
    config.tie_word_embeddings = true;
    const std::string path = folder.file("a4"), weights = path + "/model.safetensors";
    const auto same = [&] {
        Transformer once = load_transformer(path, {1, {}}),
                    twice(config, RoundedAgain(path), {1, WeightType::int4});
        return same_bits(logits_of(once), logits_of(twice));
    };
    REQUIRE(same());  // our rows have a 127 each, so their scales are found again
    REQUIRE_NOTHROW(load_transformer(path, {1, WeightType::int8}));  // from the values of 4 bits
    std::string bytes = read_file(weights);
    {
        const Safetensors file = Safetensors::open(weights);
        const auto codes = file.expect("wte.weight").bytes;
        const std::size_t at =
            bytes.find({reinterpret_cast<const char*>(codes.data()), codes.size()});
        REQUIRE(at != std::string::npos);
        for (std::size_t i = at; i < at + codes.size(); ++i)
            bytes[i] = static_cast<char>(static_cast<signed char>(bytes[i]) / 2);
    }
    write_file(weights, bytes);
    REQUIRE(!same());
}

TEST_CASE("broken weights of 4 bits are refused in one line") {
    REQUIRE(complaint({}).empty());
    const auto said = [](const std::function<void(Parts&)>& change) {
        const std::string line = complaint(with(change));
        REQUIRE(!contains(line, "\n"));
        return line;
    };
    REQUIRE(contains(said([](Parts& p) { p.has_multipliers = false; }),
                     "has no tensor \"h.0.mlp.c_fc.weight_multipliers\" of shape (1, 2)"));
    REQUIRE(contains(said([](Parts& p) {
                         p.codes_shape = {2, 3};
                     }),
                     "has shape (2, 3), expected (3, 2)"));
    REQUIRE(contains(said([](Parts& p) { p.multipliers = {1}; }), "(1, 1), expected (1, 2)"));
    REQUIRE(contains(said([](Parts& p) { p.units.push_back(1); }), "(3), expected (2)"));
    REQUIRE(contains(said([](Parts& p) { p.codes[3] = 0x08; }),
                     "_codes\": number 3 is 8, expected 1 to 15 in both halves"));
    REQUIRE(contains(said([](Parts& p) { p.codes[1] = 0x80; }), "number 1 is 128"));
    REQUIRE(contains(said([](Parts& p) { p.multipliers[1] = 128; }),
                     "_multipliers\": number 1 is 128, expected 0 to 127"));
    for (const float unit : {-1.0f, std::nanf(""), std::numeric_limits<float>::infinity()})
        REQUIRE(contains(said([&](Parts& p) { p.units[1] = unit; }), "_units\": number 1 is "));
    // A directory that lacks one is refused before anything is allocated.
    const test::TemporaryFolder folder;
    write_random_model(folder.file("a"), gpt_config(1, 2, 16, 20, 300));
    write_quantized_model(folder.file("a"), folder.file("b"), {4});
    const std::string path = folder.file("b") + "/model.safetensors";
    std::string bytes = read_file(path);
    const std::size_t at = bytes.find("c_proj.weight_multipliers");
    bytes[at] = 'd';
    write_file(path, bytes);
    REQUIRE(contains(error_of([&] {
                         Safetensors::open(path).check_weight("h.0.attn.c_proj.weight", {16, 16});
                     }),
                     "weight_multipliers"));
    REQUIRE(contains(error_of([&] { load_transformer(folder.file("b")); }),
                     "has no tensor \"h.0.attn.c_proj.weight_multipliers\""));
}

TEST_CASE("GPTQ in steps of one unit: near the nearest, and better where inputs go together") {
    double mine = 0, nearest = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const std::size_t K = 20 + seed;
        Rng rng(seed);
        std::vector<Floats> inputs(3 * K, Floats(K));
        for (Floats& x : inputs)
            for (std::size_t k = 0; k < K; ++k)
                x[k] = static_cast<float>(rng.normal()) + (k > 0 ? 0.9f * x[k - 1] : 0.0f);
        Floats w(K);
        for (float& v : w) v = static_cast<float>(rng.normal());
        const Square H = input_products(inputs);
        const FourBitColumn column = gptq_in_groups(w, upper_factor(H)),
                            plain = quantize_in_groups(w);
        REQUIRE(column.unit == plain.unit);
        REQUIRE(column.m.size() == plain.m.size());
        REQUIRE(column.m[0] == plain.m[0]);  // nothing has moved yet
        const auto lost = [&](const FourBitColumn& c) {
            double sum = 0;
            for (std::size_t i = 0; i < K; ++i)
                for (std::size_t j = 0; j < K; ++j) {
                    const auto off = [&](std::size_t k) {
                        return double(w[k]) - double(c.unit) * c.m[k / 32] * c.q[k];
                    };
                    sum += off(i) * H[i][j] * off(j);
                }
            return sum;
        };
        mine += lost(column), nearest += lost(plain);
        for (const std::int8_t q : column.q) REQUIRE(std::abs(q) <= 7);
    }
    INFO("GPTQ " << mine << ", to the nearest " << nearest);
    REQUIRE(mine < 0.5 * nearest);
    // Inputs that have nothing to do with each other: nothing to make good.
    const Floats w = {0.9f, -0.31f, 0.07f, 0, -0.66f};
    const Square apart = {
        {2, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 4, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}};
    const FourBitColumn a = gptq_in_groups(w, upper_factor(apart)), b = quantize_in_groups(w);
    REQUIRE(a.q == b.q);
    REQUIRE(a.m == b.m);
    REQUIRE(gptq_in_groups({0, 0, 0, 0, 0}, apart).unit == 0);
}

TEST_CASE("a directory by GPTQ opens everywhere and is another model than the nearest") {
    const test::TemporaryFolder folder;
    const std::string from = shipped_model("sketch").string(), to = folder.file("gptq");
    const Tokenizer tokenizer = Tokenizer::load(from);
    std::string text;
    for (int i = 0; i < 40; ++i) text += "Once upon a time there was a fox by the river. ";
    const auto pieces = calibration_pieces(text, tokenizer, 100);
    REQUIRE(pieces.front().size() == 100);
    REQUIRE(pieces.back().size() <= 100);
    std::vector<int> all;
    for (const auto& piece : pieces) all.insert(all.end(), piece.begin(), piece.end());
    REQUIRE(all == tokenizer.encode(text));
    write_quantized_model(from, to, {4, input_factors(load_plain_gpt(from), pieces)});
    Transformer by_gptq = load_transformer(to, {1, {}}),
                nearest = load_transformer(from, {1, WeightType::int4});
    REQUIRE(by_gptq.weight_bytes() == nearest.weight_bytes());
    REQUIRE(!same_bits(logits_of(by_gptq), logits_of(nearest)));
    REQUIRE_THROWS_AS(calibration_pieces("a", tokenizer, 100), Error);
    REQUIRE_THROWS_AS(write_quantized_model(from, folder.file("c"), {8, {{"h", {}}}}), Error);
    REQUIRE_THROWS_AS(quantized_groups("w", Tensor({3, 2}), std::vector<Square>(1).data()), Error);
}
