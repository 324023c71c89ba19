// Exercise 10_01: when is a text over, and why?
//
// After every token a generator asks this. The first of these that is true is the answer:
//
//     end_of_text   the last token is one of the end-of-text tokens, and was generated: in
//                   a prompt it means nothing
//     stop_string   a stop string is complete
//     length        max_new_tokens have been generated (or more)
//     context       prompt and generated tokens fill the context (or more)
//     not_yet       otherwise
//
// Example: a prompt of 3 and 2 generated tokens, the last of them an end of text, max_new_tokens 2:
// end_of_text, since it comes first. With max_new_tokens 0 a text is over before its first token.
//
// Write one function, about 6 lines. Check: make check EX=10_01
#pragma once

#include <algorithm>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex10_01 {

enum class End { not_yet, end_of_text, stop_string, length, context };

struct Text {
    std::vector<int> ids;           // prompt and generated
    int prompt_length = 0;          // in tokens; the others were generated
    bool stop_string_seen = false;  // by chapter 09
};
struct Limits {
    std::vector<int> end_of_text_ids;
    int max_new_tokens = 0, context = 0;
};

inline End end_of([[maybe_unused]] const Text& text, [[maybe_unused]] const Limits& limits) {
    // >>> write here
    const int all = static_cast<int>(text.ids.size()), generated = all - text.prompt_length;
    const auto& ends = limits.end_of_text_ids;
    if (generated > 0 && std::count(ends.begin(), ends.end(), text.ids.back()) > 0)
        return End::end_of_text;
    if (text.stop_string_seen) return End::stop_string;
    if (generated >= limits.max_new_tokens) return End::length;
    return all >= limits.context ? End::context : End::not_yet;
    // <<< to here
}

}  // namespace tbt::ex10_01
