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
#include "tests/lib/changed_json.hpp"
#include "tests/lib/logits.hpp"

using namespace tbt;
using test::contains;
using test::error_of;
using test::TemporaryFolder;

TEST_CASE("core refuses a GPT-2 that it would compute differently", "[core]") {
    const auto said = [](const test::Change& change) {
        return error_of(
            [&] { read_gpt_config(test::ChangedFile("tiny-gpt2", "config.json", change).path()); });
    };
    test::check_refused(
        said, {{"{}", ""},
               {R"({"activation_function": "gelu_pytorch_tanh"})", ""},
               {R"({"activation_function": "relu"})",
                "config.json: activation_function is relu, expected gelu_new"},
               {R"({"scale_attn_weights": false})", "expected true"},
               {R"({"scale_attn_by_inverse_layer_idx": true})",
                "scale_attn_by_inverse_layer_idx is true, expected false"},
               {R"({"add_cross_attention": true})", "add_cross_attention is true, expected false"},
               {R"({"pruned_heads": {}})", ""},
               {R"({"pruned_heads": {"0": 1}})", "pruned_heads is not"},
               {R"({"quantization_config": {}})", "its weights have 8 bits or fewer"},
               {R"({"n_head": 3})", "expected a multiple of n_head, 3"},
               {R"({"layer_norm_epsilon": 0})", "expected a small positive number"},
               {R"({"layer_norm_epsilon": 1})", "expected a small positive number"},
               {R"({"layer_norm_epsilon": "x"})", "expected a small positive number"},
               {R"({"layer_norm_epsilon": -1e-5})", "expected a small positive number"},
               {R"({"layer_norm_epsilon": 1e-50})", "expected a small positive number"},
               {[](Json& j) { j.erase("n_embd"); }, "n_embd is missing"},
               {R"({"n_layer": 0})", "n_layer is the integer 0, expected"},
               {R"({"tie_word_embeddings": 1})", "expected true or false"},
               {[](Json& j) { j = Json::array(); }, "is a list, expected an object"}});
    // What is left out has GPT-2's value.
    const test::ChangedFile least("tiny-gpt2", "config.json", [](Json& j) {
        j.erase("n_inner"), j.erase("layer_norm_epsilon");
    });
    const GptConfig config = read_gpt_config(least.path());
    CHECK(config.n_inner == 4 * config.n_embd);
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
    const std::vector<float> logits = test::copied(model.gpt.forward(cache, std::vector<int>{5}));
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

TEST_CASE(
    "a broken vocabulary or merge is refused with its line, and line ends may be those of Windows",
    "[core]") {
    const TemporaryFolder folder;
    CHECK(contains(error_of([&] { BytePairTokenizer::load(folder.path()); }),
                   "there is no vocab.json, expected it and merges.txt"));
    std::string bytes = "{";
    for (int b = 0; b < 256; ++b) {
        const std::string byte(1, static_cast<char>(byte_token_order()[index(b)]));
        bytes += json_text(Json(visible_bytes(byte))) + ": " + std::to_string(b) + ", ";
    }
    const auto load = [&](const std::string& vocab, const std::string& merges) {
        folder.write("vocab.json", vocab);
        folder.write("merges.txt", merges);
        return BytePairTokenizer::load(folder.path());
    };
    const std::string ab = bytes + "\"ab\": 256}";
    for (const char* merges : {"#version: 0.2\na b\n", "#version: 0.2\r\na b\r\n\r\n", "a b"})
        CHECK(load(ab, merges).encode("ab") == std::vector<int>{256});
    struct Broken {
        std::string vocab, merges, message;
    };
    for (const Broken& broken : std::vector<Broken>{
             {bytes + "\"ab\": 257}", "", "without gaps"},
             {bytes + "\"ab\": 255}", "", "both have id 255"},
             {bytes + "\"ab\": \"x\"}", "", "has as id the string \"x\""},
             {bytes + "\"a b\": 256}", "", "byte alphabet"},
             {bytes + "\"\": 256}", "", "token 256 is empty"},
             {"[]", "", "vocab.json: the vocabulary is a list, expected an object"},
             {"{\"a\": 0}", "", "the vocabulary lacks the byte 0"},
             {ab, "a b\na b\n", "merges.txt: line 2"},
             {ab, "a c\n", "line 1 makes \"ac\""},
             {ab, "ab\n", "expected two tokens"},
             {ab, "a bc\n", "line 1 joins \"bc\""},
             {ab, "a b c\n", "line 1 is \"a b c\""},
             {ab, "a b\n#version x\n", "line 2"}}) {  // only the first line may be a version
        INFO(broken.message);
        CHECK(contains(error_of([&] { load(broken.vocab, broken.merges); }), broken.message));
    }
}
