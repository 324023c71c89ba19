// Reads the members of a config.json, the file with a model's sizes and settings. Every function
// throws Error with the file and the key if the value has the wrong type or is out of range.
// Included by .cpp files only, as json_file.hpp.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/machine/json_file.hpp"

namespace tbt {

// The upper limit for every dimension: a hundred times what the largest models have.
inline constexpr int largest_size = 1 << 24;

struct TransformerConfig;
class ConfigReader;

// The configuration that these members describe, from a file or put together: see
// read_model_config().
TransformerConfig read_config(const ConfigReader& file);

class ConfigReader {
public:
    explicit ConfigReader(const std::string& path) : ConfigReader(path, read_json(path)) {}
    // The same for members that come from elsewhere. `path` is the name that messages begin with.
    ConfigReader(std::string path, Json json) : path_(std::move(path)), json_(std::move(json)) {
        if (!json_.is_object()) fail("is " + kind_of(json_) + ", expected an object");
    }

    const std::string& path() const { return path_; }
    [[noreturn]] void fail(const std::string& what) const { throw Error(path_ + ": " + what); }
    [[noreturn]] void fail(const char* key, const Json& got, const std::string& expected) const {
        fail(std::string(key) + " is " + kind_of(got) + ", expected " + expected);
    }

    // Null if the key is missing or its value is null.
    const Json* find(const char* key) const {
        const auto member = json_.find(key);
        return member == json_.end() || member->is_null() ? nullptr : &*member;
    }

    bool has(const char* key) const { return json_.contains(key); }  // true for a null value, too

    // A positive integer, at most largest_size.
    int size(const char* key) const {
        if (!find(key)) fail(std::string(key) + " is missing, expected a positive integer");
        return integer(key, *find(key), 1, largest_size);
    }
    int size_or(const char* key, int otherwise) const { return find(key) ? size(key) : otherwise; }

    // As size(), with one default for a missing key and another one for the value null.
    int size_or_absent(const char* key, int absent, int null) const {
        return has(key) ? size_or(key, null) : absent;
    }

    // An integer of 0 or more, at most largest_size.
    int count_or(const char* key, int otherwise) const {
        const Json* value = find(key);
        return value ? integer(key, *value, 0, largest_size) : otherwise;
    }

    double positive_or(const char* key, double otherwise) const {
        const Json* value = find(key);
        if (!value) return otherwise;
        const double number = value->is_number() ? value->get<double>() : 0;
        if (!(number > 0) || !std::isfinite(number)) fail(key, *value, "a positive number");
        return number;
    }

    int integer(const char* key, const Json& value, int least, int most) const {
        return integer_of(value, path_ + ": " + key, least, most);
    }

    bool flag_or(const char* key, bool otherwise) const {
        const Json* value = find(key);
        if (value && !value->is_boolean()) fail(key, *value, "true or false");
        return value ? value->get<bool>() : otherwise;
    }

    std::string text_or(const char* key, const std::string& otherwise) const {
        const Json* value = find(key);
        if (value && !value->is_string()) fail(key, *value, "a string");
        return value ? value->get<std::string>() : otherwise;
    }

    // The value is one token id or a list of them; empty if the key is missing.
    std::vector<int> ids(const char* key, int vocab_size) const {
        const Json* value = find(key);
        if (!value) return {};
        std::vector<int> result;
        for (const Json& id : value->is_array() ? *value : Json::array({*value})) {
            result.push_back(integer(key, id, 0, vocab_size - 1));
        }
        return result;
    }

private:
    std::string path_;
    Json json_;
};

}  // namespace tbt
