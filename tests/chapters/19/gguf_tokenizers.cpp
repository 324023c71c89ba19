// Tokenizers of GGUF files: what is written of a tokenizer.json, read again, and files that say
// less or otherwise.
#include "tests/catch.hpp"

#include <filesystem>

#include "chapters/19_training/tools/gguf.hpp"
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

// A small model with the tokenizer of this golden one.
std::string with_tokenizer(const TemporaryFolder& folder, const std::string& golden,
                           TransformerConfig config = llama_config(1, 1, 1, 8, 8, 16, 300),
                           const std::string& name = "model") {
    const std::string from = "tests/data/tokenizers/" + golden;
    const Tokenizer theirs = Tokenizer::load(from);
    config.vocab_size = theirs.vocab_size() + 3;
    const std::string model = folder.file(name);
    write_random_model(model, config, {5, WeightType::f32});
    config.bos_token_id = theirs.bos_id();
    config.eos_token_ids = {theirs.vocabulary().eos_id.value_or(0)};
    write_model_config(model, config);
    for (const char* old : {"tokenizer.json", "vocab.json", "merges.txt", "tokenizer_config.json",
                            "special_tokens_map.json"})
        std::filesystem::remove(model + "/" + old);
    for (const auto& entry : std::filesystem::directory_iterator(from))
        std::filesystem::copy(entry.path(), model + "/" + entry.path().filename().string());
    return model;
}

// A file of a small model with this golden tokenizer, for with_text().
std::string file_with_tokenizer(const TemporaryFolder& folder, const std::string& golden) {
    const TransformerConfig config = llama_config(1, 1, 1, 8, 8, 16, 300);
    const std::string model = with_tokenizer(folder, golden, config, std::string(20, 'm'));
    write_gguf(model, folder.file("m.gguf"), WeightType::f32);
    return read_file(folder.file("m.gguf"));
}

}  // namespace

TEST_CASE("an added token of ▁ is spaces, from tokenizer.json and through GGUF") {
    const TemporaryFolder folder;
    const std::string model = with_tokenizer(folder, "tiny-gemma");
    Json json = read_json(model + "/tokenizer.json");
    for (const auto& [id, run] : {std::pair{263, "▁▁"}, {264, "▁▁▁▁"}})
        json["added_tokens"].push_back(
            {{"id", id}, {"content", run}, {"special", false}, {"normalized", false}});
    folder.write("model/tokenizer.json", json_text(json));
    write_gguf(model, folder.file("m.gguf"), WeightType::f32);
    const GgufFile file(folder.file("m.gguf"));
    CHECK(file.texts("tokenizer.ggml.tokens")[264] == "    ");  // as llama.cpp's converter
    const auto tokens = file.texts("tokenizer.ggml.tokens");
    const auto types = file.numbers("tokenizer.ggml.token_type");
    for (std::size_t id = 0; id < tokens.size(); ++id) {
        INFO(tokens[id]);  // a byte is "<0x41>"; "A" is a normal token
        CHECK((types[id] == 6) == (tokens[id].size() == 6 && tokens[id].starts_with("<0x")));
    }
    const auto check = [](const Tokenizer& t) {
        using Ids = std::vector<int>;
        CHECK(t.token_bytes(264) == "    ");
        CHECK(t.id_of("    ") == 264);
        CHECK(t.encode("    ") == Ids{264});
        CHECK(t.decode(t.encode("a    b")) == "a    b");
        CHECK(t.encode("<bos>", SpecialTokens::parse) == Ids{2});
        CHECK(t.encode("\n\n") == Ids{1087});
    };
    check(Tokenizer::load(model));
    check(gguf_tokenizer(file));
    CHECK(Tokenizer::load(model).encode("▁▁") == std::vector<int>{263});  // its text as written
}

TEST_CASE("names of pre-tokenizers with the same rules give the same ids") {
    const std::string sample = "  naïve Text's\n\n 12345 you'LL ...  end";
    const auto ids = [&](const std::string& golden, const char* from, const char* pre) {
        const TemporaryFolder folder;
        const std::string bytes = file_with_tokenizer(folder, golden);
        return gguf_tokenizer(GgufFile(folder.write("n.gguf", with_text(bytes, from, pre))))
            .encode_prompt(sample);
    };
    for (const char* pre : {"falcon3", "midm-2.0", "pixtral"})
        CHECK(ids("tiny-llama3", "llama-bpe", pre) == ids("tiny-llama3", "llama-bpe", "llama-v3"));
    for (const char* pre : {"kormo", "megrez"})
        CHECK(ids("tiny-qwen", "qwen2", pre) == ids("tiny-qwen", "qwen2", "qwen2"));
    for (const char* pre : {"mellum", "a.x-4.0"})
        CHECK(ids("tiny-smollm2", "smollm", pre) == ids("tiny-smollm2", "smollm", "gpt-2"));
}

TEST_CASE("DeepSeek's pre-tokenizers are those of its tokenizer.json, which has their names") {
    const TemporaryFolder folder;
    const std::string bytes = file_with_tokenizer(folder, "tiny-llama3");
    const auto split = [](const std::string& pattern) -> Json {
        return {{"type", "Split"},
                {"pattern", {{"Regex", pattern}}},
                {"behavior", "Isolated"},
                {"invert", false}};
    };
    const Json hanzi = split("[一-龥\u0800-一가-\ud7ff]+");
    const Json steps = Json::array({split("[\r\n]"),
                                    split("\\s?\\p{L}+"),
                                    split("\\s?\\p{P}+"),
                                    hanzi,
                                    {{"type", "Digits"}, {"individual_digits", true}},
                                    {{"type", "ByteLevel"}, {"use_regex", false}}});
    const std::string model = folder.file(std::string(20, 'm'));
    Json json = read_json(model + "/tokenizer.json");
    json["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", steps}};
    json["model"]["ignore_merges"] = false;
    folder.write(std::string(20, 'm') + "/tokenizer.json", json_text(json));
    const Tokenizer hub = Tokenizer::load(model);
    CHECK(gguf_pretokenizer(hub.vocabulary().rules, "m") == "deepseek-coder");
    const auto read = [&](const char* pre) {
        return gguf_tokenizer(GgufFile(folder.write("n.gguf", with_text(bytes, "llama-bpe", pre))));
    };
    const Tokenizer coder = read("deepseek-coder"), llm = read("deepseek-llm");
    for (const std::string sample :
         {"if x:\n\treturn 123 + 4  \n", "naïve 你好, the end's ...  "}) {
        CHECK(coder.encode(sample) == hub.encode(sample));
        CHECK(llm.decode(llm.encode(sample)) == sample);
    }
    CHECK(llm.encode("the 12") == coder.encode("the 12"));
    CHECK(gguf_pretokenizer(llm.vocabulary().rules, "m") == "deepseek-llm");
}

TEST_CASE("a token without a text gets llama.cpp's name for it") {
    const TemporaryFolder folder;
    const std::string bytes = file_with_tokenizer(folder, "tiny-qwen");
    const GgufFile file(folder.write("n.gguf", with_text(bytes, "<think>", "")));
    CHECK(gguf_tokenizer(file).token_bytes(961) == "[EMPTY_961]");
}

TEST_CASE("a bos or eos that is no token is ignored, unless it is put around each text") {
    const TemporaryFolder folder;
    std::string bytes = file_with_tokenizer(folder, "tiny-smollm2");
    const auto change = [&](const std::string& key, std::uint32_t type, const std::string& value) {
        GgufBytes begin;
        begin.text("tokenizer.ggml." + key);
        begin.u32(type);
        const std::size_t at = bytes.find(begin.all);
        REQUIRE(at != std::string::npos);
        bytes.replace(at + begin.all.size(), value.size(), value);
        return folder.write("n.gguf", bytes);
    };
    const std::string path = change("bos_token_id", 4, "\xff\xff\xff\xff");
    TransformerConfig config;
    CHECK(contains(written_to(2, [&] { config = gguf_config(GgufFile(path)); }),
                   "bos_token_id is 4294967295, expected 0 to "));
    CHECK(!config.bos_token_id);
    CHECK(!config.eos_token_ids.empty());
    CHECK(!gguf_tokenizer(GgufFile(path)).bos_id());
    const std::string asking = change("add_bos_token", 7, "\1");
    CHECK(contains(error_of([&] { gguf_tokenizer(GgufFile(asking)); }),
                   "tokenizer.ggml.bos_token_id is 4294967295, expected 0 to "));
}

TEST_CASE("a tokenizer in GGUF makes the ids that transformers makes") {
    const std::string name =
        GENERATE("tiny-llama3", "tiny-qwen", "tiny-smollm2", "tiny-spm", "tiny-gemma");
    INFO(name);
    const TemporaryFolder folder;
    write_gguf(with_tokenizer(folder, name), folder.file("m.gguf"), WeightType::f32);
    const Tokenizer ours = Tokenizer::load("tests/data/tokenizers/" + name);
    const Tokenizer read = gguf_tokenizer(GgufFile(folder.file("m.gguf")));
    CHECK(read.vocab_size() == ours.vocab_size());  // the rows without a text are left out
    CHECK(read.vocabulary().tokens == ours.vocabulary().tokens);
    for (const char* sample :
         {"Hello, world!", " two  spaces\n\nand 12345 digits", "naïve Ünïcödé 你好 🙂",
          "<s>x</s>", "it's I'LL  don't\t\ttabs", ""}) {
        CHECK(read.encode(sample) == ours.encode(sample));
        CHECK(read.encode_prompt(sample) == ours.encode_prompt(sample));
        CHECK(read.decode(read.encode(sample)) == ours.decode(ours.encode(sample)));
    }
}

TEST_CASE("a text begins in GGUF as the tokenizer says, or else as config.json says") {
    const auto written = [](const std::string& golden, std::optional<int> bos) {
        const TemporaryFolder folder;
        const std::string model = with_tokenizer(folder, golden);
        TransformerConfig config = read_config_file(model + "/config.json");
        config.bos_token_id = bos;
        write_model_config(model, config);
        write_gguf(model, folder.file("m.gguf"), WeightType::f32);
        return GgufFile(folder.file("m.gguf")).integer_or("tokenizer.ggml.bos_token_id", -1);
    };
    const auto named = Tokenizer::load("tests/data/tokenizers/tiny-smollm2").bos_id();
    REQUIRE(named);
    REQUIRE(!Tokenizer::load("tests/data/tokenizers/tiny-qwen").bos_id());
    CHECK(written("tiny-smollm2", {}) == *named);
    CHECK(written("tiny-qwen", 5) == 5);
    CHECK(written("tiny-qwen", {}) == -1);  // neither says it
}

// GGUF has one or two ids. llama.cpp knows the other tokens that end a text by their names.
TEST_CASE("a text of a GGUF model ends at all tokens that are known to end one") {
    const auto ends = [](const std::string& golden, const TransformerConfig& config) {
        const TemporaryFolder folder;
        write_gguf(with_tokenizer(folder, golden, config), folder.file("m.gguf"), WeightType::f32);
        std::string bytes = read_file(folder.file("m.gguf"));
        if (const std::size_t at = bytes.find("<think>"); at != std::string::npos)
            bytes.replace(at, 7, "<|end|>");
        return gguf_config(GgufFile(folder.write("n.gguf", bytes))).eos_token_ids;
    };
    using Ids = std::vector<int>;
    const TransformerConfig llama = llama_config(1, 1, 1, 8, 8, 16, 300);
    CHECK(ends("tiny-gemma", llama) == Ids{1, 6});            // <eos>, <end_of_turn>
    CHECK(ends("tiny-llama3", llama) == Ids{963, 959, 962});  // eot_id, end_of_text, eom_id
    CHECK(ends("tiny-spm", llama) == Ids{2});
    CHECK(ends("tiny-qwen", llama) == Ids{958, 956, 961});
    // gpt-oss goes on after <|end|>, which ends its thoughts.
    CHECK(ends("tiny-qwen", read_config_file("tests/data/tiny-gpt-oss/config.json")) ==
          Ids{958, 956});
}

TEST_CASE("the special tokens of a GGUF file of Phi-3 take the white space after them") {
    const auto ids = [](const char* name, const std::string& text) {
        const TemporaryFolder folder;
        const TransformerConfig config = llama_config(1, 1, 1, 8, 8, 16, 300);
        write_gguf(with_tokenizer(folder, "tiny-spm", config, name), folder.file("m.gguf"),
                   WeightType::f32);
        return gguf_tokenizer(GgufFile(folder.file("m.gguf"))).encode(text, SpecialTokens::parse);
    };
    CHECK(ids("Phi-3-mini", "</s>\n a") == ids("Phi-3-mini", "</s>a"));
    CHECK(ids("Phi-3-mini", "<s>\n a") != ids("Phi-3-mini", "<s>a"));
    CHECK(ids("Phi-2", "</s>\n a") != ids("Phi-2", "</s>a"));
}
