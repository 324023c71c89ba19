// What only the command line knows: chats, prompts of files, what a model's directory asks for.
#include "tests/catch.hpp"

#include "chapters/23_text_generator/command_line.hpp"
#include "lib/files/random_model.hpp"
#include "lib/machine/command_line.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using Words = std::vector<std::string>;

namespace {

// A model whose generation_config.json is `config`; the folder goes with the program.
std::string model_that_asks(const std::string& name, const std::string& config) {
    static const test::TemporaryFolder folder;
    write_random_model(folder.file(name), gpt_config(1, 2, 32, 64, 300));
    folder.write(name + "/generation_config.json", config);
    return folder.file(name);
}

// A command line, read and completed.
Settings completed(const Words& words) {
    Settings settings;
    read_command_line(
        words, [&](OptionTable& app) { add_options(app, settings); }, [&] { complete(settings); });
    return settings;
}

// What is said against it; "" where nothing is.
std::string refusal(const Words& words) {
    return test::error_of([&] { completed(words); });
}

}  // namespace

TEST_CASE("two outputs into one file are refused") {
    CHECK_THAT(refusal({"--html", "f", "--trace", "f"}), Catch::StartsWith("--html and --trace"));
    CHECK_THAT(refusal({"--figure", "f", "--html", "f"}), Catch::StartsWith("--html and --figure"));
    CHECK_THAT(refusal({"--figure", "f", "--trace", "f"}),
               Catch::StartsWith("--trace and --figure"));
    CHECK(refusal({"--html", "f", "--trace", "g"}).empty());
}

TEST_CASE("--strategy beam reads a model's file as --num-beams 4 does") {
    for (const char* config :
         {R"({"do_sample": false})", R"({"do_sample": true, "temperature": 0.7, "top_p": 0.8})"}) {
        const std::string model = model_that_asks(std::string("search-") + config[14], config);
        const TextOptions beam = completed({"--model", model, "--strategy", "beam"}).options,
                          four = completed({"--model", model, "--num-beams", "4"}).options;
        CHECK(beam.num_beams == 4);
        CHECK(beam.do_sample == four.do_sample);
        CHECK(beam.greedy == four.greedy);
        CHECK(beam.temperature == four.temperature);
        CHECK(beam.top_p == four.top_p);
    }
    // Heads guess how one text goes on; the file's number of beams is not for them.
    const std::string searcher = model_that_asks("searcher", R"({"num_beams": 4})");
    CHECK(completed({"--model", searcher}).options.num_beams == 4);
    CHECK(completed({"--model", searcher, "--medusa"}).options.num_beams == 1);
}

TEST_CASE("a file that asks for several texts does not break a chat") {
    const std::string model = model_that_asks("three", R"({"num_return_sequences": 3})");
    CHECK(completed({"--model", model}).options.samples == 3);
    CHECK(completed({"--model", model, "--num-return-sequences", "1"}).options.samples == 1);
    CHECK(completed({"--model", model, "--chat"}).options.samples == 1);
    CHECK_FALSE(refusal({"--model", model, "--chat", "--num-return-sequences", "2"}).empty());
}

TEST_CASE("what a chat cannot be given is refused") {
    const auto chat = [](Words words) {
        words.insert(words.begin(), "--chat");
        return refusal(words);
    };
    CHECK(chat({}).empty());
    CHECK(chat({"--echo", "--temperature", "1"}).empty());
    for (const Words& prompt : {Words{"hello"}, Words{"-p", "hello"}, Words{"-f", "README.md"}})
        CHECK_THAT(chat(prompt), Catch::StartsWith("--chat and a prompt"));
    CHECK_THAT(chat({"--stop-strings", "."}), Catch::StartsWith("--stop-strings: a chat stops"));
    CHECK(chat({"--system", "Be kind.", "--chat-template", "chatml"}).empty());
    // Without a chat they have no effect.
    CHECK(refusal({"--echo", "--system", "x", "--chat-template", "chatml"}).empty());
    CHECK_THAT(chat({"--context", "slide"}), Catch::StartsWith("--context: a chat forgets"));
    CHECK_THAT(chat({"--num-return-sequences", "2"}),
               Catch::StartsWith("--chat and --num-return-sequences"));
    CHECK_THAT(chat({"--json", "--continue"}), Catch::StartsWith("--chat and --continue"));
    for (const Words& shown :
         {Words{"--output-format", "json"}, Words{"--explain"}, Words{"--logprobs", "1"},
          Words{"--prompt-logprobs", "1"}, Words{"--no-stream"}, Words{"--no-display-prompt"},
          Words{"--stats"}, Words{"--trace", "t"}, Words{"--html", "h"}, Words{"--figure", "f"}}) {
        INFO(shown[0]);
        CHECK_THAT(chat(shown), Catch::StartsWith("--chat: an answer is shown as text"));
    }
}

TEST_CASE("a comparison is of one or two traces, on a page, and writes no text") {
    CHECK(refusal({"--compare", "a", "--html", "h"}).empty());
    CHECK(refusal({"--compare", "a", "--compare", "b", "--html", "h"}).empty());
    CHECK_THAT(refusal({"--compare", "a", "--compare", "b", "--compare", "c", "--html", "h"}),
               Catch::StartsWith("--compare: got 3 files"));
    CHECK_THAT(refusal({"--compare", "a"}), Catch::StartsWith("--compare: the page needs a name"));
    for (const Words& text : {Words{"hello"}, Words{"-f", "README.md"}, Words{"--trace", "t"}}) {
        Words words{"--compare", "a", "--html", "h"};
        words.insert(words.end(), text.begin(), text.end());
        CHECK_THAT(refusal(words), Catch::StartsWith("--compare and a text to write"));
    }
}

TEST_CASE("what fills gaps is refused what only goes from left to right") {
    const auto filled = [](Words words) {
        words.insert(words.begin(), {"--decoder", "diffusion"});
        return refusal(words);
    };
    CHECK(filled({"-n", "9", "--infill", "end", "--html", "h"}).empty());
    CHECK_THAT(filled({"--chat"}), Catch::StartsWith("--decoder diffusion and --chat"));
    CHECK_THAT(filled({"--model", GenerateOptions().model}),
               Catch::StartsWith("--decoder diffusion and --model"));
    CHECK_THAT(filled({"--attention", "1.1", "--html", "h"}),
               Catch::StartsWith("--decoder diffusion and --attention"));
    for (const Words& shown :
         {Words{"--explain"}, Words{"--logprobs", "1"}, Words{"--figure", "f"}})
        CHECK_THAT(filled(shown), Catch::StartsWith("--decoder diffusion and --explain"));
}

TEST_CASE("attention is recorded for a page or a trace only") {
    CHECK(refusal({"--attention", "1.1"}).empty());
    CHECK_FALSE(completed({"--attention", "1.1"}).options.record);
    CHECK(refusal({"--attention", "1.1", "--html", "h"}).empty());
    CHECK(completed({"--attention", "1.1", "--trace", "t"}).options.record);
    CHECK_FALSE(completed({"hello"}).options.record);
}

TEST_CASE("prompts come from the command line, from a file, or are the usual one") {
    const test::TemporaryFolder folder;
    const std::string file = folder.write("prompts", "one\n\ntwo\\tb\n\n"),
                      windows = folder.write("windows", "\ufeffone\r\n\r\ntwo\\tb\r\n"),
                      empty = folder.write("empty", "\n\n");
    CHECK(completed({}).prompts == Words{"Once upon a time"});
    CHECK(completed({"a", "b"}).prompts == Words{"a", "b"});
    CHECK(completed({"-f", file}).prompts == Words{"one", "two\tb"});
    CHECK(completed({"-f", windows}).prompts == Words{"one", "two\tb"});
    CHECK(completed({"-f", file, "--no-escape"}).prompts == Words{"one", "two\\tb"});
    CHECK_THAT(refusal({"-f", file, "a"}), Catch::StartsWith("--prompt-file and a prompt"));
    CHECK_THAT(refusal({"-f", empty}), Catch::Contains("has no prompts"));
}

TEST_CASE("\\n is a line break in each text of the command line, unless escapes are off") {
    const Words words{"a\\n", "--stop-strings",   "b\\n", "--bad-words",       "c\\n", "--ban-text",
                      "d\\n", "--guidance-scale", "2",    "--negative-prompt", "e\\n"};
    const auto texts = [](const Settings& s) {
        const TextOptions& o = s.options;
        return Words{s.prompts[0], o.stop_strings[0], o.bad_words[0], o.ban_text[0],
                     *o.negative_prompt};
    };
    CHECK(texts(completed(words)) == Words{"a\n", "b\n", "c\n", "d\n", "e\n"});
    CHECK(*completed({"--infill", "f\\n", "-n", "9"}).options.infill == "f\n");
    Words raw = words;
    raw.push_back("--no-escape");
    CHECK(texts(completed(raw)) == Words{"a\\n", "b\\n", "c\\n", "d\\n", "e\\n"});
}

TEST_CASE("what a model's directory asks for holds where the command line is silent") {
    const std::string model =
        model_that_asks("search", R"({"num_beams": 4, "num_beam_groups": 2, "length_penalty": 0.5,
            "diversity_penalty": 1.5, "early_stopping": true, "guidance_scale": 1.5})");
    const TextOptions silent = completed({"--model", model}).options;
    CHECK(silent.num_beams == 4);
    CHECK(silent.num_beam_groups == 2);
    CHECK(silent.length_penalty == 0.5);
    CHECK(silent.price() == 1.5);
    CHECK(silent.early_stopping == "true");
    CHECK(silent.guidance_scale == 1.5);

    const TextOptions said = completed({"--model", model, "--num-beams", "6", "--num-beam-groups",
                                        "3", "--length-penalty", "2", "--diversity-penalty", "0.25",
                                        "--early-stopping", "never", "--guidance-scale", "1"})
                                 .options;
    CHECK(said.num_beams == 6);
    CHECK(said.num_beam_groups == 3);
    CHECK(said.length_penalty == 2);
    CHECK(said.price() == 0.25);
    CHECK(said.early_stopping == "never");
    CHECK(said.guidance_scale == 1);

    // Who drafts, or names another way, wants no search.
    for (const Words& way : {Words{"--greedy"}, Words{"--assistant-model", "lookup"},
                             Words{"--strategy", "sample"}, Words{"--strategy", "greedy"}}) {
        INFO(way[0]);
        Words words{"--model", model};
        words.insert(words.end(), way.begin(), way.end());
        const TextOptions o = completed(words).options;
        CHECK(o.num_beams == 1);
        CHECK(o.num_beam_groups == 1);
        CHECK(o.length_penalty == 1);
    }
    const std::string names = model_that_asks(
        "names", R"({"num_beams": 2, "early_stopping": "never", "length_penalty": 3})");
    CHECK(completed({"--model", names}).options.early_stopping == "never");
    const std::string no = model_that_asks("no", R"({"num_beams": 2, "early_stopping": false})");
    CHECK(completed({"--model", no}).options.early_stopping == "false");
    CHECK(completed({"--model", no}).options.price() == 0.5);
}

TEST_CASE("a strategy is what is named") {
    CHECK(completed({}).options.strategy == Strategy::by_options);
    CHECK(completed({"--strategy", "greedy"}).options.strategy == Strategy::greedy);
    CHECK(completed({"--strategy", "sample"}).options.strategy == Strategy::sample);
    CHECK(completed({"--strategy", "beam"}).options.strategy == Strategy::beam);
    CHECK_FALSE(refusal({"--strategy", "best"}).empty());
}

// Other readers of options take "[once, twice]" for a list of two.
TEST_CASE("brackets around a text stay, and make no list of it") {
    CHECK(completed({"[once, twice]"}).prompts == Words{"[once, twice]"});
    CHECK(completed({"-p", "[b]", "[]", "c]"}).prompts == Words{"[b]", "[]", "c]"});
    CHECK(completed({"--prompt=[a,b]", "--stop-strings", "[x,y]"}).options.stop_strings ==
          Words{"[x,y]"});
    CHECK_THAT(refusal({"--top-k", "[1,2]"}), Catch::Contains("'[1,2]'"));
}
