// The tutorial's recognizer of an object with required keys, which reads symbol by symbol, and the
// mistake in it.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lib/core/error.hpp"

namespace tbt {

// The object: {, then each required key with a value, in any order, then }.
// A symbol is a string such as "{" or "\"name\"". as_printed: with the tutorial's mistake.
class RequiredKeys {
public:
    explicit RequiredKeys(std::vector<std::string> keys, bool as_printed = false)
        : keys_(std::move(keys)), as_printed_(as_printed) {}

    std::vector<std::string> allowed() const {
        switch (place_) {
            case Place::start:
                return {"{"};
            case Place::key:
                return open_keys();
            case Place::colon:
                return {":"};
            case Place::value:
                return {"string", "number", "true", "false", "null"};
            case Place::after:
                return {seen_.size() < keys_.size() ? "," : "}"};
            default:
                return {};
        }
    }

    void advance(const std::string& symbol) {
        const std::vector<std::string> legal = allowed();
        if (std::find(legal.begin(), legal.end(), symbol) == legal.end())
            throw Error("required keys: " + symbol + " is not allowed here");
        switch (place_) {
            case Place::start:
                place_ = keys_.empty() ? Place::after : Place::key;
                break;
            case Place::key:
                // The quotes are removed, so each key is offered once. As printed they stay: then
                // the stored symbol never equals a key, and each key is offered again and again.
                seen_.push_back(as_printed_ ? symbol : symbol.substr(1, symbol.size() - 2));
                place_ = Place::colon;
                break;
            case Place::colon:
                place_ = Place::value;
                break;
            case Place::value:
                place_ = Place::after;
                break;
            default:
                place_ = symbol == "," ? Place::key : Place::end;
                break;
        }
    }

    bool complete() const { return place_ == Place::end; }

    // The number of orders in which the keys can be written: follows every choice of a key, and
    // one value for each.
    int orders() const {
        if (complete()) return 1;
        const std::vector<std::string> legal = allowed();
        int sum = 0;
        for (std::size_t i = 0; i < (place_ == Place::key ? legal.size() : 1); ++i) {
            RequiredKeys next = *this;
            next.advance(legal[i]);
            sum += next.orders();
        }
        return sum;
    }

private:
    enum class Place { start, key, colon, value, after, end };

    std::vector<std::string> open_keys() const {
        std::vector<std::string> open;
        for (const std::string& key : keys_) {
            if (std::find(seen_.begin(), seen_.end(), key) == seen_.end())
                open.push_back("\"" + key + "\"");
        }
        return open;
    }

    std::vector<std::string> keys_, seen_;
    bool as_printed_;
    Place place_ = Place::start;
};

}  // namespace tbt
