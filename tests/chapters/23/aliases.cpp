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
        CHECK((alias.option == nullptr) == (alias.answer != nullptr));
        if (alias.option && *alias.option) CHECK(declared.contains(alias.option));
    }
}

TEST_CASE("what people type for llama.cpp and vLLM is understood", "[ch23]") {
    REQUIRE(with_our_names({"--temp", "0.5", "-s", "7", "-cnv"}) ==
            Words{"--temperature", "0.5", "--seed", "7", "--chat"});
    REQUIRE(with_our_names({"--max_tokens=9", "--color", "hello"}) ==
            Words{"--max-new-tokens=9", "hello"});
    REQUIRE(with_our_names({"--repeat-last-n", "-1"}) == Words{"--penalty-scope", "all"});
    REQUIRE(with_our_names({"--", "-s", "--temp"}) == Words{"--", "-s", "--temp"});
    REQUIRE_THROWS_AS(with_our_names({"--repeat-last-n", "7"}), UsageError);
    REQUIRE_THROWS_WITH(with_our_names({"-ngl", "99"}), Catch::Contains("--threads"));
    REQUIRE_THROWS_WITH(with_our_names({"--dtype=bfloat16"}), Catch::Contains("--weights"));
    // CLI11 reads -hf as -h and -f, and shows the help.
    REQUIRE_THROWS_WITH(with_our_names({"-hf", "a/b"}), Catch::Contains("hf download"));
    REQUIRE_THROWS_WITH(with_our_names({"-ctv", "f16"}), Catch::Contains("--cache f16"));
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
