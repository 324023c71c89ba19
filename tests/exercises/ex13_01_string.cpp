// Exercise 13_01: the string of JSON.
#include <regex>

#include "13_01_string.hpp"
#include "lib/grammar/recognizer/json_recognizer.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex13_01;

namespace {

const char* const names[] = {"before", "inside", "escape", "digits", "done", "dead"};

std::string in_words(const State& s) {
    return std::string(names[int(s.place)]) + ", missing " + std::to_string(s.missing);
}
State read(const std::string& text) {
    State state;
    for (const char c : text) state = next(state, static_cast<unsigned char>(c));
    return state;
}
void check(const std::string& text, const State& expected, const std::string& think = "") {
    INFO("after " << exercise_check::quoted(text));
    THINK((think.empty() ? "which bytes may come in which place?" : think));
    CHECK(in_words(read(text)) == in_words(expected));
}

}  // namespace

TEST_CASE("from quotation mark to quotation mark", "[ex13_01]") {
    check("", {Place::before});
    check("\"", {Place::inside});
    check("\"abc", {Place::inside});
    check("\"\"", {Place::done}, "an empty string is a string");
    check("\"a b\"", {Place::done}, "a blank is 0x20");
    check("a", {Place::dead}, "only a quotation mark may come first");
    check(" \"", {Place::dead}, "only a quotation mark may come first");
    check("\"a\"b", {Place::dead}, "nothing may follow");
    check("\"a\"\"", {Place::dead}, "nothing may follow");
    check("\"a\" ", {Place::dead}, "nothing may follow");
}

TEST_CASE("the eight short escapes, and no other", "[ex13_01]") {
    check("\"\\", {Place::escape});
    for (int byte = 0; byte < 256; ++byte) {
        const bool one = byte != 0 && std::string("\"\\/bfnrt").find(char(byte)) < 8;
        check(std::string("\"\\") + char(byte),
              byte == 'u' ? State{Place::digits, 4} : State{one ? Place::inside : Place::dead},
              "which bytes may follow a backslash?");
    }
    check("\"\\\\\"", {Place::done}, "the second backslash is escaped, the mark is not");
    check("\"\\\"", {Place::inside}, "an escaped mark does not end the string");
}

TEST_CASE("four hexadecimal digits", "[ex13_01]") {
    check("\"\\u0", {Place::digits, 3});
    check("\"\\u0a", {Place::digits, 2});
    check("\"\\u0aF", {Place::digits, 1});
    check("\"\\u0aF9", {Place::inside}, "four, and missing is 0 again");
    check("\"\\u0aF9x\"", {Place::done}, "a fifth is a letter like others");
    check("\"\\u\"", {Place::dead}, "a mark is no digit");
    check("\"\\u00\\n", {Place::dead}, "a backslash is no digit");
    for (int byte = 0; byte < 256; ++byte) {
        const bool digit = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') ||
                           (byte >= 'A' && byte <= 'F');
        check(std::string("\"\\u1") + char(byte),
              digit ? State{Place::digits, 2} : State{Place::dead}, "0-9, a-f, A-F");
    }
}

TEST_CASE("inside, every byte", "[ex13_01]") {
    for (int byte = 0; byte < 256; ++byte) {
        const Place place = byte == '"'    ? Place::done
                            : byte == '\\' ? Place::escape
                            : byte < 0x20  ? Place::dead
                                           : Place::inside;
        check(std::string("\"x") + char(byte), {place}, "0x7F and bytes from 0x80 on may come");
    }
}

TEST_CASE("a mistake stays one", "[ex13_01]") {
    for (int byte = 0; byte < 256; ++byte) {
        check(std::string("\"\n") + char(byte), {Place::dead}, "nothing repairs a mistake");
        check(std::string("x") + char(byte), {Place::dead}, "nothing repairs a mistake");
    }
}

TEST_CASE("random texts: as a regular expression and the chapter's recognizer decide",
          "[ex13_01]") {
    const std::regex whole("\"([^\"\\\\\\x00-\\x1f]|\\\\([\"\\\\/bfnrt]|u[0-9a-fA-F]{4}))*\"");
    JsonRecognizer recognizer(JsonOptions::rfc());
    Rng rng(131);
    const std::string bytes = "\"\"\\\\\\uu0a9bFnx \n";
    for (int round = 0; round < 20000; ++round) {
        std::string text = "\"";
        for (std::size_t i = rng.below(12); i > 0; --i) text += bytes[rng.below(bytes.size())];
        if (rng.below(2)) text += '"';
        const State got = read(text);
        const bool is_string = std::regex_match(text, whole);
        const bool dead = read_bytes(recognizer, recognizer.start(), text) == Recognizer::dead;
        // After the closing mark white space is allowed for the chapter, which reads a whole text.
        if (dead != (got.place == Place::dead) && text.find("\" ") == std::string::npos &&
            text.find("\"\n") == std::string::npos) {
            INFO("after " << exercise_check::quoted(text) << ": the chapter's recognizer is "
                          << (dead ? "dead" : "alive"));
            CHECK(in_words(got) == (dead ? "dead" : "alive"));
        }
        INFO("after " << exercise_check::quoted(text) << ": is it a whole string?");
        CHECK((got.place == Place::done) == is_string);
    }
}
