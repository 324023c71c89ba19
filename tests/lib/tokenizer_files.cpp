#include "tests/catch.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"
#include "lib/text/tokenizer.hpp"
#include "lib/text/tokenizer_train.hpp"
#include "tests/lib/changed_json.hpp"

using namespace tbt;
using tbt::test::contains;
using tbt::test::error_of;
using tbt::test::TemporaryFolder;

namespace {

const std::string tiny_qwen = "tests/data/tokenizers/tiny-qwen";
const std::string sample =
    "the cat sat on the mat; it's 12 o'clock, “naïve” 中文\n\n the end the end";

Tokenizer trained() {
    TokenizerTrainer trainer;
    trainer.add_text(sample);
    trainer.add_text(sample);
    TokenizerOptions options;
    options.vocab_size = 280;
    return trainer.train(options);
}

bool same(const Tokenizer& a, const Tokenizer& b) {
    const auto pairs = [](const Tokenizer& t) {
        std::vector<std::pair<int, int>> result;
        for (const auto& [left, right] : t.vocabulary().merges) result.emplace_back(left, right);
        return result;
    };
    return a.vocabulary().tokens == b.vocabulary().tokens && pairs(a) == pairs(b) &&
           a.eos_id() == b.eos_id() && a.bos_id() == b.bos_id() && a.is_special(a.eos_id()) &&
           b.is_special(b.eos_id()) && a.encode(sample) == b.encode(sample);
}

// A copy of a tokenizer that was saved once.
struct SavedTokenizer : TemporaryFolder {
    SavedTokenizer() {
        static const TemporaryFolder original;
        static const bool saved = (trained().save(original.path(), 512), true);
        if (saved) std::filesystem::copy(original.path(), path());
    }
};

// tiny-qwen's files as transformers saved them without tokenizer.json, with this configuration.
struct SlowQwen : TemporaryFolder {
    explicit SlowQwen(const Json& config) {
        const Json json = read_json(tiny_qwen + "/tokenizer.json");
        Json added = Json::object();
        for (const Json& token : json["added_tokens"])
            added[token["content"].get<std::string>()] = token["id"];
        std::string merges;
        for (const Json& merge : json["model"]["merges"])
            merges += (merge.is_string()
                           ? merge.get<std::string>()
                           : merge[0].get<std::string>() + " " + merge[1].get<std::string>()) +
                      "\n";
        write("vocab.json", json_text(json["model"]["vocab"]));
        write("merges.txt", merges);
        write("added_tokens.json", json_text(added));
        write("tokenizer_config.json", json_text(config));
    }
};

// Merges as lists of two texts, as later versions write them.
void split_merges(Json& json) {
    for (Json& merge : json["model"]["merges"]) {
        const std::string both = merge;
        merge = {both.substr(0, both.find(' ')), both.substr(both.find(' ') + 1)};
    }
}

// What load() says when one file has another content; without tokenizer.json,
// unless that is the file.
std::string complaint_about_text(const std::string& file, const std::string& text) {
    const SavedTokenizer folder;
    if (file != "tokenizer.json") std::filesystem::remove(folder.file("tokenizer.json"));
    folder.write(file, text);
    return error_of([&] { Tokenizer::load(folder.path()); });
}

// A member of the parsed file that becomes something else as a whole.
test::Change set(const char* member, const char* value) {
    return [=](Json& j) { j[member] = json_value(value); };
}

// What is said of changes to the parsed file.
void check_file(const std::string& file, const std::vector<test::Refused>& all) {
    test::check_refused(
        [&](const test::Change& change) {
            Json json = read_json(SavedTokenizer().file(file));
            change.apply(json);
            return complaint_about_text(file, json_text(json));
        },
        all);
}

}  // namespace

TEST_CASE("a tokenizer that was saved is read again from either form", "[tokenizer]") {
    const Tokenizer original = trained();
    const TemporaryFolder folder;
    original.save(folder.file("deep/model"), 512);
    const std::string model = folder.file("deep/model");
    REQUIRE(same(Tokenizer::load(model), original));  // tokenizer.json

    std::filesystem::remove(model + "/tokenizer.json");
    REQUIRE(same(Tokenizer::load(model), original));  // vocab.json and merges.txt

    std::filesystem::remove(model + "/tokenizer_config.json");
    std::filesystem::remove(model + "/special_tokens_map.json");
    Tokenizer bare = Tokenizer::load(model);  // <|endoftext|> is known by its name
    REQUIRE(bare.eos_id() == original.eos_id());
    REQUIRE(bare.is_special(bare.eos_id()));

    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(model)) {
        files += entry.path().extension() != ".tmp" ? 1 : 100;
    }
    REQUIRE(files == 2);
}

TEST_CASE("the files have the form that transformers writes", "[tokenizer]") {
    const Tokenizer t = trained();
    const SavedTokenizer folder;
    const Json json = read_json(folder.file("tokenizer.json"));
    REQUIRE(json["version"] == "1.0");
    REQUIRE(json["pre_tokenizer"]["type"] == "ByteLevel");
    REQUIRE(json["pre_tokenizer"]["add_prefix_space"] == false);
    REQUIRE(json["decoder"]["type"] == "ByteLevel");
    REQUIRE(json["model"]["type"] == "BPE");
    REQUIRE(json["model"]["vocab"]["Ġ"] == 220);
    REQUIRE(json["model"]["merges"][0].is_string());
    REQUIRE(json["added_tokens"].size() == 1);
    REQUIRE(json["added_tokens"][0]["id"] == t.eos_id());
    REQUIRE(json["added_tokens"][0]["content"] == "<|endoftext|>");
    REQUIRE(json["model"]["vocab"] == read_json(folder.file("vocab.json")));
    const Json config = read_json(folder.file("tokenizer_config.json"));
    REQUIRE(config["tokenizer_class"] == "GPT2Tokenizer");
    REQUIRE(config["model_max_length"] == 512);
    REQUIRE(config["eos_token"] == "<|endoftext|>");
    REQUIRE(read_file(folder.file("merges.txt")).starts_with("#version: 0.2\n"));
}

// The plain members of large files are read without the library's parser, and must read the same.
TEST_CASE("escapes, white space and numbers of every form read as JSON", "[tokenizer]") {
    const Tokenizer original = trained();
    const SavedTokenizer folder;
    Json json = read_json(folder.file("tokenizer.json"));
    for (const bool lists : {false, true}) {
        if (lists) split_merges(json);
        for (const int indent : {-1, 0, 3}) {
            folder.write("tokenizer.json", nlohmann::json::parse(json_text(json))
                                               .dump(indent, '\t', true));  // only ASCII: \u0120
            REQUIRE(same(Tokenizer::load(folder.path()), original));
            folder.write("tokenizer.json", json_text(json, indent));
            REQUIRE(same(Tokenizer::load(folder.path()), original));
        }
    }
    const std::string text = json_text(json);
    const auto complaint = [&](const std::string& from, const std::string& to) {
        const std::size_t place = text.find(from);
        REQUIRE(place != std::string::npos);
        return complaint_about_text("tokenizer.json",
                                    std::string(text).replace(place, from.size(), to));
    };
    for (const char* no_json : {R"("!":00,)", R"("!":0)", R"("!":0,,)", R"("!":0,[1],)",
                                R"("\ud800":0,)", R"("\x":0,)", "\"!\n\":0,"}) {
        INFO(no_json);
        CHECK(contains(complaint("\"!\":0,", no_json), "tokenizer.json: is not JSON"));
    }
    CHECK(contains(complaint("\"!\":0,", "\"!\":0.0,"), "the id of \"!\" is the number 0.0"));
    CHECK(contains(complaint("\"!\":0,", "\"!\":9999999999,"), "\"!\" is the integer 9999999999"));
    CHECK(contains(complaint("\"!\":0,", "\"!\":0,\"!\":0,"), "the key \"!\" appears twice"));
    // A comma after the last member.
    for (const auto& [list, end] : {std::pair{"\"vocab\"", "}}"}, {"\"merges\"", "]]"}}) {
        const std::size_t at = text.find(end, text.find(list));
        REQUIRE(at != std::string::npos);
        const std::string comma = std::string(text).insert(at + (*end == ']'), ",");
        CHECK(contains(complaint_about_text("tokenizer.json", comma), "is not JSON"));
    }
}

TEST_CASE("both forms of merges and older files are understood", "[tokenizer]") {
    const Tokenizer original = trained();
    const SavedTokenizer folder;
    Json json = read_json(folder.file("tokenizer.json"));
    split_merges(json);
    json["model"].erase("type");
    json["pre_tokenizer"].erase("use_regex");
    folder.write("tokenizer.json", json_text(json));
    REQUIRE(same(Tokenizer::load(folder.path()), original));

    std::filesystem::remove(folder.file("tokenizer.json"));
    std::string merges = read_file(folder.file("merges.txt"));
    merges.erase(0, merges.find('\n') + 1);  // no version line, and line ends of Windows
    for (std::size_t i = 0; (i = merges.find('\n', i)) != std::string::npos; i += 2)
        merges.insert(i, 1, '\r');
    folder.write("merges.txt", merges);
    REQUIRE(same(Tokenizer::load(folder.path()), original));
}

TEST_CASE("added tokens are read from every place where they may stand", "[tokenizer]") {
    const SavedTokenizer folder;
    Json json = read_json(folder.file("tokenizer.json"));
    json["added_tokens"].push_back({{"id", 280}, {"content", "中[pad]"}, {"special", true}});
    json["added_tokens"].push_back({{"id", 281}, {"content", "<tool>"}, {"special", false}});
    folder.write("tokenizer.json", json_text(json));
    const Tokenizer t = Tokenizer::load(folder.path());
    REQUIRE(t.vocab_size() == 282);
    REQUIRE(t.encode("中[pad]<tool>", SpecialTokens::parse) == std::vector<int>{280, 281});
    REQUIRE(t.encode("<tool>") == std::vector<int>{281});
    REQUIRE(t.is_special(280));
    REQUIRE_FALSE(t.is_special(281));
    const TemporaryFolder again;
    t.save(again.path(), 512);
    REQUIRE(Tokenizer::load(again.path()).encode("中[pad]", SpecialTokens::parse) ==
            std::vector<int>{280});

    for (const char* name : {"tokenizer.json", "tokenizer_config.json"})
        std::filesystem::remove(folder.file(name));
    folder.write("added_tokens.json", R"({"<x>": 280})");
    folder.write("special_tokens_map.json",
                 R"({"eos_token": {"content": "<x>", "lstrip": false}})");
    const Tokenizer slow = Tokenizer::load(folder.path());
    REQUIRE(slow.eos_id() == 280);
    REQUIRE(slow.encode("a<x>", SpecialTokens::parse).back() == 280);
}

TEST_CASE("vocab.json and merges.txt have the rules of the class that wrote them", "[tokenizer]") {
    const auto load = [](const Json& name) {
        return Tokenizer::load(SlowQwen(Json{{"tokenizer_class", name}}).path());
    };
    const Tokenizer original = Tokenizer::load(tiny_qwen), gpt2 = load("GPT2Tokenizer");
    for (const std::string text : {"a;\n\n  b", "e\u0301", "in 2024", "it'S"}) {
        INFO(text);
        CHECK(load("Qwen2Tokenizer").encode(text) == original.encode(text));
        CHECK(load("Qwen2TokenizerFast").encode(text) == original.encode(text));
        CHECK(load(nullptr).encode(text) == gpt2.encode(text));
    }
    CHECK(gpt2.encode("e\u0301") != original.encode("e\u0301"));
    CHECK(contains(error_of([&] { load("RobertaTokenizer"); }),
                   "tokenizer_config.json: tokenizer_class RobertaTokenizer is not supported"));
}

TEST_CASE("added tokens are special if the files say so, and not because they were added",
          "[tokenizer]") {
    Json config = {{"tokenizer_class", "Qwen2Tokenizer"},
                   {"eos_token", "<|im_end|>"},
                   {"additional_special_tokens", Json::array({"<|im_start|>"})}};
    const std::string text = "<|im_start|><think>x</think><|im_end|>";
    for (const bool with_decoder : {false, true}) {
        const Json json = read_json(tiny_qwen + "/tokenizer.json");
        if (with_decoder)
            for (const Json& token : json["added_tokens"])
                config["added_tokens_decoder"][std::to_string(token["id"].get<int>())] = token;
        const SlowQwen folder(config);
        const Tokenizer t = Tokenizer::load(folder.path());
        const std::vector<int> ids = t.encode(text, SpecialTokens::parse);
        INFO(with_decoder);
        CHECK(ids == Tokenizer::load(tiny_qwen).encode(text, SpecialTokens::parse));
        CHECK(t.decode_text(ids, true) == "<think>x</think>");
        CHECK(t.encode("<think>") == std::vector<int>{961});
        // A list of added tokens in tokenizer_config.json leaves nothing to the older file.
        folder.write("special_tokens_map.json", R"({"eos_token": "<|endoftext|>"})");
        CHECK(Tokenizer::load(folder.path()).eos_id() == (with_decoder ? 958 : 956));
    }
}

TEST_CASE("Llama's class puts the tokens around a text that tokenizer_config.json asks for",
          "[tokenizer]") {
    // What is put before and after a text.
    const auto around = [](const std::string& name, const Json& config) {
        const TemporaryFolder folder;
        folder.write("tokenizer.json",
                     read_file("tests/data/tokenizers/" + name + "/tokenizer.json"));
        folder.write("tokenizer_config.json", json_text(config));
        const Tokenizer t = Tokenizer::load(folder.path());
        std::vector<int> ids = t.encode_prompt("Who are you?");
        const std::vector<int> own = t.encode("Who are you?");
        const auto found = std::search(ids.begin(), ids.end(), own.begin(), own.end());
        REQUIRE(found != ids.end());
        ids.erase(found, found + static_cast<std::ptrdiff_t>(own.size()));
        return ids;
    };
    using Ids = std::vector<int>;
    // As DeepSeek-R1-Distill-Qwen: its tokenizer.json has no template.
    Json config = {{"tokenizer_class", "LlamaTokenizerFast"}, {"bos_token", "<|endoftext|>"}};
    CHECK(around("tiny-qwen", config) == Ids{956});
    config["add_bos_token"] = true;
    CHECK(around("tiny-qwen", config) == Ids{956});
    config["tokenizer_class"] = "PreTrainedTokenizerFast";
    CHECK(around("tiny-qwen", config) == Ids{});
    // Here it has one.
    config = {{"tokenizer_class", "LlamaTokenizer"}, {"bos_token", "<s>"}, {"eos_token", "</s>"}};
    CHECK(around("tiny-spm", config) == Ids{1});
    config["add_eos_token"] = true;
    CHECK(around("tiny-spm", config) == Ids{1, 2});
    config["add_bos_token"] = false;
    CHECK(around("tiny-spm", config) == Ids{2});
    CHECK(around("tiny-spm", {{"tokenizer_class", "LlamaTokenizer"}}) == Ids{1});
}

TEST_CASE("an end-of-text token that is also ordinary text stays reachable", "[tokenizer]") {
    const SavedTokenizer folder;
    Json config = read_json(folder.file("tokenizer_config.json"));
    config["eos_token"] = "\n";
    folder.write("tokenizer_config.json", json_text(config));
    std::filesystem::remove(folder.file("special_tokens_map.json"));
    const Tokenizer t = Tokenizer::load(folder.path());
    REQUIRE(t.token_bytes(t.eos_id()) == "\n");
    REQUIRE(t.decode(t.encode(sample)) == sample);
}

TEST_CASE("missing tokenizer files are named", "[tokenizer]") {
    const TemporaryFolder empty;
    REQUIRE(contains(error_of([&] { Tokenizer::load(empty.path()); }), "there is no tokenizer"));
    for (const std::string missing : {"merges.txt", "vocab.json"}) {
        const SavedTokenizer folder;
        std::filesystem::remove(folder.file("tokenizer.json"));
        std::filesystem::remove(folder.file(missing));
        REQUIRE(contains(error_of([&] { Tokenizer::load(folder.path()); }),
                         missing + ": cannot be opened"));
    }
}

TEST_CASE("a malformed vocab.json is refused with its reason", "[tokenizer]") {
    check_file(
        "vocab.json",
        {{"{}", ""},
         {R"({"extra": 300})", "\"extra\" has id 300, but there are 281 tokens"},
         {R"({"extra": 7})", "both have id 7"},
         {R"({"extra": -1})", "the id of \"extra\" is the integer -1"},
         {R"({"extra": 1.5})", "the number 1.5"},
         {R"({"extra": "7"})", "the string \"7\""},
         {R"({"extra": 9223372036854775808})", "9223372036854775808"},
         {R"({"no space": 280})", "\"no space\" (280) is not written in GPT-2's byte alphabet"},
         {[](Json& j) { j.erase("Ġ"), j["xx"] = 220; }, "\"Ġ\""},
         {[](Json& j) { j = Json::array(); }, "vocab.json: the vocabulary is a list"}});
    for (const auto& [text, message] : std::vector<std::pair<std::string, const char*>>{
             {"{\"a\": 0,", "vocab.json: is not JSON"},
             {"{\"a\": 0, \"a\": 1}", "vocab.json: the key \"a\" appears twice"},
             {"{\"\xff\": 0}", "vocab.json: byte 2 is not valid UTF-8"},
             {"", "vocab.json: is not JSON"},
             {std::string(100000, '['), "nested more than"}})
        REQUIRE(contains(complaint_about_text("vocab.json", text), message));
}

TEST_CASE("a malformed merges.txt is refused with the line", "[tokenizer]") {
    const auto complaint = [](const std::string& text) {
        return complaint_about_text("merges.txt", "#version: 0.2\n" + text);
    };
    REQUIRE(contains(complaint("h e\nonly\n"), "merges.txt: line 3 is \"only\""));
    REQUIRE(contains(complaint("a b c\n"), "expected two tokens with one space between them"));
    REQUIRE(contains(complaint(" a\n"), "line 2"));
    REQUIRE(contains(complaint("a \n"), "line 2"));
    REQUIRE(contains(complaint("h e\nzzz h\n"),
                     "merges.txt: line 3 joins \"zzz\", which is not in the vocabulary"));
    REQUIRE(contains(complaint("z z\n"), "makes \"zz\", which is not in the vocabulary"));
    REQUIRE(complaint("h e\nh e\n") == "");  // the later one counts
    REQUIRE(contains(complaint("\xff\xfe h\n"), "which is not in the vocabulary"));
}

TEST_CASE("a tokenizer.json of another kind is refused by name", "[tokenizer]") {
    check_file(
        "tokenizer.json",
        {{"{}", ""},
         {R"({"model": {"type": "Unigram"}})", "model type Unigram is not supported"},
         {R"({"model": {"byte_fallback": true}})", "byte_fallback beside pre_tokenizer ByteLevel"},
         {R"({"model": {"dropout": 0.1}})", "dropout"},
         {R"({"model": {"dropout": null}})", ""},
         {R"({"model": {"dropout": 0}})", ""},
         {R"({"model": {"dropout": 0.0}})", ""},
         {R"({"model": {"dropout": false}})", ""},
         {R"({"model": {"dropout": ""}})", ""},
         {R"({"model": {"dropout": 1}})", "dropout"},
         {R"({"model": {"end_of_word_suffix": "</w>"}})", "end_of_word_suffix"},
         {R"({"normalizer": {"type": "BertNormalizer"}})",
          "normalizer BertNormalizer is not supported"},
         {R"({"normalizer": {"type": "Replace", "pattern": {"Regex": "a+"}, "content": "b"}})",
          "normalizer Replace of a regular expression"},
         {set("pre_tokenizer", R"({"type": "Sequence"})"),
          "pre_tokenizer Sequence has no list \"pretokenizers\""},
         {set("pre_tokenizer", R"({"type": "Whitespace"})"),
          "pre_tokenizer Whitespace is not supported"},
         {set("post_processor", R"({"type": "BertProcessing"})"), "post_processor BertProcessing"},
         {set("decoder", R"({"type": "WordPiece"})"), "decoder WordPiece"},
         {R"({"pre_tokenizer": {"add_prefix_space": true}})", "add_prefix_space"},
         {[](Json& j) { j.erase("pre_tokenizer"); }, "pre_tokenizer none is not supported"},
         {[](Json& j) { j.erase("model"); }, "has no object \"model\""},
         {[](Json& j) { j["model"].erase("vocab"); }, "has no \"vocab\""},
         {[](Json& j) { j["model"].erase("merges"); }, "has no list \"merges\""},
         {[](Json& j) { j["model"]["merges"][1] = 5; }, "merge 2 is the integer 5"},
         {[](Json& j) { j["model"]["merges"][1] = Json::array({"a"}); }, "merge 2 is a list"},
         {[](Json& j) { j["added_tokens"][0]["id"] = 3; }, "\"<|endoftext|>\" (279) contradicts"},
         {[](Json& j) { j["added_tokens"][0].erase("content"); }, "no string \"content\""},
         {[](Json& j) { j["added_tokens"].push_back(json_value(R"({"content":"x y","id":999})")); },
          "without gaps"},
         {[](Json& j) { j = nullptr; }, "has no object \"model\""}});
}

TEST_CASE("names of special tokens that are not there are refused", "[tokenizer]") {
    check_file(
        "tokenizer_config.json",
        {{"{}", ""},
         {R"({"eos_token": "</s>"})", "eos_token is \"</s>\", which is not in the vocabulary"},
         {R"({"bos_token": 5})", "bos_token is the integer 5"},
         {R"({"add_prefix_space": true})", "add_prefix_space"},
         {[](Json& j) { j["added_tokens_decoder"]["x"]["content"] = "y"; }, "the id of \"y\""}});
}

TEST_CASE("parts of a tokenizer.json that lack something, or ask for what is not done",
          "[tokenizer]") {
    struct Part {
        const char *part, *value;
        std::string message;
    };
    const Part parts[] = {
        {"normalizer", R"({"type": "Prepend"})",
         "normalizer Prepend has no \"prepend\", expected a string"},
        {"normalizer", R"({"type": "Prepend", "prepend": 1})",
         "normalizer Prepend has the integer 1 \"prepend\", expected a string"},
        {"normalizer", R"({"type": "Replace", "content": "x"})",
         "normalizer Replace has no pattern, expected {\"String\": …} or {\"Regex\": …}"},
        {"normalizer", R"({"type": "Replace", "pattern": {"String": ""}, "content": "x"})",
         "normalizer Replace of a regular expression is not supported, expected a string"},
        {"pre_tokenizer",
         R"({"type": "Split", "pattern": {"String": "-"}, "behavior": "Contiguous"})",
         "pre_tokenizer Split behavior Contiguous is not supported, expected Isolated, Removed, "},
        {"pre_tokenizer", R"({"type": "Metaspace", "replacement": "_"})",
         "pre_tokenizer Metaspace replacement is not supported, expected \"▁\""},
        {"pre_tokenizer", R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "last"})",
         "pre_tokenizer Metaspace prepend_scheme last is not supported, expected first, always or"},
        {"post_processor", R"({"type": "TemplateProcessing"})",
         "post_processor TemplateProcessing has no list \"single\""},
        {"post_processor",
         R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<x>"}}],
             "special_tokens": {}})",
         "post_processor TemplateProcessing names \"<x>\", which has no \"ids\" in its"},
        {"post_processor",
         R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<x>"}}],
             "special_tokens": {"<x>": {"ids": [-1]}}})",
         "an id of \"<x>\" is the integer -1, expected an integer from 0"},
        {"added_tokens", "5", "\"added_tokens\" is the integer 5, expected a list"},
        {"added_tokens", "[5]", "an added token is the integer 5, expected an object"},
        {"added_tokens", R"([{"content": "q"}])", "the added token \"q\" has no \"id\""},
        {"added_tokens", R"([{"content": "", "id": 279}])", "an added token is empty"}};
    for (const Part& p : parts)
        check_file("tokenizer.json", {{set(p.part, p.value), "tokenizer.json: " + p.message}});
    check_file(
        "tokenizer.json",
        {{R"({"model": {"continuing_subword_prefix": "##"}})",
          "model option continuing_subword_prefix is not supported, expected it to be off"}});
}
