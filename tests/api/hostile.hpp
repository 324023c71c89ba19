// For tests that call public functions with arguments that make no sense.
//
// Every function that takes spans, ids, counts, numbers or objects checks them. (Kernels that take
// bare pointers and a Worker do not: their callers checked the sizes.)
#pragma once

#include <climits>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/support/temporary.hpp"

namespace tbt::api {

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
inline const std::vector<int> hostile_ids{-1, INT_MIN, INT_MAX, 1000000};
inline const std::vector<double> hostile_numbers{std::nan(""), -HUGE_VAL, HUGE_VAL, -1e308, 1e308};
// Rows of logits without a distribution.
inline const std::vector<std::vector<float>> hostile_rows{{},
                                                          {not_a_number},
                                                          {1, not_a_number},
                                                          {infinity, 1},
                                                          {-infinity},
                                                          std::vector<float>(20, -infinity)};
inline const std::vector<std::string> hostile_texts{"",
                                                    std::string(1, '\0'),
                                                    "\xff\xfe\x80",
                                                    "\xed\xa0\x80",
                                                    "\xf0\x9f\x98",
                                                    std::string(3, '\x01')};

// What came of a call: "" where it returned, the message where it threw an Error.
// Whatever else is thrown, and a message that is not one line, fails.
inline std::string outcome(test::Action call) {
    const std::string message = test::error_of(call);
    if (message.size() > 400 || message.starts_with("more than one line"))
        throw std::logic_error("not a message of one line: " + message);
    return message;
}

struct Call {
    const char* text;
    test::Action work;
};
// Those that were not refused with a message.
inline std::string accepted(std::initializer_list<Call> calls) {
    std::string all;
    for (const Call& call : calls)
        if (outcome(call.work).empty()) all += std::string(call.text) + "\n";
    return all;
}

// {"a", [&] { a; }}, {"b", [&] { b; }}, … of a, b, …: the name of the macro comes again only in the
// next reading, of which there are eight.
#define CALLS(call, ...) {#call, [&] { call; }}, __VA_OPT__(CALLS_AGAIN NOTHING(__VA_ARGS__))
#define CALLS_AGAIN() CALLS
#define NOTHING ()
#define READ(...) __VA_ARGS__
#define READ_ALL(...) READ(READ(READ(READ(READ(READ(READ(READ(__VA_ARGS__))))))))

// Calls of which each must be refused with a message, and one that may be accepted or refused.
#define REFUSES(...) REQUIRE(tbt::api::accepted({READ_ALL(CALLS(__VA_ARGS__))}) == "")
#define HOLDS(...) REQUIRE_NOTHROW(tbt::api::outcome([&] { __VA_ARGS__; }))

// Each of these members of an object, set to each of the values, must be refused; the outcome is
// that of the object that a function changes.
template <class Object, class Outcome, class Value, class... Member>
void refuses_each(const Outcome& outcome_of, const std::vector<Value>& values, Member... members) {
    const auto refuses = [&](const Value& bad, auto member) {
        INFO(bad);
        REQUIRE(outcome_of([&](Object& object) { object.*member = bad; }) != "");
    };
    for (const Value& bad : values) (refuses(bad, members), ...);
}

}  // namespace tbt::api
