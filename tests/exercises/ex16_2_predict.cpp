// Exercise 16_2: the answers, computed by chapter 16; none is written here.
#include "16_2_predict.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/schema/schema.hpp"
#include "lib/grammar/schema/validator.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex16_2;

namespace {

void check_list(const std::vector<int>& answer, const std::vector<std::string>& list,
                const std::function<bool(const std::string&)>& allowed) {
    for (int id = 0; id < static_cast<int>(list.size()); ++id) {
        const std::string& text = list[static_cast<std::size_t>(id)];
        const bool legal = allowed(text);
        const bool said = std::find(answer.begin(), answer.end(), id) != answer.end();

        INFO("think about: " << (legal
                                     ? "which keyword would forbid it? Does it speak of this kind?"
                                     : "one of the keywords forbids it; which?"));
        INPUT(answer);
        EXPECT(said == legal, "not told: this is a prediction",
               "number " + std::to_string(id) + ", " + text + ": you say it is " +
                   (said ? "allowed" : "not allowed"));
    }
    THINK("a list of numbers");
    const bool in_order =
        std::adjacent_find(answer.begin(), answer.end(), std::greater_equal<>()) == answer.end();
    EXPECT(in_order, "numbers that ascend, each once", answer);
    for (const int id : answer)
        EXPECT(id >= 0 && id < static_cast<int>(list.size()), "numbers of the list", id);
}

void check_values(const std::string& schema, const std::vector<int>& answer) {
    SchemaValidator validator(schema);
    INFO("schema " << schema);
    check_list(answer, values, [&](const std::string& text) { return validator.valid(text); });
}

}  // namespace

TEST_CASE("whole numbers", "[ex16_2]") { check_values(R"({"type": "integer"})", integers()); }

TEST_CASE("a keyword for numbers, and values that are none", "[ex16_2]") {
    check_values(R"({"maximum": 2})", at_most_two());
}

TEST_CASE("a member that may be missing", "[ex16_2]") {
    check_values(R"({"type": "object", "properties": {"a": {"type": "string"}}})", a_is_a_string());
}

TEST_CASE("a member that must be there, in objects", "[ex16_2]") {
    check_values(R"({"required": ["a"]})", a_is_required());
}

TEST_CASE("what is inside", "[ex16_2]") {
    check_values(R"({"type": ["array", "object"], "items": {"type": "integer"}, )"
                 R"("additionalProperties": false})",
                 only_integers_inside());
}

TEST_CASE("everything but numbers", "[ex16_2]") {
    check_values(R"({"not": {"type": "number"}, "minLength": 2})", no_number());
}

TEST_CASE("exactly one of two", "[ex16_2]") {
    check_values(R"({"oneOf": [{"type": "integer"}, {"minimum": 3}]})", exactly_one_of_two());
}

TEST_CASE("an object that is being written", "[ex16_2]") {
    const std::string integer = R"({"type": "integer"})";
    const std::string schema = R"({"type": "object", "properties": {"a": )" + integer +
                               R"(, "b": )" + integer + R"(, "c": )" + integer +
                               R"(}, "additionalProperties": false, "required": ["b"], )"
                               R"("maxProperties": 2})";
    SchemaValidator validator(schema);
    INFO("schema " << schema << "\nthe text so far is {\"c\":3");
    check_list(after_c(), pieces, [&](const std::string& piece) {
        // Some text that begins so is valid.
        const std::vector<std::string> ends = {"", "1}", "1,\"b\":2}", "1,\"a\":2}"};
        return std::any_of(ends.begin(), ends.end(), [&](const std::string& end) {
            return validator.valid("{\"c\":3" + piece + end);
        });
    });
}
