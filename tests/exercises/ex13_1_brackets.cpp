// Exercise 13_1: states byte by byte, masks by hand, and masks against every continuation there is.
#include "13_1_brackets.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex13_1;

namespace {

const Checker check_read("read(due, token)", ex13_1::read);

// Tokens with their ids.
std::vector<std::string> words(const std::vector<int>& ids,
                               const std::vector<std::string>& tokens) {
    std::vector<std::string> list;
    for (const int id : ids)
        list.push_back(std::to_string(id) + " " + tokens.at(static_cast<std::size_t>(id)));
    return list;
}

void check_allowed(const Due& due, const std::vector<std::string>& tokens, int end,
                   std::size_t room, const std::vector<int>& expected) {
    INPUT(due, room, tokens, end);
    CHECK(words(allowed(due, tokens, end, room), tokens) == words(expected, tokens));
}

// Can `due` still become a finished text within `room` bytes? By trying them;
// `a` stands for all that is free.
bool can_finish(const Due& due, std::size_t room) {
    if (due.empty()) return true;
    if (room == 0) return false;
    for (const char opened : std::string(")]}"))
        if (can_finish(due + opened, room - 1)) return true;
    return can_finish(due, room - 1) || can_finish(due.substr(0, due.size() - 1), room - 1);
}

}  // namespace

TEST_CASE("after f(a[ a ] is due, and then a )", "[ex13_1]") {
    THINK("the bracket that was opened last is closed first");
    check_read("", "f(a[", ")]");
    check_read(")]", "]", ")");
    check_read(")", ")", "");
    check_read("", "{[()]}", "");
}

TEST_CASE("the wrong bracket is a mistake for good", "[ex13_1]") {
    check_read(")]", ")", std::nullopt);
    check_read("", ")", std::nullopt);
    check_read("}", "]", std::nullopt);
    INFO(
        "think about: after a mistake nothing helps, not even the bracket that would have been "
        "right");
    check_read("}", "]}", std::nullopt);
    check_read("", ")(", std::nullopt);
}

TEST_CASE("a bracket is due as often as it was opened", "[ex13_1]") {
    THINK("one due bracket for each that is open");
    check_read("", "((", "))");
    check_read("", "((((((((((", "))))))))))");
    check_read("", "([)", std::nullopt);  // balanced in number, not in order
    check_read("", "()()", "");
}

TEST_CASE("every other byte is free, also those of UTF-8", "[ex13_1]") {
    THINK("only ( ) [ ] { } count");
    check_read("]", "", "]");
    check_read("", "\"(\"", ")");
    check_read("", "\"", "");
    check_read("", "(", ")");
    check_read("]", "a, \xC3\xA9 \n\xFF", "]");
    check_read("", std::string("\0(", 2), ")");
    CHECK(next("]", 'x') == std::optional<Due>("]"));
}

TEST_CASE("a token depends on all of its bytes", "[ex13_1]") {
    const std::vector<std::string> tokens = {"a", "(", ")", "])", ")]", "](", ""};
    check_allowed(")]", tokens, 6, 100, {0, 1, 3, 5});
    check_allowed(")", tokens, 6, 100, {0, 1, 2});
    check_allowed("", tokens, 6, 100, {0, 1, 6});
}

TEST_CASE("the text may end where nothing is due, and only there", "[ex13_1]") {
    INFO(
        "think about: the end-of-text token has no bytes to look at; it is allowed without "
        "room, too");
    check_allowed("", {"", "a"}, 0, 5, {0, 1});
    check_allowed(")", {"", "a"}, 0, 5, {1});
    check_allowed("", {"", "a"}, 0, 0, {0});
    check_allowed("", {"", "a", ""}, 2, 5, {1, 2});  // token 0 is special and no text
}

TEST_CASE("room is left for what must be closed", "[ex13_1]") {
    const std::vector<std::string> tokens = {"x", "(", ")", "()", "))", "longer", ""};
    INFO("think about: a token may only be written if what it leaves open can still be closed");
    check_allowed("", tokens, 6, 1, {0, 6});
    check_allowed("", tokens, 6, 2, {0, 1, 3, 6});
    check_allowed("))", tokens, 6, 2, {2, 4});
    check_allowed("))", tokens, 6, 3, {0, 2, 4});
    check_allowed("))", tokens, 6, 4, {0, 1, 2, 3, 4});
}

TEST_CASE("a random writer held to the mask always finishes in time", "[ex13_1]") {
    THINK("a token must leave room for all that is due after it");
    Rng rng(13);
    std::vector<std::string> tokens = {"(", ")", "[", "]", "{", "}", "a"};
    for (int i = 0; i < 20; ++i) {
        tokens.emplace_back();
        for (std::uint64_t n = 2 + rng.below(3); n > 0; --n)
            tokens.back() += "()[]{}a"[rng.below(7)];
    }
    tokens.emplace_back();
    const int end = static_cast<int>(tokens.size()) - 1;
    for (int round = 0; round < 100; ++round) {
        std::size_t room = 1 + rng.below(30);
        Due due;
        std::string text;
        for (;;) {
            INPUT(text, room);
            const std::vector<int> ids = allowed(due, tokens, end, room);
            EXPECT(!ids.empty(), "one token that is allowed, at least", ids);
            const int id = ids[rng.below(ids.size())];
            if (id == end) break;
            text += tokens[static_cast<std::size_t>(id)];
            room -= tokens[static_cast<std::size_t>(id)].size();
            due = *read(due, tokens[static_cast<std::size_t>(id)]);
        }
        CHECK(due == "");
    }
}

TEST_CASE("a token is allowed exactly when some continuation within the room finishes the text",
          "[ex13_1]") {
    THINK("byte after byte, each with what the ones before left");
    const std::vector<std::string> tokens = {"(",  ")",  "[",  "]",  "a", "()",
                                             ")(", "[(", "])", "a]", ""};
    for (const Due& due : {Due(""), Due(")"), Due("]"), Due(")]"), Due("])"), Due("]))")}) {
        for (std::size_t room = due.size(); room <= 5; ++room) {
            std::vector<int> expected;
            for (int id = 0; id < 10; ++id) {
                const std::string& token = tokens[static_cast<std::size_t>(id)];
                const std::optional<Due> after = read(due, token);
                if (after && token.size() <= room && can_finish(*after, room - token.size()))
                    expected.push_back(id);
            }
            if (due.empty()) expected.push_back(10);
            check_allowed(due, tokens, 10, room, expected);
        }
    }
}

TEST_CASE("three kinds of brackets, and no fourth", "[ex13_1]") {
    check_read("", "{", "}");
    check_read("", "([{", ")]}");
    check_read("}", "}", "");
    check_read("}", "]", std::nullopt);
    check_read("", "}", std::nullopt);
    check_read("", "<", "");
    check_read("", ">", "");
    check_read(")", "a<b>c", ")");
}

TEST_CASE("the end of the text has bytes that don't matter", "[ex13_1]") {
    check_allowed("", {"<end>", "("}, 0, 0, {0});   // no room is needed for it
    check_allowed(")", {"<end>", ")"}, 0, 9, {1});  // though its bytes would do no harm
    check_allowed("", {"a", ")"}, 1, 9, {0, 1});    // a bracket that nothing is due for
}
