// Reading and writing of JSON texts and files, on top of the library nlohmann::json. OrderedJson
// keeps the members of an object in the order in which they were added; Json sorts them.
// Include this in .cpp files only, since the library's header is slow to compile.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "lib/core/error.hpp"
#include "lib/core/unicode.hpp"  // shown()

namespace tbt {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

// The value of a JSON text. Throws Error "NAME: …" if the text is not UTF-8 or not JSON, if
// anything follows the value, if objects and arrays are nested more than `deepest` deep, or if an
// object has a key twice.
Json parse_json(std::string_view text, const std::string& name, int deepest = 64);

// The same for the text of a file; NAME is its path. Also throws if the file cannot be read.
Json read_json(const std::string& path);

// Callbacks that get the members of large objects and arrays one by one while they are read. These
// members are not stored: with tens of thousands of them, reading takes a third of the time.
// `place` is the path of an object or array, such as "model.vocab"; that of the whole text is "".
struct JsonStream {
    // Is this object or array to be streamed? If so, its duplicate keys are not an error.
    std::function<bool(const std::string& place, bool is_object)> wanted;
    // Gets each member of a streamed object or array. The key is empty for an array.
    std::function<void(const std::string& place, std::string& key, Json& value)> take;
    // May be empty. It gets the text after the opening bracket, reads as many members as it can by
    // itself, each with the comma after it, and returns the number of bytes that it read; the
    // parser goes on there. See json_scanner.hpp.
    std::function<std::size_t(const std::string& place, std::string_view text)> ahead;
};
Json read_json(const std::string& path, const JsonStream& stream);

// Parsing and writing are compiled once, in json_file.cpp, because they are slow to compile.
//
// The value of a JSON text. If the text is not JSON, is_discarded() is true for the result.
Json json_value(std::string_view text);
OrderedJson ordered_json_value(std::string_view text);
// The JSON text of a value: on one line, or with lines indented by `indent` spaces for each level.
// Bytes that are not UTF-8 become U+FFFD.
std::string json_text(const Json& value, int indent = -1);
std::string json_text(const OrderedJson& value, int indent = -1);

// What a value is, for messages: 'the string "x"', "the integer 3", "a list", "an object", …
std::string kind_of(const Json& value);

// Is the value an integer from least to most? The library's own conversions silently change a
// number that does not fit.
template <class T>
bool is_integer(const Json& value, T least, T most) {
    const auto fits = [&](auto number) {
        return std::cmp_less_equal(least, number) && std::cmp_less_equal(number, most);
    };
    return value.is_number_unsigned()
               ? fits(value.get<std::uint64_t>())
               : value.is_number_integer() && fits(value.get<std::int64_t>());
}

// The value as an integer. Throws Error "NAME is …, expected an integer from LEAST to MOST" if it
// is not one.
template <class T>
T integer_of(const Json& value, const std::string& name, T least = 0,
             T most = std::numeric_limits<T>::max()) {
    if (is_integer(value, least, most)) return value.get<T>();
    throw Error(name + " is " + kind_of(value) + ", expected an integer from " +
                std::to_string(least) + " to " + std::to_string(most));
}

}  // namespace tbt
