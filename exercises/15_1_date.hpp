// Exercise 15_1: a format for JSON Schema: "date" (RFC 3339, full-date), validated byte by byte.
//
//     YYYY-MM-DD      year 0000 … 9999, month 01 … 12, day 01 … the last day of that month
//     February has 29 days in a leap year: divisible by 4,
//     but not by 100 unless also by 400
//
// What constrains a model must notice an error early: `2023-02-3` is dead, since no digit completes
// it to a date, and a model that has written it can no longer write one. So validate prefixes:
//
//     dead        no date begins like this
//     alive       some date begins like this, and it needs more bytes
//     complete    it is a date
//
// Write two functions, about 20 lines. Check: make check EX=15_1.
// Chapter 15 builds an automaton for the same dates.
#pragma once

#include <cstddef>
#include <string_view>

#include "exercises/exercise.hpp"

namespace tbt::ex15_1 {

enum class Verdict { dead, alive, complete };

// The number of days of a month; months count from 1 to 12.
inline int days_in([[maybe_unused]] int year, [[maybe_unused]] int month) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline Verdict validate([[maybe_unused]] std::string_view text) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex15_1
