// What shells complete, and the page that man shows: made from the declared options.
#include "tests/catch.hpp"

#include "chapters/23_text_generator/command_line.hpp"
#include "lib/core/error.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/option_pages.hpp"
#include "tests/support/words.hpp"

using namespace tbt;

namespace {

// The scripts and the page, and the names of all options.
struct Pages {
    std::string bash, zsh, fish, man;
    std::vector<std::string> names;
    Pages() {
        Settings settings;
        read_command_line({}, [&](OptionTable& app) {
            add_options(app, settings);
            bash = completion_script(app, "bash", "text"),
            zsh = completion_script(app, "zsh", "text");
            fish = completion_script(app, "fish", "text"), man = manual_page(app, "text");
            for (const DeclaredOption& o : CommandLine(app).options()) names.push_back(o.name());
            CHECK_THROWS_AS(completion_script(app, "tcsh", "text"), UsageError);
            CHECK_THROWS_AS(completion_script(app, "", "text"), UsageError);
        });
    }
};

}  // namespace

TEST_CASE("every option is completed by each shell and is in the manual") {
    const Pages pages;
    REQUIRE(pages.names.size() > 90);
    for (const std::string& name : pages.names) {
        if (!name.starts_with("--")) continue;  // the prompt
        INFO(name);
        CHECK_THAT(pages.bash, Catch::Contains(" " + name));
        CHECK_THAT(pages.zsh, Catch::Contains("'*" + name + "["));
        CHECK_THAT(pages.fish, Catch::Contains(" -l " + name.substr(2) + " "));
        std::string escaped;
        for (const char c : name) escaped += c == '-' ? "\\-" : std::string(1, c);
        CHECK_THAT(pages.man, Catch::Contains(escaped));
    }
    CHECK_THAT(pages.bash, Catch::Contains("complete -o filenames -F _text text"));
    CHECK_THAT(pages.zsh, Catch::StartsWith("#compdef text\n"));
    CHECK_THAT(pages.man, Catch::StartsWith(".TH text 1\n"));
}

TEST_CASE("where an option has a few values, those are completed, and no names of files") {
    const Pages pages;
    for (const auto& [name, values] : std::vector<std::pair<std::string, std::string>>{
             {"strategy", "greedy sample beam"},
             {"dialect", "ours transformers transformers-4 transformers-5 llama.cpp vllm"},
             {"preset", "factual conservative balanced creative"},
             {"decoder", "autoregressive diffusion"},
             {"weights", "stored f32 f16 bf16 int8 int4"},
             {"cache", "f32 f16"},
             {"context", "refuse slide"},
             {"early-stopping", "true false never"}}) {
        INFO(name);
        CHECK_THAT(pages.bash,
                   Catch::Contains("--" + name + ") COMPREPLY=($(compgen -W '" + values + "' "));
        CHECK_THAT(pages.fish, Catch::Contains(" -l " + name + " -x -a '" + values + "'"));
        CHECK_THAT(pages.zsh, Catch::Contains(":value:(" + values + ")"));
        // Each is understood.
        for (const std::string& value : test::words_of(values)) {
            Settings s;
            CHECK_NOTHROW(read_command_line({"--" + name, value},
                                            [&](OptionTable& app) { add_options(app, s); }));
        }
    }
    CHECK_THAT(pages.bash, Catch::Contains("--html) COMPREPLY=($(compgen -f "));
}
