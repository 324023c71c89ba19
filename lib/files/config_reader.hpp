// The members of a config.json, read by key. Included by .cpp files of this room only.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/json/json.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

// Every function throws Error with the file and the key if the value has the wrong type or is out
// of range.
class ConfigReader {
public:
    // `path` is the name that messages begin with.
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
        return value ? positive(key, *value) : otherwise;
    }
    double positive(const char* key, const Json& value) const {
        const double number = value.is_number() ? value.get<double>() : 0;
        if (!(number > 0) || !std::isfinite(number)) fail(key, value, "a positive number");
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

    // The value is one token id or a list of them; empty if the key is missing. The model never
    // meets an id outside of its vocabulary: such an id is left out, with a line on stderr.
    std::vector<int> ids(const char* key, int vocab_size) const {
        const Json* value = find(key);
        std::vector<int> result;
        for (const Json& id : !value              ? Json::array()
                              : value->is_array() ? *value
                                                  : Json::array({*value})) {
            using Limits = std::numeric_limits<std::int64_t>;
            if (is_integer(id, Limits::min(), Limits::max()) && !is_integer(id, 0, vocab_size - 1))
                std::fprintf(stderr, "%s: %s is %s, expected 0 to %d; ignored\n", path_.c_str(),
                             key, json_text(id).c_str(), vocab_size - 1);
            else result.push_back(integer(key, id, 0, vocab_size - 1));
        }
        return result;
    }

    // A list with one member for each layer; null if the key is missing.
    const Json* list(const char* key, int layers) const {
        const Json* value = find(key);
        if (value && (!value->is_array() || count(*value) != layers))
            fail(key, *value, "a list of " + std::to_string(layers) + ", one for each layer");
        return value;
    }

private:
    std::string path_;
    Json json_;
};

}  // namespace tbt
