#include "lib/chat/jinja_operators.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "lib/chat/jinja_texts.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"

namespace tbt::jinja {

namespace {

[[noreturn]] void no_such_operation(const Value& left, const std::string& op, const Value& right) {
    throw Error(kind_of(left) + " " + op + " " + kind_of(right) + " is not defined");
}

std::int64_t whole(const Value& number) {
    return number.as<bool>() ? (*number.as<bool>() ? 1 : 0) : *number.as<std::int64_t>();
}

Value of_integers(std::int64_t a, const std::string& op, std::int64_t b) {
    std::int64_t result = 0;
    const bool too_large = op == "+"   ? __builtin_add_overflow(a, b, &result)
                           : op == "-" ? __builtin_sub_overflow(a, b, &result)
                           : op == "*" ? __builtin_mul_overflow(a, b, &result)
                                       : a == INT64_MIN && b == -1;
    if (too_large) throw Error("a number is too large");
    if (op == "+" || op == "-" || op == "*") return result;
    if (b == 0) throw Error("division by zero");
    if (op == "/") return static_cast<double>(a) / static_cast<double>(b);
    // Python's // rounds down, C++'s / towards zero.
    const std::int64_t rest = a % b, correction = rest != 0 && (rest < 0) != (b < 0) ? 1 : 0;
    return op == "%" ? rest + correction * b : a / b - correction;
}

Value of_numbers(const Value& left, const std::string& op, const Value& right) {
    if (!left.as<double>() && !right.as<double>())
        return of_integers(whole(left), op, whole(right));
    const double a = number_of(left), b = number_of(right);
    if (op == "+") return a + b;
    if (op == "-") return a - b;
    if (op == "*") return a * b;
    if (b == 0) throw Error("division by zero");
    if (op == "/") return a / b;
    return op == "%" ? a - b * std::floor(a / b) : std::floor(a / b);
}

Value repeated(const MarkedText& text, std::int64_t times, Budget& budget) {
    MarkedText result;
    for (std::int64_t i = 0; i < times; ++i) {
        budget.spend(text.text().size());
        result.append(text);
    }
    return result;
}

MarkedText appended(MarkedText text, const MarkedText& more, Budget& budget) {
    budget.spend(text.text().size() + more.text().size());
    text.append(more);
    return text;
}

bool contains(const Value& whole, const Value& part, Budget& budget) {
    if (const MarkedText* text = whole.text(); text && part.text()) {
        budget.spend(text->text().size());
        return text->text().find(part.text()->text()) != std::string::npos;
    }
    if (const Object* object = whole.object(); object && !object->is_namespace && part.text()) {
        budget.spend(16 * object->members.size());
        return object->find(part.text()->text()) != nullptr;
    }
    if (whole.is_undefined()) return false;
    if (!whole.list()) no_such_operation(part, "in", whole);
    const auto& items = whole.list()->items;
    return std::any_of(items.begin(), items.end(),
                       [&](const Value& one) { return equal(one, part, budget); });
}

// A number below, equal to or above 0 if a is less than, equal to or greater than b.
int compared(const Value& a, const std::string& op, const Value& b) {
    if (is_number(a) && is_number(b))
        return number_of(a) < number_of(b) ? -1 : number_of(a) > number_of(b) ? 1 : 0;
    if (!a.text() || !b.text()) no_such_operation(a, op, b);
    return a.text()->text().compare(b.text()->text());
}

}  // namespace

Value combined(const Value& left, const std::string& op, const Value& right, Budget& budget) {
    budget.spend();
    if (op == "==") return equal(left, right, budget);
    if (op == "!=") return !equal(left, right, budget);
    if (op == "in") return contains(right, left, budget);
    if (op == "not in") return !contains(right, left, budget);
    if (op == "~") return appended(str(left, budget), str(right, budget), budget);
    if (op == "<") return compared(left, op, right) < 0;
    if (op == "<=") return compared(left, op, right) <= 0;
    if (op == ">") return compared(left, op, right) > 0;
    if (op == ">=") return compared(left, op, right) >= 0;
    if (is_number(left) && is_number(right)) return of_numbers(left, op, right);
    if (op == "+" && left.text() && right.text())
        return appended(*left.text(), *right.text(), budget);
    if (op == "+" && left.list() && right.list()) {
        std::vector<Value> all = items_of(left, budget);
        for (Value& one : items_of(right, budget)) all.push_back(std::move(one));
        return list_of(std::move(all));
    }
    if (op == "*" && left.text() && right.as<std::int64_t>())
        return repeated(*left.text(), *right.as<std::int64_t>(), budget);
    no_such_operation(left, op, right);
}

Value member(const Value& object, std::string_view name, Budget& budget) {
    Value missing = Undefined{std::string(name)};
    if (object.is_undefined())
        throw Error(kind_of(object) + " has no member \"" + shown(name) + "\"");
    if (const Object* o = object.object()) {
        budget.spend(16 * o->members.size());
        if (const Value* found = o->find(name)) return *found;
    }
    return missing;
}

Value item(const Value& object, const Value& key, Budget& budget) {
    if (const MarkedText* name = key.text()) return member(object, name->text(), budget);
    if (object.is_undefined()) throw Error(kind_of(object) + " has no items");
    if (!key.as<std::int64_t>() || !(object.text() || object.list())) return Undefined{"an item"};
    const std::int64_t i = *key.as<std::int64_t>();
    const List* list = object.list();
    const std::vector<Value> characters =
        list ? std::vector<Value>() : characters_of(*object.text(), budget);
    const std::vector<Value>& items = list ? list->items : characters;
    const std::int64_t place = i < 0 ? i + length_of(items) : i;
    if (place < 0 || place >= length_of(items)) return Undefined{"item " + std::to_string(i)};
    return at(items, place);
}

Value slice(const Value& object, const std::vector<Value>& parts, Budget& budget) {
    if (!object.text() && !object.list())
        throw Error(kind_of(object) + " cannot be sliced with [:]");
    const std::vector<Value> items = items_of(object, budget);
    const auto part = [&](std::size_t i) -> std::optional<std::int64_t> {
        if (i >= parts.size() || parts[i].is_undefined() || parts[i].is_none()) return std::nullopt;
        if (!parts[i].as<std::int64_t>())
            throw Error("a bound of a slice [:] is " + kind_of(parts[i]) + ", expected an integer");
        return std::clamp(*parts[i].as<std::int64_t>(), std::int64_t{-1} << 40,
                          std::int64_t{1} << 40);
    };
    const std::int64_t size = length_of(items), step = part(2).value_or(1);
    if (step == 0) throw Error("a slice [:] has the step 0");
    // Positions are limited to 0 … size, or to −1 … size − 1 if the step is negative.
    const std::int64_t least = step > 0 ? 0 : -1, most = step > 0 ? size : size - 1;
    const auto place = [&](std::optional<std::int64_t> i, std::int64_t otherwise) {
        return i ? std::clamp(*i < 0 ? *i + size : *i, least, most) : otherwise;
    };
    const std::int64_t begin = place(part(0), step > 0 ? least : most),
                       end = place(part(1), step > 0 ? most : least);
    std::vector<Value> chosen;
    for (std::int64_t i = begin; step > 0 ? i < end : i > end; i += step)
        chosen.push_back(at(items, i));
    if (object.list()) return list_of(std::move(chosen));
    MarkedText text;
    for (const Value& c : chosen) text.append(*c.text());
    return text;
}

std::vector<Value> items_of(const Value& value, Budget& budget) {
    if (const MarkedText* text = value.text()) return characters_of(*text, budget);
    if (const List* list = value.list()) {
        budget.spend(sizeof(Value) * list->items.size());
        return list->items;
    }
    if (value.is_undefined()) return {};
    const Object* object = value.object();
    if (!object || object->is_namespace)
        throw Error("got " + kind_of(value) +
                    ", expected a list, an object or a text to iterate over");
    std::vector<Value> keys;
    for (const auto& [key, held] : object->members) {
        budget.spend(sizeof(Value) + key.text().size());
        keys.push_back(key);
    }
    return keys;
}

}  // namespace tbt::jinja
