// What every program answers by itself: help, its version, a manual page, completions, and to words
// that it does not know.
#include "tests/catch.hpp"

#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/core/gpt.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/threads.hpp"
#include "lib/machine/usual_options.hpp"
#include "tests/support/captured.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using test::contains;

namespace {

struct Answer {
    int status = 0;
    bool worked = false;
    std::string out, err;
};

// A program with two options and a word, started with these.
Answer answer(std::vector<std::string> words) {
    words.insert(words.begin(), "bin/writer");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    double temperature = 1;
    int part = 0;
    std::string prompt;
    Answer a;
    a.err = test::written_to(2, [&] {
        a.out = test::written_to(1, [&] {
            a.status = run_program(
                static_cast<int>(argv.size()), argv.data(), "Writes.",
                [&](CommandLine line) {
                    line.option("--temperature", temperature, "how bold");
                    part_option(line, part, 3);
                    line.option("prompt", prompt, "the text to continue");
                },
                [&] { a.worked = true; });
        });
    });
    return a;
}

}  // namespace

TEST_CASE("a program works with no words, and with those that it knows", "[command-line]") {
    CHECK(answer({}).worked);
    CHECK(answer({"--temperature", "0.5", "hello"}).worked);
    CHECK(answer({"--", "--version"}).worked);  // a prompt
}

TEST_CASE("a part is one of those that there are", "[command-line]") {
    for (const char* part : {"1", "3"}) CHECK(answer({"--part", part}).worked);
    for (const char* part : {"0", "4"}) CHECK(answer({"--part", part}).status == 2);
}

TEST_CASE("--threads counts for the tiny library, too", "[command-line]") {
    const test::Environment before("TBT_THREADS", "2");
    CHECK(answer({"--threads", "0"}).worked);
    CHECK(Gpt::load("tests/data/tiny-gpt2").threads() == 2);
    CHECK(answer({"--threads", "3"}).worked);
    CHECK(Gpt::load("tests/data/tiny-gpt2").threads() == 3);
    set_default_threads(0);
}

TEST_CASE("who asks for help, the version, the manual or a completion gets only that",
          "[command-line]") {
    struct Asked {
        std::vector<std::string> words;
        const char* part;
    };
    for (const Asked& asked :
         std::vector<Asked>{{{"--help"}, "how bold"},
                            {{"--version"}, "writer, Token by Token "},
                            {{"--man"}, ".TP\n.B \\-\\-temperature"},
                            {{"--completion", "bash"}, "complete "},
                            {{"hello", "--completion=zsh"}, "#compdef writer"}}) {
        const Answer a = answer(asked.words);
        INFO(asked.words[0] << ": " << a.out << a.err);
        CHECK(a.status == 0);
        CHECK(!a.worked);
        CHECK(contains(a.out, asked.part));
        CHECK(a.err.empty());
    }
    CHECK(answer({"--completion"}).status == 2);  // of which shell?
}

TEST_CASE("where a standard stream is missing, no file takes its place", "[command-line]") {
    for (const int missing : {0, 1, 2}) {
        const pid_t child = fork();
        if (child == 0) {
            char name[] = "writer", *argv[] = {name};
            bool there = false;
            close(missing);
            run_program(
                1, argv, "Writes.", [](OptionTable&) {},
                [&] { there = fcntl(missing, F_GETFD) >= 0; });
            _exit(there ? 0 : 1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        INFO("descriptor " << missing);
        CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
    }
}

TEST_CASE("an unknown option is answered with the nearest one, if one is near", "[command-line]") {
    const Answer near = answer({"--temprature", "1"}), far = answer({"--zzzzzz"});
    CHECK((near.status == 2 && !near.worked));
    CHECK(contains(near.err, "did you mean --temperature?"));
    CHECK((far.status == 2 && !far.worked));
    CHECK(!contains(far.err, "did you mean"));
}

TEST_CASE("a name of an option may have underscores, and a value keeps its own", "[command-line]") {
    std::string stop;
    int tokens = 0;
    const auto read = [&](const std::vector<std::string>& words) {
        read_command_line(words, [&](CommandLine line) {
            line.option("--stop", stop, "");
            line.option("--max-new-tokens", tokens, "");
        });
    };
    read({"--stop", "--end_of_text", "--max_new_tokens", "5"});
    CHECK(stop == "--end_of_text");
    CHECK(tokens == 5);
    read({"--stop=--a_b", "--max_new_tokens=6"});
    CHECK(stop == "--a_b");
    CHECK(tokens == 6);
    CHECK_THROWS_WITH(read({"--stop", "--max_new_tokens"}), Catch::Contains("expected a value"));
    CHECK_THROWS_WITH(read({"--max_new_token", "5"}), Catch::Contains("--max-new-tokens?"));
}
