#include "tests/catch.hpp"

#include "chapters/10_generate/chat.hpp"
#include "chapters/19_training/tools/export.hpp"
#include "chapters/19_training/tools/gguf.hpp"
#include "lib/core/math.hpp"
#include "lib/files/random_model.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"
#include "lib/text/tokenizer_save.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

// A reader of GGUF, version 3, written from the format's description and not from the writer.
struct Gguf {
    struct Tensor {
        std::vector<std::uint64_t> dimensions;  // the fastest first
        std::uint32_t type = 0;
        std::uint64_t offset = 0;
    };
    std::string bytes;
    std::size_t at = 0;
    std::map<std::string, double> numbers;
    std::map<std::string, std::string> texts;
    std::map<std::string, std::vector<std::string>> lists;
    std::map<std::string, std::vector<int>> ints;
    std::map<std::string, Tensor> tensors;
    std::size_t data = 0;

    template <class T>
    T take() {
        T value;
        REQUIRE(at + sizeof value <= bytes.size());
        std::memcpy(&value, bytes.data() + at, sizeof value);
        at += sizeof value;
        return value;
    }
    std::string text() {
        const auto n = take<std::uint64_t>();
        REQUIRE(at + n <= bytes.size());
        at += n;
        return bytes.substr(at - n, n);
    }
    void value(const std::string& key, std::uint32_t type) {
        if (type == 4) numbers[key] = take<std::uint32_t>();
        else if (type == 6) numbers[key] = static_cast<double>(take<float>());
        else if (type == 7) numbers[key] = take<std::uint8_t>();
        else if (type == 8) texts[key] = text();
        else {
            REQUIRE(type == 9);
            const auto element = take<std::uint32_t>();
            const auto n = take<std::uint64_t>();
            for (std::uint64_t i = 0; i < n; ++i) {
                if (element == 8) lists[key].push_back(text());
                else ints[key].push_back(take<std::int32_t>());
            }
        }
    }
    explicit Gguf(const std::string& path) : bytes(read_file(path)) {
        REQUIRE(bytes.starts_with("GGUF"));
        at = 4;
        REQUIRE(take<std::uint32_t>() == 3);
        const auto count = take<std::uint64_t>(), values = take<std::uint64_t>();
        for (std::uint64_t i = 0; i < values; ++i) {
            const std::string key = text();
            value(key, take<std::uint32_t>());
        }
        for (std::uint64_t i = 0; i < count; ++i) {
            Tensor& tensor = tensors[text()];
            tensor.dimensions.resize(take<std::uint32_t>());
            for (auto& d : tensor.dimensions) d = take<std::uint64_t>();
            tensor.type = take<std::uint32_t>();
            tensor.offset = take<std::uint64_t>();
        }
        data = (at + 31) / 32 * 32;
    }
    // Number i0 + n0 · i1 of a tensor.
    float number(const Tensor& tensor, std::uint64_t i0, std::uint64_t i1) const {
        const std::uint64_t i = i0 + tensor.dimensions[0] * i1;
        const char* begin = bytes.data() + data + tensor.offset;
        if (tensor.type == 0) {
            float value;
            std::memcpy(&value, begin + 4 * i, 4);
            return value;
        }
        std::uint16_t half;
        std::memcpy(&half, begin + 2 * i, 2);
        return from_f16(half);
    }
};

struct Named {
    const char *theirs, *ours;
    bool matrix;
};
const Named block_names[] = {{"attn_norm.weight", "ln_1.weight", false},
                             {"attn_norm.bias", "ln_1.bias", false},
                             {"attn_qkv.weight", "attn.c_attn.weight", true},
                             {"attn_qkv.bias", "attn.c_attn.bias", false},
                             {"attn_output.weight", "attn.c_proj.weight", true},
                             {"attn_output.bias", "attn.c_proj.bias", false},
                             {"ffn_norm.weight", "ln_2.weight", false},
                             {"ffn_norm.bias", "ln_2.bias", false},
                             {"ffn_up.weight", "mlp.c_fc.weight", true},
                             {"ffn_up.bias", "mlp.c_fc.bias", false},
                             {"ffn_down.weight", "mlp.c_proj.weight", true},
                             {"ffn_down.bias", "mlp.c_proj.bias", false}};

}  // namespace

TEST_CASE("GGUF: every tensor comes back bit for bit, matrices as (outputs, inputs)") {
    const WeightType type = GENERATE(WeightType::f32, WeightType::f16);
    const TemporaryFolder folder;
    const std::string model = folder.file("tiny");
    write_random_model(model, gpt_config(2, 2, 32, 40, 300), {5, type});
    write_gguf(model, folder.file("m.gguf"), type);
    const Gguf file(folder.file("m.gguf"));
    const Safetensors weights = Safetensors::open_directory(model);
    std::map<std::string, std::pair<std::string, bool>> expected = {
        {"token_embd.weight", {"wte.weight", false}},
        {"position_embd.weight", {"wpe.weight", false}},
        {"output_norm.weight", {"ln_f.weight", false}},
        {"output_norm.bias", {"ln_f.bias", false}},
        {"output.weight", {"wte.weight", false}}};
    for (const std::string block : {"0.", "1."})
        for (const Named& name : block_names)
            expected["blk." + block + name.theirs] = {"h." + block + name.ours, name.matrix};
    REQUIRE(file.tensors.size() == expected.size());
    for (const auto& [theirs, ours] : expected) {
        INFO(theirs);
        REQUIRE(file.tensors.contains(theirs));
        const Gguf::Tensor& tensor = file.tensors.at(theirs);
        const Shape& shape = weights.find(ours.first)->shape;
        const Tensor values = weights.read_weight(ours.first, shape);
        CHECK(tensor.offset % 32 == 0);
        const bool vector = shape.size() == 1;
        const auto rows = static_cast<std::uint64_t>(vector ? 1 : shape[0]),
                   columns = static_cast<std::uint64_t>(shape.back());
        REQUIRE(tensor.dimensions == (vector        ? std::vector<std::uint64_t>{columns}
                                      : ours.second ? std::vector<std::uint64_t>{rows, columns}
                                                    : std::vector<std::uint64_t>{columns, rows}));
        CHECK(tensor.type ==
              (type == WeightType::f16 && !vector && ours.first != "wpe.weight" ? 1u : 0u));
        bool same = true;
        for (std::uint64_t r = 0; r < rows; ++r)
            for (std::uint64_t c = 0; c < columns; ++c) {
                const float value =
                    ours.second ? file.number(tensor, r, c) : file.number(tensor, c, r);
                same = same && value == values.data()[r * columns + c];
            }
        CHECK(same);
    }
}

TEST_CASE("GGUF: sizes, tokens, merges, special tokens and the chat template go with it") {
    const TemporaryFolder folder;
    const std::string model = folder.file("tiny");
    write_random_model(model, gpt_config(1, 4, 32, 48, 310), {5, WeightType::f32});
    const Tokenizer ours = Tokenizer::load("data/models/storyteller");
    write_random_model(folder.file("named"), gpt_config(1, 4, 32, 48, ours.vocab_size() + 2),
                       {5, WeightType::f32, "data/models/storyteller"});
    ours.save(folder.file("named"), 48, chat_template);
    write_gguf(folder.file("named"), folder.file("m.gguf"), WeightType::f32);
    Gguf file(folder.file("m.gguf"));
    CHECK(file.texts["general.architecture"] == "gpt2");
    CHECK(file.texts["general.name"] == "named");
    CHECK(file.numbers["general.file_type"] == 0);
    CHECK(file.numbers["gpt2.context_length"] == 48);
    CHECK(file.numbers["gpt2.embedding_length"] == 32);
    CHECK(file.numbers["gpt2.feed_forward_length"] == 128);
    CHECK(file.numbers["gpt2.block_count"] == 1);
    CHECK(file.numbers["gpt2.attention.head_count"] == 4);
    CHECK(file.numbers["gpt2.attention.layer_norm_epsilon"] == Approx(1e-5));
    CHECK(file.texts["tokenizer.ggml.model"] == "gpt2");
    CHECK(file.texts["tokenizer.ggml.pre"] == "gpt-2");
    CHECK(file.texts["tokenizer.chat_template"] == chat_template);
    const auto& tokens = file.lists["tokenizer.ggml.tokens"];
    const auto& types = file.ints["tokenizer.ggml.token_type"];
    REQUIRE(tokens.size() == index(ours.vocab_size()) + 2);
    REQUIRE(types.size() == tokens.size());
    const auto eos = index(ours.eos_id());
    CHECK(tokens[eos] == "<|endoftext|>");
    CHECK(types[eos] == 3);
    CHECK(types[0] == 1);
    CHECK(types.back() == 5);
    CHECK(file.numbers["tokenizer.ggml.eos_token_id"] == static_cast<double>(eos));
    CHECK(file.numbers["tokenizer.ggml.bos_token_id"] == static_cast<double>(eos));
    CHECK(file.numbers["tokenizer.ggml.add_bos_token"] == 0);
    // As in vocab.json and merges.txt, which other programs read the same ids from.
    const Json vocab = read_json("data/models/storyteller/vocab.json");
    for (const auto& [token, id] : vocab.items()) REQUIRE(tokens[id.get<std::size_t>()] == token);
    std::string merges = "#version: 0.2\n";
    for (const std::string& merge : file.lists["tokenizer.ggml.merges"]) merges += merge + "\n";
    CHECK(merges == read_file("data/models/storyteller/merges.txt"));
}

TEST_CASE("GGUF: what cannot be written is refused, and leaves no file") {
    const TemporaryFolder folder;
    CHECK(contains(
        error_of([&] { write_gguf(folder.path(), folder.file("m.gguf"), WeightType::f32); }),
        "config.json"));
    const std::string model = folder.file("tiny");
    write_random_model(model, gpt_config(1, 2, 32, 40, 300), {5, WeightType::f32});
    CHECK(contains(error_of([&] { write_gguf(model, folder.file("m.gguf"), WeightType::bf16); }),
                   "expected f32 or f16"));
    CHECK(!file_exists(folder.file("m.gguf")));
}

TEST_CASE("the chat template writes what the chat of chapter 10 writes") {
    // The two kinds of line and the beginning of an answer, as chat_prompt puts them together.
    const std::string prompt = chat_prompt({{"hi", "Hello!"}}, "who are you?");
    CHECK(prompt == "User: hi\nAssistant: Hello!\nUser: who are you?\nAssistant:");
    for (const char* part : {"'Assistant: ' if message['role'] == 'assistant' else 'User: '",
                             "+ message['content'] + '\\n'",
                             "{% if add_generation_prompt %}{{ 'Assistant:' }}{% endif %}"})
        CHECK(contains(chat_template, part));
}

TEST_CASE("a model card has the hub's metadata, and figures only where there are some") {
    ModelCard card;
    card.name = "mine";
    card.config = gpt_config(2, 2, 32, 64, 300);
    card.parameters = 43'904;
    card.tokens = 2'500'000;
    card.source = "data/corpus";
    const std::string plain = model_card_text(card);
    CHECK(plain.starts_with("---\nlanguage:\n- en\nlicense: mit\nlibrary_name: transformers\n"));
    CHECK(contains(plain, "# mine\n\nA GPT-2 of 43904 parameters: 2 layers of 32 channels"));
    CHECK(contains(plain, "2.5 million tokens"));
    CHECK(contains(plain, "chat template"));
    CHECK(!contains(plain, "## Figures"));
    card.own_text = true;
    card.source = "my_folder";
    card.init = "data/models/storyteller";
    card.total = {"(as drawn)", 4, 100, 120, std::nan("")};
    const std::string own = model_card_text(card);
    CHECK(!contains(own, "license"));  // whose text it is, nobody here knows
    CHECK(contains(own, "the texts in `my_folder`, going on from `data/models/storyteller`"));
    CHECK(contains(own, "| (as drawn) | 1.200 |\n"));
    CHECK(!contains(own, "chat template"));
    CHECK(contains(own, "little of others since"));
    card.init = "";
    CHECK(contains(model_card_text(card), "these texts and little else"));
}
