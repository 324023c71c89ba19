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
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (month == 2) return leap ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
    // <<< to here
}

inline Verdict validate([[maybe_unused]] std::string_view text) {
    // >>> write here
    if (text.size() > 10) return Verdict::dead;
    int number = 0, year = 0, month = 0;  // number: the digits since the last hyphen
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (i == 4 || i == 7) {
            if (text[i] != '-') return Verdict::dead;
            number = 0;
            continue;
        }
        if (text[i] < '0' || text[i] > '9') return Verdict::dead;
        number = number * 10 + (text[i] - '0');
        if (i == 3) year = number;
        if (i == 5 && number > 1) return Verdict::dead;
        if (i == 6) month = number;
        if (i == 6 && (month < 1 || month > 12)) return Verdict::dead;
        if (i == 8 && number > days_in(year, month) / 10) return Verdict::dead;
        if (i == 9 && (number < 1 || number > days_in(year, month))) return Verdict::dead;
    }
    return text.size() == 10 ? Verdict::complete : Verdict::alive;
    // <<< to here
}

}  // namespace tbt::ex15_1
