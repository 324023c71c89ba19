// Other programs' names for options, and what is said to those that have no counterpart.
#include "tests/catch.hpp"

#include <set>
#include <string>
#include <vector>

#include "chapters/23_text_generator/aliases.hpp"
#include "chapters/23_text_generator/command_line.hpp"
#include "lib/core/error.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using Words = std::vector<std::string>;

TEST_CASE("every alias leads to an option that there is, or has an answer", "[ch23]") {
    Settings settings;
    std::set<std::string> declared;
    read_command_line({}, [&](OptionTable& app) {
        add_options(app, settings);
        for (const DeclaredOption& option : CommandLine(app).options())
            declared.insert(option.name());
    });
    std::set<std::string> typed;
    for (const Alias& alias : aliases()) {
        INFO(alias.typed);
        CHECK(typed.insert(alias.typed).second);
        CHECK_FALSE(declared.contains(alias.typed));
        CHECK((alias.option || alias.answer));
        if (alias.option && *alias.option) CHECK(declared.contains(alias.option));
    }
}

TEST_CASE("what people type for llama.cpp and vLLM is understood", "[ch23]") {
    REQUIRE(with_our_names({"--temp", "0.5", "-s", "7", "-cnv"}) ==
            Words{"--temperature", "0.5", "--seed", "7", "--chat"});
    REQUIRE(with_our_names({"--max_tokens=9", "--color", "hello"}) ==
            Words{"--max-new-tokens=9", "hello"});
    REQUIRE(with_our_names({"--repeat-last-n", "-1"}) == Words{"--penalty-scope=all"});
    REQUIRE(with_our_names({"--", "-s", "--temp"}) == Words{"--", "-s", "--temp"});
    REQUIRE_THROWS_AS(with_our_names({"--repeat-last-n", "7"}), UsageError);
    // -hf would be -h and -f, and show the help.
    REQUIRE_THROWS_WITH(with_our_names({"-hf", "a/b"}), Catch::Contains("hf download"));
}

TEST_CASE("habits of other programs' users: what works, what is ignored, what is refused",
          "[ch23]") {
    struct Habit {
        Words typed, ours;
        int notes = 0;  // lines on stderr
    };
    const std::vector<Habit> habits = {
        // works
        {{"--temp", "0", "--top-k", "40"}, {"--temperature", "0", "--top-k", "40"}},
        {{"-t", "4", "--repeat-penalty", "1.1"}, {"--threads", "4", "--repetition-penalty", "1.1"}},
        {{"--do_sample", "True", "a"}, {"--do-sample", "a"}},
        {{"--do_sample=False"}, {"--greedy"}},
        {{"--do_sample", "False", "--num_beams", "4"}, {"--num_beams", "4"}},
        {{"--do-sample", "a"}, {"--do-sample", "a"}},
        {{"--early_stopping", "True"}, {"--early-stopping=true"}},
        {{"--ignore_eos", "False"}, {}},
        {{"--dtype=bfloat16"}, {"--weights=bf16"}},
        {{"--torch_dtype", "torch.float16"}, {"--weights=f16"}},
        {{"--torch-dtype", "auto"}, {"--weights=stored"}},
        {{"--load_in_8bit"}, {"--weights=int8"}},
        {{"--load_in_4bit", "False"}, {}},
        {{"--load_in_8bit", "false"}, {}},
        {{"--load_in_8bit=0"}, {}},
        {{"--context-shift", "--parallel", "2", "--show-timings"},
         {"--context=slide", "--num-return-sequences", "2", "--stats"}},
        {{"-ctk", "f16", "-ctv", "f16"}, {"--cache=f16"}},
        {{"-sys", "Be kind."}, {"--chat", "--system", "Be kind."}},
        {{"-sys", "Be kind.", "-cnv"}, {"--system", "Be kind.", "--chat"}},
        // happens anyway, or changes nothing
        {{"-fa", "--jinja", "-no-cnv", "--log-disable", "--no-warmup", "a"}, {"a"}},
        {{"-fa", "on", "a"}, {"a"}},
        {{"--color", "auto", "-co", "off", "--color", "a"}, {"a"}},
        {{"--flash-attn=auto", "a"}, {"a"}},
        {{"--use_cache", "True", "a"}, {"a"}},
        {{"--stream", "a"}, {"a"}},
        // is ignored with a line
        {{"-c", "4096", "a"}, {"a"}, 1},
        {{"-sp", "a"}, {"a"}, 1},
        {{"--ctx-size=4096", "--mlock", "--no-mmap", "a"}, {"a"}, 3},
        {{"-b", "512", "-ub", "64", "-ngl", "0", "a"}, {"a"}, 3},
        {{"--samplers", "top_k;temperature", "a"}, {"a"}, 1},
        {{"--device_map", "auto", "--prio", "2", "-tb", "8", "a"}, {"a"}, 3},
        // after -- all is text
        {{"--", "-c", "--mlock"}, {"--", "-c", "--mlock"}},
    };
    for (const Habit& habit : habits) {
        Words notes;
        INFO(habit.typed[0]);
        CHECK(translated(habit.typed, notes) == habit.ours);
        CHECK(static_cast<int>(notes.size()) == habit.notes);
        for (const std::string& note : notes) CHECK_THAT(note, Catch::Contains(" is ignored: "));
    }
    const std::vector<std::pair<Words, std::string>> refused = {
        {{"-hf", "a/b"}, "hf download"},
        {{"--max-length", "20"}, "--max-new-tokens"},
        {{"--min_length=20"}, "--min-new-tokens"},
        {{"-ctk", "f16", "-ctv", "f32"}, "keys and values are of one type"},
        {{"--repeat-last-n", "7"}, "expected 64"},
        {{"-c"}, "expected a value"},
    };
    for (const auto& [typed, why] : refused) {
        Words notes;
        CHECK_THROWS_WITH(translated(typed, notes), Catch::Contains(why));
    }
}

TEST_CASE("a mistyped option is answered with the nearest one", "[ch23]") {
    const auto refusal = [](const Words& words) {
        Settings settings;
        try {
            read_command_line(words, [&](OptionTable& app) { add_options(app, settings); });
        } catch (const UsageError& e) {
            return std::string(e.what());
        }
        return std::string("nothing was refused");
    };
    REQUIRE_THAT(refusal({"--temprature", "1"}), Catch::Contains("did you mean --temperature?"));
    REQUIRE_THAT(refusal({"--max-new=3"}), Catch::Contains("did you mean --max-new-tokens?"));
    REQUIRE_THAT(refusal({"--zzzzzz"}), !Catch::Contains("did you mean"));
    REQUIRE_THAT(refusal({"-v"}), Catch::Contains("-v: there is no such option (--help"));
    REQUIRE_THAT(refusal({"-n5", "-s7"}), Catch::Contains("-s7: there is no such option"));
    REQUIRE_THAT(refusal({"--seed", "1", "--seed", "2"}),
                 Catch::Contains("--seed: given more than once, expected once (--help"));
    REQUIRE_THAT(refusal({"--seed"}), Catch::Contains("--seed: expected a value (--help"));
}

TEST_CASE("the lines of a prompt file are read with the same escapes as a prompt", "[ch23]") {
    const test::TemporaryFolder folder;
    write_file(folder.file("prompts"), "a\\nb\n\nc\n");
    Settings s;
    s.prompt_file = folder.file("prompts");
    s.options.no_escape = false;
    complete(s);
    REQUIRE(s.prompts == Words{"a\nb", "c"});
}
