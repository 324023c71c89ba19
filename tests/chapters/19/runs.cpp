#include "tests/catch.hpp"

#include <csignal>
#include <tuple>

#include <sys/wait.h>
#include <unistd.h>

#include "chapters/19_training/tools/adopt.hpp"
#include "chapters/19_training/tools/train_commands.hpp"
#include "lib/core/rng.hpp"
#include "lib/corpus/documents.hpp"
#include "lib/files/model.hpp"
#include "lib/files/random_model.hpp"
#include "lib/json/json.hpp"
#include "tests/support/train_command.hpp"

using namespace tbt;
using namespace tbt::test;

TEST_CASE("a recipe makes its model again, bit for bit, with other threads") {
    const Folder folder;
    const Quiet quiet;
    TrainCommand command = small_command(folder, "first");
    REQUIRE(run_train(command) == 0);
    TrainCommand again;
    again.recipe = (folder.path / "first/recipe.json").string();
    again.loop.out = folder.path / "again";
    again.loop.validation_documents = 1;
    again.training.threads = 2;
    REQUIRE(run_train(again) == 0);
    CHECK(weights_of(again.loop.out) == weights_of(command.loop.out));
    const Json first = read_json(again.recipe),
               second = read_json((again.loop.out / "recipe.json").string());
    CHECK(first.at("options") == second.at("options"));
    CHECK(first.at("weights") == second.at("weights"));
    // Another seed would be another model, another text another recipe.
    command.loop.out = folder.path / "other";
    command.training.seed = 2;
    REQUIRE(run_train(command) == 0);
    CHECK(weights_of(command.loop.out) != weights_of(again.loop.out));
    again.loop.out = folder.path / "third";
    folder.file("text/boats.txt", some_text() + "One more.");
    CHECK(contains(error_of([&] { run_train(again); }), "the text has changed"));
    for (const char* number : {"4294967304", "1e30", "-1", "0", "\"8\""}) {
        Json wrong = first;
        wrong["options"]["layers"] = json_value(number);
        again.recipe = folder.file("wrong.json", json_text(wrong));
        CHECK(contains(error_of([&] { run_train(again); }), "expected an integer from 1 to"));
    }
}

TEST_CASE("a recipe may have a single step") {
    const Folder folder;
    const Quiet quiet;
    TrainCommand command = small_command(folder, "first");
    command.training.steps = 1, command.training.warm_up = 0;
    REQUIRE(run_train(command) == 0);
    TrainCommand again;
    again.recipe = (folder.path / "first/recipe.json").string();
    again.loop.validation_documents = 1;
    // How long its rows are: as written, or as long as the context (0, or nothing said).
    Json recipe = read_json(again.recipe);
    CHECK(recipe["options"]["sequence"] == 64);
    for (const char* length : {"64", "0", ""}) {
        recipe["options"].erase("sequence");
        if (*length) recipe["options"]["sequence"] = json_value(length);
        write_file(again.recipe, json_text(recipe));
        again.loop.out = folder.path / ("again" + std::string(length));
        REQUIRE(run_train(again) == 0);
        CHECK(weights_of(again.loop.out) == weights_of(command.loop.out));
    }
}

TEST_CASE("training goes on from a model, with its shape and tokenizer, and leaves it as it was") {
    const Folder folder;
    const Quiet quiet;
    TrainCommand command = small_command(folder, "first");
    REQUIRE(run_train(command) == 0);
    const std::string before = weights_of(command.loop.out);
    TrainCommand more = small_command(folder, "more");
    more.training.shape =
        gpt_config(6, 6, 192, 32, 0);  // the model's own shape counts; rows are shorter
    more.training.init = command.loop.out.string();
    more.training.steps = 4;
    REQUIRE(run_train(more) == 0);
    CHECK(weights_of(command.loop.out) == before);
    const Json config = read_json((more.loop.out / "config.json").string());
    CHECK(config.at("n_embd") == 32);
    CHECK(config.at("n_positions") == 64);
    const Json recipe = read_json((more.loop.out / "recipe.json").string());
    CHECK(recipe.at("options").at("sequence") == 32);
    CHECK(recipe.at("init").at("hash") ==
          read_json((command.loop.out / "recipe.json").string()).at("weights"));
    // Nothing is forgotten in four small steps: far from the guess of a new model.
    const auto bits = [](const Json& r) {
        return r.at("held_out_bits_per_byte").at("text").at("model").get<double>();
    };
    const double first = bits(read_json((command.loop.out / "recipe.json").string()));
    CHECK(bits(recipe) < first + 0.5);
}

TEST_CASE("a model takes another tokenizer: a token begins as the mean of its old pieces") {
    const Folder folder;
    const Quiet quiet;
    TrainCommand command = small_command(folder, "first");
    REQUIRE(run_train(command) == 0);
    const std::string first = command.loop.out.string();
    const Tokenizer before = Tokenizer::load(first),
                    after = Tokenizer::load(shipped_model("storyteller").string());
    TransformerConfig shape = trainable_shape(first);
    train::Trainer old_model(shape, 1, 1);
    read_parameters(first, old_model);
    shape.vocab_size = after.vocab_size();
    train::Trainer model(shape, 1, 1);
    read_initial(first, after, model);
    const auto row = [&](train::Trainer& m, int id) {
        return m.of(m.layout()["wte.weight"])
            .subspan(index(id * shape.n_embd), index(shape.n_embd));
    };
    for (const char* word : {"a", " the", " weather", "<|endoftext|>"}) {
        INFO(word);
        const int id = after.id_of(word).value();
        const std::vector<int> pieces = before.encode(word, SpecialTokens::parse);
        for (std::size_t i = 0; i < index(shape.n_embd); ++i) {
            float sum = 0;
            for (const int piece : pieces) sum += row(old_model, piece)[i];
            CHECK(row(model, id)[i] == sum / static_cast<float>(pieces.size()));
        }
    }
    for (const char* same : {"wpe.weight", "h.0.attn.c_attn.weight", "ln_f.bias"})
        CHECK(std::ranges::equal(model.of(model.layout()[same]),
                                 old_model.of(old_model.layout()[same])));
    // The program does it, too; a teacher's distribution needs the same tokens.
    command.training.init = first;
    command.tokenizer = shipped_model("storyteller").string();
    command.tokenizer_given = true;
    command.training.steps = 1;
    command.loop.out = folder.path / "more";
    REQUIRE(run_train(command) == 0);
    CHECK(read_json((command.loop.out / "config.json").string()).at("vocab_size") == 8192);
    command.loop.out = folder.path / "taught";
    command.training.teacher = first;
    CHECK(contains(error_of([&] { run_train(command); }), "has another tokenizer"));
}

TEST_CASE("a model to go on from may have more rows than tokens") {
    const Folder folder;
    const Quiet quiet;
    const std::string padded = (folder.path / "padded").string();
    write_random_model(padded, gpt_config(1, 2, 32, 64, 8300));
    Tokenizer::load(shipped_model("storyteller").string()).save(padded, 64);
    TrainCommand command = small_command(folder, "more");
    command.training.init = padded;
    command.training.steps = 1;
    REQUIRE(run_train(command) == 0);
    CHECK(read_json((command.loop.out / "config.json").string()).at("vocab_size") == 8300);
}

TEST_CASE("a folder that holds a model is never written over") {
    const Folder folder;
    const Quiet quiet;
    TrainCommand command = small_command(folder, "first");
    REQUIRE(run_train(command) == 0);
    const std::string before = weights_of(command.loop.out);
    CHECK(contains(error_of([&] { run_train(command); }), "--resume"));
    fs::remove(command.loop.out / "checkpoint");
    CHECK(contains(error_of([&] { run_train(command); }), "holds a finished model"));
    CHECK(contains(error_of([&] { run_tokenizer(command); }), "holds a model"));
    command.resume = true;
    CHECK(contains(error_of([&] { run_train(command); }), "there is none"));
    CHECK(weights_of(command.loop.out) == before);
}

TEST_CASE("a model in several files is one too, and not written over") {
    const Folder folder;
    TrainCommand command = small_command(folder, "hub");
    folder.file("hub/config.json", "{}");
    folder.file("hub/model.safetensors.index.json", "{}");
    CHECK(contains(error_of([&] { check_out(command); }), "holds a finished model"));
    // A tokenizer alone is what training begins with.
    command.loop.out = folder.path / "tokenizer";
    folder.file("tokenizer/tokenizer_config.json", "{}");
    check_out(command);
}

TEST_CASE("what contradicts a model to go on from is refused, what it has is taken") {
    const Folder folder;
    TrainCommand command = small_command(folder, "more");
    const std::string init = shipped_model("sketch").string();  // 2 layers, 4 heads, 128 channels
    const auto said = [&] { return error_of([&] { check_shape(command); }); };
    command.training.shape.n_positions = 0;
    CHECK(said().starts_with("--context is 0, expected 1 or more"));
    CHECK(error_of([&] { run_train(command); }) == said());  // not an endless cutting of the text
    command.training.init = init;
    command.training.shape = gpt_config(2, 4, 128, 64, 0);
    command.vocab = 8192;
    command.given = {true, true, true, true};
    CHECK(said().empty());
    command.training.shape.n_layer = 3;
    CHECK(said() == "--layers is 3, expected 2, which " + init + " has");
    command.given.layers = false;  // the default, which nobody asked for
    CHECK(said().empty());
    command.training.shape.n_head = 2;
    CHECK(said() == "--heads is 2, expected 4, which " + init + " has");
    command.given.heads = false;
    command.training.shape.n_embd = 64;
    CHECK(said() == "--embd is 64, expected 128, which " + init + " has");
    command.given.embd = false;
    command.vocab = 300;
    CHECK(said() == "--vocab is 300, expected 8192, which " + init + " has");
    command.given.vocab = false;
    command.training.shape.n_positions = 513;
    CHECK(said() == "--context is 513, expected 512 at most, which " + init + " has");
    command.context_given = false;
    CHECK(said().empty());
}

TEST_CASE("a disk without room for the model is told before hours are spent") {
    const Folder folder;
    check_room(folder.path.string(), 1000);
    const std::string said = error_of([&] { check_room(folder.path.string(), 1LL << 55); });
    CHECK(said.starts_with(folder.path.string() + ": training writes up to 1099511627777 MiB"));
    CHECK(contains(said, "free some"));
}

TEST_CASE("killed at any moment, training goes on to the same bits") {
    const Folder folder;
    const Quiet quiet;
    TrainCommand whole = small_command(folder, "whole");
    REQUIRE(run_train(whole) == 0);
    TrainCommand killed = small_command(folder, "killed");
    killed.loop.checkpoint_minutes = 0;  // after every step
    const std::string checkpoint = checkpoint_path(killed.loop.out).string();
    for (int round = 0; round < 4; ++round) {
        killed.resume = file_exists(checkpoint);
        const pid_t child = ::fork();
        if (child == 0) {
            try {
                run_train(killed);
            } catch (...) {
                ::_exit(3);
            }
            ::_exit(0);
        }
        ::usleep(30'000 + 25'000 * static_cast<unsigned>(round));
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        // Killed, or already through; never stopped by an error.
        CHECK((WIFSIGNALED(status) || WEXITSTATUS(status) == 0));
    }
    killed.resume = file_exists(checkpoint);
    REQUIRE(run_train(killed) == 0);
    CHECK(weights_of(killed.loop.out) == weights_of(whole.loop.out));
    for (const auto& entry : fs::directory_iterator(killed.loop.out))
        CHECK(entry.path().extension() != ".tmp");
}

TEST_CASE("Ctrl-C saves after the step at hand, and the command goes on from there") {
    const Folder folder;
    const Quiet quiet;
    TrainCommand whole = small_command(folder, "whole"), stopped = small_command(folder, "stopped");
    REQUIRE(run_train(whole) == 0);
    stopped.training.steps = whole.training.steps;
    const pid_t child = ::fork();
    if (child == 0) {
        ::usleep(20'000);
        ::kill(::getppid(), SIGINT);
        ::_exit(0);
    }
    // The signal may come before the loop listens; then it would end this program.
    struct sigaction ignore {
    }, old{};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, &ignore, &old);
    stopped.loop.checkpoint_minutes = 1000;
    const int status = run_train(stopped);
    ::waitpid(child, nullptr, 0);
    ::sigaction(SIGINT, &old, nullptr);
    CHECK((status == 130 || status == 0));
    stopped.resume = true;
    REQUIRE(run_train(stopped) == 0);
    CHECK(weights_of(stopped.loop.out) == weights_of(whole.loop.out));
}

TEST_CASE("a checkpoint that cannot be written costs a line, not the training") {
    const Folder folder;
    const Quiet quiet;
    TrainCommand command = small_command(folder, "out");
    // As on a full disk, but for anyone: the curve's place is taken by a folder.
    fs::create_directories(command.loop.out / "curve.csv");
    command.loop.checkpoint_minutes = 0;
    const std::string said = error_of([&] { run_train(command); });
    CHECK(contains(said, "curve.csv"));
    CHECK(contains(said, "--resume continues from the last checkpoint"));
    fs::remove_all(command.loop.out / "curve.csv");
    command.resume = true;
    REQUIRE(run_train(command) == 0);  // all steps were done
    const Json recipe = read_json((command.loop.out / "recipe.json").string());
    CHECK(recipe.at("steps_done") == 30);
}

TEST_CASE("what goes on reads the checkpoint: with a torn one nothing begins anew") {
    const Folder folder;
    const Quiet quiet;
    TrainCommand command = small_command(folder, "out");
    REQUIRE(run_train(command) == 0);
    const std::string checkpoint = checkpoint_path(command.loop.out).string();
    write_file(checkpoint, read_file(checkpoint).substr(0, 1000));
    command.resume = true;
    CHECK(error_of([&] { run_train(command); }).find(checkpoint) == 0);
}

TEST_CASE("what a killed training left half-written is gone when training begins") {
    const Folder folder;
    const Quiet quiet;
    const TrainCommand command = small_command(folder, "out");
    const std::string left = folder.file("out/curve.csv.123.tmp", "step,");
    REQUIRE(run_train(command) == 0);
    CHECK(!fs::exists(left));
}

TEST_CASE("a tokenizer learns the words of the texts that are trained on, and no others") {
    // Each document has a word of its own, so often that it becomes a token.
    const Folder folder;
    std::string text;
    Rng rng(1);
    for (int i = 0; i < 40; ++i) {
        std::string word;
        for (int k = 0; k < 6; ++k) word += static_cast<char>('a' + rng.below(26));
        for (int k = 0; k < 15; ++k) text += word + " ";
        text += "<|endoftext|>";
    }
    TrainCommand command = small_command(folder, "out");
    command.text = folder.file("words.txt", text);
    command.vocab = 257 + 300;
    run_tokenizer(command);
    const Tokenizer tokenizer = Tokenizer::load(command.loop.out.string());
    const auto longest = index(2 * command.training.shape.n_positions);
    const TextDocuments source = TextDocuments::load(command.text, longest);
    REQUIRE(source.count() == 40);
    double trained = 0, held_out = 0, of_trained = 0, of_held_out = 0;
    for (std::uint64_t i = 0; i < source.count(); ++i) {
        const Document d = source.document(1, i);
        const auto tokens = static_cast<double>(tokenizer.encode(d.text).size());
        (d.held_out ? held_out : trained) += tokens;
        (d.held_out ? of_held_out : of_trained) += 1;
    }
    REQUIRE(of_held_out > 0);
    CHECK(held_out / of_held_out > 1.5 * trained / of_trained);
}

TEST_CASE("a model is taken over whole or not at all") {
    const Folder folder;
    const Quiet quiet;
    TrainCommand command = small_command(folder, "trained");
    REQUIRE(run_train(command) == 0);
    const fs::path shipped = folder.path / "shipped";
    fs::create_directory(shipped);
    write_file(
        (shipped / "report.json").string(),
        R"({"rows": [{"what": "repeats", "figure": "7 %"}, {"what": "gone", "figure": "1"}]})");
    write_file(
        (command.loop.out / "report.json").string(),
        R"({"rows": [{"what": "repeats", "figure": "5 %"}, {"what": "new", "figure": "2"}]})");
    const std::string table = adoption_table(command.loop.out, shipped);
    for (const auto& [name, before, after] :
         {std::tuple{"", "ships now", "trained"}, {"repeats", "7 %", "5 %"}, {"new", "", "2"}}) {
        char line[128];
        std::snprintf(line, sizeof line, "%-52s %16s %16s\n", name, before, after);
        CHECK(contains(table, line));
    }
    CHECK_FALSE(contains(table, "gone"));
    fs::remove_all(shipped);
    CHECK(contains(table, "gap to the floor: text"));
    CHECK(!fs::exists(shipped));
    adopt(command.loop.out, shipped);
    CHECK(weights_of(shipped) == weights_of(command.loop.out));
    CHECK(!fs::exists(shipped / "checkpoint"));
    // Stopped between the two renames: the old one is found again.
    fs::rename(shipped, shipped.string() + ".old");
    adopt(command.loop.out, shipped);
    CHECK(weights_of(shipped) == weights_of(command.loop.out));
    CHECK(!fs::exists(shipped.string() + ".old"));
    // Not finished, or not a model: refused, and what ships stays.
    const std::string recipe_path = (command.loop.out / "recipe.json").string();
    Json recipe = read_json(recipe_path);
    recipe["steps_done"] = 29;
    write_file(recipe_path, json_text(recipe));
    CHECK(contains(error_of([&] { adoption_table(command.loop.out, shipped); }), "29 of 30 steps"));
    // A recipe that says nothing of steps has done none.
    write_file(recipe_path, "{}");
    CHECK(contains(error_of([&] { adoption_table(command.loop.out, shipped); }), "0 of 0 steps"));
    fs::remove(command.loop.out / "model.safetensors");
    CHECK(contains(error_of([&] { adoption_table(command.loop.out, shipped); }),
                   "model.safetensors"));
    CHECK(fs::exists(shipped / "model.safetensors"));
}
