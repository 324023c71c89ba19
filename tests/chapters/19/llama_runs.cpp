// build/train --architecture llama, as a user has it.
#include "tests/catch.hpp"

#include "chapters/19_training/tools/train_commands.hpp"
#include "lib/files/model.hpp"
#include "lib/json/json.hpp"
#include "tests/support/train_command.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

TrainCommand llama_command(const Folder& folder, const std::string& out) {
    TrainCommand command = small_command(folder, out);
    command.architecture = {"llama", 1, 0};
    command.training.steps = 10;
    command.loop.half = true;
    return command;
}

}  // namespace

TEST_CASE(
    "a Llama trained on a text is a directory like any other, and its recipe makes it again") {
    const Folder folder;
    const Quiet quiet;
    TrainCommand command = llama_command(folder, "first");
    REQUIRE(run_train(command) == 0);
    const Json config = read_json((command.loop.out / "config.json").string());
    CHECK(config.at("model_type") == "llama");
    CHECK(config.at("architectures") == Json::array({"LlamaForCausalLM"}));
    CHECK(config.at("num_key_value_heads") == 1);
    CHECK(config.at("intermediate_size") == 96);  // 8/3 of 32, rounded up to a multiple of 16
    CHECK(config.at("torch_dtype") == "float16");
    Model model = load_model(command.loop.out);
    KvCache cache(model.config());
    CHECK(model.transformer.forward(cache, model.tokenizer.encode("The boat")).size() ==
          index(model.config().vocab_size));
    const std::string card = read_file((command.loop.out / "README.md").string());
    CHECK(contains(card, "A Llama of "));
    CHECK(contains(card, "- llama\n"));

    TrainCommand again = small_command(folder, "again");
    again.recipe = (command.loop.out / "recipe.json").string();
    again.text.clear();
    again.training.threads = 2;
    REQUIRE(run_train(again) == 0);
    CHECK(weights_of(again.loop.out) == weights_of(command.loop.out));
}

TEST_CASE("training goes on from a Llama with its shape, and a GPT-2 can teach it") {
    const Folder folder;
    const Quiet quiet;
    TrainCommand command = llama_command(folder, "first");
    command.loop.half = false;
    REQUIRE(run_train(command) == 0);
    TrainCommand more = small_command(folder, "more");
    more.training.init = command.loop.out.string();
    more.training.steps = 2;
    REQUIRE(run_train(more) == 0);
    const Json recipe = read_json((more.loop.out / "recipe.json").string());
    CHECK(recipe.at("options").at("architecture") == "llama");
    CHECK(recipe.at("init").at("hash") ==
          read_json((command.loop.out / "recipe.json").string()).at("weights"));

    TrainCommand teacher = small_command(folder, "teacher");
    teacher.tokenizer = command.loop.out.string();
    teacher.training.steps = 2;
    REQUIRE(run_train(teacher) == 0);
    TrainCommand pupil = llama_command(folder, "pupil");
    pupil.tokenizer = command.loop.out.string();
    pupil.training.teacher = teacher.loop.out.string();
    REQUIRE(run_train(pupil) == 0);
    CHECK(read_json((pupil.loop.out / "config.json").string()).at("model_type") == "llama");
}

TEST_CASE("what no Llama can be is said before training") {
    const Folder folder;
    const Quiet quiet;
    const auto said = [&](auto change) {
        TrainCommand command = llama_command(folder, "wrong");
        change(command);
        return error_of([&] { run_train(command); });
    };
    CHECK(said([](auto& c) { c.architecture.name = "gpt3"; }) ==
          "the architecture is \"gpt3\", expected gpt2 or llama");
    CHECK(said([](auto& c) { c.architecture.name = "gpt2"; }) ==
          "--kv-heads and --inner are Llama's: add --architecture llama");
    CHECK(said([](auto& c) { c.architecture.kv_heads = 3; }) ==
          "train: kv_heads is 3, expected a divisor of heads, which is 2");
    CHECK(said([](auto& c) { c.architecture.inner = 40; }) ==
          "train: inner is 40, expected a multiple of 16");
    CHECK(contains(said([](auto& c) { c.training.fill_masks = true; }),
                   "expected --architecture gpt2"));
    CHECK(said([](auto& c) {
              c.training.init = shipped_model("sketch").string();
              c.given.architecture = true;
          }).find("--architecture is llama, expected gpt2, which ") == 0);
    CHECK_FALSE(fs::exists(folder.path / "wrong"));
}
