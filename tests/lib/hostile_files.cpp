// Files that are not what a model's files should be: pipes, headers without end, weights that are
// no numbers, names that say two things.
#include "tests/catch.hpp"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/core/unicode.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/model.hpp"
#include "lib/files/random_model.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/files/safetensors_write.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/transformer.hpp"
#include "lib/text/tokenizer.hpp"
#include "tests/support/captured.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using test::contains;
using test::error_of;
using test::TemporaryFolder;

namespace {

// Of this process: the machine may have other work.
template <class F>
double processor_seconds_of(F&& work) {
    const std::clock_t start = std::clock();
    work();
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}
// By the clock on the wall, for what waits.
template <class F>
double seconds_of(F&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A safetensors file with this header and no data.
std::string without_data(std::string header) {
    while (header.size() % 8 != 0) header += ' ';
    std::string length(8, '\0');
    for (std::size_t i = 0; i < 8; ++i)
        length[i] = static_cast<char>(header.size() >> 8 * i & 0xff);
    return length + header;
}

}  // namespace

TEST_CASE("a pipe in the place of a file is refused at once, whoever writes to it") {
    const TemporaryFolder folder;
    const std::string pipe = folder.file("model.safetensors");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const double seconds = seconds_of([&] {
        REQUIRE(contains(error_of([&] { read_file(pipe); }), "not a regular file"));
        REQUIRE(contains(error_of([&] { MappedFile{pipe}; }), "not a regular file"));
        REQUIRE(contains(error_of([&] { read_json(pipe); }), "not a regular file"));
        REQUIRE(contains(error_of([&] { Safetensors::open_directory(folder.path()); }),
                         "not a regular file"));
    });
    REQUIRE(seconds < 10);
}

TEST_CASE("a header of two hundred thousand tensors is read in the time of its length") {
    const TemporaryFolder folder;
    std::string header = "{";
    for (int i = 0; i < 200000; ++i)
        header += (i ? ",\"" : "\"") + std::to_string(i) +
                  R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
    const std::string path = folder.write("many.safetensors", without_data(header + "}"));
    // A second or two; a minute and more where the time grows with the square.
    REQUIRE(processor_seconds_of(
                [&] { REQUIRE(Safetensors::open(path).tensors().size() == 200000); }) < 30);
}

TEST_CASE("files that nest without end are refused in one line, in the time of their length") {
    const TemporaryFolder folder;
    const auto filled = [](std::string text, std::string_view again) {
        while (text.size() < 4'000'000) text += again;
        return text;
    };
    const auto check = [&](const std::string& name, const std::string& text, auto&& open) {
        folder.write(name, text);
        std::string message;
        const double seconds = processor_seconds_of([&] { message = error_of(open); });
        INFO(text.substr(0, 40) << ": " << message << ", " << seconds << " s");
        CHECK(contains(message, name + ": "));
        CHECK(contains(message, ": is nested more than 64 deep"));
        CHECK(!contains(message, "\n"));
        CHECK(seconds < 2);  // a hundredth of it with optimisation
    };
    for (const std::string begin :
         {"", "{\"model\":", "{\"model\":{\"vocab\":", "{\"model\":{\"vocab\":{\"a\":",
          "{\"model\":{\"merges\":[", "{\"added_tokens\":[", "{\"pre_tokenizer\":"})
        for (const std::string_view again : {"[", "{\"a\":"})
            check("tokenizer.json", filled(begin, again), [&] { Tokenizer::load(folder.path()); });
    folder.write("tokenizer.json", "{}");
    check("config.json", filled("", "["), [&] { read_model_config(folder.path()); });
    check("config.json", filled("{\"rope_scaling\":", "{\"a\":"),
          [&] { read_model_config(folder.path()); });
    check("model.safetensors", without_data(filled("{\"a\":", "[")),
          [&] { Safetensors::open_directory(folder.path()); });
    check("model.safetensors.index.json", filled("{\"weight_map\":", "["), [&] {
        unlink(folder.file("model.safetensors").c_str());
        Safetensors::open_directory(folder.path());
    });
}

TEST_CASE("two hundred thousand added tokens are read in the time of their number") {
    const TemporaryFolder folder;
    babble_tokenizer(300).save(folder.path(), 16);
    Json json = read_json(folder.file("tokenizer.json"));
    for (int i = 0; i < 200000; ++i)
        json["added_tokens"].push_back(
            {{"id", 300 + i}, {"content", "<" + std::to_string(i) + ">"}, {"special", true}});
    folder.write("tokenizer.json", json_text(json));
    REQUIRE(processor_seconds_of([&] {
                const Tokenizer tokenizer = Tokenizer::load(folder.path());
                REQUIRE(tokenizer.vocab_size() == 200300);
                int special = 0;
                for (int id = 0; id < tokenizer.vocab_size(); ++id)
                    special += tokenizer.is_special(id);
                REQUIRE(special == 200001);
            }) < 30);
}

TEST_CASE("added tokens that contradict each other are still found") {
    const TemporaryFolder folder;
    babble_tokenizer(300).save(folder.path(), 16);
    const Json json = read_json(folder.file("tokenizer.json"));
    const auto with = [&](const Json& a, const Json& b) {
        Json more = json;
        more["added_tokens"].push_back(a);
        more["added_tokens"].push_back(b);
        folder.write("tokenizer.json", json_text(more));
        return error_of([&] { Tokenizer::load(folder.path()); });
    };
    const Json x = {{"id", 300}, {"content", "<x>"}}, other_id = {{"id", 301}, {"content", "<x>"}},
               other_text = {{"id", 300}, {"content", "<y>"}};
    REQUIRE(with(x, x) == "");
    REQUIRE(contains(with(x, other_id), "contradicts"));
    REQUIRE(contains(with(x, other_text), "contradicts"));
}

TEST_CASE("a weight that is no number is named when the model is loaded") {
    const TemporaryFolder folder;
    const TransformerConfig config = gpt_config(1, 2, 8, 16, 11);
    const WeightSource source = random_weights(config, 1);
    for (const WeightType type : {WeightType::f32, WeightType::f16, WeightType::bf16}) {
        for (const float broken :
             {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
              -std::numeric_limits<float>::infinity()}) {
            std::vector<Tensor> weights;
            std::vector<TensorToWrite> tensors;
            for (const WeightShape& w : weight_shapes(config)) {
                weights.push_back(source(w.name, w.shape));
                if (w.name == "h.0.mlp.c_fc.bias") weights.back().values()[5] = broken;
                tensors.push_back({w.name, w.shape, weights.back().values(), type});
            }
            write_safetensors(folder.file("model.safetensors"), tensors);
            write_model_config(folder.path(), config);
            const std::string error = error_of([&] { load_transformer(folder.path()); });
            REQUIRE(contains(error, "h.0.mlp.c_fc.bias"));
            REQUIRE(contains(error, "number 5 is"));
        }
    }
}

TEST_CASE("a shape of a hundred dimensions does not fill the screen") {
    const TemporaryFolder folder;
    std::string ones = "1";
    for (int i = 1; i < 100; ++i) ones += ",1";
    const std::string header =
        R"({"a":{"dtype":"F32","shape":[)" + ones + R"(],"data_offsets":[0,4]}})";
    const std::string path = folder.write("deep.safetensors", without_data(header) + "abcd");
    const std::string error = error_of([&] { Safetensors::open(path).read("a", {1}); });
    REQUIRE(contains(error, "100 dimensions"));
    REQUIRE(error.size() < 160);
}

TEST_CASE("two files that name different ends of text: which one counts is said") {
    const TemporaryFolder folder;
    babble_tokenizer(300).save(folder.path(), 16);
    Json config = read_json(folder.file("tokenizer_config.json"));
    config["eos_token"] = "</s>";
    folder.write("tokenizer_config.json", json_text(config));
    // A list of added tokens makes the other file one of earlier versions, which is not read.
    REQUIRE(contains(error_of([&] { Tokenizer::load(folder.path()); }), "eos_token is \"</s>\""));
    REQUIRE(config.erase("added_tokens_decoder"));
    folder.write("tokenizer_config.json", json_text(config));
    const std::string said =
        test::written_to(2, [&] { REQUIRE(Tokenizer::load(folder.path()).eos_id() == 299); });
    REQUIRE(contains(said, "eos_token is \"<|endoftext|>\", not \"</s>\""));
}

TEST_CASE("a range without an upper end is told without its three hundred digits") {
    double steps = 0;
    int layers = 0;
    const auto said = [&](const std::vector<std::string>& words) {
        return error_of([&] {
            read_command_line(words, [&](CommandLine line) {
                line.option("--steps", steps, "").above_zero();
                line.option("--layers", layers, "").between(1, 3);
            });
        });
    };
    REQUIRE(said({"--steps", "2", "--layers", "3"}).empty());
    REQUIRE(contains(said({"--steps", "-1"}), "--steps: got '-1', expected more than 0"));
    REQUIRE(contains(said({"--layers", "-1"}), "not in range "));
}

TEST_CASE("a tokenizer.json that is a loop of links is refused, and vocab.json does not stand in") {
    const TemporaryFolder folder;
    babble_tokenizer(300).save(folder.path(), 16);
    REQUIRE(file_exists(folder.file("vocab.json")));
    const std::string path = folder.file("tokenizer.json");
    for (const char* target : {"tokenizer.json", "nowhere.json"}) {
        REQUIRE(unlink(path.c_str()) == 0);
        REQUIRE(symlink(target, path.c_str()) == 0);
        const std::string error = error_of([&] { Tokenizer::load(folder.path()); });
        REQUIRE(contains(error, "tokenizer.json: cannot be opened"));
    }
}

TEST_CASE("an eos_token that is not in the vocabulary is refused by name") {
    const TemporaryFolder folder;
    babble_tokenizer(300).save(folder.path(), 16);
    for (const char* name : {"tokenizer_config.json", "special_tokens_map.json"}) {
        folder.write("tokenizer_config.json", "{}");
        folder.write("special_tokens_map.json", "{}");
        folder.write(name, R"({"eos_token": {"content": "</never>"}})");
        const std::string error = error_of([&] { Tokenizer::load(folder.path()); });
        REQUIRE(contains(error, "eos_token is \"</never>\", which is not in the vocabulary"));
    }
}

TEST_CASE("a message is one line of a length that a person reads, whatever it quotes") {
    const TemporaryFolder folder;
    std::string quoted;
    for (int i = 0; i < 5000; ++i) quoted += "é\n";
    const std::string line = test::written_to(2, [&] {
        REQUIRE(complain("here/program", "got \"" + quoted + "\", expected less", 2) == 2);
    });
    REQUIRE(line.starts_with("program: got \"é é"));
    REQUIRE(line.ends_with("\", expected less\n"));
    REQUIRE(line.size() < 650);
    REQUIRE(line.find('\n') == line.size() - 1);
    REQUIRE(find_invalid_utf8(line) == std::string::npos);
    REQUIRE(test::written_to(2, [] { complain("p", "short", 1); }) == "p: short\n");
}

TEST_CASE("what comes after a zero byte is read, and is no JSON") {
    const std::string_view after("[1]\0[2]", 7), inside("\"a\0b\"", 5);
    for (const std::string_view text : {after, inside}) {
        CHECK(json_value(text).is_discarded());
        CHECK(contains(error_of([&] { parse_json(text, "x.json"); }), "is not JSON"));
    }
    CHECK(json_value("[1]").size() == 1);
}

TEST_CASE("JSON is written with its letters as they are, in any alphabet") {
    CHECK(json_text(json_value("[\"é\\u4f60\"]")) == "[\"é你\"]");
    CHECK(json_text(json_value("{\"ö\":\"é\\u4f60\"}")) == "{\"ö\":\"é你\"}");
}
