// The tests of an exercise: compiled against exercises/ (the learner's file), solutions/ or a
// mutant by include path.
//
// They are written like all tests, and say in a learner's words what is wrong: what was checked,
// the input, what was expected, what came, where the two differ first, and what to think about.
//
//     INPUT(logits, ids);                            // shown, by name, when a check below fails
//     THINK("which row predicts ids[1]?");           // the last one above the check is shown
//     CHECK(best(logits) == 3);                      // of rows and texts: the first difference
//     CHECK_NEAR(perplexity(logits, ids), 2, 1e-12); // numbers, or rows of them
//     CHECK_THROWS_AS(best({}), Error);
//     EXPECT(sum <= 1, "a distribution sums to 1", sum);  // in words, where nothing is compared
//
// Where nothing is said to think about, it is the test's own sentence.
// REQUIRE is CHECK here: the learner sees the first failure.
// Also here, for all tests: the standard library (tests/catch.hpp), and random cases (random.hpp).
#pragma once

#include <exception>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "exercises/exercise.hpp"
#include "tests/exercises/compare.hpp"
#include "tests/exercises/notes.hpp"
#include "tests/exercises/random.hpp"

// A check is written as Decompose() <= a == b, which gcc takes for a mistake.
#pragma GCC diagnostic ignored "-Wparentheses"

#undef CHECK
#undef REQUIRE
#undef CHECK_FALSE
#undef REQUIRE_FALSE
#undef CHECK_THROWS_AS
#undef REQUIRE_THROWS_AS
#undef INFO
#undef CAPTURE

#define TBT_NAME_(a, b) a##b
#define TBT_NAME(a, b) TBT_NAME_(a, b)

#define INPUT(...)                                                                         \
    const ::tbt::exercise_check::Noted TBT_NAME(tbt_input_,                                \
                                                __LINE__)(::tbt::exercise_check::notes_of( \
        #__VA_ARGS__, ::tbt::exercise_check::all_shown(__VA_ARGS__)))
// A line of words; what comes after "think about: " in it is shown as such.
#define INFO(...)                                                     \
    const ::tbt::exercise_check::Noted TBT_NAME(tbt_info_, __LINE__)( \
        ::tbt::exercise_check::notes_of((std::ostringstream() << __VA_ARGS__).str()))
#define THINK(...) INFO("think about: " << __VA_ARGS__)

#define CHECK(...)                                                                       \
    do {                                                                                 \
        const ::tbt::exercise_check::Asked tbt_asked(#__VA_ARGS__);                      \
        ::tbt::exercise_check::judge(::tbt::exercise_check::Decompose() <= __VA_ARGS__); \
    } while (false)
#define REQUIRE(...) CHECK(__VA_ARGS__)
#define CHECK_FALSE(...)                                                                        \
    do {                                                                                        \
        const ::tbt::exercise_check::Asked tbt_asked(#__VA_ARGS__);                             \
        ::tbt::exercise_check::judge(::tbt::exercise_check::compare(bool(__VA_ARGS__), false)); \
    } while (false)
#define REQUIRE_FALSE(...) CHECK_FALSE(__VA_ARGS__)
#define CHECK_NEAR(call, expected, tolerance)                                \
    do {                                                                     \
        const ::tbt::exercise_check::Asked tbt_asked(#call, #expected);      \
        ::tbt::exercise_check::judge(                                        \
            ::tbt::exercise_check::compare_near(call, expected, tolerance)); \
    } while (false)
#define EXPECT(condition, words, ...)                                                     \
    do {                                                                                  \
        const ::tbt::exercise_check::Asked tbt_asked("");                                 \
        if (!(condition))                                                                 \
            ::tbt::exercise_check::judge(                                                 \
                {false, words, ::tbt::exercise_check::all_shown(__VA_ARGS__).at(0), ""}); \
    } while (false)
#define CHECK_THROWS_AS(call, Type)                                                          \
    do {                                                                                     \
        const ::tbt::exercise_check::Asked tbt_asked(#call, "refused: " #Type " is thrown"); \
        ::tbt::exercise_check::refused<Type>([&] { static_cast<void>(call); }, #Type);       \
    } while (false)

namespace tbt {

// The check of one function, written once, with the call as the message has it:
//
//     const Checker check_kth("kth_largest(s, k)", kth_largest);  // for doubles a tolerance, too
//     check_kth({1, 4, 2}, 2, 2, "the second largest");
//
// The inputs are shown by their names in the call. Then comes what is expected, and what to think
// about.
template <class Result, class... In>
class Checker {
public:
    Checker(const char* call, Result (*function)(In...), double tolerance = 0)
        : call_(call), function_(function), tolerance_(tolerance) {}

    void operator()(const std::decay_t<In>&... in, const Result& expected,
                    const char* think = nullptr) const {
        using namespace exercise_check;
        const std::string_view names = call_.substr(call_.find('(') + 1);
        const Noted inputs(notes_of(names.substr(0, names.size() - 1), all_shown(in...)));
        const Noted thought(notes_of(think ? std::string(think_about) + think : ""));
        const Asked asked(call_.data());
        if constexpr (std::is_same_v<Result, double> || std::is_same_v<Result, std::vector<double>>)
            exercise_check::judge(compare_near(function_(in...), expected, tolerance_));
        else exercise_check::judge(compare(function_(in...), expected));
    }

private:
    std::string_view call_;
    Result (*function_)(In...);
    double tolerance_;
};

// A prediction: not even the message tells the answer.
template <class Number, class Right>
void check_predicted(Number predicted, Right right, const char* think) {
    THINK(think);
    INPUT(predicted);
    EXPECT(predicted == static_cast<Number>(right), "not told: this is a prediction", predicted);
}

}  // namespace tbt
