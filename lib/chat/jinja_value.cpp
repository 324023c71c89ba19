#include "lib/chat/jinja_value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"

namespace tbt::jinja {

const Value* Object::find(std::string_view key) const {
    for (const auto& [name, value] : members)
        if (name.text() == key) return &value;
    return nullptr;
}

const List* Value::list() const {
    const auto* held = as<std::shared_ptr<const List>>();
    return held ? held->get() : nullptr;
}
Object* Value::object() const {
    const auto* held = as<std::shared_ptr<Object>>();
    return held ? held->get() : nullptr;
}

void Budget::exceeded() {
    throw Error("exceeds the work limit of templates (20 million steps and copies of 16 bytes)");
}

static int depth_of(const Value& value) {
    if (const List* list = value.list()) return list->depth;
    if (const Object* object = value.object()) return object->depth;
    return 0;
}

void check_member(const Value& value, int depth) {
    if (const Object* object = value.object(); object && object->is_namespace)
        throw Error("a namespace inside another value is not supported");
    if (depth + depth_of(value) > max_value_depth)
        throw Error("lists and objects are nested deeper than " + std::to_string(max_value_depth));
}

Value list_of(std::vector<Value> items, bool is_tuple) {
    auto list = std::make_shared<List>();
    list->is_tuple = is_tuple;
    for (const Value& item : items) {
        check_member(item);
        list->depth = std::max(list->depth, 1 + depth_of(item));
    }
    list->items = std::move(items);
    return std::shared_ptr<const List>(std::move(list));
}

Value object_of(std::vector<std::pair<MarkedText, Value>> members, bool is_namespace) {
    auto object = std::make_shared<Object>();
    for (const auto& [key, value] : members) {
        check_member(value);
        object->depth = std::max(object->depth, 1 + depth_of(value));
    }
    object->members = std::move(members);
    object->is_namespace = is_namespace;
    return object;
}

std::string kind_of(const Value& value) {
    if (const auto* undefined = value.as<Undefined>())
        return undefined->name.empty() ? "undefined" : "undefined (" + undefined->name + ")";
    static const char* const names[] = {"undefined", "none",   "a boolean", "an integer",
                                        "a number",  "a text", "a list",    "an object"};
    return names[value.is.index()];
}

bool is_number(const Value& value) {
    return value.as<bool>() || value.as<std::int64_t>() || value.as<double>();
}

double number_of(const Value& value) {
    if (const auto* b = value.as<bool>()) return *b ? 1 : 0;
    if (const auto* i = value.as<std::int64_t>()) return static_cast<double>(*i);
    if (const auto* d = value.as<double>()) return *d;
    throw Error("got " + kind_of(value) + ", expected a number");
}

bool is_true(const Value& value) {
    if (is_number(value)) return number_of(value) != 0;
    if (const MarkedText* text = value.text()) return !text->text().empty();
    if (const List* list = value.list()) return !list->items.empty();
    if (const Object* object = value.object())
        return object->is_namespace || !object->members.empty();
    return false;
}

bool equal(const Value& a, const Value& b, Budget& budget) {
    budget.spend();
    if (a.as<std::int64_t>() && b.as<std::int64_t>())
        return *a.as<std::int64_t>() == *b.as<std::int64_t>();
    if (is_number(a) && is_number(b)) return number_of(a) == number_of(b);
    if (a.is.index() != b.is.index()) return false;
    if (const MarkedText* text = a.text()) {
        budget.spend(text->text().size());
        return text->text() == b.text()->text();
    }
    if (const List* list = a.list())
        return list->is_tuple == b.list()->is_tuple &&
               std::equal(list->items.begin(), list->items.end(), b.list()->items.begin(),
                          b.list()->items.end(),
                          [&](const Value& x, const Value& y) { return equal(x, y, budget); });
    if (const Object* object = a.object()) {
        const Object* other = b.object();
        if (object == other) return true;
        if (object->is_namespace || other->is_namespace) return false;
        if (object->members.size() != other->members.size()) return false;
        for (const auto& [key, value] : object->members) {
            budget.spend(16 * other->members.size());
            const Value* its = other->find(key.text());
            if (!its || !equal(value, *its, budget)) return false;
        }
    }
    return true;
}

namespace {

// A float as in Python: the fewest digits that read as the same float, with a point or an exponent.
std::string float_text(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    char buffer[400];
    const double size = std::abs(value);
    const bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
    const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
    const char* end = std::to_chars(buffer, buffer + sizeof buffer, value, format).ptr;
    std::string text(static_cast<const char*>(buffer), end);
    return plain && text.find('.') == std::string::npos ? text + ".0" : text;
}

// Writes values as Python's repr() or as JSON.
class Writer {
public:
    Writer(Budget& budget, bool json, JsonStyle style)
        : budget_(budget), json_(json), style_(std::move(style)), indent_(style_.indent) {}

    void write(const Value& value) {
        budget_.spend();
        if (const auto* b = value.as<bool>())
            out_.append(json_ ? (*b ? "true" : "false") : (*b ? "True" : "False"));
        else if (value.is_none()) out_.append(json_ ? "null" : "None");
        else if (const auto* i = value.as<std::int64_t>()) out_.append(std::to_string(*i));
        else if (const auto* d = value.as<double>()) write_float(*d);
        else if (const MarkedText* text = value.text()) write_text(*text);
        else if (const List* list = value.list()) write_list(*list);
        else write_object(value);
    }
    MarkedText take() { return std::move(out_); }

private:
    void write_float(double value) {
        if (json_ && !std::isfinite(value)) throw Error("tojson: a number is not finite");
        out_.append(float_text(value));
    }
    void write_text(const MarkedText& text) {
        budget_.spend(text.text().size());
        const std::string& bytes = text.text();
        // Python prefers single quotes, unless there is one inside and no double one.
        const bool both =
            bytes.find('\'') != std::string::npos && bytes.find('"') == std::string::npos;
        const char quote = json_ || both ? '"' : '\'';
        out_.append(std::string(1, quote));
        std::size_t begin = 0;
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            const CodePoint c = style_.ascii ? decode_utf8(bytes, i) : CodePoint{};
            const std::string escaped =
                c.value >= 0x80 ? in_units(c.value) : escape(bytes[i], quote);
            if (escaped.empty()) continue;
            out_.append(text.slice(begin, i));
            out_.append(MarkedText(escaped, !text.from_messages().empty()));
            begin = i + index(c.length), i = begin - 1;
        }
        out_.append(text.slice(begin, bytes.size()));
        out_.append(std::string(1, quote));
    }
    // The escape sequences of a character beyond ASCII, in UTF-16.
    static std::string in_units(std::int32_t c) {
        char text[16];
        if (c < 0x10000) std::snprintf(text, sizeof text, "\\u%04x", static_cast<unsigned>(c));
        else
            std::snprintf(text, sizeof text, "\\u%04x\\u%04x",
                          0xd7c0u + (static_cast<unsigned>(c) >> 10),
                          0xdc00u + (static_cast<unsigned>(c) & 0x3ff));
        return text;
    }
    // The escape sequence for a character; empty if it is written as it is.
    std::string escape(char c, char quote) const {
        if (c == quote || c == '\\') return {'\\', c};
        if (c == '\n') return "\\n";
        if (c == '\r') return "\\r";
        if (c == '\t') return "\\t";
        if (json_ && c == '\b') return "\\b";
        if (json_ && c == '\f') return "\\f";
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && (json_ || byte != 0x7f)) return "";
        constexpr char digits[] = "0123456789abcdef";
        return std::string(json_ ? "\\u00" : "\\x") + digits[byte >> 4] + digits[byte & 15];
    }
    void write_list(const List& list) {
        const bool is_tuple = list.is_tuple && !json_;
        out_.append(is_tuple ? "(" : "[");
        open();
        for (std::size_t i = 0; i < list.items.size(); ++i) {
            separate(i == 0);
            write(list.items[i]);
        }
        if (is_tuple && list.items.size() == 1) out_.append(",");
        close(list.items.empty(), is_tuple ? ")" : "]");
    }
    void write_object(const Value& value) {
        const Object* object = value.object();
        if (!object || object->is_namespace) {
            if (json_) throw Error("tojson: got " + kind_of(value) + ", expected a value of JSON");
            return;
        }
        out_.append("{");
        open();
        const auto& members = object->members;
        std::vector<std::size_t> order(members.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        if (style_.sort_keys)
            std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
                return members[a].first.text() < members[b].first.text();
            });
        for (const std::size_t i : order) {
            separate(i == order[0]);
            write_text(members[i].first);
            out_.append(style_.after_key);
            write(members[i].second);
        }
        close(members.empty(), "}");
    }
    void open() { ++level_; }
    void separate(bool first) {
        if (!first) out_.append(style_.between);
        new_line();
    }
    void close(bool empty, const char* bracket) {
        --level_;
        if (!empty) new_line();
        out_.append(bracket);
    }
    void new_line() {
        if (indent_ < 0) return;
        budget_.spend(index(indent_ * level_));
        out_.append("\n" + std::string(index(indent_ * level_), ' '));
    }

    Budget& budget_;
    bool json_;
    JsonStyle style_;
    int indent_, level_ = 0;
    MarkedText out_;
};

}  // namespace

MarkedText str(const Value& value, Budget& budget) {
    if (const MarkedText* text = value.text()) {
        budget.spend(text->text().size());
        return *text;
    }
    if (value.is_undefined()) return {};
    Writer writer(budget, false, {});
    writer.write(value);
    return writer.take();
}

MarkedText json(const Value& value, const JsonStyle& style, Budget& budget) {
    if (style.indent > 16)
        throw Error("tojson: indent is " + std::to_string(style.indent) + ", expected ≤ 16");
    Writer writer(budget, true, style);
    writer.write(value);
    return writer.take();
}

// ---- operators, members and items ---------------------------------------------------------------
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

Value item_of(const Value& object, const Value& key, Budget& budget) {
    if (const MarkedText* name = key.text()) return member(object, name->text(), budget);
    if (object.is_undefined()) throw Error(kind_of(object) + " has no items");
    if (!key.as<std::int64_t>() || !(object.text() || object.list())) return Undefined{"an item"};
    const std::int64_t i = *key.as<std::int64_t>();
    const List* list = object.list();
    const std::vector<Value> characters = list ? std::vector<Value>() : items_of(object, budget);
    const std::vector<Value>& items = list ? list->items : characters;
    const std::int64_t place = i < 0 ? i + length_of(items) : i;
    if (place < 0 || place >= length_of(items)) return Undefined{"item " + std::to_string(i)};
    return at(items, place);
}

Value slice_of(const Value& object, const std::vector<Value>& parts, Budget& budget) {
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
    std::vector<Value> items;
    if (const MarkedText* text = value.text()) {
        for (std::size_t at = 0; at < text->text().size();) {
            budget.spend(sizeof(Value));
            const std::size_t length = index(decode_utf8(text->text(), at).length);
            items.push_back(text->slice(at, at + length));
            at += length;
        }
        return items;
    }
    if (const List* list = value.list()) {
        budget.spend(sizeof(Value) * list->items.size());
        return list->items;
    }
    if (value.is_undefined()) return items;
    const Object* object = value.object();
    if (!object || object->is_namespace)
        throw Error("got " + kind_of(value) +
                    ", expected a list, an object or a text to iterate over");
    for (const auto& [key, held] : object->members) {
        budget.spend(sizeof(Value) + key.text().size());
        items.push_back(key);
    }
    return items;
}

}  // namespace tbt::jinja
