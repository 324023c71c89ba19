// JSON files of a model, read strictly and written in the order given. Included by .cpp files only:
// it is slow to compile.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "lib/error.hpp"
#include "lib/text/utf8.hpp"  // shown()

namespace tbt {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

// Throws Error "NAME: …" unless the text is UTF-8, JSON to its end, at most so deep,
// and no key stands twice.
Json parse_json(std::string_view text, const std::string& name, int deepest = 64);

Json read_json(const std::string& path);

// Large objects and lists are given out member by member, as they are read, and none is kept: with
// tens of thousands of them that takes a third of the time. The object or list at "model.vocab" is
// asked for by that name, the whole text by "". What is given out of an object may have a key
// twice; the key of a list's member is empty.
struct JsonStream {
    std::function<bool(const std::string& place, bool is_object)> wanted;
    std::function<void(const std::string& place, std::string& key, Json& value)> take;
    // Takes as many members as it likes by itself, each with the comma after it, from the text
    // after the opening bracket, and returns their bytes. See json_scanner.hpp.
    std::function<std::size_t(const std::string& place, std::string_view text)> ahead;
};
Json read_json(const std::string& path, const JsonStream& stream);

// Reading and writing are compiled once, in json_file.cpp: these headers are slow.
//
// The value of a JSON text; one that is_discarded() where it is no JSON.
Json json_value(std::string_view text);
OrderedJson ordered_json_value(std::string_view text);
// The text of a value, on one line or indented by so many spaces. What is not UTF-8 is replaced.
std::string json_text(const Json& value, int indent = -1);
std::string json_text(const OrderedJson& value, int indent = -1);

// What a value is, for messages: "a string", "an integer", …
std::string kind_of(const Json& value);

// A whole number from least to most. The library's own conversions make another number of one that
// does not fit, without a word.
template <class T>
bool is_integer(const Json& value, T least, T most) {
    const auto fits = [&](auto number) {
        return std::cmp_less_equal(least, number) && std::cmp_less_equal(number, most);
    };
    return value.is_number_unsigned()
               ? fits(value.get<std::uint64_t>())
               : value.is_number_integer() && fits(value.get<std::int64_t>());
}

// Error "NAME is …, expected an integer from … to …" where it is none.
template <class T>
T integer_of(const Json& value, const std::string& name, T least = 0,
             T most = std::numeric_limits<T>::max()) {
    if (is_integer(value, least, most)) return value.get<T>();
    throw Error(name + " is " + kind_of(value) + ", expected an integer from " +
                std::to_string(least) + " to " + std::to_string(most));
}

}  // namespace tbt
