#include "lib/chat/jinja_functions.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <optional>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/text/text_splitter.hpp"

namespace tbt::jinja {

// ---- arguments ----------------------------------------------------------------------------------
std::vector<Value> Arguments::bound_to(const std::string& who,
                                       std::initializer_list<std::string_view> parameters,
                                       std::size_t least) const {
    if (values.size() > parameters.size())
        throw Error(who + ": got " + std::to_string(values.size()) +
                    " arguments, expected at most " + std::to_string(parameters.size()));
    std::vector<Value> bound = values;
    bound.resize(parameters.size());
    std::vector<bool> given(parameters.size());
    std::fill_n(given.begin(), values.size(), true);
    for (const auto& [name, value] : named) {
        const auto* found = std::find(parameters.begin(), parameters.end(), name);
        if (found == parameters.end())
            throw Error(who + ": the argument " + shown(name) + " is not supported");
        const std::size_t place = index(found - parameters.begin());
        if (given[place]) throw Error(who + ": the argument " + shown(name) + " is given twice");
        bound[place] = value, given[place] = true;
    }
    for (std::size_t i = 0; i < least; ++i)
        if (!given[i])
            throw Error(who + ": the argument " + std::string(parameters.begin()[i]) +
                        " is missing");
    return bound;
}

namespace {

// The value of an argument. They throw Error "WHO: …" if it has another type.
const MarkedText& text_from(const std::string& who, const Value& value) {
    if (!value.text()) throw Error(who + ": got " + kind_of(value) + ", expected a text");
    return *value.text();
}
std::int64_t integer_from(const std::string& who, const Value& value, std::int64_t otherwise) {
    if (value.is_undefined() || value.is_none()) return otherwise;
    if (const auto* i = value.as<std::int64_t>()) return *i;
    throw Error(who + ": got " + kind_of(value) + ", expected an integer");
}
bool flag_from(const Value& value, bool otherwise) {
    return value.is_undefined() ? otherwise : is_true(value);
}
std::optional<std::string> optional_text(const std::string& who, const Value& value) {
    if (value.is_undefined() || value.is_none()) return std::nullopt;
    return text_from(who, value).text();
}

// ---- texts: Python's string methods ------------------------------------------------------------
std::size_t character_length(std::string_view text, std::size_t at) {
    return index(decode_utf8(text, at).length);
}

// The number of bytes of the white space character at `at`, or 0 if there is none. As in Python's
// str.isspace(), white space is Unicode's and U+001C to U+001F.
std::size_t space_length(std::string_view text, std::size_t at) {
    if (text[at] >= 0x1c && text[at] <= 0x1f) return 1;
    return white_space_length(text, at);
}

// Removes these characters, or white space if none are given, at the left end, the right end or
// both.
MarkedText stripped(const MarkedText& text, const std::optional<std::string>& characters,
                    bool left = true, bool right = true) {
    const std::string& bytes = text.text();
    const auto length_at = [&](std::size_t at) -> std::size_t {
        if (!characters) return space_length(bytes, at);
        const std::size_t length = character_length(bytes, at);
        const std::string one = bytes.substr(at, length);
        for (std::size_t i = 0; i < characters->size(); i += character_length(*characters, i))
            if (characters->compare(i, character_length(*characters, i), one) == 0) return length;
        return 0;
    };
    std::size_t begin = 0, end = bytes.size();
    while (left && begin < end) {
        const std::size_t length = length_at(begin);
        if (length == 0) break;
        begin += length;
    }
    while (right && end > begin) {
        std::size_t last = end - 1;
        while (last > begin && (bytes[last] & '\xc0') == '\x80') --last;
        if (last + length_at(last) != end) break;
        end = last;
    }
    return text.slice(begin, end);
}

// Splits at a separator, or at white space if none is given, at most `most` times; −1: everywhere.
std::vector<Value> split(const MarkedText& text, const std::optional<std::string>& separator,
                         std::int64_t most, Budget& budget) {
    const std::string& bytes = text.text();
    if (separator && separator->empty()) throw Error("split: the separator is empty");
    budget.spend(bytes.size());
    std::vector<Value> parts;
    std::size_t begin = 0;
    const auto skip_spaces = [&] {
        while (!separator && begin < bytes.size() && space_length(bytes, begin) > 0)
            begin += space_length(bytes, begin);
    };
    for (skip_spaces();; skip_spaces()) {
        budget.spend(sizeof(Value));
        if (!separator && begin == bytes.size()) return parts;
        std::size_t end = begin, length = 0;  // of the separator
        if (separator) {
            end = std::min(bytes.find(*separator, begin), bytes.size());
            length = separator->size();
        } else {
            while (end < bytes.size() && (length = space_length(bytes, end)) == 0)
                end += character_length(bytes, end);
        }
        if (most >= 0 && length_of(parts) == most) {
            parts.push_back(text.slice(begin, bytes.size()));
            return parts;
        }
        parts.push_back(text.slice(begin, end));
        if (end == bytes.size()) return parts;
        begin = end + length;
    }
}

MarkedText replaced(const MarkedText& text, const std::string& from, const MarkedText& to,
                    std::int64_t most, Budget& budget) {
    if (from.empty()) throw Error("replace: the text to look for is empty");
    const std::string& bytes = text.text();
    budget.spend(bytes.size());
    MarkedText result;
    std::size_t begin = 0;
    for (std::int64_t i = 0; most < 0 || i < most; ++i) {
        const std::size_t found = bytes.find(from, begin);
        if (found == std::string::npos) break;
        budget.spend(to.text().size());
        result.append(text.slice(begin, found));
        result.append(to);
        begin = found + from.size();
    }
    result.append(text.slice(begin, bytes.size()));
    return result;
}

// Changes the case of letters. `how` is upper, lower, capitalize, title (Python's method: a word is
// a sequence of letters) or words (Jinja's filter title: a word begins after white space and some
// punctuation). Throws Error for letters outside ASCII.
MarkedText in_case(const MarkedText& text, std::string_view how) {
    std::string bytes = text.text();
    bool word = false;  // inside a word
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        char& c = bytes[i];
        if (static_cast<unsigned char>(c) >= 0x80)
            throw Error(std::string(how) + ": letters beyond ASCII are not supported");
        const bool lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z';
        const bool raise = how == "upper" || (how == "capitalize" && i == 0) ||
                           ((how == "title" || how == "words") && !word);
        if (lower && raise) c = static_cast<char>(c - 'a' + 'A');
        if (upper && !raise) c = static_cast<char>(c - 'A' + 'a');
        constexpr std::string_view between = "-({[< \t\n\r\v\f\x1c\x1d\x1e\x1f";
        word = how == "words" ? between.find(c) == std::string_view::npos : lower || upper;
    }
    // The ranges of the marks stay valid, since each letter has as many bytes as before.
    MarkedText result;
    std::size_t begin = 0;
    for (const MarkedText::Range& r : text.from_messages()) {
        result.append(std::string_view(bytes).substr(begin, r.begin - begin));
        result.append(MarkedText(bytes.substr(r.begin, r.end - r.begin), true));
        begin = r.end;
    }
    result.append(std::string_view(bytes).substr(begin));
    return result;
}

MarkedText indented(const MarkedText& text, const std::string& by, bool first, bool blank,
                    Budget& budget) {
    MarkedText result;
    const std::string& bytes = text.text();
    budget.spend(bytes.size());
    for (std::size_t begin = 0; begin <= bytes.size();) {
        const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
        budget.spend(by.size());
        if (begin == 0 ? first : blank || end > begin) result.append(by);
        result.append(text.slice(begin, std::min(end + 1, bytes.size())));
        begin = end + 1;
    }
    return result;
}

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

// With the arguments of transformers' filter tojson.
Value as_json(const Value& operand, const Arguments& arguments, Budget& budget) {
    const auto a =
        arguments.bound_to("tojson", {"ensure_ascii", "indent", "separators", "sort_keys"});
    JsonStyle style{to_int(integer_from("tojson", a[1], -1))};
    if (!a[2].is_undefined() && !a[2].is_none()) {
        const std::vector<Value> both = items_of(a[2], budget);
        if (both.size() != 2) throw Error("tojson: separators are not two texts");
        style.between = str(both[0], budget).text(), style.after_key = str(both[1], budget).text();
    }
    style.sort_keys = flag_from(a[3], false);
    style.ascii = flag_from(a[0], false);
    return json(operand, style, budget);
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
    if (filter == "tojson") return as_json(operand, arguments, budget);
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

// ---- tests --------------------------------------------------------------------------------------
bool passes(const Value& operand, const std::string& test, const Arguments& arguments,
            Budget& budget) {
    static constexpr std::pair<std::string_view, const char*> operators[] = {
        {"equalto", "=="}, {"eq", "=="}, {"ne", "!="}, {"in", "in"},
        {"lt", "<"},       {"gt", ">"},  {"le", "<="}, {"ge", ">="}};
    for (const auto& [name, op] : operators)
        if (test == name)
            return is_true(
                combined(operand, op, arguments.bound_to(test, {"other"}, 1)[0], budget));
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
