// Exercise 16_2: predict which of these values a schema allows.
//
//      0  3         1  3.0           2  "3"             3  "abc"     4  null
//      5  []        6  [3, "3"]      7  {}              8  {"a": 3}  9  {"b": "3"}
//
// Write the numbers of the values that are valid against the schema, in ascending order, as in
// `return {0, 1, 7};`. Remember that most keywords apply to one kind of value only, and say nothing
// about the others.
//
// Give eight answers; the last one is about a text that is still being written.
// Check: make check EX=16_2.
// Then validate a file: build/schema_check SCHEMA INSTANCE
#pragma once

#include <string>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex16_2 {

inline const std::vector<std::string> values = {
    "3",  "3.0",        "\"3\"", "\"abc\"",    "null",
    "[]", "[3, \"3\"]", "{}",    "{\"a\": 3}", "{\"b\": \"3\"}"};

// {"type": "integer"}
inline std::vector<int> integers() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// {"maximum": 2}
inline std::vector<int> at_most_two() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// {"type": "object", "properties": {"a": {"type": "string"}}}
inline std::vector<int> a_is_a_string() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// {"required": ["a"]}
inline std::vector<int> a_is_required() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// {"type": ["array", "object"], "items": {"type": "integer"}, "additionalProperties": false}
inline std::vector<int> only_integers_inside() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// {"not": {"type": "number"}, "minLength": 2}
inline std::vector<int> no_number() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// {"oneOf": [{"type": "integer"}, {"minimum": 3}]}
inline std::vector<int> exactly_one_of_two() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline const std::vector<std::string> pieces = {"}", ",\"a\":", ",\"b\":", ",\"c\":", ",\"d\":"};

// An object may have the members a, b and c, all integers, and no others; b is required, and there
// may be at most two members.
//     0  }     1  ,"a":     2  ,"b":     3  ,"c":     4  ,"d":
// The text so far is {"c":3. Which of these pieces may come next?
inline std::vector<int> after_c() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex16_2
