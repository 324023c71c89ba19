#include "tests/catch.hpp"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/files/config_file.hpp"
#include "lib/files/masked_gpt.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/model_config.hpp"
#include "tests/lib/changed_json.hpp"
#include "tests/support/captured.hpp"

using namespace tbt;
using tbt::test::contains;
using tbt::test::error_of;
using tbt::test::TemporaryFolder;

namespace {

const std::string tiny = "tests/data/tiny-gpt2";

// A copy of the tiny model's config.json after a change.
test::ChangedFile changed(const test::Change& change = "{}") {
    return {"tiny-gpt2", "config.json", change};
}

// What reading says after a change to it.
std::string complaint(const test::Change& change) {
    return error_of([&] { read_model_config(changed(change).path()); });
}

TransformerConfig gpt2_small() {
    TransformerConfig config = gpt_config(12, 12, 768, 1024, 50257);
    config.bos_token_id = 50256;
    config.eos_token_ids = {50256};
    return config;
}

}  // namespace

TEST_CASE("the tiny model's configuration is read", "[config]") {
    // n_inner is null: four times n_embd.
    TransformerConfig expected = gpt_config(2, 4, 64, 128, 97);
    expected.bos_token_id = 68, expected.eos_token_ids = {68};
    expected.layer_norm_epsilon = 1e-5f, expected.tie_word_embeddings = true;
    REQUIRE(read_model_config(tiny) == expected);
    REQUIRE((expected.head_size() == 16 && expected.n_inner == 256));
}

TEST_CASE("the number of weights is known before they are read", "[config]") {
    const Safetensors file = Safetensors::open_directory(tiny);
    std::int64_t count = 0;
    for (const auto& [name, view] : file.tensors()) count += element_count(view.shape);
    REQUIRE(parameter_count(read_model_config(tiny)) == count);
    REQUIRE(parameter_count(gpt2_small()) == 124439808);
}

TEST_CASE("a configuration that was written is read again", "[config]") {
    const TemporaryFolder folder;
    TransformerConfig config = gpt2_small();
    config.n_inner = 1000;
    config.layer_norm_epsilon = 1e-6f;
    config.tie_word_embeddings = false;
    config.eos_token_ids = {50256, 198};
    config.bos_token_id.reset();
    config.torch_dtype = "float16";
    write_model_config(folder.file("model"), config);
    const TransformerConfig again = read_model_config(folder.file("model"));
    REQUIRE(again == config);

    const Json json = read_json(folder.file("model/config.json"));
    REQUIRE(json["architectures"] == Json::array({"GPT2LMHeadModel"}));
    REQUIRE(json["model_type"] == "gpt2");
    REQUIRE(json["use_cache"] == true);  // transformers is slow without
    REQUIRE(json["activation_function"] == "gelu_new");
    REQUIRE(json["layer_norm_epsilon"] == 1e-6);  // as a person writes it
    REQUIRE(json["bos_token_id"].is_null());
    REQUIRE(read_json(folder.file("model/generation_config.json"))["eos_token_id"] ==
            Json::array({50256, 198}));
}

TEST_CASE("GPT-2's embedding is tied unless config.json says that it is not", "[config]") {
    const auto tied = [](const test::Change& change) {
        return read_model_config(changed(change).path()).tie_word_embeddings;
    };
    REQUIRE(tied([](Json& j) { j.erase("tie_word_embeddings"); }));
    REQUIRE_FALSE(tied(R"({"tie_word_embeddings": false})"));
}

TEST_CASE("generation_config.json decides which tokens end a text", "[config]") {
    const test::ChangedFile folder = changed();
    folder.write("generation_config.json", R"({"eos_token_id": [3, 5], "bos_token_id": 1})");
    REQUIRE(read_model_config(folder.path()).eos_token_ids == std::vector<int>{3, 5});
    REQUIRE(read_model_config(folder.path()).bos_token_id == 1);
    folder.write("generation_config.json", R"({"eos_token_id": null})");
    REQUIRE(read_model_config(folder.path()).eos_token_ids == std::vector<int>{68});
    folder.write("generation_config.json", R"({"eos_token_id": "</s>"})");
    REQUIRE(contains(error_of([&] { read_model_config(folder.path()); }),
                     "generation_config.json: eos_token_id is the string \"</s>\", expected an "
                     "integer from 0 to 96"));
    folder.write("generation_config.json", "[]");
    REQUIRE(contains(error_of([&] { read_model_config(folder.path()); }),
                     "is a list, expected an object"));
}

TEST_CASE("an end-of-text id outside of the vocabulary is ignored, in one line", "[config]") {
    const TemporaryFolder folder;
    Json json = read_json(tiny + "/config.json");
    const auto ends = [&](const Json& ids, const std::string& said) {
        json["eos_token_id"] = ids;
        folder.write("config.json", json_text(json));
        TransformerConfig config;
        const std::string line =
            test::written_to(2, [&] { config = read_model_config(folder.path()); });
        CHECK(line == (said.empty() ? "" : folder.file("config.json: eos_token_id is ") + said));
        return config.eos_token_ids;
    };
    CHECK(ends(96, "") == std::vector{96});
    CHECK(ends(97, "97, expected 0 to 96; ignored\n").empty());
    CHECK(ends({1, -1}, "-1, expected 0 to 96; ignored\n") == std::vector{1});
    CHECK(ends(1ll << 40, "1099511627776, expected 0 to 96; ignored\n").empty());
}

TEST_CASE("a broken config.json is refused with file, key, value and what was expected",
          "[config]") {
    const std::pair<const char*, const char*> no_sizes[] = {
        {"\"12\"", "the string \"12\", expected an integer"},
        {"12.0", "the number 12.0"},
        {"-12", "the integer -12"},
        {"0", "the integer 0"},
        {"1152921504606846976", "the integer 1152921504606846976"},
        {"18446744073709551615", "the integer 18446744073709551615"}};
    for (const std::string name : {"vocab_size", "n_positions", "n_embd", "n_layer", "n_head"}) {
        INFO(name);
        REQUIRE(contains(complaint([&](Json& j) { j.erase(name); }),
                         "config.json: " + name + " is missing"));
        for (const auto& [value, message] : no_sizes)
            REQUIRE(contains(complaint(("{\"" + name + "\": " + value + "}").c_str()),
                             name + " is " + message));
    }
    check_refused(
        complaint,
        {{"{}", ""},
         {R"({"n_inner": 0})", "n_inner is the integer 0"},
         {R"({"n_embd": 66})", "n_embd is 66, expected a multiple of n_head, 4"},
         {R"({"layer_norm_epsilon": 0})", "layer_norm_epsilon"},
         {R"({"layer_norm_epsilon": -1e-5})", "layer_norm_epsilon"},
         {R"({"layer_norm_epsilon": "small"})", "layer_norm_epsilon is the string"},
         {R"({"tie_word_embeddings": 1})",
          "tie_word_embeddings is the integer 1, expected true or false"},
         {R"({"eos_token_id": 1.5})",
          "eos_token_id is the number 1.5, expected an integer from 0 to 96"},
         {R"({"bos_token_id": [1, 2]})", "bos_token_id is a list"},
         {[](Json& j) {
              j = Json::array({1, 2});
          },
          "config.json: is a list, expected an object"},
         {R"({"n_embd": 1048576, "n_layer": 1048576, "n_head": 1})", "more than 2^40 weights"}});
}

TEST_CASE("variants of GPT-2 that would compute something else are refused by name", "[config]") {
    check_refused(complaint,
                  {{R"({"model_type": "bloom"})", "model_type is bloom; expected gpt2, llama, "},
                   {[](Json& j) { j.erase("model_type"); }, "model_type is missing"},
                   {R"({"activation_function": "relu"})", "activation_function is relu"},
                   {R"({"activation_function": "gelu"})", "activation_function is gelu,"},
                   {R"({"activation_function": "gelu_pytorch_tanh"})", ""},
                   {R"({"scale_attn_weights": false})", "scale_attn_weights is false"},
                   {R"({"scale_attn_by_inverse_layer_idx": true})",
                    "scale_attn_by_inverse_layer_idx is true"},
                   {R"({"add_cross_attention": true})", "add_cross_attention"},
                   {R"({"quantization_config": {}})", "quantization_config"},
                   {R"({"pruned_heads": {"0": [1]}})", "pruned_heads"}});
}

TEST_CASE("a configuration that is missing or not JSON is refused", "[config]") {
    const TemporaryFolder folder;
    const auto message = [&] { return error_of([&] { read_model_config(folder.path()); }); };
    REQUIRE(contains(message(), "the folder is empty, expected a model's: config.json"));
    for (const auto& [text, said] : std::vector<std::pair<std::string, std::string>>{
             {"{\"vocab_size\": 97,}", "config.json: is not JSON: line 1, column 19"},
             {"{\"n_embd\": 1, \"n_embd\": 2}", "the key \"n_embd\" appears twice"},
             {"{\"n_embd\": 1e999}", "config.json: is not JSON"},
             {std::string("{\"a\": \"\0\"}", 10), "config.json: is not JSON"},
             {"{\"n_\xc3\": 1}", "byte 4 is not valid UTF-8"}}) {
        folder.write("config.json", text);
        REQUIRE(contains(message(), said));
    }
    std::filesystem::remove(folder.file("config.json"));
    std::filesystem::create_directory(folder.file("config.json"));
    REQUIRE(contains(message(), "is not a regular file"));
}

TEST_CASE("an impossible configuration is not written", "[config]") {
    const TemporaryFolder folder;
    TransformerConfig config = gpt2_small();
    config.eos_token_ids = {50257};
    REQUIRE(contains(error_of([&] { write_model_config(folder.file("model"), config); }),
                     "eos_token_id is 50257"));
    config = gpt2_small();
    config.n_inner = 0;
    REQUIRE(contains(error_of([&] { write_model_config(folder.file("model"), config); }),
                     "n_inner is 0"));
    REQUIRE_FALSE(file_exists(folder.file("model")));
}

TEST_CASE("a model that fills masks may end texts with any token but the mask, the first one too",
          "[config]") {
    const TemporaryFolder folder;
    TransformerConfig config = gpt_config(1, 2, 8, 16, 50);
    for (const int eos : {0, 48}) {
        config.eos_token_ids = {eos};
        write_masked_config(folder.path(), config);
        REQUIRE(read_masked_config(folder.path()).eos_token_ids == std::vector<int>{eos});
    }
    Json json = read_json(folder.file("config.json"));
    json["eos_token_id"] = 49;  // the mask
    folder.write("config.json", json_text(json));
    REQUIRE_THROWS_AS(read_masked_config(folder.path()), Error);
}

TEST_CASE("impossible experts, caps and scales of an architecture are named", "[config]") {
    const auto said = [](auto&& change) {
        TransformerConfig config = llama_config(1, 2, 1, 8, 12, 16, 11);
        Architecture& a = config.architecture;
        a.experts = 2, a.experts_per_token = 1, a.expert_inner = 12, a.layers[0].experts = true;
        change(a);
        return error_of([&] { check_config(config, "test"); });
    };
    CHECK(said([](Architecture& a) { a.experts_per_token = 3; }) ==
          "test: experts_per_token is 3, expected 1 to the number of experts");
    CHECK(said([](Architecture& a) { a.experts = a.experts_per_token = a.expert_inner = 0; }) ==
          "test: experts is 0, expected one at least for a layer with experts");
    const std::pair<void (*)(Architecture&), const char*> impossible[] = {
        {[](Architecture& a) { a.experts_per_token = 0; }, "experts_per_token is 0"},
        {[](Architecture& a) { a.expert_inner = 0; }, "expert_inner is 0, expected"},
        {[](Architecture& a) { a.experts = -1; }, "experts is -1, expected 0 or more"},
        {[](Architecture& a) { a.experts = 65537; }, "together at most 65536"},
        {[](Architecture& a) { a.heads_in_turn = true; }, "kv_heads is 1, expected n_head, where"},
        {[](Architecture& a) { a.score_cap = -1; }, "score_cap or logit_cap is not"},
        {[](Architecture& a) { a.logit_cap = NAN; }, "score_cap or logit_cap is not"}};
    for (const auto& [change, message] : impossible) CHECK(contains(said(change), message));
    for (float Architecture::*scale : {&Architecture::residual_scale, &Architecture::logit_scale,
                                       &Architecture::activation_limit})
        CHECK(contains(said([&](Architecture& a) { a.*scale = INFINITY; }), "is not a number"));
}
