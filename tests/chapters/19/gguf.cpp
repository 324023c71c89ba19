// GGUF there and back: what hub/gguf.cpp writes, lib/model reads as the same model; and files that
// lie are refused with one line.
#include "tests/catch.hpp"

#include <filesystem>

#include "chapters/19_training/tools/gguf.hpp"
#include "lib/core/math.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/gguf_file.hpp"
#include "lib/files/gguf_model.hpp"
#include "lib/files/model.hpp"
#include "lib/files/random_model.hpp"
#include "lib/json/json.hpp"
#include "lib/model/model_config.hpp"
#include "tests/support/captured.hpp"
#include "tests/support/gguf_text.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

const std::vector<int> text = {5, 280, 17, 3, 99, 250, 42, 7, 130, 11, 64, 2};

// The logits of every token, as bits.
std::vector<std::uint32_t> bits_of(Transformer model) {
    KvCache cache(model.config());
    const Logits logits = model.forward_all(cache, text);
    std::vector<std::uint32_t> bits(logits.values.size());
    std::memcpy(bits.data(), logits.values.data(), bits.size() * sizeof bits[0]);
    return bits;
}

// A model of this golden one's shape with random weights and 300 tokens.
std::string random_like(const TemporaryFolder& folder, const std::string& golden, WeightType type) {
    TransformerConfig config = read_config_file("tests/data/" + golden + "/config.json");
    config.vocab_size = 300;
    config.bos_token_id.reset();
    config.eos_token_ids.clear();
    // GGUF has no value for another number.
    if (golden == "tiny-gemma2" || golden == "tiny-gemma3-types")
        config.architecture.score_scalar = static_cast<float>(config.head_size());
    write_random_model(folder.file(golden), config, {5, type});
    return folder.file(golden);
}

}  // namespace

TEST_CASE("a GGUF file gives the logits of the directory it was written of, bit for bit") {
    const std::string name =
        GENERATE("tiny-llama", "tiny-llama3", "tiny-mistral", "tiny-smollm2", "tiny-smollm3",
                 "tiny-qwen2", "tiny-qwen3", "tiny-gemma3", "tiny-phi3", "tiny-olmo2",
                 "tiny-gemma2", "tiny-olmo3", "tiny-gpt-neox", "tiny-qwen3-moe", "tiny-mixtral",
                 "tiny-gpt-oss", "tiny-qwen3-yarn", "tiny-qwen2-window", "tiny-gemma3-types");
    const WeightType type = GENERATE(WeightType::f32, WeightType::f16);
    INFO(name);
    const TemporaryFolder folder;
    const std::string model = random_like(folder, name, type), file = folder.file("m.gguf");
    write_gguf(model, file, type);
    Transformer read = load_transformer(file);
    CHECK(read.config().architecture.layers ==
          load_transformer(model).config().architecture.layers);
    CHECK(bits_of(std::move(read)) == bits_of(load_transformer(model)));
}

TEST_CASE("weights have llama.cpp's names, and Llama's rotated pairs are neighbours") {
    const TransformerConfig llama = llama_config(1, 2, 2, 8, 8, 16, 300);
    const auto name = [&](const TransformerConfig& config, const std::string& part) {
        return gguf_weight_name(config, part + ".weight");
    };
    CHECK(name(llama, "model.embed_tokens") == "token_embd.weight");
    CHECK(name(llama, "model.norm") == "output_norm.weight");
    CHECK(name(llama, "lm_head") == "output.weight");
    CHECK(name(llama, "model.layers.12.self_attn.q_proj") == "blk.12.attn_q.weight");
    CHECK(name(llama, "model.layers.0.self_attn.o_proj") == "blk.0.attn_output.weight");
    CHECK(name(llama, "model.layers.0.input_layernorm") == "blk.0.attn_norm.weight");
    CHECK(name(llama, "model.layers.0.post_attention_layernorm") == "blk.0.ffn_norm.weight");
    CHECK(name(llama, "model.layers.0.mlp.gate_proj") == "blk.0.ffn_gate.weight");
    const TransformerConfig gemma = read_config_file("tests/data/tiny-gemma3/config.json");
    CHECK(name(gemma, "model.layers.0.post_attention_layernorm") ==
          "blk.0.post_attention_norm.weight");
    CHECK(name(gemma, "model.layers.0.pre_feedforward_layernorm") == "blk.0.ffn_norm.weight");
    CHECK(name(gemma, "model.layers.0.post_feedforward_layernorm") == "blk.0.post_ffw_norm.weight");
    // Of a head of 4 rows the pairs are (0, 2) and (1, 3); there they are (0, 1) and (2, 3).
    const std::int64_t expected[] = {0, 2, 1, 3, 4, 6, 5, 7};
    for (std::int64_t row = 0; row < 8; ++row) CHECK(pair_row(row, 4) == expected[row]);
    CHECK(gguf_layout(llama, {"model.layers.0.self_attn.q_proj.weight", {8, 8}}) ==
          GgufLayout::pairs);
    CHECK(gguf_layout(llama, {"model.layers.0.self_attn.v_proj.weight", {8, 8}}) ==
          GgufLayout::same);
}

TEST_CASE("a GPT-2 in GGUF: the same logits, tokens, ends and texts") {
    const TemporaryFolder folder;
    const std::string file = folder.file("storyteller.gguf");
    write_gguf("data/models/storyteller", file, WeightType::f32);
    Model ours = load_model("data/models/storyteller", {0, WeightType::f32});
    Model read = load_model(file);
    CHECK(read.config().tie_word_embeddings);
    CHECK(read.config().eos_token_ids == ours.config().eos_token_ids);
    CHECK(read.tokenizer.vocabulary().tokens == ours.tokenizer.vocabulary().tokens);
    CHECK(read.tokenizer.eos_id() == ours.tokenizer.eos_id());
    const std::string prompt = "Once upon a time, 12 friends<|endoftext|>";
    CHECK(read.tokenizer.encode(prompt, SpecialTokens::parse) ==
          ours.tokenizer.encode(prompt, SpecialTokens::parse));
    CHECK(bits_of(std::move(read.transformer)) == bits_of(std::move(ours.transformer)));
}

// Longrope's and Granite's numbers become floats; so do those of a llama3 scaling whose original
// length is no power of two.
TEST_CASE("what GGUF has as floats gives nearly the same logits") {
    const std::string name = GENERATE("tiny-llama3", "tiny-phi3-longrope", "tiny-granite");
    const TemporaryFolder folder;
    const std::string model = random_like(folder, name, WeightType::f32);
    TransformerConfig config = read_model_config(model);
    if (name == "tiny-llama3") config.architecture.rotaries[0].original_positions = 50;
    write_model_config(model, config);
    write_gguf(model, folder.file("m.gguf"), WeightType::f32);
    Transformer ours = load_transformer(model), read = load_transformer(folder.file("m.gguf"));
    KvCache a(ours.config()), b(read.config());
    const Logits expected = ours.forward_all(a, text), got = read.forward_all(b, text);
    INFO(name);
    for (std::size_t i = 0; i < got.values.size(); ++i)
        CHECK(std::abs(got.values[i] - expected.values[i]) < 1e-4f);
}

TEST_CASE("models that GGUF has no values for are not written") {
    const TemporaryFolder folder;
    const auto refusal = [&](const char* name, auto change) {
        const std::string model = random_like(folder, name, WeightType::f32);
        TransformerConfig config = read_model_config(model);
        change(config);
        write_model_config(model, config);
        return error_of([&] { write_gguf(model, folder.file("m.gguf"), WeightType::f32); });
    };
    CHECK(contains(refusal("tiny-gpt-neo", [](TransformerConfig&) {}), "model_type gpt_neo"));
    CHECK(contains(
        refusal("tiny-smollm3", [](TransformerConfig& c) { c.architecture.layers[0].rotary = -1; }),
        "GGUF has no value for"));
    CHECK(contains(refusal("tiny-qwen3-yarn",
                           [](TransformerConfig& c) { c.architecture.rotaries[0].amplitude = 2; }),
                   "GGUF has no value for"));
    CHECK(!std::filesystem::exists(folder.file("m.gguf")));
}

TEST_CASE("YaRN in a GGUF file without an original length has the model's") {
    const TemporaryFolder folder;
    write_gguf(random_like(folder, "tiny-qwen3-yarn", WeightType::f32), folder.file("m.gguf"),
               WeightType::f32);
    std::string bytes = read_file(folder.file("m.gguf"));
    const std::size_t key = bytes.find("original_context_length");
    REQUIRE(key != std::string::npos);
    bytes[key] = 'O';
    const TransformerConfig config = gguf_config(GgufFile(folder.write("n.gguf", bytes)));
    CHECK(config.architecture.rotaries.at(0).original_positions == config.n_positions);
}

// ---- files made by hand -------------------------------------------------------------------------
namespace {

struct HandMade {
    GgufValues values;
    std::uint64_t tensors = 1, count = 0;
    std::string name = "t";
    std::vector<std::uint64_t> dimensions = {32};  // the fastest first
    std::uint32_t type = 0, version = 3;
    std::uint64_t offset = 0;
    std::string data = std::string(128, '\0');

    std::string bytes() const {
        GgufBytes b;
        b.all = "GGUF";
        b.u32(version);
        b.u64(tensors);
        b.u64(count > 0 ? count : values.count);
        b.all += values.bytes.all;
        b.text(name);
        b.u32(static_cast<std::uint32_t>(dimensions.size()));
        for (const std::uint64_t d : dimensions) b.u64(d);
        b.u32(type);
        b.u64(offset);
        b.all.resize((b.all.size() + 31) / 32 * 32);
        return b.all + data;
    }
};

std::string refusal(const TemporaryFolder& folder, const std::string& bytes) {
    return error_of([&] { GgufFile(folder.write("bad.gguf", bytes)); });
}

}  // namespace

TEST_CASE("Q8_0 and Q4_0: 32 numbers share a scale of 16 bits") {
    const TemporaryFolder folder;
    HandMade q8;
    q8.type = 8;
    q8.data = std::string(34, '\0');
    const std::uint16_t half = to_f16(0.5f);
    std::memcpy(q8.data.data(), &half, 2);
    q8.data[2] = 4;       // 4 · 0.5
    q8.data[3] = '\x80';  // −128 · 0.5
    const Tensor a = GgufFile(folder.write("q8.gguf", q8.bytes())).read("t", {32});
    CHECK(a.data()[0] == 2.0f);
    CHECK(a.data()[1] == -64.0f);
    CHECK(a.data()[31] == 0.0f);
    HandMade q4;
    q4.type = 2;
    q4.data = std::string(18, '\0');
    std::memcpy(q4.data.data(), &half, 2);
    q4.data[2] = '\xf0';  // low half: (0 − 8) · 0.5 is number 0, high: (15 − 8) · 0.5 number 16
    const Tensor b = GgufFile(folder.write("q4.gguf", q4.bytes())).read("t", {32});
    CHECK(b.data()[0] == -4.0f);
    CHECK(b.data()[16] == 3.5f);
}

TEST_CASE("a GGUF file's weights are kept in the type of its matrices") {
    const TemporaryFolder folder;
    const auto kept = [&](std::uint32_t type, std::size_t bytes, const char* name = "t") {
        HandMade file;
        file.name = name, file.dimensions = {32, 1}, file.type = type;
        file.data = std::string(bytes, '\0');
        return gguf_weight_type(GgufFile(folder.write("m.gguf", file.bytes())));
    };
    CHECK(kept(0, 128) == WeightType::f32);
    CHECK(kept(1, 64) == WeightType::f16);
    CHECK(kept(30, 64) == WeightType::bf16);
    CHECK(kept(8, 34) == WeightType::blocks);
    // Positions and a router of experts are read as floats.
    CHECK(kept(1, 64, "position_embd.weight") == WeightType::f32);
    CHECK(kept(1, 64, "blk.0.ffn_gate_inp.weight") == WeightType::f32);
}

TEST_CASE("GGUF files that lie are refused with one line") {
    const TemporaryFolder folder;
    const auto refused = [&](auto change, const char* expected) {
        HandMade made;
        change(made);
        const std::string line = refusal(folder, made.bytes());
        INFO(line);
        CHECK(contains(line, expected));
        CHECK(!contains(line, "\n"));
    };
    CHECK(refusal(folder, HandMade{}.bytes()) == "");
    refused([](HandMade& m) { m.version = 1; }, "version 1 of GGUF, expected 2 or 3");
    refused([](HandMade& m) { m.tensors = 1ull << 63; }, "says that 9223372036854775808 tensors");
    refused([](HandMade& m) { m.count = 1ull << 63; }, "9223372036854775808 values");
    refused([](HandMade& m) { m.dimensions = {1ull << 63}; }, "expected at most 2^63 - 1");
    refused([](HandMade& m) { m.dimensions = {1ull << 40, 1ull << 40}; }, "at most 2^50 numbers");
    refused([](HandMade& m) { m.dimensions = {0}; }, "expected 1 or more");
    refused([](HandMade& m) { m.dimensions = {}; }, "0 dimensions, expected 1 to 4");
    refused([](HandMade& m) { m.offset = 64; }, "needs 128 bytes from 64 on");
    refused([](HandMade& m) { m.offset = ~0ull - 31; }, "but there are 128");
    refused([](HandMade& m) { m.offset = 4; }, "expected a multiple of 32");
    refused([](HandMade& m) { m.values.add("general.alignment", 48u); }, "a power of two");
    refused([](HandMade& m) { m.type = 16; }, "is of IQ2_XXS, expected F32, F16, BF16, Q4_0 to");
    refused([](HandMade& m) { m.type = 31; }, "is of Q4_0_4_4, expected");
    refused([](HandMade& m) { m.type = 41; }, "is of Q1_0, expected");
    refused([](HandMade& m) { m.type = 8, m.dimensions = {33}; }, "whole blocks of 32");
    refused([](HandMade& m) { m.values.add("a", 1u), m.values.add("a", 2u); }, "is given twice");
    // Cut off anywhere, it is refused or says the same.
    const std::string whole = HandMade{}.bytes();
    for (std::size_t n = 0; n < whole.size(); ++n) CHECK(refusal(folder, whole.substr(0, n)) != "");
    HandMade list;
    list.values.add_list("l", std::vector<std::string>{"x"});
    std::string bytes = list.bytes();
    bytes.replace(bytes.find("l") + 1 + 4 + 4, 8, 8, '\x7f');
    CHECK(contains(refusal(folder, bytes), "texts follow, but only"));
    CHECK(contains(refusal(folder, "hello, this is no model"), "does not begin with GGUF"));
}

TEST_CASE("a GGUF file of another kind of model is refused by name") {
    const TemporaryFolder folder;
    const auto refused = [&](const std::string& architecture) {
        HandMade made;
        made.name = "token_embd.weight";
        made.values.add("general.architecture", architecture);
        const std::string path = folder.write("m.gguf", made.bytes());
        return error_of([&] { load_model(path); });
    };
    CHECK(contains(refused("qwen2moe"), "qwen2moe, a mixture of experts; expected gpt2, llama"));
    CHECK(contains(refused("qwen2vl"), "a model that reads pictures"));
    CHECK(contains(refused("mamba"), "general.architecture is mamba; expected gpt2"));
    CHECK(contains(refused("llama"), "has no value \"llama.context_length\""));
}

TEST_CASE("a bias of the output, and a tensor for each expert, are refused") {
    const TemporaryFolder folder;
    HandMade old;
    old.name = "blk.0.ffn_gate.0.weight";
    const GgufFile experts(folder.write("old.gguf", old.bytes()));
    const TransformerConfig config = llama_config(1, 1, 1, 8, 8, 16, 300);
    CHECK(contains(error_of([&] { gguf_weights(experts, config); }),
                   "has a tensor for each expert, as files from before April 2024"));
    const std::string model = folder.file(std::string(20, 'm'));
    TransformerConfig scaled = read_config_file("tests/data/tiny-llama3/config.json");
    scaled.vocab_size = 300, scaled.bos_token_id.reset(), scaled.eos_token_ids.clear();
    write_random_model(model, scaled);
    write_gguf(model, folder.file("m.gguf"), WeightType::f32);
    const std::string bytes = read_file(folder.file("m.gguf"));
    const std::string path =
        folder.write("n.gguf", with_text(bytes, "rope_freqs.weight", "output.bias"));
    CHECK(contains(error_of([&] { load_transformer(path); }), "has a tensor \"output.bias\""));
}

TEST_CASE("GGUF: windows and layers that llama.cpp does not have are said") {
    const auto said = [](const char* name) {
        return skipped_by_llama_cpp(
            read_config_file(std::string("tests/data/") + name + "/config.json"));
    };
    CHECK(said("tiny-mistral") ==
          "llama.cpp reads a mistral without its window of 16 tokens: longer texts differ");
    CHECK(contains(said("tiny-qwen2-window"), "qwen2"));
    CHECK(contains(said("tiny-phi3"), "phi3"));
    CHECK(said("tiny-qwen3-moe") ==
          "llama.cpp does not open a qwen3_moe whose layer 1 has no experts");
    for (const char* none : {"tiny-llama", "tiny-qwen2", "tiny-gemma3", "tiny-gpt-oss"})
        CHECK(said(none).empty());
}

TEST_CASE("every type of value of a GGUF file is the number that it says") {
    const TemporaryFolder folder;
    const auto with = [&](std::uint32_t type, const std::string& bytes) {
        HandMade made;
        made.values.bytes.text("k");
        made.values.bytes.u32(type);
        made.values.bytes.all += bytes;
        ++made.values.count;
        return made.bytes();
    };
    const auto integer = [&](std::uint32_t type, const std::string& bytes) {
        return GgufFile(folder.write("m.gguf", with(type, bytes))).integer_or("k", 0);
    };
    CHECK(integer(0, "\xfe") == 254);
    CHECK(integer(1, "\xfe") == -2);
    CHECK(integer(2, "\xfe\xff") == 65534);
    CHECK(integer(3, "\xfe\xff") == -2);
    CHECK(integer(4, "\xfe\xff\xff\xff") == 4294967294);
    CHECK(integer(5, "\xfe\xff\xff\xff") == -2);
    CHECK(integer(10, std::string("\2\0\0\0\1\0\0\0", 8)) == 4294967298);
    CHECK(integer(11, "\xfe\xff\xff\xff\xff\xff\xff\xff") == -2);
    const double half = 0.5;
    std::string eight(8, '\0');
    std::memcpy(eight.data(), &half, 8);
    const GgufFile real(folder.write("real.gguf", with(12, eight)));
    CHECK(std::get<double>(*real.find("k")) == 0.5);
    CHECK(contains(refusal(folder, with(7, "\2")), "\"k\" is 2, expected 0 or 1 (a bool)"));
    CHECK(contains(refusal(folder, with(13, "\2")), "a value of type 13, expected 0 to 12"));
    CHECK(contains(refusal(folder, with(10, std::string(8, '\xff'))), "expected at most 2^63 - 1"));
    // Lists: their type, their length, their numbers.
    const auto listed = [&](char type, char count, const std::string& numbers) {
        return with(9, std::string{type, 0, 0, 0, count, 0, 0, 0, 0, 0, 0, 0} + numbers);
    };
    const auto list = [&](char type, char count, const std::string& numbers) {
        return GgufFile(folder.write("m.gguf", listed(type, count, numbers))).numbers("k");
    };
    using Numbers = std::vector<double>;
    CHECK(list(1, 2, "\xfe\x03") == Numbers{-2, 3});
    CHECK(list(12, 2, eight + eight) == Numbers{0.5, 0.5});
    // So many that eight bytes each would not be there, but two are.
    std::string forty;
    for (int i = 0; i < 40; ++i) forty += std::string{static_cast<char>(i), '\xff'};
    const Numbers numbers = list(3, 40, forty);
    REQUIRE(numbers.size() == 40);
    CHECK((numbers[0] == -256 && numbers[39] == -217));
    CHECK(contains(refusal(folder, with(9, std::string("\3\0\0\0\0\0\0\0\0\1\0\0", 12))),
                   "1099511627776 numbers follow, but only"));
    // A value of another type is not taken for what is asked.
    CHECK(contains(error_of([&] { real.integer_or("k", 0); }),
                   "value \"k\" is of another type, expected an integer"));
    CHECK(contains(error_of([&] { real.text_or("k", ""); }), "another type, expected a text"));
    CHECK(contains(error_of([&] { real.flag_or("k", true); }), "expected true or false"));
    CHECK(contains(error_of([&] { real.numbers("k"); }), "expected a list of numbers"));
    CHECK(contains(error_of([&] { real.texts("no"); }), "has no value \"no\", expected a list"));
}

namespace {

// The values of a small model of this architecture; those that `change` adds replace ours.
template <class Change>
std::string small_model_file(const TemporaryFolder& folder, const std::string& architecture,
                             std::uint32_t layers, Change&& change) {
    HandMade made;
    made.name = "token_embd.weight";
    made.values.add("general.architecture", architecture);
    change(made.values);
    for (const auto& [key, value] : std::initializer_list<std::pair<const char*, std::uint32_t>>{
             {"context_length", 64},
             {"embedding_length", 64},
             {"feed_forward_length", 96},
             {"block_count", layers},
             {"attention.head_count", 4},
             {"attention.head_count_kv", 2},
             {"attention.key_length", 32}})
        if (const std::string whole = architecture + "." + key;
            made.values.bytes.all.find(text_bytes(whole)) == std::string::npos)
            made.values.add(whole, value);
    return folder.write("m.gguf", made.bytes());
}

}  // namespace

TEST_CASE("what GGUF does not say of a Gemma, and what it says that we do not compute") {
    const TemporaryFolder folder;
    const auto scalar = [&](const std::string& architecture, std::uint32_t layers) {
        return gguf_config(GgufFile(small_model_file(folder, architecture, layers, [](auto&) {})))
            .architecture.score_scalar;
    };
    // The largest of both divide by the width of a head as it would be of all channels: 64 / 4.
    CHECK(scalar("gemma2", 46) == 16);
    CHECK(scalar("gemma2", 45) == 32);
    CHECK(scalar("gemma2", 62) == 32);
    CHECK(scalar("gemma3", 62) == 16);
    CHECK(scalar("gemma3", 46) == 32);
    const auto said = [&](auto&& change, std::uint32_t layers = 2) {
        const std::string path = small_model_file(folder, "llama", layers, change);
        return error_of([&] { gguf_config(GgufFile(path)); });
    };
    CHECK(said([](GgufValues&) {}) == "");
    CHECK(contains(said([](GgufValues& v) { v.add("llama.attention.value_length", 16u); }),
                   "value_length\" is not key_length, 32; expected heads of one size"));
    CHECK(contains(said([](GgufValues& v) { v.add("llama.rope.dimension_count", 8u); }),
                   "rope.dimension_count\" is 8, expected the head size, 32"));
    CHECK(contains(said([](GgufValues&) {}, 0), "\"llama.block_count\" is 0, expected 1 to"));
    // The ends: both ids, and each once.
    const auto ends = [&](std::uint32_t eos, std::uint32_t eot) {
        return gguf_config(GgufFile(small_model_file(folder, "llama", 2,
                                                     [&](GgufValues& v) {
                                                         v.add("tokenizer.ggml.eos_token_id", eos);
                                                         v.add("tokenizer.ggml.eot_token_id", eot);
                                                     })))
            .eos_token_ids;
    };
    CHECK(ends(3, 5) == std::vector<int>{3, 5});
    CHECK(ends(3, 3) == std::vector<int>{3});
    CHECK(ends(0, 31) == std::vector<int>{0, 31});
}

TEST_CASE("a factor of positions without a type is linear, as is one under its old key") {
    const TemporaryFolder folder;
    const auto rotary = [&](auto&& change) {
        return gguf_config(GgufFile(small_model_file(folder, "llama", 2, change)))
            .architecture.rotaries.at(0);
    };
    const auto type = [](GgufValues& v, const std::string& name) {
        v.add("llama.rope.scaling.type", name);
    };
    const auto factor = [](GgufValues& v, float by) { v.add("llama.rope.scaling.factor", by); };
    const Rotary plain = rotary([](GgufValues&) {});
    Rotary linear = plain;
    linear.scaling = RotaryScaling::linear, linear.factor = 4;
    CHECK(rotary([&](GgufValues& v) { factor(v, 4); }) == linear);
    CHECK(rotary([](GgufValues& v) { v.add("llama.rope.scale_linear", 4.0f); }) == linear);
    CHECK(rotary([&](GgufValues& v) { type(v, "linear"), factor(v, 4); }) == linear);
    CHECK(rotary([&](GgufValues& v) { type(v, "linear"); }) == plain);
    CHECK(rotary([&](GgufValues& v) { factor(v, 0); }) == plain);
    CHECK(rotary([&](GgufValues& v) { factor(v, 1); }) == plain);
    CHECK(rotary([&](GgufValues& v) { type(v, "none"), factor(v, 4); }) == plain);
    const auto yarn = [&](auto&& more) {
        return rotary([&](GgufValues& v) { type(v, "yarn"), factor(v, 4), more(v); }).amplitude;
    };
    const double usual = 0.1 * std::log(4) + 1;
    CHECK(yarn([](GgufValues&) {}) == Approx(usual));
    CHECK(yarn([](GgufValues& v) { v.add("llama.rope.scaling.attn_factor", 2.0f); }) ==
          Approx(2 * usual));
    CHECK(yarn([](GgufValues& v) { v.add("llama.rope.scaling.yarn_attn_factor", 2.0f); }) ==
          Approx(usual));
}

TEST_CASE("a Gemma 2 in GGUF has windows of 4096 tokens unless the file says otherwise") {
    const TemporaryFolder folder;
    const auto windows = [&](auto&& change) {
        const TransformerConfig config =
            gguf_config(GgufFile(small_model_file(folder, "gemma2", 2, change)));
        return std::pair{config.layer(0).window, config.layer(1).window};
    };
    const char* const key = "gemma2.attention.sliding_window";
    CHECK(windows([](GgufValues&) {}) == std::pair{4096, 0});
    CHECK(windows([&](GgufValues& v) { v.add(key, 16u); }) == std::pair{16, 0});
    CHECK(windows([&](GgufValues& v) { v.add(key, 0u); }) == std::pair{0, 0});
}

TEST_CASE("a size that GGUF lists for each layer is read if all are equal") {
    const TemporaryFolder folder;
    using Numbers = std::vector<std::uint32_t>;
    const auto config = [&](const char* key, const Numbers& numbers) {
        return gguf_config(GgufFile(small_model_file(
            folder, "llama", 2, [&](GgufValues& v) { v.add_list(key, numbers); })));
    };
    CHECK(config("llama.attention.head_count_kv", {4, 4}).kv_heads() == 4);
    CHECK(config("llama.feed_forward_length", {80, 80}).n_inner == 80);
    for (const Numbers& numbers : {Numbers{80, 96}, Numbers{}, Numbers{0xffffffff}})
        CHECK(contains(error_of([&] { config("llama.feed_forward_length", numbers); }),
                       "value \"llama.feed_forward_length\" is a list: layers of different sizes"));
}

TEST_CASE("a tokenizer in a GGUF file that contradicts itself is refused with its key") {
    const TemporaryFolder folder;
    using Texts = std::vector<std::string>;
    const auto said = [&](const std::string& model, const Texts& tokens, auto&& change) {
        HandMade made;
        made.values.add("tokenizer.ggml.model", model);
        made.values.add_list("tokenizer.ggml.tokens", tokens);
        change(made.values);
        const std::string path = folder.write("m.gguf", made.bytes());
        return error_of([&] { gguf_tokenizer(GgufFile(path)); });
    };
    const auto nothing = [](GgufValues&) {};
    CHECK(contains(said("bert", {"a"}, nothing), "tokenizer.ggml.model is bert, expected gpt2 ("));
    CHECK(contains(said("gpt2", {"a", "b"},
                        [](GgufValues& v) {
                            v.add_list("tokenizer.ggml.token_type", std::vector<std::uint32_t>{1});
                        }),
                   "token_type has 1 members, expected 2, one a token"));
    CHECK(contains(said("gpt2", {"a", "a"}, nothing), "tokens 0 and 1 are both \"a\""));
    CHECK(contains(said("gpt2", {std::string(4097, 'x')}, nothing),
                   "token 0 has 4097 bytes, expected at most 4096"));
    CHECK(
        contains(said("gpt2", {std::string(4096, 'x')}, nothing), "tokenizer.ggml.pre is missing"));
    CHECK(contains(
        said("gpt2", {"a"}, [](GgufValues& v) { v.add("tokenizer.ggml.pre", std::string("x")); }),
        "tokenizer.ggml.pre is x, expected one of gpt-2, olmo, mellum, "));
    for (const std::string& merge : Texts{"ab", " b", "a "})
        CHECK(contains(said("gpt2", {"a", "b", "ab"},
                            [&](GgufValues& v) {
                                v.add("tokenizer.ggml.pre", std::string("gpt-2"));
                                v.add_list("tokenizer.ggml.merges", Texts{"a b", merge});
                            }),
                       "merge 2 is \"" + merge + "\", expected two tokens with one space"));
    CHECK(contains(said("gpt2", {"a", "b"},
                        [](GgufValues& v) {
                            v.add("tokenizer.ggml.pre", std::string("gpt-2"));
                            v.add_list("tokenizer.ggml.merges", Texts{});
                            v.add("tokenizer.ggml.bos_token_id", 2u);
                            v.add_flag("tokenizer.ggml.add_bos_token", true);
                        }),
                   "tokenizer.ggml.bos_token_id is 2, expected 0 to 1"));
    CHECK(contains(said("llama", {"a", "b"}, nothing),
                   "tokenizer.ggml.scores has 0 members, expected 2, one a token"));
    CHECK(contains(said("llama", {"a", "b"},
                        [](GgufValues& v) {
                            v.add_list("tokenizer.ggml.scores", std::vector<float>{0, NAN});
                        }),
                   "a score that is not a number"));
}
