// The values of a chat template: Python's, as far as templates use them.
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

// What a name or a member that is not there gives. It prints nothing and is false.
struct Undefined {
    std::string name;
};
struct None {};
struct List {
    std::vector<Value> items;
    bool is_tuple = false;  // prints with other brackets
    int depth = 1;          // of lists and objects in it, this one included
};
// A dict, in the order in which it was made, or a namespace: only a namespace's members can be set.
struct Object {
    std::vector<std::pair<MarkedText, Value>> members;
    bool is_namespace = false;
    int depth = 1;

    const Value* find(std::string_view key) const;  // null where there is none
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
    // Null where it is no list or object.
    const List* list() const;
    Object* object() const;
    bool is_undefined() const { return as<Undefined>() != nullptr; }
    bool is_none() const { return as<None>() != nullptr; }
};

// Lists and objects hold no others deeper than this, and never a namespace, so no value holds
// itself. Throws Error.
inline constexpr int deepest_value = 64;
Value list_of(std::vector<Value> items, bool is_tuple = false);
Value object_of(std::vector<std::pair<MarkedText, Value>> members, bool is_namespace = false);
void check_member(const Value& value, int depth = 1);

inline Value text_of(std::string text) { return MarkedText(std::move(text)); }

// "a text", "a list", … for messages.
std::string kind_of(const Value& value);

// As Python's bool().
bool is_true(const Value& value);
// Any number, a bool too; throws Error for what is none.
double number_of(const Value& value);
bool is_number(const Value& value);

// How much work a template may take: each step of it and each byte that it copies counts, so that
// no template runs for ever or fills the memory. Throws Error when it is used up.
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
// As Python's str(): "True", "1.5", a text as it is, a list as its program text.
MarkedText str(const Value& value, Budget& budget);
// As transformers' filter tojson: json.dumps(value, ensure_ascii=False, indent=…). indent: −1 for
// one line. Throws Error for what JSON has no form for.
MarkedText json(const Value& value, int indent, Budget& budget);

}  // namespace tbt::jinja
