// Exercise 10_1: scripted conversations with a model that says what it is told to.
#include <sstream>

#include "10_1_chat_loop.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex10_1;

namespace {

// What was typed, what the model writes for each prompt; what came of it.
struct Script {
    std::vector<std::string> writes = {};
    std::function<std::size_t(const std::string&)> count_tokens = [](const std::string& text) {
        return text.size();  // a token a byte
    };
    std::vector<std::string> prompts = {};
    std::string printed = {};
    std::vector<Turn> turns = {};

    void run(const std::string& typed, std::size_t context) {
        ChatModel model;
        model.context = context;
        model.max_new_tokens = 100;
        model.count_tokens = count_tokens;
        model.write = [this](const std::string& prompt) {
            prompts.push_back(prompt);
            return prompts.size() <= writes.size() ? writes[prompts.size() - 1]
                                                   : std::string(" ok");
        };
        std::istringstream in(typed);
        std::ostringstream out;
        turns = chat(in, out, model);
        printed = out.str();
    }
};

Script script(const std::string& typed, std::vector<std::string> writes,
              std::size_t context = 1000) {
    Script s{std::move(writes)};
    s.run(typed, context);
    return s;
}

}  // namespace

// What was typed and what the model writes is shown when a check of it fails.
#define SCRIPT(name, ...)             \
    INFO("script(" #__VA_ARGS__ ")"); \
    const Script name = script(__VA_ARGS__)

TEST_CASE("one line gives one prompt, which ends where the answer begins", "[ex10_1]") {
    SCRIPT(s, "hi\n", {" Hello!"});
    INFO("think about: what comes after the last colon? The model's own tokens bring the blank.");
    REQUIRE(s.prompts.size() == 1);
    CHECK(s.prompts[0] == "User: hi\nAssistant:");
    CHECK(s.printed == "Hello!\n");
}

TEST_CASE("the second prompt holds the first turn", "[ex10_1]") {
    THINK("every turn is \"User: …\\nAssistant: …\\n\"");
    SCRIPT(s, "hi\nwho are you?\n", {" Hello!", " A model."});
    REQUIRE(s.prompts.size() == 2);
    CHECK(s.prompts[1] == "User: hi\nAssistant: Hello!\nUser: who are you?\nAssistant:");
    REQUIRE(s.turns.size() == 2);
    CHECK(s.turns[1].user == "who are you?");
    CHECK(s.turns[1].assistant == "A model.");
}

TEST_CASE("every turn is remembered while there is room", "[ex10_1]") {
    std::string typed;
    for (int i = 0; i < 40; ++i) typed += "line\n";
    INFO("40 times \"line\", and room for all of them");
    THINK("only a prompt that is too long makes old turns go");
    const Script s = script(typed, {}, 100000);
    CHECK(s.turns.size() == 40);
}

TEST_CASE("what the model writes for the user is cut and never comes back", "[ex10_1]") {
    SCRIPT(s, "hi\nand?\n", {"ok\nUser: x\nAssistant: y", " fine"});
    INFO("think about: is the turn remembered before or after the cut?");
    CHECK(s.printed == "ok\nfine\n");
    REQUIRE(s.prompts.size() == 2);
    CHECK(s.prompts[1] == "User: hi\nAssistant: ok\nUser: and?\nAssistant:");
    CHECK(answer_in(" I see. User: yes") == "I see.");
    CHECK(answer_in("User: at once") == "");
    CHECK(answer_in(" the user: me ") == "the user: me");
}

TEST_CASE("an empty answer is a turn, with nothing after its colon", "[ex10_1]") {
    THINK("\"Assistant:\" and the end of the line, no blank between");
    SCRIPT(s, "hi\nhello?\n", {" \n", " yes"});
    REQUIRE(s.prompts.size() == 2);
    CHECK(s.prompts[1] == "User: hi\nAssistant:\nUser: hello?\nAssistant:");
    CHECK(s.printed == "\nyes\n");
}

TEST_CASE("a blank line, quit, exit, q and the end of input say goodbye", "[ex10_1]") {
    THINK("trim it, make it small, then compare");
    for (const std::string line :
         {"", "   ", "\t\r", "quit", "exit", "q", " QUIT ", "Exit\r", "\tQ "}) {
        INPUT(line);
        CHECK(is_goodbye(line));
        CHECK(script("hi\n" + line + "\nmore\n", {}).prompts.size() == 1);
    }
    for (const std::string line : {"quit it", "queue", "exit?", "no", "bye", "é", "."}) {
        INPUT(line);
        CHECK_FALSE(is_goodbye(line));
    }
    CHECK(script("", {}).prompts.size() == 0);
    CHECK(script("hi", {}).prompts.size() == 1);  // the last line has no line break
}

TEST_CASE("lines are trimmed, and UTF-8 passes unharmed", "[ex10_1]") {
    THINK("only blanks, tabs and line ends go; bytes above 127 are letters");
    SCRIPT(s, "  Grüße à 🌍 \r\n", {" Voilà Å "});
    REQUIRE(s.prompts.size() == 1);
    CHECK(s.prompts[0] == "User: Grüße à 🌍\nAssistant:");
    CHECK(s.printed == "Voilà Å\n");
}

TEST_CASE(
    "a prompt exactly as long as the budget keeps every turn, one token more drops the oldest",
    "[ex10_1]") {
    const std::string both = prompt_of({{"one", "first"}}, "two");
    INFO("think about: prompt ≤ context − max_new_tokens. Is the limit itself allowed?");
    for (const std::size_t less : {0u, 1u}) {
        SCRIPT(s, "one\ntwo\n", {" first", " second"}, both.size() + 100 - less);
        INFO("the whole prompt takes " << both.size() << " tokens, the budget is "
                                       << both.size() - less);
        REQUIRE(s.prompts.size() == 2);
        CHECK(s.prompts[1] == (less == 0 ? both : "User: two\nAssistant:"));
        CHECK(s.turns.size() == 2 - less);
    }
}

TEST_CASE("a line that is too long by itself is refused, and nothing else is lost", "[ex10_1]") {
    const std::string long_line(200, 'x');
    SCRIPT(s, "one\n" + long_line + "\ntwo\n", {" first", " second"}, 200);
    INFO(
        "think about: when is it known that not even an empty history helps? Before any turn is "
        "dropped.");
    CHECK(s.printed == "first\ntoo long\nsecond\n");
    REQUIRE(s.prompts.size() == 2);
    CHECK(s.prompts[1] == "User: one\nAssistant: first\nUser: two\nAssistant:");
}

TEST_CASE(
    "however long the talk is, a prompt fits, is made of the latest whole turns, and could hold no "
    "more",
    "[ex10_1]") {
    THINK("drop the oldest whole turn, until it fits; not more");
    Rng rng(5);
    std::string typed;
    std::vector<Turn> said;
    std::vector<std::string> writes;
    for (int i = 0; i < 60; ++i) {
        said.push_back({"u" + std::to_string(i) + std::string(rng.below(30), 'u'),
                        std::string(rng.below(40), 'a')});
        typed += said.back().user + "\n";
        writes.push_back(" " + said.back().assistant + "\nUser: never");
    }
    SCRIPT(s, typed, writes, 220);
    REQUIRE(s.prompts.size() == said.size());
    for (std::size_t i = 0; i < said.size(); ++i) {
        const auto at = said.begin() + static_cast<std::ptrdiff_t>(i);
        // The history is the longest one that fits; turns that were dropped once don't come back.
        std::string expected = prompt_of({}, at->user);
        for (auto first = at; first != said.begin();) {
            const std::string more = prompt_of({--first, at}, at->user);
            if (more.size() > 120) break;
            expected = more;
        }
        INFO("prompt " << i << ", budget 120");
        CHECK(s.prompts[i].size() <= 120);
        CHECK(expected.ends_with(s.prompts[i]));
        if (i < 4) CHECK(s.prompts[i] == expected);
    }
}

TEST_CASE("only the user's next line ends an answer", "[ex10_1]") {
    INFO("think about: the model may write about its own name");
    CHECK(answer_in(" I am Assistant: a model. ") == "I am Assistant: a model.");
    CHECK(answer_in("Assistant: yes\nUser: no") == "Assistant: yes");
    CHECK(answer_in(" one\ntwo\n\nthree ") == "one\ntwo\n\nthree");
    CHECK(answer_in("User is a word, and so is User :") == "User is a word, and so is User :");
    CHECK(answer_in("a User: b User: c") == "a");
    CHECK(answer_in("") == "");
    CHECK(answer_in("\t\r\n ") == "");
}

TEST_CASE("the prompt of any turns", "[ex10_1]") {
    CHECK(prompt_of({}, "") == "User: \nAssistant:");
    CHECK(prompt_of({{"a", "b"}, {"c", ""}, {"d", "e f"}}, "g") ==
          "User: a\nAssistant: b\nUser: c\nAssistant:\nUser: d\nAssistant: e f\nUser: g\n"
          "Assistant:");
}

TEST_CASE("a line of exactly the budget is answered, one byte more is too long", "[ex10_1]") {
    const std::size_t most = 100 - prompt_of({}, "").size();  // context 200, 100 for the answer
    CHECK(script(std::string(most, 'x') + "\n", {}, 200).printed == "ok\n");
    CHECK(script(std::string(most + 1, 'x') + "\n", {}, 200).printed == "too long\n");
    CHECK(script(std::string(most + 1, 'x') + "\n", {}, 200).turns.empty());
    CHECK(script(std::string(most + 1, 'x') + "\n", {}, 200).prompts.empty());
}

TEST_CASE("several turns go at once where the new line is long", "[ex10_1]") {
    SCRIPT(s, "one\ntwo\nthree\n" + std::string(60, 'x') + "\n5\n", {}, 200);
    REQUIRE(s.prompts.size() == 5);
    CHECK(s.prompts[3] == "User: " + std::string(60, 'x') + "\nAssistant:");
    CHECK(s.turns.size() == 2);  // what is dropped does not come back
}

TEST_CASE("the model counts tokens: 30 words of ten letters fit where 300 bytes would not",
          "[ex10_1]") {
    THINK("model.count_tokens says how long a prompt is; the number of its bytes does not");
    Script s;
    s.count_tokens = [](const std::string& text) {
        std::istringstream words(text);
        std::size_t count = 0;
        for (std::string word; words >> word;) ++count;
        return count;
    };
    std::string line;
    for (int i = 0; i < 30; ++i) line += "tenletters ";
    INFO("a token a word; the budget is 80, and 30 words of ten letters are typed twice");
    s.run(line + "\n" + line + "\n", 180);  // 100 for the answer
    CHECK(s.printed == "ok\nok\n");
    CHECK(s.turns.size() == 2);  // the second prompt has 65 words
}
