// JSON [RFC 8259]: a value, its reader, and its writer. The members of an object keep their order.
// This one type serves every file and every answer, and its header is quick to compile. Misuse (a
// member that is not there, a string where a number is asked for) throws JsonError.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "lib/core/error.hpp"

namespace tbt {

struct JsonError : Error {
    using Error::Error;
};

template <class Value, class Member>
class JsonIterator;

class Json {
public:
    struct Member;
    using iterator = JsonIterator<Json, Member>;
    using const_iterator = JsonIterator<const Json, const Member>;

    Json(std::nullptr_t = nullptr);
    Json(double number);
    Json(std::string text);
    Json(std::string_view text);
    Json(const char* text);
    // A boolean, or an integer: of 64 bits, with a sign if it fits.
    template <std::integral T>
    Json(T number) : Json() {
        if constexpr (std::is_same_v<T, bool>) set_boolean(number);
        else if (std::in_range<std::int64_t>(number))
            set_integer(static_cast<std::int64_t>(number));
        else set_large(static_cast<std::uint64_t>(number));
    }
    // A list or another range of what can be a Json, or a map of texts to that.
    template <class T>
    requires requires(const T& all) {
        all.begin();
    } &&(!std::convertible_to<T, std::string_view>)&&(!std::same_as<T, Json>)Json(const T& all) {
        if constexpr (requires { typename T::mapped_type; }) {
            *this = object();
            for (const auto& [key, value] : all) emplace(key, value);
        } else {
            *this = array();
            for (const auto& element : all) push_back(Json(element));
        }
    }
    template <class A, class B>
    Json(const std::pair<A, B>& both) : Json(array({both.first, both.second})) {}
    template <class T>
    Json(const std::optional<T>& perhaps) : Json(perhaps ? Json(*perhaps) : Json()) {}
    // {{"key", value}, …} is an object if each element is a string with a value; otherwise an
    // array.
    Json(std::initializer_list<Json> list);
    static Json array(std::initializer_list<Json> list = {});
    static Json object(std::initializer_list<Json> members = {});
    static Json discarded();  // what json_value() returns for a text that is not JSON

    Json(const Json& other);
    Json(Json&& other) noexcept;
    Json& operator=(Json other) noexcept;
    ~Json();

    bool is_null() const { return value_.index() == 0; }
    bool is_boolean() const { return holds<bool>(); }
    bool is_number() const { return is_number_integer() || is_number_float(); }
    bool is_number_integer() const { return holds<std::int64_t>() || is_large(); }
    bool is_large() const { return holds<std::uint64_t>(); }  // an integer beyond 2⁶³ − 1
    bool is_number_float() const { return holds<double>(); }
    bool is_string() const { return holds<std::string>(); }
    bool is_array() const { return holds<Array>(); }
    bool is_object() const { return holds<Object>(); }
    bool is_structured() const { return is_array() || is_object(); }
    bool is_discarded() const { return holds<Discarded>(); }
    std::string type_name() const;  // "null", "boolean", "number", "string", "array", "object"

    // The value as a T: bool, a number (converted as static_cast does), a string, or a vector of
    // these.
    template <class T>
    T get() const;
    const std::string& text() const;  // of a string
    template <class T>
    requires(std::is_arithmetic_v<T> && !std::same_as<T, char>) ||
        std::same_as<T, std::string> operator T() const {
        return get<T>();
    }

    // ---- arrays and objects ----
    std::size_t size() const;  // 0 for null, 1 for a value of another kind
    bool empty() const { return size() == 0; }
    iterator begin();
    iterator end();
    const_iterator begin() const;
    const_iterator end() const;
    // The values of an array.
    const std::vector<Json>& elements() const;
    // The members of an object: for (const auto& [key, value] : json.items())
    std::vector<Member>& items();
    const std::vector<Member>& items() const;
    iterator find(std::string_view key);  // end() if there is none, or if this is no object
    const_iterator find(std::string_view key) const;
    bool contains(std::string_view key) const;
    Json& at(std::string_view key);
    const Json& at(std::string_view key) const;
    const Json& operator[](std::string_view key) const { return at(key); }
    Json& operator[](std::string_view key);  // adds the member if it is not there
    const Json& operator[](const char* key) const { return at(std::string_view(key)); }
    Json& operator[](const char* key) { return (*this)[std::string_view(key)]; }
    template <std::integral I>
    const Json& at(I place) const {
        return element(static_cast<std::size_t>(place));
    }
    template <std::integral I>
    Json& at(I place) {
        return const_cast<Json&>(element(static_cast<std::size_t>(place)));
    }
    template <std::integral I>
    const Json& operator[](I place) const {
        return at(place);
    }
    template <std::integral I>
    Json& operator[](I place) {
        return at(place);
    }
    const Json& front() const { return element(0); }
    const Json& back() const { return element(size() - 1); }
    Json& back() { return at(size() - 1); }
    // The member, or what to take where there is none.
    template <class T>
    T value(std::string_view key, T otherwise) const;
    std::string value(std::string_view key, const char* otherwise) const;

    void push_back(Json element);  // null becomes an array
    bool emplace(std::string key,
                 Json value);          // false, and nothing is changed, if the key is there
    bool erase(std::string_view key);  // of an object
    void erase(std::size_t place);     // of an array
    void update(const Json& members);  // adds or replaces them

    // Numbers are equal by value (1 and 1.0), objects in any order of their members.
    friend bool operator==(const Json& a, const Json& b);
    template <class T>
    requires std::is_arithmetic_v<T>
    friend bool operator==(const Json& a, T b) { return a == Json(b); }
    friend std::ostream& operator<<(std::ostream& out, const Json& value);

private:
    struct Discarded {};
    using Array = std::vector<Json>;
    using Object = std::vector<Member>;
    template <class T>
    bool holds() const {
        return std::holds_alternative<T>(value_);
    }
    void set_boolean(bool value);
    void set_integer(std::int64_t value);
    void set_large(std::uint64_t value);
    const Json& element(std::size_t place) const;
    double number() const;  // as a double
    [[noreturn]] void is_not(const char* expected) const;

    std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array,
                 Object, Discarded>
        value_;
};

struct Json::Member {
    std::string key;
    Json value;
};

// Goes through the values of an array or of an object.
template <class Value, class Member>
class JsonIterator {
public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Json;
    using difference_type = std::ptrdiff_t;
    using pointer = Value*;
    using reference = Value&;

    JsonIterator() = default;
    JsonIterator(Value* element, Member* member) : element_(element), member_(member) {}

    Value& operator*() const { return member_ ? member_->value : *element_; }
    Value* operator->() const { return &**this; }
    Value& value() const { return **this; }
    const std::string& key() const { return member_->key; }
    JsonIterator& operator++() {
        if (member_) ++member_;
        else ++element_;
        return *this;
    }
    JsonIterator operator++(int) {
        const JsonIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const JsonIterator&) const = default;

private:
    Value* element_ = nullptr;
    Member* member_ = nullptr;
};

template <class T>
T Json::get() const {
    if constexpr (std::is_same_v<T, Json>) {
        return *this;
    } else if constexpr (std::is_same_v<T, bool>) {
        if (!is_boolean()) is_not("true or false");
        return std::get<bool>(value_);
    } else if constexpr (std::is_arithmetic_v<T>) {
        if (is_large()) return static_cast<T>(std::get<std::uint64_t>(value_));
        return is_number_integer() ? static_cast<T>(std::get<std::int64_t>(value_))
                                   : static_cast<T>(number());
    } else if constexpr (std::is_same_v<T, std::string>) {
        return text();
    } else {
        T list;
        for (const Json& element : elements())
            list.push_back(element.get<typename T::value_type>());
        return list;
    }
}

template <class T>
T Json::value(std::string_view key, T otherwise) const {
    const auto found = find(key);
    return found == end() ? std::move(otherwise) : found->get<T>();
}

// ---- reading ----
// The value of a JSON text. Throws Error "NAME: …" if the text is not UTF-8 or not JSON, if objects
// and arrays are nested more than `deepest` deep, or if an object has a key twice.
Json parse_json(std::string_view text, const std::string& name, int deepest = 64);
// The same for the text of a file; NAME is its path. Also throws if the file cannot be read.
Json read_json(const std::string& path);
// For large objects and arrays, whose members are handed over one by one instead of being stored.
// `place` is the path of an object or array, such as "model.vocab"; that of the whole text is "".
struct JsonStream {
    // Is this object or array to be streamed? If so, its duplicate keys are not an error.
    std::function<bool(const std::string& place, bool is_object)> wanted;
    // Gets each member of a streamed object or array. The key is empty for an array.
    std::function<void(const std::string& place, std::string& key, Json& value)> take;
};
Json read_json(const std::string& path, const JsonStream& stream);
// For texts of others: nested up to 1,000 deep, and of a key that appears twice the last value
// counts. If the text is not JSON, is_discarded() is true for the result.
Json json_value(std::string_view text);

// ---- writing ----
// The JSON text of a value: on one line, or with lines indented by `indent` spaces for each level.
// Numbers have the fewest digits that give the same double; bytes that are not UTF-8 become U+FFFD;
// what is not finite becomes null.
std::string json_text(const Json& value, int indent = -1);
// The member with this key; null if there is none, or if the value is no object.
const Json* member_of(const Json& value, std::string_view key);
// What a value is, for messages: 'the string "x"', "the integer 3", "a list", "an object", …
std::string kind_of(const Json& value);

// Is the value an integer from least to most?
template <class T>
bool is_integer(const Json& value, T least, T most) {
    const auto fits = [&](auto number) {
        return std::cmp_less_equal(least, number) && std::cmp_less_equal(number, most);
    };
    return value.is_large() ? fits(value.get<std::uint64_t>())
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
