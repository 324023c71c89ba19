// Exercise 14_1: the answers, computed by chapter 14's recognizer; none is written here.
#include "14_1_predict.hpp"
#include "lib/grammar/recognizer/gbnf.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex14_1;

namespace {

std::string shown(const std::string& bytes) {
    std::string text;
    for (const char c : bytes) {
        char hex[8];
        std::snprintf(hex, sizeof hex, "\\x%02X",
                      static_cast<unsigned>(static_cast<unsigned char>(c)));
        text += c >= 32 && c < 127 ? std::string(1, c) : hex;
    }
    return bytes.empty() ? "the end" : "\"" + text + "\"";
}

// One message a wrong token, with the place where it fails.
void check_answer(const std::string& grammar, const std::string& text,
                  const std::vector<int>& answer) {
    GrammarRecognizer recognizer(compile_gbnf(grammar));
    const Recognizer::State state = read_bytes(recognizer, recognizer.start(), text);
    EXPECT(state != Recognizer::dead, "a text so far that the grammar allows", text);
    INFO("grammar:\n" << grammar << "\ntext so far: " << (text.empty() ? "nothing" : shown(text)));
    for (int id = 0; id < static_cast<int>(tokens.size()); ++id) {
        const std::string& token = tokens[static_cast<std::size_t>(id)];
        const bool end = token.empty();
        const bool legal = end ? recognizer.accepts(state)
                               : read_bytes(recognizer, state, token) != Recognizer::dead;
        const bool said = std::find(answer.begin(), answer.end(), id) != answer.end();
        std::size_t fails = 0;
        while (!legal && !end &&
               read_bytes(recognizer, state, token.substr(0, fails + 1)) != Recognizer::dead)
            ++fails;

        INFO(
            "think about: " << (legal
                                    ? end ? "is the text so far complete?"
                                          : "something can follow that makes it a whole text; what?"
                                : end ? "what is still missing?"
                                      : "no text of the grammar goes on with byte " +
                                            std::to_string(fails + 1) + " of it"));
        INPUT(answer);
        EXPECT(said == legal, "not told: this is a prediction",
               "token " + std::to_string(id) + ", " + shown(token) + ": you say " +
                   (said ? "allowed" : "not allowed"));
    }
    THINK("a list of ids");
    const bool in_order =
        std::adjacent_find(answer.begin(), answer.end(), std::greater_equal<>()) == answer.end();
    EXPECT(in_order, "ids that ascend, each once", answer);
    for (const int id : answer)
        EXPECT(id >= 0 && id < static_cast<int>(tokens.size()), "ids of tokens that there are", id);
}

const std::string pairs = R"(root ::= [0-9]{1,2} ("," [0-9]{1,2})*)";

}  // namespace

TEST_CASE("one or two digits, nothing written yet", "[ex14_1]") {
    check_answer(pairs, "", at_the_start());
}

TEST_CASE("one or two digits, after the first", "[ex14_1]") {
    check_answer(pairs, "1", after_one_digit());
}

TEST_CASE("a number after minus zero", "[ex14_1]") {
    check_answer(R"(root ::= "-"? ("0" | [1-9] [0-9]*))", "-0", after_minus_zero());
}

TEST_CASE("words, one of which begins another", "[ex14_1]") {
    check_answer("root ::= word (\" \" word)*\nword ::= \"a\" | \"an\" | \"and\"", "an",
                 inside_a_word());
}

TEST_CASE("anything but digits and commas", "[ex14_1]") {
    check_answer("root ::= [^0-9,]+", "", not_a_digit());
}

TEST_CASE("in the middle of a character", "[ex14_1]") {
    check_answer("root ::= \"caf\" [a-z\xC3\xA9]{1,2} \"-\"", "caf\xC3", inside_a_character());
}
