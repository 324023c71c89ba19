#include "lib/machine/json_file.hpp"

#include <unordered_set>
#include <utility>
#include <vector>

#include "lib/error.hpp"
#include "lib/index.hpp"
#include "lib/machine/files.hpp"
#include "lib/text/utf8.hpp"

namespace tbt {

namespace {

// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error … - invalid
// literal; last read: 'x'" without the bracket and without what was last read, which may be long.
std::string reason(const Json::exception& error) {
    std::string text = error.what();
    if (const std::size_t end = text.find("] "); end != std::string::npos) text.erase(0, end + 2);
    if (const std::size_t last = text.find("; last read"); last != std::string::npos)
        text.resize(last);
    return shown(text);
}

// Reads along before the values are made: the parser keeps the last of several equal keys and says
// nothing, and takes a longer time for each value that was made before when it is watched.
class Watcher : public nlohmann::json_sax<Json> {
public:
    Watcher(const std::string& name, std::size_t deepest) : name_(name), deepest_(deepest) {}

    bool null() override { return deep_enough(); }
    bool boolean(bool) override { return deep_enough(); }
    bool number_integer(number_integer_t) override { return deep_enough(); }
    bool number_unsigned(number_unsigned_t) override { return deep_enough(); }
    bool number_float(number_float_t, const string_t&) override { return deep_enough(); }
    bool string(string_t&) override { return deep_enough(); }
    bool binary(binary_t&) override { return deep_enough(); }
    bool start_object(std::size_t) override {
        deep_enough();
        keys_.emplace_back();
        return true;
    }
    bool start_array(std::size_t) override { return start_object(0); }
    bool end_object() override { return keys_.pop_back(), true; }
    bool end_array() override { return keys_.pop_back(), true; }
    bool key(string_t& key) override {
        deep_enough();
        if (!keys_.back().insert(key).second)
            throw Error(name_ + ": the key \"" + shown(key) + "\" appears twice");
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
        return false;
    }

private:
    bool deep_enough() const {
        if (keys_.size() <= deepest_) return true;
        throw Error(name_ + ": is nested more than " + std::to_string(deepest_) + " deep");
    }

    const std::string& name_;
    std::size_t deepest_;
    std::vector<std::unordered_set<std::string>> keys_;  // of every list and object that is open
};

// The parser takes a zero byte for the end of the text.
std::size_t zero_byte(std::string_view text) { return text.find('\0'); }

template <class AnyJson>
AnyJson value(std::string_view text) {
    if (zero_byte(text) != std::string_view::npos) return AnyJson::value_t::discarded;
    return AnyJson::parse(text, nullptr, false);
}

}  // namespace

Json parse_json(std::string_view text, const std::string& name, int deepest) {
    if (const std::size_t at = find_invalid_utf8(text); at != std::string_view::npos) {
        throw Error(name + ": byte " + std::to_string(at) + " is not UTF-8, expected JSON");
    }
    if (const std::size_t at = zero_byte(text); at != std::string_view::npos)
        throw Error(name + ": is not JSON: byte " + std::to_string(at) + " is zero");
    Watcher watcher(name, index(deepest));
    Json::sax_parse(text, &watcher);  // where the text is no JSON, the parser says it better below
    try {
        return Json::parse(text);
    } catch (const Json::exception& error) {
        throw Error(name + ": is not JSON: " + reason(error));
    }
}

Json read_json(const std::string& path) { return parse_json(read_file(path), path); }

Json json_value(std::string_view text) { return value<Json>(text); }

OrderedJson ordered_json_value(std::string_view text) { return value<OrderedJson>(text); }

std::string json_text(const Json& value, int indent) {
    return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string json_text(const OrderedJson& value, int indent) {
    return value.dump(indent, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string kind_of(const Json& value) {
    if (value.is_null()) return "null";
    if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
    if (value.is_number_integer()) return "the integer " + value.dump();
    if (value.is_number()) return "the number " + value.dump();
    if (value.is_string())
        return "the string \"" + shown(value.get_ref<const std::string&>()) + "\"";
    return value.is_array() ? "a list" : "an object";
}

std::string shown(std::string_view text) {
    constexpr std::size_t longest = 160;
    std::string line;
    for (std::size_t i = 0; i < text.size();) {
        if (line.size() > longest) return line + "…";
        const CodePoint c = decode_utf8(text, i);
        const auto length = index(c.length);
        if (c.value < 0 || (c.value >= 0x7f && c.value < 0xa0)) {
            line += "\ufffd";
        } else {
            line += c.value < 0x20 ? " " : text.substr(i, length);
        }
        i += length;
    }
    return line;
}

}  // namespace tbt
