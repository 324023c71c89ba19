// Where a text stands in a grammar, in words.
#include "tests/catch.hpp"

#include "lib/grammar/recognizer/gbnf.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"

using namespace tbt;

namespace {

std::string words(const std::string& grammar, const std::string& text) {
    GrammarRecognizer recognizer(compile_gbnf(grammar, "test"));
    return rule_words(recognizer, read_bytes(recognizer, recognizer.start(), text));
}

}  // namespace

TEST_CASE("the rules that are under way, outermost first") {
    // Small rules are written out by the compiler; those that call themselves are not.
    const std::string nested = "root ::= \"on \" value \".\"\nvalue ::= \"[\" value \"]\" | \"1\"";
    REQUIRE(words(nested, "") == "");  // the first rule alone says nothing
    REQUIRE(words(nested, "on ") == "root › value");
    REQUIRE(words(nested, "on [") == "root › value › value");
    REQUIRE(words(nested, "on [1") == "root › value");
    REQUIRE(words(nested, "on [1]") == "");
    REQUIRE(words(nested, "off") == "");  // dead
    // A rule that calls itself very often is cut.
    REQUIRE(words(nested, "on " + std::string(50, '[')).size() < 200);
}

TEST_CASE("several readings are told apart, three at most") {
    const std::string a = "a ::= \"x\" a | \"1\"\n", b = "b ::= \"x\" b | \"2\"\n",
                      c = "c ::= \"x\" c | \"3\"\n", d = "d ::= \"x\" d | \"4\"\n";
    REQUIRE(words("root ::= a | b\n" + a + b, "x") == "root › a, or root › b");
    REQUIRE(words("root ::= a | b | c | d\n" + a + b + c + d, "x") ==
            "root › a, or root › b, or root › c, or …");
}

TEST_CASE("a text of a grammar as written is inside its small rules, too") {
    const auto date = words_of_gbnf(
        "root ::= \"on \" date \".\"\ndate ::= day \"-\" year\nday ::= [0-9] [0-9]\n"
        "year ::= [0-9]{4}",
        "date");
    REQUIRE(date("") == "");
    REQUIRE(date("on ") == "root › date › day");
    REQUIRE(date("on 12") == "root › date");
    REQUIRE(date("on 12-2") == "root › year");  // nothing of a date can come after it
    REQUIRE(date("on 12-2024") == "");
    REQUIRE(date("off") == "");
    REQUIRE_THROWS_AS(words_of_gbnf("root ::= root \"x\" | \"y\"", "left"), UsageError);
}
