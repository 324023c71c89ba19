// Exercise 15_2: the answers, computed by chapter 15's automata; none is written here.
#include "15_2_predict.hpp"
#include "chapters/15_regular/demo.hpp"
#include "lib/grammar/automata/numbers.hpp"
#include "lib/grammar/automata/regex.hpp"
#include "lib/grammar/recognizer/compile.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/schema/formats.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex15_2;

namespace {

const std::string signs = "abc0123456789-$";

// One message a wrong character.
void check_answer(const std::string& what, const Dfa& dfa, const std::string& text,
                  const std::string& answer) {
    GrammarRecognizer recognizer(grammar_of(dfa));
    const auto state = read_bytes(recognizer, recognizer.start(), text);
    EXPECT(state != Recognizer::dead, "a text so far that can be finished", text);
    INFO(what << ", the text so far is " << text << "; you say \"" << answer << '"');
    std::string expected;
    for (const char sign : signs) {
        const auto after = recognizer.next(state, static_cast<unsigned char>(sign));
        const bool legal = sign == '$' ? recognizer.accepts(state) : after != Recognizer::dead;
        const bool said = answer.find(sign) != std::string::npos;
        if (legal) expected += sign;

        INFO("think about: " << (sign == '$' ? legal ? "does the text so far match?"
                                                     : "what is still missing?"
                                 : legal     ? "which whole text begins with " + text + sign + "?"
                                             : "no whole text begins with " + text + sign));
        EXPECT(said == legal, "not told: this is a prediction",
               (sign == '$' ? std::string("the end") : std::string("character ") + sign) +
                   ": you say " + (said ? "it may come" : "it may not come"));
    }
    THINK("a list of signs");
    EXPECT(answer == expected, "signs in the order " + signs + ", each once, and nothing else",
           answer);
}

}  // namespace

TEST_CASE("an a that may be the beginning of ab", "[ex15_2]") {
    check_answer("(ab|a)*c", regex_full_match("(ab|a)*c"), "a", after_one_a());
}

TEST_CASE("two or three of them", "[ex15_2]") {
    check_answer("a{2,3}b?", regex_full_match("a{2,3}b?"), "aa", after_two_a());
}

TEST_CASE("after a zero", "[ex15_2]") {
    check_answer("-?(0|[1-9][0-9]*)", regex_full_match("-?(0|[1-9][0-9]*)"), "0", after_zero());
}

TEST_CASE("the last letter but one", "[ex15_2]") {
    check_answer("(a|b)*a(a|b)", regex_full_match("(a|b)*a(a|b)"), "aba", last_but_one());
}

TEST_CASE("a range, digit by digit", "[ex15_2]") {
    check_answer("a whole number from 18 to 120",
                 plain_integers() & at_least(Decimal::parse("18"), false) &
                     at_most(Decimal::parse("120"), false),
                 "1", in_a_range());
}

TEST_CASE("a day in February", "[ex15_2]") {
    check_answer("a date that exists", *format_language("date", false), "2023-02-2", in_february());
}

TEST_CASE("three languages in one", "[ex15_2]") {
    check_answer(
        "[a-c]+ and .{2,3}, but not ab or abc",
        (regex_full_match("[a-c]+") & regex_full_match(".{2,3}")) - regex_full_match("ab|abc"),
        "ab", and_but_not());
}
