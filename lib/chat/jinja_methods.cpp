#include "lib/chat/jinja_methods.hpp"

#include <algorithm>
#include <ctime>
#include <optional>

#include "lib/chat/jinja_filters.hpp"
#include "lib/chat/jinja_operators.hpp"
#include "lib/chat/jinja_texts.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"

namespace tbt::jinja {

bool passes(const Value& operand, const std::string& test, const Arguments& arguments,
            Budget& budget) {
    for (const char* comparison : {"equalto", "eq", "ne", "in", "lt", "gt", "le", "ge"}) {
        if (test != comparison) continue;
        const Value other = arguments.bound_to(test, {"other"}, 1)[0];
        static const std::vector<std::pair<std::string_view, const char*>> operators = {
            {"equalto", "=="}, {"eq", "=="}, {"ne", "!="}, {"in", "in"},
            {"lt", "<"},       {"gt", ">"},  {"le", "<="}, {"ge", ">="}};
        const auto found = std::find_if(operators.begin(), operators.end(),
                                        [&](const auto& o) { return o.first == test; });
        return is_true(combined(operand, found->second, other, budget));
    }
    if (test == "divisibleby") {
        const Value by = arguments.bound_to(test, {"num"}, 1)[0];
        return !is_true(combined(operand, "%", by, budget));
    }
    arguments.bound_to(test, {});
    const bool* boolean = operand.as<bool>();
    const bool is_dict = operand.object() && !operand.object()->is_namespace;
    const bool has_items = operand.text() || operand.list() || is_dict || operand.is_undefined();
    if (test == "defined") return !operand.is_undefined();
    if (test == "undefined") return operand.is_undefined();
    if (test == "none") return operand.is_none();
    if (test == "string") return operand.text() != nullptr;
    if (test == "number") return is_number(operand);
    if (test == "integer") return operand.as<std::int64_t>() != nullptr;
    if (test == "float") return operand.as<double>() != nullptr;
    if (test == "boolean") return boolean != nullptr;
    if (test == "true") return boolean && *boolean;
    if (test == "false") return boolean && !*boolean;
    if (test == "mapping") return is_dict;
    if (test == "sequence" || test == "iterable") return has_items;
    if (test == "odd" || test == "even")
        return is_true(combined(operand, "%", std::int64_t{2}, budget)) == (test == "odd");
    throw Error("the test " + shown(test) +
                " is not supported, expected boolean, defined, divisibleby, eq, equalto, even, "
                "false, float, ge, gt, in, integer, iterable, le, lt, mapping, ne, none, number, "
                "odd, sequence, string, true or undefined");
}

// ---- methods ------------------------------------------------------------------------------------
namespace {

bool begins_or_ends(const MarkedText& text, const std::string& name, const Value& with) {
    if (const List* list = with.list()) {
        return std::any_of(list->items.begin(), list->items.end(), [&](const Value& one) {
            return begins_or_ends(text, name, text_from(name, one));
        });
    }
    const std::string& part = text_from(name, with).text();
    return name == "startswith" ? text.text().starts_with(part) : text.text().ends_with(part);
}

std::optional<Value> text_method(const MarkedText& text, const std::string& name,
                                 const Arguments& arguments, Budget& budget) {
    budget.spend(text.text().size());
    if (name == "strip" || name == "lstrip" || name == "rstrip") {
        const auto a = arguments.bound_to(name, {"chars"});
        return stripped(text, optional_text(name, a[0]), name != "rstrip", name != "lstrip");
    }
    if (name == "startswith" || name == "endswith")
        return Value(begins_or_ends(text, name, arguments.bound_to(name, {"prefix"}, 1)[0]));
    if (name == "upper" || name == "lower" || name == "capitalize" || name == "title")
        return arguments.bound_to(name, {}), in_case(text, name);
    if (name == "split") {
        const auto a = arguments.bound_to(name, {"sep", "maxsplit"});
        return list_of(
            split(text, optional_text(name, a[0]), integer_from(name, a[1], -1), budget));
    }
    if (name == "replace") {
        const auto a = arguments.bound_to(name, {"old", "new", "count"}, 2);
        return replaced(text, text_from(name, a[0]).text(), text_from(name, a[1]),
                        integer_from(name, a[2], -1), budget);
    }
    if (name == "find" || name == "count") {
        const std::string part = text_from(name, arguments.bound_to(name, {"sub"}, 1)[0]).text();
        if (name == "count") return Value(length_of(split(text, part, -1, budget)) - 1);
        const std::size_t found = text.text().find(part);
        return Value(found == std::string::npos
                         ? std::int64_t{-1}
                         : std::int64_t{to_int(count_characters(text.text().substr(0, found)))});
    }
    if (name == "join")
        return filtered(arguments.bound_to(name, {"items"}, 1)[0], name, {{text}, {}}, budget);
    return std::nullopt;
}

std::optional<Value> object_method(const Object& object, const std::string& name,
                                   const Arguments& arguments, Budget& budget) {
    if (name == "get") {
        const auto a = arguments.bound_to(name, {"key", "default"}, 1);
        budget.spend(16 * object.members.size());
        const Value* found = object.find(text_from(name, a[0]).text());
        return found ? *found : a[1].is_undefined() ? Value(None{}) : a[1];
    }
    if (name != "items" && name != "keys" && name != "values") return std::nullopt;
    arguments.bound_to(name, {});
    std::vector<Value> all;
    for (const auto& [key, value] : object.members) {
        budget.spend(sizeof(Value) + key.text().size());
        if (name == "keys") all.push_back(key);
        else if (name == "values") all.push_back(value);
        else all.push_back(list_of({key, value}, true));
    }
    return list_of(std::move(all));
}

}  // namespace

Value method(const Value& object, const std::string& name, const Arguments& arguments,
             Budget& budget) {
    std::optional<Value> result;
    if (const MarkedText* text = object.text())
        result = text_method(*text, name, arguments, budget);
    else if (const Object* o = object.object(); o && !o->is_namespace)
        result = object_method(*o, name, arguments, budget);
    else if (object.is_undefined()) throw Error(kind_of(object) + " has no method " + shown(name));
    if (result) return *result;
    throw Error("the method " + shown(name) + " of " + kind_of(object) +
                " is not supported, expected of a text: capitalize, count, endswith, find, join, "
                "lower, lstrip, replace, rstrip, split, startswith, strip, title, upper; of an "
                "object: get, items, keys, values");
}

Value date(std::int64_t now, const Arguments& arguments) {
    const auto a = arguments.bound_to("strftime_now", {"format"}, 1);
    const std::time_t seconds = static_cast<std::time_t>(now);
    std::tm parts{};
    if (!gmtime_r(&seconds, &parts)) throw Error("strftime_now: there is no such time");
    // The format begins with a space, because strftime returns 0 for an empty result as for an
    // error.
    const std::string format = " " + text_from("strftime_now", a[0]).text();
    char buffer[256];
    const std::size_t length = std::strftime(buffer, sizeof buffer, format.c_str(), &parts);
    if (length == 0) throw Error("strftime_now: the date has more than 250 characters");
    return text_of(std::string(buffer + 1, length - 1));
}

Value range(const Arguments& given, Budget& budget) {
    const auto a = given.bound_to("range", {"begin", "end", "step"}, 1);
    std::int64_t number[] = {0, 0, 1};
    for (std::size_t i = 0; i < 3; ++i) {
        if (a[i].is_undefined()) continue;
        if (!a[i].as<std::int64_t>()) throw Error("range: expected integers");
        number[i] = *a[i].as<std::int64_t>();
    }
    if (a[1].is_undefined()) std::swap(number[0], number[1]);
    const auto [begin, end, step] = number;
    if (step == 0) throw Error("range: the step is 0");
    std::vector<Value> all;
    for (Value i = begin; step > 0 ? *i.as<std::int64_t>() < end : *i.as<std::int64_t>() > end;
         i = combined(i, "+", step, budget)) {
        budget.spend(400);
        all.push_back(i);
    }
    return list_of(std::move(all));
}

}  // namespace tbt::jinja
