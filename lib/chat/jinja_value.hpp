// The values of a Jinja template and what its operators do with them: those of Python, as far as
// templates use them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lib/text/marked_text.hpp"

namespace tbt::jinja {

struct Value;

// The value of a variable or member that does not exist. It prints nothing and is false.
struct Undefined {
    std::string name;
};
struct None {};
struct List {
    std::vector<Value> items;
    bool is_tuple = false;  // a tuple, which prints with other brackets
    int depth = 1;          // the depth of nested lists and objects, this one included
};
// A dict, with its members in the order of insertion, or a namespace. Only a namespace's members
// can be set.
struct Object {
    std::vector<std::pair<MarkedText, Value>> members;
    bool is_namespace = false;
    int depth = 1;

    const Value* find(std::string_view key) const;  // null if there is no such member
};

struct Value {
    std::variant<Undefined, None, bool, std::int64_t, double, MarkedText,
                 std::shared_ptr<const List>, std::shared_ptr<Object>>
        is = Undefined{};

    Value() = default;
    template <class T>
    Value(T value) : is(std::move(value)) {}
    template <class T>
    const T* as() const {
        return std::get_if<T>(&is);
    }
    const MarkedText* text() const { return as<MarkedText>(); }
    // Null if the value is not a list, or not an object.
    const List* list() const;
    Object* object() const;
    bool is_undefined() const { return as<Undefined>() != nullptr; }
    bool is_none() const { return as<None>() != nullptr; }
};

// The maximum depth of nested lists and objects. They never have a namespace as a member, so no
// value contains itself. list_of(), object_of() and check_member() throw Error otherwise.
inline constexpr int max_value_depth = 64;
Value list_of(std::vector<Value> items, bool is_tuple = false);
Value object_of(std::vector<std::pair<MarkedText, Value>> members, bool is_namespace = false);
void check_member(const Value& value, int depth = 1);

inline Value text_of(std::string text) { return MarkedText(std::move(text)); }

// The type of a value for messages: "a text", "a list", …
std::string kind_of(const Value& value);

// The same as Python's bool().
bool is_true(const Value& value);
// The value as a number; a bool counts as 0 or 1. Throws Error if it is not a number.
double number_of(const Value& value);
bool is_number(const Value& value);

// Limits the work of a template: every step and every byte copied counts, so no template can run
// for ever or fill the memory. spend() throws Error when the budget is exceeded.
class Budget {
public:
    void spend(std::size_t bytes = 0) {
        const std::size_t cost = 1 + bytes / 16;
        if (cost > left_) exceeded();
        left_ -= cost;
    }

private:
    [[noreturn]] static void exceeded();
    std::size_t left_ = 20'000'000;
};

bool equal(const Value& a, const Value& b, Budget& budget);

// ---- texts of values ----------------------------------------------------------------------------
// The same as Python's str(): "True", "1.5", a text itself, a list as in a Python program.
MarkedText str(const Value& value, Budget& budget);
// The same as transformers' filter tojson, Python's json.dumps(). Throws Error for a value that
// JSON cannot represent.
struct JsonStyle {
    int indent = -1;  // −1: one line
    std::string between = indent < 0 ? ", " : ",", after_key = ": ";
    bool sort_keys = false;
    bool ascii = false;  // other characters as \u00e9
};
MarkedText json(const Value& value, const JsonStyle& style, Budget& budget);

// ---- operators, members and items ---------------------------------------------------------------
// left op right, for all operators except "and" and "or". Throws Error if the operator is not
// defined for these values.
Value combined(const Value& left, const std::string& op, const Value& right, Budget& budget);

// object.name; undefined if there is no such member. Throws Error if the object itself is
// undefined.
Value member(const Value& object, std::string_view name, Budget& budget);
// object[key]; for a text, the key is the index of a character.
Value item_of(const Value& object, const Value& key, Budget& budget);
// object[begin:end:step]. A part is undefined if the template left it out.
Value slice_of(const Value& object, const std::vector<Value>& parts, Budget& budget);
// The values over which a loop runs: a list's items, a text's characters, an object's keys.
std::vector<Value> items_of(const Value& value, Budget& budget);

}  // namespace tbt::jinja
