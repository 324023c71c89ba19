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
// REQUIRE is CHECK here: the learner sees the first failure.
#pragma once

#include <cmath>
#include <exception>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "exercises/exercise.hpp"
#include "tests/exercises/compare.hpp"
#include "tests/exercises/notes.hpp"

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

#define INPUT(...)                                                      \
    const ::tbt::exercise_check::Inputs TBT_NAME(tbt_input_, __LINE__)( \
        #__VA_ARGS__, ::tbt::exercise_check::all_shown(__VA_ARGS__))
#define THINK(...)                              \
    const ::tbt::exercise_check::Note TBT_NAME( \
        tbt_think_, __LINE__)((std::ostringstream() << "think about: " << __VA_ARGS__).str())
// A line of words; what comes after "think about: " in it is shown as such.
#define INFO(...)                               \
    const ::tbt::exercise_check::Note TBT_NAME( \
        tbt_info_, __LINE__)((std::ostringstream() << __VA_ARGS__).str())

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
