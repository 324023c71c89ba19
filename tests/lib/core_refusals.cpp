// What the tiny library refuses: a GPT-2 that it would compute differently, a tokenizer that does
// not belong to the weights.
#include "tests/catch.hpp"

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "lib/core/files.hpp"
#include "lib/core/gpt.hpp"
#include "lib/core/json.hpp"
#include "lib/core/tokenizer.hpp"
#include "lib/files/random_model.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using test::contains;
using test::error_of;
using test::TemporaryFolder;

namespace {

std::vector<float> copied(std::span<const float> values) { return {values.begin(), values.end()}; }

}  // namespace

TEST_CASE("core refuses a GPT-2 that it would compute differently", "[core]") {
    const TemporaryFolder folder;
    const auto said = [&](auto&& change) {
        Json json = read_json("tests/data/tiny-gpt2/config.json");
        change(json);
        folder.write("config.json", json_text(json));
        return error_of([&] { read_gpt_config(folder.path()); });
    };
    CHECK(said([](Json&) {}) == "");
    CHECK(said([](Json& j) { j["activation_function"] = "gelu_pytorch_tanh"; }) == "");
    CHECK(contains(said([](Json& j) { j["activation_function"] = "relu"; }),
                   "config.json: activation_function is relu, expected gelu_new"));
    CHECK(contains(said([](Json& j) { j["scale_attn_weights"] = false; }), "expected true"));
    for (const std::string key : {"scale_attn_by_inverse_layer_idx", "add_cross_attention"})
        CHECK(contains(said([&](Json& j) { j[key] = true; }), key + " is true, expected false"));
    CHECK(said([](Json& j) { j["pruned_heads"] = Json::object(); }) == "");
    CHECK(contains(said([](Json& j) { j["pruned_heads"] = {{"0", 1}}; }), "pruned_heads is not"));
    CHECK(contains(said([](Json& j) { j["quantization_config"] = Json::object(); }),
                   "its weights have 8 bits or fewer"));
    CHECK(contains(said([](Json& j) { j["n_head"] = 3; }), "expected a multiple of n_head, 3"));
    for (const Json& bad : {Json(0), Json(1), Json("x"), Json(-1e-5), Json(1e-50)})
        CHECK(contains(said([&](Json& j) { j["layer_norm_epsilon"] = bad; }),
                       "expected a small positive number"));
    CHECK(contains(said([](Json& j) { j.erase("n_embd"); }), "n_embd is missing"));
    CHECK(contains(said([](Json& j) { j["n_layer"] = 0; }), "n_layer is the integer 0, expected"));
    CHECK(contains(said([](Json& j) { j["tie_word_embeddings"] = 1; }), "expected true or false"));
    CHECK(contains(said([](Json& j) { j = Json::array(); }), "is a list, expected an object"));
    // What is left out has GPT-2's value.
    CHECK(said([](Json& j) { j.erase("n_inner"), j.erase("layer_norm_epsilon"); }) == "");
    CHECK(read_gpt_config(folder.path()).n_inner == 4 * read_gpt_config(folder.path()).n_embd);
}

TEST_CASE("ids without a text are never written by core, and texts without an id are refused",
          "[core]") {
    const TemporaryFolder folder;
    write_random_model(folder.file("a"), gpt_config(1, 2, 32, 64, 310));
    write_random_model(folder.file("b"), gpt_config(1, 2, 32, 64, 300));
    const auto exchange = [&](const std::string& from, const std::string& to) {
        for (const char* name : {"vocab.json", "merges.txt"})
            folder.write(to + "/" + name, read_file(folder.file(from + "/" + name)));
    };
    const std::string vocab = read_file(folder.file("a/vocab.json")),
                      merges = read_file(folder.file("a/merges.txt"));
    exchange("b", "a");
    GptModel model = load_gpt(folder.file("a"));
    GptCache cache(model.config());
    const std::vector<float> logits = copied(model.gpt.forward(cache, std::vector<int>{5}));
    REQUIRE(logits.size() == 310);
    for (std::size_t id = 0; id < 310; ++id) CHECK(std::isinf(logits[id]) == (id >= 300));
    CHECK(error_of([&] { model.gpt.mask_ids_from(311); }) ==
          "transformer: 311 ids with a text, expected 1 to 310");
    CHECK_NOTHROW(model.gpt.mask_ids_from(310));
    CHECK_NOTHROW(model.gpt.mask_ids_from(1));
    CHECK_THROWS_AS(model.gpt.mask_ids_from(0), Error);
    folder.write("b/vocab.json", vocab), folder.write("b/merges.txt", merges);
    CHECK(contains(error_of([&] { load_gpt(folder.file("b")); }),
                   "the tokenizer has 310 tokens, the model only 300; they don't belong together"));
}

TEST_CASE("a vocabulary that lacks a byte, or merges with line ends of Windows", "[core]") {
    const TemporaryFolder folder;
    CHECK(contains(error_of([&] { BytePairTokenizer::load(folder.path()); }),
                   "there is no vocab.json, expected it and merges.txt"));
    std::string vocab;
    for (int b = 0; b < 256; ++b) {
        const std::string byte(1, static_cast<char>(byte_token_order()[index(b)]));
        vocab += json_text(Json(visible_bytes(byte))) + ": " + std::to_string(b) + ", ";
    }
    const auto load = [&](const std::string& text, const std::string& merges) {
        folder.write("vocab.json", text);
        folder.write("merges.txt", merges);
        return BytePairTokenizer::load(folder.path());
    };
    const BytePairTokenizer t = load("{" + vocab + "\"ab\": 256}", "#version: 0.2\r\na b\r\n\r\n");
    CHECK(t.encode("ab") == std::vector<int>{256});
    CHECK(load("{" + vocab + "\"ab\": 256}", "a b").encode("ab") == std::vector<int>{256});
    const auto complaint = [&](const std::string& text, const std::string& merges) {
        return error_of([&] { load(text, merges); });
    };
    CHECK(
        contains(complaint("[]", ""), "vocab.json: the vocabulary is a list, expected an object"));
    CHECK(contains(complaint("{\"a\": 0}", ""), "the vocabulary lacks the byte 0"));
    CHECK(contains(complaint("{" + vocab + "\"\": 256}", ""), "token 256 is empty"));
    CHECK(contains(complaint("{" + vocab + "\"ab\": 256}", "a b c\n"), "line 1 is \"a b c\""));
    // Only the first line may be a version.
    CHECK(contains(complaint("{" + vocab + "\"ab\": 256}", "a b\n#version x\n"), "line 2"));
}
