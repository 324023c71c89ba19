// Weights of 8 bits in files: written, read back, and broken.
#include <filesystem>

#include "chapters/20_quantization/tools/quantized_model.hpp"
#include "lib/files/model.hpp"
#include "lib/files/random_model.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/files/safetensors_write.hpp"
#include "lib/files/stored_integers.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"
#include "lib/quantized/integer_matrix.hpp"
#include "tests/catch.hpp"
#include "tests/support/products.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using test::contains;
using test::error_of;
using test::Floats;
using test::same_bits;

namespace {

// The logits of a text, in pieces.
Floats logits_of(Transformer& gpt, const std::vector<int>& ids) {
    KvCache cache(gpt.config());
    Floats all;
    for (std::size_t t = 0; t < ids.size();) {
        const std::size_t n = std::min<std::size_t>(1 + t % 7, ids.size() - t);
        const Logits rows = gpt.forward_all(cache, std::span(ids).subspan(t, n));
        all.insert(all.end(), rows.values.begin(), rows.values.end());
        t += n;
    }
    return all;
}

std::vector<int> some_ids(int count, int vocabulary) {
    Rng rng(8);
    std::vector<int> ids(index(count));
    for (int& id : ids) id = to_int(rng.below(static_cast<std::uint64_t>(vocabulary)));
    return ids;
}

// A file with one matrix of I8 (2, 3) and its scales, or what is said instead.
std::string complaint(const test::TemporaryFolder& folder, std::vector<TensorToWrite> tensors,
                      const char* name = "h.0.mlp.c_fc.weight", const Shape& shape = {2, 3}) {
    const std::string path = folder.file("x.safetensors");
    return error_of([&] {
        write_safetensors(path, std::move(tensors));
        Safetensors::open(path).read_weight(name, shape);
    });
}

}  // namespace

TEST_CASE("a scale times 127, by 127, is the scale again, for every float that divides so") {
    // Then restored weights are rounded to what they were: all fractions of a float, and so all
    // floats whose scale is a normal number.
    long different = 0;
    for (std::uint32_t fraction = 0; fraction < 1u << 23; ++fraction) {
        const float scale = std::bit_cast<float>(0x3f800000u | fraction) / 127.0f;
        const float largest = scale * 127.0f;
        different += largest / 127.0f != scale;
    }
    REQUIRE(different == 0);
}

TEST_CASE("restored columns are rounded to the same whole numbers and scales") {
    Rng rng(4);
    for (const std::int64_t K : {1, 2, 31, 300}) {
        Tensor w({K, 40});
        for (float& v : w.values()) v = static_cast<float>(rng.normal() * 0.05);
        for (std::int64_t k = 0; k < K; ++k) w.data()[k * 40 + 7] = 0;  // a column of zeros
        const Int8Columns once = quantized_columns("w", w);
        Tensor back({K, 40});
        for (std::int64_t i = 0; i < w.size(); ++i)
            back.data()[i] = once.scales.data()[i % 40] * once.q.data()[i];
        const Int8Columns twice = quantized_columns("w", back);
        const auto all = [](const Tensor& t) {
            return Floats(t.values().begin(), t.values().end());
        };
        REQUIRE(same_bits(all(once.scales), all(twice.scales)));
        REQUIRE(same_bits(all(once.q), all(twice.q)));
        REQUIRE(once.scales.data()[7] == 0);
    }
}

TEST_CASE("codes are packed as they are, and those of an embedding as its columns") {
    for (const std::int64_t K : {1, 3, 34})
        for (const std::int64_t N : {1, 32, 45}) {
            INFO(K << " x " << N);
            Rng rng(9);
            std::vector<std::int8_t> q, turned(index(K * N));
            for (std::int64_t i = 0; i < K * N; ++i)  // no column has a 127
                q.push_back(static_cast<std::int8_t>(to_int(rng.below(201)) - 100));
            for (std::int64_t k = 0; k < K; ++k)
                for (std::int64_t n = 0; n < N; ++n) turned[index(n * K + k)] = q[index(k * N + n)];
            Floats x(index(K)), column(index(K));
            Tensor scales({N});
            for (float& v : x) v = static_cast<float>(rng.normal());
            for (float& v : scales.values()) v = rng.uniform_float();
            const PackedMatrix as_matrix(
                std::make_shared<const Int8Matrix>(Int8Codes{K, N, q, scales}, 2)),
                as_embedding(
                    std::make_shared<const Int8Matrix>(Int8Codes{K, N, turned, scales, true}, 2));
            const MatrixView row = MatrixView::of(x.data(), 1, K);
            REQUIRE(same_bits(test::multiplied(row, as_matrix, Floats(index(N)), N),
                              test::multiplied(row, as_embedding, Floats(index(N)), N)));
            for (std::int64_t n = 0; n < N; ++n) {
                as_embedding.column(n, column.data());
                for (std::int64_t k = 0; k < K; ++k)
                    REQUIRE(column[index(k)] ==
                            scales.data()[n] * static_cast<float>(q[index(k * N + n)]));
            }
            REQUIRE_THROWS_WITH(as_embedding.column(N, column.data()), Catch::Contains("column"));
        }
}

TEST_CASE("a model with fewer bits keeps its chat template and its added tokens") {
    const test::TemporaryFolder folder;
    const std::string from = folder.file("from"), to = folder.file("to");
    std::filesystem::copy(shipped_model("sketch"), from, std::filesystem::copy_options::recursive);
    const std::string names[] = {"chat_template.jinja", "added_tokens.json",
                                 "additional_chat_templates/tool_use.jinja"};
    std::filesystem::create_directory(from + "/additional_chat_templates");
    for (const std::string& name : names) folder.write("from/" + name, "{}");
    write_quantized_model(from, to);
    for (const std::string& name : names) CHECK(read_file(to + "/" + name) == "{}");
}

TEST_CASE("a model written in 8 bits computes what it computes with --weights int8, bit for bit") {
    const test::TemporaryFolder folder;
    for (const char* name : {"storyteller", "sketch"}) {
        const std::string from = shipped_model(name).string(), to = folder.file(name);
        const QuantizedSizes sizes = write_quantized_model(from, to);
        REQUIRE(sizes.before ==
                static_cast<std::int64_t>(std::filesystem::file_size(from + "/model.safetensors")));
        REQUIRE(sizes.after ==
                static_cast<std::int64_t>(std::filesystem::file_size(to + "/model.safetensors")));
        REQUIRE(sizes.after < sizes.before);
        Transformer rounded = load_transformer(from, {2, WeightType::int8});
        Model stored = load_model(to, {1, {}});  // recognised by itself
        REQUIRE(stored_type(Safetensors::open_directory(to)) == WeightType::int8);
        REQUIRE(stored_type(Safetensors::open_directory(from)) == WeightType::f16);
        REQUIRE(error_of([&] { check_original(from); }).empty());
        REQUIRE(contains(error_of([&] { check_original(to); }), "in 8 bits already"));
        REQUIRE(stored.tokenizer.encode("Once upon") == Tokenizer::load(from).encode("Once upon"));
        const std::vector<int> ids = some_ids(80, stored.config().vocab_size);
        REQUIRE(same_bits(logits_of(stored.transformer, ids), logits_of(rounded, ids)));
        // As floats it is another model than the original, and opens too.
        Transformer wide = load_transformer(to, {1, WeightType::f32}),
                    original = load_transformer(from, {1, {}});
        REQUIRE(!same_bits(logits_of(wide, ids), logits_of(original, ids)));
    }
}

TEST_CASE("untied models, sharp shapes and other types of weights are written too") {
    const test::TemporaryFolder folder;
    int number = 0;
    for (const WeightType type : {WeightType::f32, WeightType::bf16}) {
        TransformerConfig config = gpt_config(2, 3, 33, 50, 300);
        config.n_inner = 70;
        const std::string from = folder.file("from" + std::to_string(number)),
                          to = folder.file("to" + std::to_string(number++));
        write_random_model(from, config, {3, type});
        REQUIRE(write_quantized_model(from, to).matrices == 8);
        Transformer rounded = load_transformer(from, {1, WeightType::int8}),
                    stored = load_transformer(to, {1, {}});
        const std::vector<int> ids = some_ids(50, 300);
        REQUIRE(same_bits(logits_of(stored, ids), logits_of(rounded, ids)));
        REQUIRE(contains(error_of([&] { write_quantized_model(to, folder.file("third")); }),
                         "in 8 bits already"));
        REQUIRE(!std::filesystem::exists(folder.file("third")));
        REQUIRE(contains(error_of([&] { write_quantized_model(from, to); }), "holds a model"));
    }
    REQUIRE(contains(error_of([&] { write_quantized_model(folder.file("none"), "x"); }),
                     "config.json"));
    const Json config = read_json(folder.file("to0") + "/config.json");
    REQUIRE(config["quantization_config"]["quant_method"] == "int8-columns");
}

TEST_CASE("broken weights of 8 bits are refused in one line") {
    const test::TemporaryFolder folder;
    const std::string name = "h.0.mlp.c_fc.weight";
    const Floats q = {1, -127, 127, 0, 5, 6}, s = {1, 0.5f, 0};
    const auto with = [&](const Floats& numbers, const Floats& scales) {
        return complaint(folder, {{name, {2, 3}, numbers, WeightType::int8},
                                  {scale_name(name), {length_of(scales)}, scales}});
    };
    REQUIRE(with(q, s).empty());
    const Tensor w = Safetensors::open(folder.file("x.safetensors")).read_weight(name, {2, 3});
    REQUIRE(Floats(w.values().begin(), w.values().end()) == Floats{1, -63.5f, 0, 0, 2.5f, 0});
    REQUIRE(contains(complaint(folder, {{name, {2, 3}, q, WeightType::int8}}),
                     "has no tensor \"h.0.mlp.c_fc.weight_scale\" of shape (3)"));
    REQUIRE(contains(with(q, {1, 2}), "has shape (2), expected (3)"));
    REQUIRE(contains(with(q, {1, -1, 1}), "scale 1 is -1, expected a finite number of 0 or more"));
    const float infinity = std::numeric_limits<float>::infinity();
    for (const float broken : {infinity, std::nanf("")})
        REQUIRE(contains(with(q, {1, 1, broken}), "scale 2 is "));
    REQUIRE(contains(with({1, 2, 3, 4, 5, 128}, s), "expected whole numbers from -127 to 127"));
    REQUIRE(contains(with({1, 2, 3, 4, 5, 0.5f}, s), "expected whole numbers from -127 to 127"));
    // No writer of ours makes a −128: put one there.
    REQUIRE(with(q, s).empty());
    std::string bytes = read_file(folder.file("x.safetensors"));
    const std::size_t at = bytes.rfind('\x81');  // −127
    REQUIRE(at != std::string::npos);
    bytes[at] = '\x80';
    write_file(folder.file("x.safetensors"), bytes);
    REQUIRE(contains(error_of([&] {
                         Safetensors::open(folder.file("x.safetensors")).read_weight(name, {2, 3});
                     }),
                     "number 1 is -128, expected -127 to 127"));
    const Floats vector = {1, 2, 3};
    REQUIRE(contains(
        complaint(folder, {{"ln_f.weight", {3}, vector, WeightType::int8}}, "ln_f.weight", {3}),
        "expected matrices only in 8 bits"));
}

TEST_CASE("a directory whose scales are missing is refused before anything is allocated") {
    const test::TemporaryFolder folder;
    const TransformerConfig config = gpt_config(1, 2, 16, 20, 300);
    write_random_model(folder.file("a"), config);
    write_quantized_model(folder.file("a"), folder.file("b"));
    const Safetensors file = Safetensors::open_directory(folder.file("b"));
    std::vector<Tensor> kept;
    std::vector<TensorToWrite> tensors;
    for (const auto& [name, view] : file.tensors()) {
        if (name == "h.0.attn.c_proj.weight_scale") continue;
        Tensor t(view.shape);
        const bool whole = view.dtype == int8_dtype;
        if (!whole) t = file.read(name, view.shape);
        kept.push_back(std::move(t));
        tensors.push_back(
            {name, view.shape, kept.back().values(), whole ? WeightType::int8 : WeightType::f32});
    }
    write_safetensors(folder.file("b") + "/model.safetensors", std::move(tensors));
    REQUIRE(contains(error_of([&] { load_transformer(folder.file("b")); }),
                     "has no tensor \"h.0.attn.c_proj.weight_scale\""));
    // Another method than ours is not ours to read.
    Json json = read_json(folder.file("b") + "/config.json");
    json["quantization_config"]["quant_method"] = "gptq";
    write_file(folder.file("b") + "/config.json", json_text(json));
    REQUIRE(
        contains(error_of([&] { load_transformer(folder.file("b")); }), "the method int8-columns"));
}

TEST_CASE("a model with a column of zeros, and one too wide for exact sums") {
    const TransformerConfig config = gpt_config(1, 2, 16, 20, 300);
    const auto source = [&](const std::string& name, const Shape& shape) {
        Tensor w = random_weights(config, 2)(name, shape);
        if (name == "h.0.mlp.c_fc.weight")
            for (std::int64_t k = 0; k < shape[0]; ++k) w.data()[k * shape[1] + 3] = 0;
        return w;
    };
    Transformer gpt(config, source, {1, WeightType::int8});
    for (const float v : logits_of(gpt, some_ids(20, 300))) REQUIRE(std::isfinite(v));
    TransformerConfig wide = gpt_config(1, 1, 2, 4, 300);
    wide.n_inner = 133145;
    REQUIRE(contains(error_of([&] {
                         Transformer(wide, random_weights(wide, 1), {1, WeightType::int8});
                     }),
                     "133145 rows, expected at most 133144"));
    for (const float broken : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
        Tensor w({4, 5});
        w.data()[13] = broken;
        REQUIRE(contains(error_of([&] { quantized_columns("h.0.mlp.c_fc.weight", w); }),
                         "column 3 of h.0.mlp.c_fc.weight is not finite"));
    }
}
