// For tests that call public functions with arguments that make no sense.
//
// Every function that takes spans, ids, counts, numbers or objects checks them. (Kernels that take
// bare pointers and a Worker do not: their callers checked the sizes.)
#pragma once

#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

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

// A call that must be refused with a message, and one that may be accepted or refused.
#define REFUSES(...) REQUIRE(tbt::api::outcome([&] { __VA_ARGS__; }) != "")
#define HOLDS(...) REQUIRE_NOTHROW(tbt::api::outcome([&] { __VA_ARGS__; }))

}  // namespace tbt::api
