// Records the order in which the keys of a JSON text are written, which the parsed value loses.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/machine/json_file.hpp"

namespace tbt {

class WrittenOrder {
public:
    // text: the JSON text that `value` was parsed from. Takes one pass, however many keys an object
    // has (ordered_json searches all keys for each new one).
    void add(std::string_view text, const Json& value) {
        Reader reader(keys_, value);
        Json::sax_parse(text, &reader);
    }
    // The keys of an object in their written order; sorted if the object is in no added value.
    std::vector<std::string> of(const Json& object) const {
        const auto found = keys_.find(&object);
        if (found != keys_.end()) return found->second;
        std::vector<std::string> sorted;
        for (const auto& [key, member] : object.items()) sorted.push_back(key);
        return sorted;
    }

private:
    using Keys = std::unordered_map<const Json*, std::vector<std::string>>;

    // Walks the value while the text is parsed.
    class Reader : public nlohmann::json_sax<Json> {
    public:
        Reader(Keys& keys, const Json& value) : keys_(keys), next_(&value) {}

        bool null() override { return scalar(); }
        bool boolean(bool) override { return scalar(); }
        bool number_integer(number_integer_t) override { return scalar(); }
        bool number_unsigned(number_unsigned_t) override { return scalar(); }
        bool number_float(number_float_t, const string_t&) override { return scalar(); }
        bool string(string_t&) override { return scalar(); }
        bool binary(binary_t&) override { return scalar(); }
        bool start_object(std::size_t) override { return start(); }
        bool start_array(std::size_t) override { return start(); }
        bool end_object() override { return end(); }
        bool end_array() override { return end(); }
        bool key(string_t& key) override {
            next_ = &open_.back().value->at(key);
            keys_[open_.back().value].push_back(std::move(key));
            return true;
        }
        bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
            return false;
        }

    private:
        struct Open {
            const Json* value;
            std::size_t item = 0;  // in an array: the index of the next item
        };

        // The value that begins here.
        const Json* take() {
            if (open_.empty() || !open_.back().value->is_array()) return next_;
            Open& array = open_.back();
            return &array.value->at(array.item++);
        }
        bool scalar() { return take() != nullptr; }
        bool start() {
            open_.push_back({take()});
            return true;
        }
        bool end() {
            open_.pop_back();
            return true;
        }

        Keys& keys_;
        const Json* next_;
        std::vector<Open> open_;
    };

    Keys keys_;
};

}  // namespace tbt
