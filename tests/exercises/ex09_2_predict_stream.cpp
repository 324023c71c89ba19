// Exercise 09_2: what a stream shows, and when. The failures say where, and which way, not what.
#include "09_2_predict_stream.hpp"
#include "chapters/09_stopping/text_stream.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex09_2;

namespace {

void check_prediction(const std::vector<std::string>& stops, const std::vector<std::string>& tokens,
                      const std::vector<std::string>& predicted) {
    INPUT(stops, tokens);
    THINK("one string for each token, and one for the end");
    REQUIRE(predicted.size() == tokens.size() + 1);
    const StopStrings strings(stops);
    TextStream stream(strings);
    std::string predicted_text;
    for (std::size_t i = 0; i < predicted.size(); ++i) {
        const std::string shown = i < tokens.size() ? stream.push(tokens[i]) : stream.finish();

        predicted_text += predicted[i];
        const bool too_much = predicted_text.size() > stream.text().size();
        THINK((too_much ? "could a byte of it still be taken back?"
                        : "what has become certain by now?"));
        EXPECT(predicted[i] == shown, "not told: this is a prediction",
               "string " + std::to_string(i) + ", \"" + visible(predicted[i]) +
                   "\": " + (too_much ? "too much" : "not this"));
    }
}

}  // namespace

TEST_CASE("a: it was not a stop string after all", "[ex09_2]") {
    check_prediction({"\n\nUser:"}, {"Hi", " there\n", "\nUs", "e it"}, case_a());
}

TEST_CASE("b: three newlines, then the other speaker", "[ex09_2]") {
    check_prediction({"\n\nUser:"}, {"Hi\n", "\n\n", "User", ": x", "y"}, case_b());
}

TEST_CASE("c: a stop string that repeats its own beginning", "[ex09_2]") {
    check_prediction({"aab"}, {"a", "a", "a", "b", "c"}, case_c());
}

TEST_CASE("d: characters of several bytes", "[ex09_2]") {
    check_prediction({}, {"caf", "\xC3", "\xA9", "!\xE2\x82"}, case_d());
}

TEST_CASE("e: two stop strings that overlap", "[ex09_2]") {
    check_prediction({"end", "den"}, {"d", "e", "n", "d"}, case_e());
}
