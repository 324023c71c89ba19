// Other programs' names for options, and what is said to those that have no counterpart.
#include "tests/catch.hpp"

#include "chapters/23_text_generator/aliases.hpp"
#include "chapters/23_text_generator/command_line.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "tests/support/temporary.hpp"
#include "tests/support/words.hpp"

using namespace tbt;
using test::words_of;
using Words = std::vector<std::string>;

TEST_CASE("every alias leads to an option that there is, or has an answer") {
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

TEST_CASE("what people type for llama.cpp and vLLM is understood") {
    REQUIRE(with_our_names({"--temp", "0.5", "-s", "7", "-cnv"}) ==
            Words{"--temperature", "0.5", "--seed", "7", "--chat"});
    REQUIRE(with_our_names({"--max_tokens=9", "--color", "hello"}) ==
            Words{"--max-new-tokens=9", "hello"});
    REQUIRE(with_our_names({"--repeat-last-n", "-1"}) == Words{"--penalty-scope=all"});
    REQUIRE(with_our_names({"--", "-s", "--temp"}) == Words{"--", "-s", "--temp"});
    REQUIRE(with_our_names({"--repeat-last-n", "7"}) == Words{"--penalty-scope=last-7"});
    REQUIRE(with_our_names({"--top-nsigma", "-1", "--min-keep=0", "--top-n-sigma=1"}) ==
            Words{"--top-nsigma=0", "--min-keep=1", "--top-n-sigma=1"});
    // -hf would be -h and -f, and show the help.
    REQUIRE_THROWS_WITH(with_our_names({"-hf", "a/b"}), Catch::Contains("hf download"));
}

TEST_CASE("habits of other programs' users: what works, what is ignored, what is refused") {
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
        {{"--do_sample", "False", "--num_beams", "1"}, {"--greedy", "--num_beams", "1"}},
        {{"--do_sample=false", "--num-beams=3"}, {"--num-beams=3"}},
        {{"--early_stopping", "False"}, {"--early-stopping=false"}},
        {{"--early_stopping", "never"}, {"--early_stopping", "never"}},
        {{"--load_in_4bit", "True", "a"}, {"--weights=int4", "a"}},
        {{"--cache-type-k", "f16"}, {"--cache=f16"}},
        {{"--repeat-last-n", "256"}, {"--penalty-scope=last-256"}},
        {{"--dtype", "float16"}, {"--weights=f16"}},
        {{"--dtype", "half"}, {"--weights=f16"}},
        {{"--dtype", "fp16"}, {"--weights=f16"}},
        {{"--dtype", "bf16"}, {"--weights=bf16"}},
        {{"--dtype", "torch.bfloat16"}, {"--weights=bf16"}},
        {{"--dtype", "float32"}, {"--weights=f32"}},
        {{"--dtype", "float"}, {"--weights=f32"}},
        {{"--dtype", "fp32"}, {"--weights=f32"}},
        {{"--dtype", "int8"}, {"--weights=int8"}},
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
        CHECK(to_int(notes.size()) == habit.notes);
        for (const std::string& note : notes) CHECK_THAT(note, Catch::Contains(" is ignored: "));
    }
    const std::vector<std::pair<Words, std::string>> refused = {
        {{"-hf", "a/b"}, "hf download"},
        {{"--max-length", "20"}, "--max-new-tokens"},
        {{"--min_length=20"}, "--min-new-tokens"},
        {{"-ctk", "f16", "-ctv", "f32"}, "keys and values are of one type"},
        {{"--repeat-last-n", "-7"}, "expected a number of tokens"},
        {{"-c"}, "expected a value"},
    };
    for (const auto& [typed, why] : refused) {
        Words notes;
        CHECK_THROWS_WITH(translated(typed, notes), Catch::Contains(why));
    }
}

TEST_CASE("a mistyped option is answered with the nearest one") {
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

TEST_CASE("the lines of a prompt file are read with the same escapes as a prompt") {
    const test::TemporaryFolder folder;
    write_file(folder.file("prompts"), "a\\nb\n\nc\n");
    Settings s;
    s.prompt_file = folder.file("prompts");
    s.options.no_escape = false;
    complete(s);
    REQUIRE(s.prompts == Words{"a\nb", "c"});
}

TEST_CASE("other programs' names mean the option that they mean there") {
    const std::vector<std::pair<std::string, std::string>> named = {
        {"--temperature", "--temp"},
        {"--seed", "-s"},
        {"--threads", "-t"},
        {"--max-new-tokens", "--n-predict --predict --max-tokens"},
        {"--min-new-tokens", "--min-tokens"},
        {"--repetition-penalty", "--repeat-penalty"},
        {"--typical-p", "--typical --typ-p"},
        {"--logit-bias", "-l"},
        {"--stop-strings", "-r --reverse-prompt --stop"},
        {"--grammar", "--grammar-file --guided-grammar"},
        {"--json-schema", "-j -jf --json-schema-file --guided-json"},
        {"--regex", "--guided-regex"},
        {"--choice", "--guided-choice"},
        {"--prompt-file", "--file"},
        {"--chat-template", "--chat-template-file"},
        {"--assistant-model", "-md --model-draft"},
        {"--num-assistant-tokens", "--draft --draft-max"},
        {"--num-return-sequences", "-np --parallel"}};
    for (const auto& [ours, theirs] : named)
        for (const std::string& name : words_of(theirs)) {
            INFO(name);
            CHECK(with_our_names({name, "7", "x"}) == Words{ours, "7", "x"});
            CHECK(with_our_names({name + "=7"}) == Words{ours + "=7"});
        }
    for (const char* chat : {"-cnv", "--conversation", "-i", "--interactive"}) {
        CHECK(with_our_names({chat}) == Words{"--chat"});
        CHECK(with_our_names({"-sys", "x", chat}) == Words{"--system", "x", "--chat"});
    }
    for (const char* stats : {"--perf", "--show-timings"})
        CHECK(with_our_names({stats}) == Words{"--stats"});
}

TEST_CASE("of an ignored option its value is ignored too, and no word of the prompt") {
    for (const std::string& valued : words_of(
             "-lv --log-verbosity -c --ctx-size --max-model-len -b --batch-size -ub --ubatch-size "
             "--numa -tb --threads-batch --prio --poll -ngl --n-gpu-layers --gpu-layers -dev "
             "--device --device-map -mg --main-gpu -sm --split-mode -ts --tensor-split -ngld "
             "--draft-min --draft-p-min --samplers --sampling-seq --sampler-seq --log-file")) {
        Words notes;
        INFO(valued);
        CHECK(translated({valued, "7", "hello"}, notes) == Words{"hello"});
        CHECK(translated({valued + "=7", "hello"}, notes) == Words{"hello"});
    }
    for (const std::string& alone : words_of(
             "--jinja -e --escape -no-cnv --no-conversation --color -co --stream --use-cache -fa "
             "--flash-attn --warmup --no-warmup --log-disable --no-perf --simple-io -mli "
             "--multiline-input --no-context-shift -cb --cont-batching --no-repack "
             "--verbose-prompt --verbose --mlock --mmap --no-mmap -nkvo --no-kv-offload "
             "--no-op-offload --special -sp")) {
        Words notes;
        INFO(alone);
        CHECK(translated({alone, "7", "hello"}, notes) == Words{"7", "hello"});
    }
}
