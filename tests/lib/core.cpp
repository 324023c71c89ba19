// The tiny library against the engine: the same bits, the same ids; and what it says of broken
// files.
#include "tests/catch.hpp"

#include <climits>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "lib/core/files.hpp"
#include "lib/core/gpt.hpp"
#include "lib/core/json.hpp"
#include "lib/core/math.hpp"
#include "lib/core/matmul.hpp"
#include "lib/core/rng.hpp"
#include "lib/core/safetensors.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/model.hpp"
#include "lib/files/safetensors_write.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"
#include "tests/lib/logits.hpp"
#include "tests/support/captured.hpp"
#include "tests/support/temporary.hpp"

// The program in lib/core/README.md.
#define main program_of_the_readme
#include "tests/support/core_program.hpp"
#undef main

using namespace tbt;
using tbt::test::contains;
using tbt::test::copied;
using tbt::test::error_of;
using tbt::test::random_ids;
using tbt::test::TemporaryFolder;

namespace {

std::vector<float> engine_logits(const std::string& directory, bool in_16_bits,
                                 const std::vector<int>& ids) {
    Transformer engine = load_transformer(
        directory, {.threads = 1, .weights = in_16_bits ? WeightType::f16 : WeightType::f32});
    return test::all_logits(engine, ids);
}

// The logits after each id, read `step` ids at a time.
std::vector<float> core_logits(Gpt& gpt, const std::vector<int>& ids, std::size_t step) {
    GptCache cache(gpt.config());
    std::vector<float> all;
    for (std::size_t i = 0; i < ids.size(); i += step) {
        const auto part = std::span(ids).subspan(i, std::min(step, ids.size() - i));
        const std::vector<float> some = copied(gpt.forward_all(cache, part).values);
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

}  // namespace

TEST_CASE("core's logits are the engine's, bit for bit", "[core]") {
    const struct {
        std::string directory;
        int tokens;
    } models[] = {{"tests/data/tiny-gpt2", 128}, {model_directory("storyteller"), 70}};
    for (const auto& [directory, tokens] : models) {
        const std::vector<int> ids = random_ids(tokens, 97, 5);
        for (const bool in_16_bits : {false, true}) {
            CAPTURE(directory, in_16_bits);
            const std::vector<float> expected = engine_logits(directory, in_16_bits, ids);
            for (const int threads : {1, 2}) {
                Gpt gpt = Gpt::load(directory, {threads, in_16_bits});
                REQUIRE(gpt.threads() == threads);
                for (const std::size_t step : {std::size_t{1}, std::size_t{7}, ids.size()})
                    CHECK(core_logits(gpt, ids, step) == expected);
            }
        }
    }
}

TEST_CASE("the number of core's threads: what was asked for, the environment, the cores",
          "[core]") {
    const test::Environment no_ours("TBT_THREADS", nullptr), no_theirs("OMP_NUM_THREADS", nullptr);
    const auto threads = [](int asked) {
        return Gpt::load("tests/data/tiny-gpt2", {asked, {}}).threads();
    };
    const int usual = threads(0);
    CHECK((usual >= 1 && usual <= 8));
    CHECK(threads(3) == 3);
    for (const auto& [wish, got] :
         {std::pair{"1", 1}, {"3", 3}, {"1025", 1024}, {"0", usual}, {"-2", usual}, {"x", usual}}) {
        CAPTURE(wish);
        const test::Environment ours("TBT_THREADS", wish);
        CHECK(threads(0) == got);
        CHECK(threads(2) == 2);
    }
}

TEST_CASE("as stored: an F16 file gives the same logits in 16 bits and as floats", "[core]") {
    const std::vector<int> ids = random_ids(20, 8192, 6);
    Gpt stored = Gpt::load(model_directory("storyteller")),
        wide = Gpt::load(model_directory("storyteller"), {1, false});
    CHECK(core_logits(stored, ids, ids.size()) == core_logits(wide, ids, ids.size()));
}

TEST_CASE("a file with floats of several types keeps the bits of each", "[core]") {
    const StoredWeights tiny = StoredWeights::open("tests/data/tiny-gpt2");
    std::vector<Tensor> values;
    std::vector<TensorToWrite> tensors;
    values.reserve(tiny.tensors().size());
    for (const auto& [name, stored] : tiny.tensors()) {
        Tensor& own = values.emplace_back(tiny.read(name, stored.shape));
        if (name.ends_with("c_fc.weight")) own.data()[0] = 70000;  // beyond F16
        tensors.push_back({name, stored.shape, own.values(),
                           name.ends_with("wte.weight") ? WeightType::f16 : WeightType::f32});
    }
    const TemporaryFolder folder;
    folder.write("config.json", read_file("tests/data/tiny-gpt2/config.json"));
    write_safetensors(folder.file("model.safetensors"), std::move(tensors));
    const std::vector<int> ids = random_ids(20, 97, 6);
    Gpt gpt = Gpt::load(folder.path(), {1});
    CHECK(core_logits(gpt, ids, ids.size()) == engine_logits(folder.path(), false, ids));
}

TEST_CASE("a prompt must leave the room that is asked for, with what to do in a line", "[core]") {
    const GptModel model = load_gpt(model_directory("storyteller"));
    const int context = model.config().n_positions;
    const std::vector<int> ids = encode_prompt(model, "Once", context - 1);
    REQUIRE(ids.size() == 1);
    CHECK(encode_prompt(model, "", context - 1) == std::vector{model.tokenizer.eos_id()});
    std::string many;
    for (int i = 0; i < context; ++i) many += "Once";
    const auto refusal = [&](std::string_view text, int room) {
        return error_of([&] { encode_prompt(model, text, room); });
    };
    CHECK(contains(refusal("Once", context), "; ask for at most " + std::to_string(context - 1)));
    CHECK(contains(refusal(many, 1),
                   "; shorten the prompt to " + std::to_string(context - 1) + " tokens"));
    CHECK(contains(refusal(many, context), "; make both fewer"));
    CHECK(contains(refusal(many.substr(0, 80), context - 10),
                   "; shorten the prompt to 10 tokens or ask for at most "));
    CHECK(contains(refusal("Once", -1), "room for -1 tokens"));
    CHECK(contains(refusal("\xff", 1), "byte 1 is not valid UTF-8"));
}

TEST_CASE("the cache gives back what was written at each layer, head and position", "[core]") {
    GptCache cache(3, 2, 5, 40);  // no two sizes alike
    const auto number = [](int t, int layer, int head, int d) {
        return static_cast<float>(((t * 3 + layer) * 2 + head) * 5 + d);
    };
    for (int t = 0; t < 40; ++t)
        for (int layer = 0; layer < 3; ++layer)
            for (int head = 0; head < 2; ++head) {
                float key[5], value[5];
                for (int d = 0; d < 5; ++d)
                    key[d] = number(t, layer, head, d), value[d] = -1 - key[d];
                cache.write(t, layer, head, key, value);
            }
    cache.advance(40);
    int wrong = 0;
    for (int t = 0; t < 40; ++t)
        for (int layer = 0; layer < 3; ++layer)
            for (int head = 0; head < 2; ++head)
                for (int d = 0; d < 5; ++d) {
                    wrong += cache.key(t, layer, head, d) != number(t, layer, head, d);
                    wrong += cache.value(t, layer, head, d) != -1 - number(t, layer, head, d);
                }
    CHECK(wrong == 0);
}

TEST_CASE("tokens that were taken back leave no trace", "[core]") {
    Gpt gpt = Gpt::load("tests/data/tiny-gpt2", {1});
    const std::vector<int> ids = random_ids(40, 97, 7), others = random_ids(30, 97, 8);
    GptCache cache(gpt.config());
    gpt.forward(cache, ids);
    cache.truncate(25);
    gpt.forward(cache, others);
    cache.truncate(25);
    const std::vector<float> again = copied(gpt.forward(cache, std::span(ids).subspan(25)));
    GptCache fresh(gpt.config());
    CHECK(again == copied(gpt.forward(fresh, ids)));
    cache.clear();
    CHECK(cache.length() == 0);
    CHECK(contains(error_of([&] { cache.truncate(1); }), "cannot truncate 0 tokens to 1"));
    CHECK(contains(error_of([&] { gpt.forward(cache, random_ids(129, 97, 9)); }),
                   "context is full: 0 tokens in the cache and 129 new ones"));
    CHECK(contains(error_of([&] { gpt.forward(cache, {}); }), "over no tokens"));
    CHECK(contains(error_of([&] { gpt.forward(cache, std::vector<int>{97}); }),
                   "token id 97 is outside the vocabulary"));
    GptCache other(2, 2, 16, 128);
    CHECK(contains(error_of([&] { gpt.forward(other, ids); }), "made for another model"));
    CHECK(contains(error_of([] { GptCache(1 << 16, 1 << 16, 1 << 15, 1 << 16); }), "too large"));
    CHECK(contains(error_of([] { GptCache(1, 1, 1, INT_MAX); }), "a size is 2147483647"));
    CHECK(contains(error_of([] { GptCache(GptConfig{}); }), "a size is 0"));
    CHECK(element_count({0, std::int64_t{1} << 40, std::int64_t{1} << 40}) == 0);
    CHECK(element_count({std::int64_t{1} << 40, std::int64_t{1} << 40, 0}) == 0);
    CHECK(error_of([] { Logits().last(); }) ==
          "logits: row: index -1 is out of range, expected none, for the list is empty");
}

TEST_CASE("a product has the bits of three plain loops, at awkward sizes", "[core]") {
    Rng rng(11);
    const auto random = [&](Shape shape) {
        Tensor t(std::move(shape));
        for (float& v : t.values()) v = static_cast<float>(rng.normal());
        return t;
    };
    for (const auto [M, K, N] : {std::array{1, 1, 1}, std::array{3, 17, 31}, std::array{9, 40, 33},
                                 std::array{16, 5, 96}}) {
        const Tensor x = random({M, K}), w = random({K, N}), bias = random({N}), y = random({M, N});
        for (const bool in_16_bits : {false, true}) {
            CAPTURE(M, K, N, in_16_bits);
            const WeightMatrix packed(w, in_16_bits);
            Tensor got = y;
            matmul(x.data(), M, packed, got.data(), {.bias = bias.data(), .accumulate = true}, 2);
            for (std::int64_t m = 0; m < M; ++m) {
                for (std::int64_t n = 0; n < N; ++n) {
                    float sum = y.data()[m * N + n];
                    for (std::int64_t k = 0; k < K; ++k) {
                        const float v = w.data()[k * N + n];
                        sum = std::fma(x.data()[m * K + k], in_16_bits ? from_f16(to_f16(v)) : v,
                                       sum);
                    }
                    REQUIRE(got.data()[m * N + n] == sum + bias.data()[n]);
                }
            }
        }
    }
}

// ---- the tokenizer ----
TEST_CASE("core's tokenizer writes the engine's ids", "[core]") {
    for (const char* name : {"storyteller", "sketch"}) {
        const BytePairTokenizer core = BytePairTokenizer::load(model_directory(name));
        const Tokenizer engine = Tokenizer::load(model_directory(name));
        REQUIRE(core.vocab_size() == engine.vocab_size());
        CHECK(core.eos_id() == engine.eos_id());
        for (int id = 0; id < core.vocab_size(); ++id) {
            REQUIRE(core.token_bytes(id) == engine.token_bytes(id));
            REQUIRE(core.id_of(core.token_bytes(id)) == id);
        }
        std::vector<std::string> texts = {"",
                                          " ",
                                          "It's <|endoftext|> 12345 über 東京\t\n\n  x ",
                                          std::string(3000, 'a'),
                                          std::string("\0\xff\xc3", 3),
                                          read_file("README.md")};
        Rng rng(3);
        for (int i = 0; i < 300; ++i) {
            std::string text;
            for (std::uint64_t n = rng.below(40); n > 0; --n)
                text += rng.below(4) == 0 ? static_cast<char>(rng.below(256))
                                          : "etaoin shrdlu'.,1"[rng.below(17)];
            texts.push_back(text);
        }
        for (const std::string& text : texts) {
            CAPTURE(text);
            const std::vector<int> ids = core.encode(text);
            CHECK(ids == engine.encode(text));
            CHECK(core.decode(ids) == text);
        }
        CHECK(contains(error_of([&] { core.token_bytes(core.vocab_size()); }),
                       "vocab.json: there is no token"));
    }
}

// ---- JSON ----
namespace {

using Theirs = nlohmann::ordered_json;

bool same_value(const Json& mine, const Theirs& theirs) {
    if (mine.is_array() && theirs.is_array())
        return std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(), same_value);
    if (mine.is_object() && theirs.is_object())
        return std::equal(mine.items().begin(), mine.items().end(), theirs.items().begin(),
                          theirs.items().end(), [](const Json::Member& m, const auto& t) {
                              return m.key == t.key() && same_value(m.value, t.value());
                          });
    if (mine.is_number_float())
        return theirs.is_number_float() && mine.get<double>() == theirs.get<double>();
    return mine.type_name() == theirs.type_name() && json_text(mine) == theirs.dump();
}

}  // namespace

TEST_CASE("the JSON reader takes and refuses what nlohmann's does", "[core]") {
    std::vector<std::string> texts = {
        "null", "true", "false", "0", "-0", "12", "-7.5e-3", "1E+2", "\"\"", "[]", "{}",
        " [1, 2 ,[3]] ", R"({"a": {"b": [null, "x"]}, "c": 1})",
        R"("\"\\\/\b\f\n\r\t\u00e9\u20ac\ud83d\ude00")", "\"\xc3\xa9\"", "9007199254740993",
        "9223372036854775807", "0.1", "123456789012345678901234567890", "\xef\xbb\xbf[1]",
        // not JSON
        "", " ", "nul", "nulll", "True", "01", "-", "1.", ".5", "1e", "1e+", "+1", "0x1", "NaN",
        "1e999", "\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\ud800\\u0041\"",
        "\"\\udc00\"", "\"\n\"", "\"\xff\"", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{",
        "{1:2}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\":1 \"b\":2}", "{\"a\":1,\"a\":2}",
        "1 2", "[1]]", "'a'", "// x\n1", "[1]\x01"};
    texts.push_back(std::string("1\0", 2));
    for (const int depth : {64, 65, 66}) {
        const auto n = static_cast<std::size_t>(depth);
        texts.push_back(std::string(n, '[') + std::string(n, ']'));
        texts.push_back(std::string(n, '[') + "1" + std::string(n, ']'));
    }
    // Every text also with a byte taken out or changed.
    Rng rng(12);
    for (std::size_t i = 0, n = texts.size(); i < n; ++i) {
        for (int change = 0; change < 6 && !texts[i].empty(); ++change) {
            std::string text = texts[i];
            const auto at = rng.below(text.size());
            if (change % 2 == 0) text.erase(at, 1);
            else text[at] = "{}[]\",:01eE+-.\\utn \x7f\xc3"[rng.below(22)];
            texts.push_back(text);
        }
    }
    for (const std::string& text : texts) {
        CAPTURE(text);
        Json mine;
        const std::string ours = error_of([&] { mine = parse_json(text, "x", 10000); });
        const bool twice = contains(ours, "appears twice");
        const auto theirs = Theirs::parse(text, nullptr, false);
        // nlohmann's takes a zero byte for the end of the text, and keys that appear twice.
        const bool wrong = theirs.is_discarded() || text.find('\0') != std::string::npos;
        REQUIRE(ours.empty() == (!wrong && !twice));
        REQUIRE(json_value(text).is_discarded() == wrong);
        // A value that is passed over is checked as one that is kept.
        const std::string passed = error_of([&] {
            JsonReader reader(text, "x", 10000);
            reader.skip(), reader.end();
        });
        REQUIRE(passed == (twice ? "" : ours));
        if (!ours.empty()) CHECK(contains(ours, "x: "));
        else {
            CHECK(same_value(mine, theirs));
            if (text.find_first_of(".eE") == std::string::npos)
                for (const int indent : {-1, 0, 3})
                    CHECK(json_text(mine, indent) == theirs.dump(indent));
        }
    }
    CHECK(contains(error_of([&] { parse_json(std::string(65, '['), "x"); }), "64 deep"));
    CHECK(contains(error_of([&] { parse_json(std::string(65, '[') + std::string(65, ']'), "x"); }),
                   "64 deep"));
    CHECK_NOTHROW(parse_json(std::string(64, '[') + std::string(64, ']'), "x"));
    CHECK_NOTHROW(parse_json(std::string(64, '[') + "1" + std::string(64, ']'), "x"));
    CHECK(json_value(R"({"a": 1, "b": 2, "a": [3], "a": 4})") == Json({{"a", 4}, {"b", 2}}));
    const char* const file = "data/models/storyteller/tokenizer.json";
    CHECK(same_value(read_json(file), Theirs::parse(std::string(MappedFile(file).text()))));
}

TEST_CASE("members are read one by one, in any order, and say what they are", "[core]") {
    JsonReader reader(R"( {"a": [1, {"b": 2}] , "c":"x\ny","d":-3, "e": 2.50,"f":null,
        "g": true, "h": {}, "i": 18446744073709551615} )",
                      "x");
    std::vector<JsonReader::Member> members = reader.members();
    reader.end();
    std::string kinds, keys;
    for (const auto& [key, value] : members) keys += key, kinds += value.kind() + "; ";
    CHECK(keys == "acdefghi");
    CHECK(kinds ==
          "a list; the string \"x y\"; the integer -3; the number 2.50; null; true; an object; "
          "the integer 18446744073709551615; ");
    int elements = 0;
    members[0].value.array([&] { elements += members[0].value.skip().peek() == '{' ? 10 : 1; });
    CHECK(elements == 11);
    CHECK(members[1].value.string() == "x\ny");
    CHECK(members[2].value.integer(-3, 0) == -3);
    CHECK_FALSE(members[2].value.integer(-2, 0));
    CHECK_FALSE(members[2].value.integer(std::uint64_t{0}, ~std::uint64_t{0}));
    CHECK_FALSE(members[3].value.integer(0, 9));
    CHECK_FALSE(
        members[7].value.integer(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()));
    CHECK(members[7].value.integer(std::uint64_t{0}, ~std::uint64_t{0}) == ~std::uint64_t{0});
    CHECK_FALSE(members[1].value.integer(0, 9));
    CHECK(error_of([] { JsonReader(R"({"a":1,"b":2,"a":3})", "x").members(); }) ==
          "x: the key \"a\" appears twice");
}

TEST_CASE("the fewest digits of a number are written, in nlohmann's form", "[core]") {
    Rng rng(7);
    for (int i = 0; i < 20000; ++i) {
        std::uint64_t bits = rng.next();
        if (i % 2 == 0)  // numbers of a usual size
            bits = std::bit_cast<std::uint64_t>(std::ldexp(rng.uniform(), i % 120 - 60));
        const auto value = std::bit_cast<double>(bits);
        const std::string mine = json_text(value), theirs = Theirs(value).dump();
        CAPTURE(mine, theirs);
        if (!std::isfinite(value)) continue;
        REQUIRE(std::strtod(mine.c_str(), nullptr) == value);
        // Grisu2 sometimes has a digit more.
        REQUIRE((mine == theirs || mine.size() <= theirs.size()));
    }
    for (const double value : {0.0, -0.0, 1.0, 0.1, 1e15, 1e14, 123456789012345678.0, 1e-4, 1e-5,
                               1.5e-7, 1e300, 5e-324, 100.0, 99.5})
        CHECK(json_text(value) == Theirs(value).dump());
    CHECK(json_text(std::nan("")) == "null");
}

TEST_CASE("JSON values are made, compared and changed as their text is", "[core]") {
    Json j = {{"a", 1}, {"b", {1, 2.0, "x"}}, {"c", Json::object()}, {"d", nullptr}};
    CHECK(json_text(j) == R"({"a":1,"b":[1,2.0,"x"],"c":{},"d":null})");
    j["b"].push_back(true), j["e"]["f"] = 5, j.erase("a");
    CHECK(json_text(j) == R"({"b":[1,2.0,"x",true],"c":{},"d":null,"e":{"f":5}})");
    CHECK(j == json_value(R"({"e":{"f":5.0},"d":null,"c":{},"b":[1.0,2,"x",true]})"));
    CHECK_FALSE(j == json_value(R"({"e":{"f":5},"d":null,"c":{},"b":[1,2,"x",1]})"));
    CHECK(Json(~std::uint64_t{0}) == json_value("18446744073709551615"));
    CHECK_FALSE(Json(~std::uint64_t{0}) == Json(-1));
    CHECK(json_text(std::map<std::string, std::vector<int>>{{"a", {1}}, {"b", {}}}) ==
          R"({"a":[1],"b":[]})");
    CHECK(j.value("nothing", 3) == 3);
    CHECK(j.value("nothing", "x") == "x");
    CHECK(j["b"].get<Json>() == j.at("b"));
    for (const char* wrong : {"nothing", "c"})
        CHECK_THROWS_AS(std::as_const(j).at(wrong).get<double>(), JsonError);
    CHECK_THROWS_AS(j["b"].at(4), JsonError);
    CHECK_THROWS_AS(j["b"]["key"], JsonError);
    CHECK_THROWS_AS(j.push_back(1), JsonError);
    CHECK_THROWS_AS(j["d"].get<bool>(), JsonError);
}

// ---- files ----
TEST_CASE("numbers of every type, unaligned, and those that are not finite", "[core]") {
    const TemporaryFolder folder;
    const std::string header = R"({"b": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]},
        "transformer.w": {"dtype": "F32", "shape": [2], "data_offsets": [1, 9]},
        "h": {"dtype": "F16", "shape": [2], "data_offsets": [9, 13]},
        "n": {"dtype": "BF16", "shape": [1], "data_offsets": [13, 15]}})";
    const float w[] = {1.5f, -2.0f};
    const std::uint16_t h[] = {to_f16(0.25f), to_f16(-3.0f)}, n = 0x7fc0;
    std::string text(8, '\0');
    const std::uint64_t length = header.size();
    std::memcpy(text.data(), &length, 8);
    text += header + std::string(1, '\7') + std::string(reinterpret_cast<const char*>(w), 8) +
            std::string(reinterpret_cast<const char*>(h), 4) +
            std::string(reinterpret_cast<const char*>(&n), 2);
    folder.write("model.safetensors", text);
    const StoredWeights file = StoredWeights::open(folder.path());
    CHECK(copied(file.read("w", {2}).values()) == std::vector<float>{1.5f, -2.0f});
    CHECK(copied(file.read("h", {2}).values()) == std::vector<float>{0.25f, -3.0f});
    CHECK(contains(error_of([&] { file.read("n", {1}); }), "number 0 is NaN"));
    CHECK(contains(error_of([&] { file.read("b", {1}); }), "expected F32, F16 or BF16"));
    CHECK(contains(error_of([&] { file.read("w", {3}); }), "has shape (2), expected (3)"));
    CHECK(contains(error_of([&] { file.read("x", {3}); }), "has no tensor \"x\""));
}

TEST_CASE("other models are sent to the chapters that open them", "[core]") {
    CHECK(
        contains(error_of([] { load_gpt("tests/data/tiny-llama"); }),
                 "model_type is llama, expected gpt2; the complete generator opens other models"));
    CHECK(contains(error_of([] { load_gpt("no/such"); }), "no/such: no such model directory"));
    CHECK(contains(error_of([] { load_gpt("tests"); }), "tests: has no config.json"));
    // The configuration is the engine's.
    const GptConfig c = read_gpt_config("data/models/storyteller");
    const TransformerConfig e = read_model_config("data/models/storyteller");
    CHECK(std::vector{c.vocab_size, c.n_positions, c.n_embd, c.n_layer, c.n_head, c.n_inner} ==
          std::vector{e.vocab_size, e.n_positions, e.n_embd, e.n_layer, e.n_head, e.n_inner});
}

// ---- the README ----
TEST_CASE("the program in the README of core is complete and prints what it says", "[core]") {
    const std::string page = read_file("lib/core/README.md"),
                      program = read_file("tests/support/core_program.hpp");
    CHECK(contains(page, "```cpp\n" + program + "```\n"));
    const std::string text = tbt::test::written_to(1, [] { program_of_the_readme(); });
    CHECK(contains(page, "```text\n" + text + "```\n"));
}
