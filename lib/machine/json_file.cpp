#include "lib/machine/json_file.hpp"

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/machine/files.hpp"

namespace tbt {

namespace {

// The text of an error of nlohmann::json, such as "[json.exception.parse_error.101] parse error at
// line 1, column 2: syntax error … - invalid literal; last read: 'x'", without what is in brackets
// and without the text last read, which may be long.
std::string reason(const Json::exception& error) {
    std::string text = error.what();
    if (const std::size_t end = text.find("] "); end != std::string::npos) text.erase(0, end + 2);
    if (const std::size_t last = text.find("; last read"); last != std::string::npos)
        text.resize(last);
    return shown(text);
}

// The input iterator that nlohmann's parser reads through. All copies share one position in the
// text, which the Builder advances when JsonStream::ahead has read some of the text.
struct Place {
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    const char** at;
    const char* end;

    const char& operator*() const { return **at; }
    Place& operator++() {
        ++*at;
        return *this;
    }
    Place operator++(int) { return ++*this; }
    bool is_end() const { return !at || *at == end; }
    friend bool operator==(const Place& a, const Place& b) { return a.is_end() == b.is_end(); }
};

// Builds the values as the text is parsed, and throws Error for what nlohmann's own parser accepts:
// nesting that is too deep, and duplicate keys.
class Builder : public nlohmann::json_sax<Json> {
public:
    Builder(std::string_view text, const std::string& name, std::size_t deepest,
            const JsonStream& stream)
        : at_(text.data()),
          end_(text.data() + text.size()),
          name_(name),
          deepest_(deepest),
          stream_(stream) {}

    // False if the text is not JSON.
    bool read() { return Json::sax_parse(Place{&at_, end_}, Place{nullptr, end_}, this); }

    bool null() override { return scalar(nullptr); }
    bool boolean(bool value) override { return scalar(value); }
    bool number_integer(number_integer_t value) override { return scalar(value); }
    bool number_unsigned(number_unsigned_t value) override { return scalar(value); }
    bool number_float(number_float_t value, const string_t&) override { return scalar(value); }
    bool string(string_t& value) override { return scalar(std::move(value)); }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return start(Json::object()); }
    bool start_array(std::size_t) override { return start(Json::array()); }
    bool end_object() override { return end(); }
    bool end_array() override { return end(); }
    bool key(string_t& key) override {
        Open& open = open_.back();
        open.key = std::move(key);
        if (!open.streamed && open.value.contains(open.key))
            throw Error(name_ + ": the key \"" + shown(open.key) + "\" appears twice");
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
        return false;
    }

    Json& result() { return result_; }

private:
    struct Open {  // an object or array whose end is not read yet
        Json value;
        std::string place;  // its path, as JsonStream::wanted gets it
        bool streamed = false;
        std::string key = {};  // of the member being read; empty in an array
    };

    void check_depth() const {
        if (open_.size() > deepest_)
            throw Error(name_ + ": is nested more than " + std::to_string(deepest_) + " deep");
    }
    template <class Value>
    bool scalar(Value&& value) {
        check_depth();
        return add(Json(std::forward<Value>(value)));
    }
    bool start(Json empty) {
        check_depth();
        Open next{std::move(empty), {}};
        if (stream_.wanted) {
            if (!open_.empty()) {
                const Open& outer = open_.back();
                next.place = outer.place + (outer.place.empty() ? "" : ".") + outer.key;
            }
            next.streamed = stream_.wanted(next.place, next.value.is_object());
            if (next.streamed && stream_.ahead)
                at_ += stream_.ahead(next.place, std::string_view(at_, index(end_ - at_)));
        }
        open_.push_back(std::move(next));
        return true;
    }
    bool end() {
        Json value = std::move(open_.back().value);
        open_.pop_back();
        return add(std::move(value));
    }
    bool add(Json&& value) {
        if (open_.empty()) {
            result_ = std::move(value);
            return true;
        }
        Open& open = open_.back();
        if (open.streamed) stream_.take(open.place, open.key, value);
        else if (open.value.is_array()) open.value.push_back(std::move(value));
        else open.value.emplace(std::move(open.key), std::move(value));
        return true;
    }

    const char *at_, *end_;  // the text that is not read yet
    const std::string& name_;
    std::size_t deepest_;
    const JsonStream& stream_;
    std::vector<Open> open_;
    Json result_;
};

// nlohmann's parser takes a zero byte for the end of the text, so such a byte is looked for first.
std::size_t zero_byte(std::string_view text) { return text.find('\0'); }

template <class AnyJson>
AnyJson value(std::string_view text) {
    if (zero_byte(text) != std::string_view::npos) return AnyJson::value_t::discarded;
    return AnyJson::parse(text, nullptr, false);
}

}  // namespace

static Json parse(std::string_view text, const std::string& name, int deepest,
                  const JsonStream& stream) {
    if (const std::size_t at = find_invalid_utf8(text); at != std::string_view::npos) {
        throw Error(name + ": byte " + std::to_string(at) + " is not valid UTF-8, expected JSON");
    }
    if (const std::size_t at = zero_byte(text); at != std::string_view::npos)
        throw Error(name + ": is not JSON: byte " + std::to_string(at) + " is zero");
    Builder builder(text, name, index(deepest), stream);
    if (builder.read()) return std::move(builder.result());
    try {
        return Json::parse(text);  // throws; the exception has the reason
    } catch (const Json::exception& error) {
        throw Error(name + ": is not JSON: " + reason(error));
    }
}

Json parse_json(std::string_view text, const std::string& name, int deepest) {
    return parse(text, name, deepest, {});
}

Json read_json(const std::string& path) { return parse_json(read_file(path), path); }

Json read_json(const std::string& path, const JsonStream& stream) {
    return parse(read_file(path), path, 64, stream);
}

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

}  // namespace tbt
