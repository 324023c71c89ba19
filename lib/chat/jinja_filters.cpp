#include "lib/chat/jinja_filters.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "lib/chat/jinja_methods.hpp"
#include "lib/chat/jinja_operators.hpp"
#include "lib/chat/jinja_texts.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"

namespace tbt::jinja {

namespace {

// ---- filters ------------------------------------------------------------------------------------
std::int64_t length_of_value(const Value& value) {
    if (const MarkedText* text = value.text()) return to_int(count_characters(text->text()));
    if (const List* list = value.list()) return length_of(list->items);
    if (const Object* object = value.object(); object && !object->is_namespace)
        return length_of(object->members);
    if (value.is_undefined()) return 0;
    throw Error("length: got " + kind_of(value) + ", expected a text, a list or an object");
}

Value joined(const Value& operand, const Arguments& arguments, Budget& budget) {
    const auto a = arguments.bound_to("join", {"d", "attribute"});
    const MarkedText separator = str(a[0], budget);
    MarkedText result;
    bool first = true;
    for (const Value& one : items_of(operand, budget)) {
        if (!first) result.append(separator);
        first = false;
        budget.spend(separator.text().size());
        result.append(
            str(a[1].is_undefined() ? one : member(one, text_from("join", a[1]).text(), budget),
                budget));
    }
    return result;
}

// The member of an object at a path such as "function.name".
Value dotted(Value value, const std::string& path, Budget& budget) {
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find('.', begin), path.size());
        value = member(value, path.substr(begin, end - begin), budget);
        begin = end + 1;
    }
    return value;
}

// map(attribute=…), map("filter"), select, reject, selectattr and rejectattr.
Value for_each_item(const Value& operand, const std::string& filter, const Arguments& given,
                    Budget& budget) {
    std::vector<Value> result;
    const bool by_attribute = filter.ends_with("attr");
    if (filter == "map" && given.values.empty()) {
        const auto a = given.bound_to("map", {"attribute", "default"}, 1);
        for (const Value& one : items_of(operand, budget)) {
            Value value = dotted(one, text_from("map", a[0]).text(), budget);
            result.push_back(value.is_undefined() ? a[1] : value);
        }
        return list_of(std::move(result));
    }
    Arguments rest = given;
    const auto take = [&] {
        if (rest.values.empty()) return std::string();
        std::string text = text_from(filter, rest.values[0]).text();
        rest.values.erase(rest.values.begin());
        return text;
    };
    const std::string attribute = by_attribute ? take() : "", name = take();
    for (const Value& one : items_of(operand, budget)) {
        if (filter == "map") {
            result.push_back(filtered(one, name, rest, budget));
            continue;
        }
        const Value looked_at = by_attribute ? dotted(one, attribute, budget) : one;
        const bool passed =
            name.empty() ? is_true(looked_at) : passes(looked_at, name, rest, budget);
        if (passed == filter.starts_with("select")) result.push_back(one);
    }
    return list_of(std::move(result));
}

Value as_number(const Value& operand, const std::string& filter, const Arguments& arguments) {
    const auto a = arguments.bound_to(filter, {"default"});
    const bool whole = filter == "int";
    const Value otherwise = !a[0].is_undefined() ? a[0]
                            : whole              ? Value(std::int64_t{0})
                                                 : Value(0.);
    double number = 0;
    if (is_number(operand)) {
        if (operand.as<std::int64_t>() && whole) return operand;
        number = number_of(operand);
    } else if (const MarkedText* text = operand.text()) {
        const std::string bytes = stripped(*text, std::nullopt).text();
        const char* const end = bytes.data() + bytes.size();
        std::int64_t integer = 0;
        if (whole && std::from_chars(bytes.data(), end, integer).ptr == end && !bytes.empty())
            return integer;
        if (bytes.empty() || std::from_chars(bytes.data(), end, number).ptr != end)
            return otherwise;
    } else {
        return otherwise;
    }
    if (!whole) return number;
    if (!(std::abs(number) < 9e18)) throw Error("int: a number is too large");
    return static_cast<std::int64_t>(number);
}

Value backwards(const Value& operand, Budget& budget) {
    std::vector<Value> items = items_of(operand, budget);
    std::reverse(items.begin(), items.end());
    if (!operand.text()) return list_of(std::move(items));
    MarkedText text;
    for (const Value& c : items) text.append(*c.text());
    return text;
}

}  // namespace

Value filtered(const Value& operand, const std::string& filter, const Arguments& arguments,
               Budget& budget) {
    const auto none = [&] { arguments.bound_to(filter, {}); };
    if (filter == "trim") {
        const auto a = arguments.bound_to(filter, {"chars"});
        return stripped(str(operand, budget), optional_text(filter, a[0]));
    }
    if (filter == "length" || filter == "count") return none(), length_of_value(operand);
    if (filter == "tojson") {
        const auto a = arguments.bound_to(filter, {"indent"});
        return json(operand, to_int(integer_from(filter, a[0], -1)), budget);
    }
    if (filter == "default" || filter == "d") {
        const auto a = arguments.bound_to(filter, {"default_value", "boolean"});
        const bool missing =
            operand.is_undefined() || (flag_from(a[1], false) && !is_true(operand));
        return !missing ? operand : a[0].is_undefined() ? text_of("") : a[0];
    }
    if (filter == "first" || filter == "last") {
        none();
        const std::vector<Value> items = items_of(operand, budget);
        return items.empty() ? Value() : filter == "first" ? items.front() : items.back();
    }
    if (filter == "join") return joined(operand, arguments, budget);
    if (filter == "upper" || filter == "lower" || filter == "capitalize")
        return none(), in_case(str(operand, budget), filter);
    if (filter == "title") return none(), in_case(str(operand, budget), "words");
    if (filter == "replace") {
        const auto a = arguments.bound_to(filter, {"old", "new", "count"}, 2);
        return replaced(str(operand, budget), str(a[0], budget).text(), str(a[1], budget),
                        integer_from(filter, a[2], -1), budget);
    }
    if (filter == "indent") {
        const auto a = arguments.bound_to(filter, {"width", "first", "blank"});
        const std::int64_t width = a[0].text() ? 0 : integer_from(filter, a[0], 4);
        if (width < 0 || width > 100) throw Error("indent: a width is not between 0 and 100");
        return indented(str(operand, budget),
                        a[0].text() ? a[0].text()->text() : std::string(index(width), ' '),
                        flag_from(a[1], false), flag_from(a[2], false), budget);
    }
    if (filter == "string") return none(), str(operand, budget);
    if (filter == "safe") return none(), operand;
    if (filter == "int" || filter == "float") return as_number(operand, filter, arguments);
    if (filter == "list") return none(), list_of(items_of(operand, budget));
    if (filter == "items") return method(operand, filter, arguments, budget);
    if (filter == "reverse") return none(), backwards(operand, budget);
    for (const char* each : {"map", "select", "reject", "selectattr", "rejectattr"})
        if (filter == each) return for_each_item(operand, filter, arguments, budget);
    throw Error("the filter " + shown(filter) +
                " is not supported, expected capitalize, default, first, float, indent, int, "
                "items, join, last, length, list, lower, map, reject, rejectattr, replace, "
                "reverse, safe, select, selectattr, string, title, tojson, trim or upper");
}

}  // namespace tbt::jinja
