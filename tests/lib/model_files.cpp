// What people name as a model by mistake: each is one line with what to do.
#include "lib/files/model.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include "lib/files/config_file.hpp"
#include "lib/files/random_model.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/files/safetensors_write.hpp"
#include "lib/model/model_config.hpp"
#include "lib/model/transformer.hpp"
#include "tests/catch.hpp"
#include "tests/support/captured.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using test::contains;
using test::error_of;
using test::TemporaryFolder;

namespace {

std::string refusal(const std::string& path) {
    const std::string message = error_of([&] { load_model(path); });
    CHECK(message.find('\n') == std::string::npos);
    return message;
}

}  // namespace

TEST_CASE("a name of the hub that is no folder here is to be fetched first", "[model][files]") {
    CHECK(contains(refusal("Qwen/Qwen2.5-0.5B"),
                   "Qwen/Qwen2.5-0.5B: no such model directory here; a model of the Hugging Face "
                   "hub is fetched first, with hf download Qwen/Qwen2.5-0.5B; "
                   "build/fetched_models lists"));
    // Of a path that begins here, or of a file, nobody says so.
    for (const std::string path : {"data/none", "/no/such", "./a", "none", "a/b/c", "a/b.gguf"}) {
        INFO(path);
        CHECK(contains(refusal(path), path + ": no such model directory; expected a folder with"));
    }
}

TEST_CASE("weights without the rest of a model are refused by what they are", "[model][files]") {
    CHECK(contains(refusal("data/models/storyteller/model.safetensors"),
                   "model.safetensors: holds the weights alone, without config.json and "
                   "tokenizer; name the directory that has all of them: data/models/storyteller"));
    const TemporaryFolder folder;
    for (const std::string name : {"model.pkl", "pytorch_model.bin", "model.pt", "last.ckpt"})
        CHECK(contains(refusal(folder.write(name, "x")),
                       name + ": weights of PyTorch are not read, since opening them can run code; "
                              "expected a directory with model.safetensors"));
    CHECK(contains(refusal(folder.write("model.onnx", "x")), "does not begin with GGUF"));
}

TEST_CASE("a folder that lacks a part of a model says which", "[model][files]") {
    const TemporaryFolder folder;
    CHECK(contains(refusal(folder.path()), "the folder is empty, expected a model's: config.json"));
    folder.write("README.md", "x");
    CHECK(contains(refusal(folder.path()), "has no config.json, expected a model's directory"));
    folder.write("b.gguf", "x"), folder.write("a.gguf", "x");
    CHECK(contains(refusal(folder.path()),
                   "has no config.json, but a GGUF file; name that: " + folder.file("a.gguf")));
    // config.json alone, then with weights of PyTorch, then of a shard too few, then all of them.
    const std::string shards = "tests/data/tiny-llama-bf16-sharded/";
    std::filesystem::copy_file(shards + "config.json", folder.file("config.json"));
    CHECK(contains(refusal(folder.path()), "has no model.safetensors"));
    folder.write("pytorch_model.bin.index.json", "{}");
    CHECK(contains(refusal(folder.path()),
                   "has only pytorch_model.bin.index.json, expected "
                   "model.safetensors; save the model again"));
    for (const char* name : {"model.safetensors.index.json", "model-00001-of-00003.safetensors",
                             "model-00003-of-00003.safetensors"})
        std::filesystem::copy_file(shards + name, folder.file(name));
    CHECK(contains(refusal(folder.path()),
                   "model-00002-of-00003.safetensors: is missing, one of the 3 files that "
                   "model.safetensors.index.json names; fetch them all"));
    std::filesystem::copy_file(shards + "model-00002-of-00003.safetensors",
                               folder.file("model-00002-of-00003.safetensors"));
    CHECK(contains(refusal(folder.path()), "there is no tokenizer, expected tokenizer.json"));
    folder.write("tokenizer.model", "x");
    CHECK(contains(refusal(folder.path()), "tokenizer.model becomes one when transformers"));
    CHECK(error_of([&] { read_model_config(folder.path()); }) == "");
}

TEST_CASE("constants in old files are no weights, and those of pictures are said to be unread",
          "[model][files]") {
    const TemporaryFolder folder;
    write_random_model(folder.path(), llama_config(1, 2, 1, 32, 48, 64, 300));
    const Safetensors file = Safetensors::open_directory(folder.path());
    std::vector<Tensor> kept;
    for (const auto& [name, tensor] : file.tensors()) kept.push_back(file.read(name, tensor.shape));
    const std::vector<float> numbers(8, 0.5f);
    const auto said = [&](const std::string& more) {
        std::vector<TensorToWrite> tensors{{more, {8}, numbers}};
        std::size_t i = 0;
        for (const auto& [name, tensor] : file.tensors())
            tensors.push_back({name, tensor.shape, kept[i++].values()});
        const TemporaryFolder other;
        std::filesystem::copy_file(folder.file("config.json"), other.file("config.json"));
        write_safetensors(other.file("model.safetensors"), tensors);
        std::string error;
        const std::string line =
            test::written_to(2, [&] { error = error_of([&] { load_transformer(other.path()); }); });
        return line + error;
    };
    for (const char* constant :
         {"self_attn.rotary_emb.inv_freq", "attention.bias", "attention.masked_bias"})
        CHECK(said(std::string("model.layers.0.") + constant) == "");
    CHECK(contains(said("model.layers.0.self_attn.q_norm.weight"),
                   "the weights have \"model.layers.0.self_attn.q_norm.weight\", which a llama"));
    CHECK(contains(said("vision_tower.a.weight"),
                   "only the text model is opened; pictures are not read"));
    CHECK(contains(said("multi_modal_projector.a.weight"), "pictures are not read"));
    CHECK(said("other.weight") == "");
    CHECK(contains(said("lm_head.bias"), "the weights have \"lm_head.bias\", which a llama"));
}

TEST_CASE("how a model is opened: threads and types from options, each with its limits",
          "[model]") {
    ModelOptions o;
    CHECK(!transformer_options(o).weights);
    CHECK(transformer_options(o).cache == WeightType::f32);
    for (const int threads : {0, 1, 2, 1024}) {
        o.threads = threads;
        CHECK(transformer_options(o).threads == threads);
    }
    for (const int threads : {-1, 1025}) {
        o.threads = threads;
        CHECK(error_of([&] { transformer_options(o); }) ==
              "--threads: got " + std::to_string(threads) +
                  ", expected 1 to 1024, or 0 for one a core");
    }
    o = {};
    for (const WeightType type : {WeightType::bf16, WeightType::int8}) {
        o.weights = names_of(type).option, o.cache = "f16";
        CHECK(transformer_options(o).weights == type);
        CHECK(transformer_options(o).cache == WeightType::f16);
    }
    o.cache = "bf16";
    CHECK_THROWS_AS(transformer_options(o), UsageError);
    CHECK(error_of([&] { transformer_options(o); }) == "--cache: got 'bf16', expected f32 or f16");
    o.weights = "int5";
    CHECK(error_of([&] { transformer_options(o); }) ==
          "--weights: got 'int5', expected stored, f32, f16, bf16, int8 or int4");
}
