// A chat with a small model of each family, by the model's own template: what it reads, mark by
// mark, and what it writes. tests/data/chat/transcripts.txt is kept equal to it
// (TBT_WRITE_TRANSCRIPTS=1 build/tests-25 "a chat with*" writes it anew). The weights are random,
// so the answers are nonsense; what counts is the text around them, and that nothing moves.

#include "chapters/23_text_generator/text_generator.hpp"
#include "chapters/23_text_generator/writing.hpp"
#include "lib/chat/chat_template.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/random_model.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"
#include "tests/catch.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;

namespace {

const char* const kept = "tests/data/chat/transcripts.txt";

struct Subject {
    const char *family, *model, *tokenizer;  // the template, config.json, tokenizer.json
    const char* ours = nullptr;  // our template's name, where no published one may be kept here
    const char* system = "Be brief.";
};
constexpr Subject subjects[] = {
    {"chatml", "tiny-llama", "tiny-qwen"},
    {"qwen2.5", "tiny-qwen2", "tiny-qwen"},
    {"qwen3", "tiny-qwen3", "tiny-qwen"},
    {"smollm2", "tiny-smollm2", "tiny-smollm2"},
    {"llama3", "tiny-llama3", "tiny-llama3", "llama3"},
    {"mistral-v0.2-v1", "tiny-mistral", "tiny-spm-metaspace"},
    {"zephyr", "tiny-mistral", "tiny-spm"},
    {"phi3-mini", "tiny-phi3", "tiny-spm", nullptr, ""},
    {"gemma3", "tiny-gemma3", "tiny-gemma", "gemma"},
};

std::string published_template(const std::string& family) {
    const Json all = read_json("tests/data/chat/cases.json");
    for (const Json& t : all["templates"])
        if (t["family"] == family) return t["chat_template"].get<std::string>();
    return "";
}

void make_model(const std::string& folder, const Subject& s) {
    const std::string tokenizer = std::string("tests/data/tokenizers/") + s.tokenizer;
    TransformerConfig config =
        read_config_file(std::string("tests/data/") + s.model + "/config.json");
    config.vocab_size = Tokenizer::load(tokenizer).vocab_size();
    config.n_positions = 512;
    write_random_model(folder, config, {1, WeightType::f32, tokenizer});
    write_file(join_path(folder, "chat_template.jinja"),
               s.ours ? chat_family(s.ours) : published_template(s.family));
}

// On one line, as a string of JSON.
std::string one_line(const std::string& text) { return json_text(Json(text)); }

std::string transcript(const Subject& s) {
    const test::TemporaryFolder folder;
    const std::string model = folder.file("model");
    make_model(model, s);
    TextOptions o;
    o.model = model, o.threads = 2, o.seed = 1, o.max_new_tokens = 10, o.system = s.system;
    o = for_chat(o);
    TextGenerator generator(o);
    Conversation conversation = generator.conversation(o);
    const Tokenizer tokenizer = Tokenizer::load(model);
    std::string text = std::string("== ") + s.family + ": the shape of " + s.model +
                       ", the tokenizer " + s.tokenizer + "\n";
    for (const std::string line : {"Who are you?", "Two and 2?"}) {
        const std::vector<int> prompt = conversation.ask(line);
        const GeneratedText answer = generator.answer(prompt, o);
        conversation.answer(answer.text);
        ++o.stream;
        text += "-- reads " + std::to_string(prompt.size()) + " tokens:\n" +
                tokenizer.decode_text(prompt) + "\n-- writes " + std::to_string(answer.ids.size()) +
                ": " + one_line(answer.text) + "\n";
    }
    return text;
}

}  // namespace

TEST_CASE("a chat with a small model of each family is the one that is kept") {
    std::string all;
    for (const Subject& s : subjects) all += (all.empty() ? "" : "\n") + transcript(s);
    if (std::getenv("TBT_WRITE_TRANSCRIPTS")) write_file(kept, all);
    CHECK(all == read_file(kept));
}

TEST_CASE("a system's text that a template passes over is refused, not lost") {
    const test::TemporaryFolder folder;
    for (const Subject& s : subjects) {
        const std::string model = folder.file(s.family);
        make_model(model, s);
        TextOptions o;
        o.model = model, o.system = "Be brief.";
        const std::string error = test::error_of([&] { TextGenerator(o).conversation(o); });
        INFO(s.family);
        CHECK(error == (s.system[0] ? ""
                                    : "--system: this chat template has no place for it; say it in "
                                      "the first message"));
    }
}
