#include "lib/json/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <ostream>

#include "lib/core/files.hpp"
#include "lib/core/index.hpp"
#include "lib/core/json.hpp"
#include "lib/core/unicode.hpp"

namespace tbt {

// ---- values ----
static bool is_pair(const Json& list) {
    return list.is_array() && list.size() == 2 && list[0].is_string();
}

Json::Json(std::nullptr_t) {}
Json::Json(double number) : value_(number) {}
Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(std::string_view text) : value_(std::string(text)) {}
Json::Json(const char* text) : value_(std::string(text)) {}
void Json::set_boolean(bool value) { value_ = value; }
void Json::set_integer(std::int64_t value) { value_ = value; }
void Json::set_large(std::uint64_t value) { value_ = value; }

Json::Json(std::initializer_list<Json> list)
    : Json(std::all_of(list.begin(), list.end(), is_pair) ? object(list) : array(list)) {}

Json Json::array(std::initializer_list<Json> list) {
    Json result;
    result.value_ = Array(list);
    return result;
}

Json Json::object(std::initializer_list<Json> members) {
    Json result;
    result.value_ = Object();
    for (const Json& member : members) result.emplace(member.at(0).text(), member.at(1));
    return result;
}

Json Json::discarded() {
    Json result;
    result.value_ = Discarded();
    return result;
}

Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(Json other) noexcept {
    value_.swap(other.value_);
    return *this;
}
Json::~Json() = default;

std::string Json::type_name() const {
    constexpr const char* names[] = {"null",   "boolean", "number", "number",   "number",
                                     "string", "array",   "object", "discarded"};
    return names[value_.index()];
}

void Json::is_not(const char* expected) const {
    throw JsonError("expected " + std::string(expected) + ", got " + kind_of(*this));
}

double Json::number() const {
    if (const auto* real = std::get_if<double>(&value_)) return *real;
    if (const auto* large = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*large);
    if (!is_number()) is_not("a number");
    return static_cast<double>(std::get<std::int64_t>(value_));
}

const std::string& Json::text() const {
    if (!is_string()) is_not("a string");
    return std::get<std::string>(value_);
}

const std::vector<Json>& Json::elements() const {
    if (!is_array()) is_not("a list");
    return std::get<Array>(value_);
}

const std::vector<Json::Member>& Json::items() const {
    if (!is_object()) is_not("an object");
    return std::get<Object>(value_);
}

std::vector<Json::Member>& Json::items() {
    return const_cast<Object&>(std::as_const(*this).items());
}

std::size_t Json::size() const {
    if (is_array()) return elements().size();
    return is_object() ? items().size() : !is_null();
}

Json::const_iterator Json::begin() const {
    if (is_object()) return {nullptr, items().data()};
    return {is_array() ? elements().data() : nullptr, nullptr};
}

Json::const_iterator Json::end() const {
    if (is_object()) return {nullptr, items().data() + size()};
    return {is_array() ? elements().data() + size() : nullptr, nullptr};
}

Json::iterator Json::begin() {
    if (is_object()) return {nullptr, items().data()};
    return {is_array() ? std::get<Array>(value_).data() : nullptr, nullptr};
}

Json::iterator Json::end() {
    if (is_object()) return {nullptr, items().data() + size()};
    return {is_array() ? std::get<Array>(value_).data() + size() : nullptr, nullptr};
}

// The member with this key, or the end.
static auto find_member(auto& members, std::string_view key) {
    return members.data() + (std::find_if(members.begin(), members.end(),
                                          [&](const auto& m) { return m.key == key; }) -
                             members.begin());
}

Json::const_iterator Json::find(std::string_view key) const {
    return is_object() ? const_iterator(nullptr, find_member(items(), key)) : end();
}

Json::iterator Json::find(std::string_view key) {
    return is_object() ? iterator(nullptr, find_member(items(), key)) : end();
}

bool Json::contains(std::string_view key) const { return is_object() && find(key) != end(); }

const Json& Json::at(std::string_view key) const {
    if (!is_object()) is_not("an object");
    const auto found = find(key);
    if (found == end()) throw JsonError("\"" + shown(key) + "\" is missing");
    return *found;
}

Json& Json::at(std::string_view key) { return const_cast<Json&>(std::as_const(*this).at(key)); }

Json& Json::operator[](std::string_view key) {
    if (is_null()) value_ = Object();
    if (const auto found = find(key); found != end()) return *found;
    items().push_back({std::string(key), nullptr});
    return items().back().value;
}

const Json& Json::element(std::size_t place) const {
    if (place >= elements().size())
        throw JsonError("there is no element " + std::to_string(place) + " in a list of " +
                        std::to_string(size()));
    return elements()[place];
}

std::string Json::value(std::string_view key, const char* otherwise) const {
    return value(key, std::string(otherwise));
}

void Json::push_back(Json element) {
    if (is_null()) value_ = Array();
    if (!is_array()) is_not("a list");
    std::get<Array>(value_).push_back(std::move(element));
}

bool Json::emplace(std::string key, Json value) {
    if (is_null()) value_ = Object();
    if (contains(key)) return false;
    items().push_back({std::move(key), std::move(value)});
    return true;
}

bool Json::erase(std::string_view key) {
    return std::erase_if(items(), [&](const Member& m) { return m.key == key; }) > 0;
}

void Json::erase(std::size_t place) {
    element(place);
    auto& list = std::get<Array>(value_);
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(place));
}

void Json::update(const Json& members) {
    for (const auto& [key, value] : members.items()) (*this)[key] = value;
}

bool operator==(const Json& a, const Json& b) {
    if (a.is_number() && b.is_number()) {
        if (a.is_number_float() || b.is_number_float()) return a.number() == b.number();
        // A large integer equals no small one.
        return a.is_large() == b.is_large() && a.get<std::uint64_t>() == b.get<std::uint64_t>();
    }
    if (a.value_.index() != b.value_.index() || a.size() != b.size()) return false;
    if (a.is_object())
        return std::all_of(a.items().begin(), a.items().end(), [&](const Json::Member& m) {
            const auto found = b.find(m.key);
            return found != b.end() && *found == m.value;
        });
    if (a.is_array()) return a.elements() == b.elements();
    if (a.is_string()) return a.text() == b.text();
    return !a.is_boolean() || a.get<bool>() == b.get<bool>();
}

std::ostream& operator<<(std::ostream& out, const Json& value) { return out << json_text(value); }

// ---- reading ----
namespace {

// Builds the value of a text.
class Builder {
public:
    Builder(std::string_view text, const std::string& name, int deepest, bool last_counts,
            const JsonStream& stream)
        : reader_(text, name, deepest), last_counts_(last_counts), stream_(stream) {}

    Json whole_text() {
        Json result = value("");
        reader_.end();
        return result;
    }

private:
    Json value(const std::string& place) {
        switch (reader_.peek()) {
            case '{':
                return object(place);
            case '[':
                return array(place);
            case '"':
                return reader_.string();
            case 't':
            case 'f':
            case 'n':
                return reader_.boolean_or_null();
            default:
                return std::visit([](auto n) { return Json(n); }, reader_.number());
        }
    }

    bool streamed(const std::string& place, bool is_object) const {
        return stream_.wanted && stream_.wanted(place, is_object);
    }
    std::string below(const std::string& place, const std::string& key) const {
        return !stream_.wanted ? "" : place.empty() ? key : place + "." + key;
    }

    Json array(const std::string& place) {
        Json list = Json::array();
        const bool stream = streamed(place, false);
        const std::string inner = below(place, "");
        std::string no_key;
        reader_.array([&] {
            Json element = value(inner);
            if (stream) stream_.take(place, no_key, element);
            else list.push_back(std::move(element));
        });
        return list;
    }

    Json object(const std::string& place) {
        Json result = Json::object();
        std::vector<Json::Member>& members = result.items();
        const bool stream = streamed(place, true);
        reader_.object([&](std::string key) {
            Json member = value(below(place, key));
            if (stream) stream_.take(place, key, member);
            else members.push_back({std::move(key), std::move(member)});
        });
        check_keys(members);
        return result;
    }

    void check_keys(std::vector<Json::Member>& members) const {
        if (members.size() < 2) return;
        std::vector<std::size_t> sorted(members.size());
        for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = i;
        std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
            return members[a].key < members[b].key;
        });
        bool twice = false;
        for (std::size_t i = sorted.size(); i-- > 1;) {
            Json::Member &first = members[sorted[i - 1]], &second = members[sorted[i]];
            if (first.key != second.key) continue;
            if (!last_counts_) reader_.fail_twice(first.key);
            first.value = std::move(second.value);
            second.value = Json::discarded(), twice = true;
        }
        if (twice)
            std::erase_if(members, [](const Json::Member& m) { return m.value.is_discarded(); });
    }

    JsonReader reader_;
    bool last_counts_;
    const JsonStream& stream_;
};

}  // namespace

Json parse_json(std::string_view text, const std::string& name, int deepest) {
    return Builder(text, name, deepest, false, {}).whole_text();
}

Json read_json(const std::string& path) { return read_json(path, {}); }

Json read_json(const std::string& path, const JsonStream& stream) {
    const MappedFile file(path);
    return Builder(file.text(), path, 64, false, stream).whole_text();
}

Json json_value(std::string_view text) {
    try {
        return Builder(text, "", 1000, true, {}).whole_text();
    } catch (const Error&) {
        return Json::discarded();
    }
}

// ---- writing ----
namespace {

void write_string(std::string& out, std::string_view text) {
    constexpr std::string_view letters = "bfnrt", meant = "\b\f\n\r\t";
    out += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (const std::size_t known = meant.find(c); known != std::string_view::npos) {
            out += '\\', out += letters[known];
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += c < 0x10 ? "\\u000" : "\\u001", out += "0123456789abcdef"[c & 15];
        } else {
            out += c;
        }
    }
    out += '"';
}

// The fewest digits that give the same double: 0.1, 1.0, 1e-05, 1e+16.
void write_number(std::string& out, double value) {
    if (!std::isfinite(value)) {
        out += "null";
        return;
    }
    char buffer[32];
    const auto [end, error] =
        std::to_chars(buffer, buffer + 32, value, std::chars_format::scientific);
    std::string_view written(buffer, index(end - buffer));
    if (written[0] == '-') out += '-', written.remove_prefix(1);
    const std::size_t e = written.find('e');
    const int exponent = std::atoi(std::string(written.substr(e + 1)).c_str());
    std::string digits(written.substr(0, 1));
    if (e > 2) digits += written.substr(2, e - 2);
    const int count = static_cast<int>(digits.size());
    if (exponent < -4 || exponent >= 15) {
        if (count > 1) digits.insert(1, ".");
        out += digits, out += written.substr(e);
    } else if (exponent < 0) {
        out += "0." + std::string(index(-exponent - 1), '0') + digits;
    } else {
        if (count <= exponent + 1) digits.append(index(exponent + 2 - count), '0');
        digits.insert(index(exponent + 1), ".");
        out += digits;
    }
}

void write(std::string& out, const Json& value, int indent, int depth) {
    const auto new_line = [&](int levels) {
        if (indent >= 0) out += '\n', out.append(index(indent * levels), ' ');
    };
    if (value.is_structured() && !value.empty()) {
        bool first = true;
        const auto next = [&] {
            if (!std::exchange(first, false)) out += ',';
            new_line(depth + 1);
        };
        if (value.is_array()) {
            out += '[';
            for (const Json& element : value.elements())
                next(), write(out, element, indent, depth + 1);
        } else {
            out += '{';
            for (const auto& [key, member] : value.items()) {
                next(), write_string(out, valid_utf8(key));
                out += indent >= 0 ? ": " : ":";
                write(out, member, indent, depth + 1);
            }
        }
        new_line(depth);
        out += value.is_array() ? ']' : '}';
    } else if (value.is_structured()) {
        out += value.is_array() ? "[]" : "{}";
    } else if (value.is_string()) {
        write_string(out, valid_utf8(value.text()));
    } else if (value.is_boolean()) {
        out += value.get<bool>() ? "true" : "false";
    } else if (value.is_large()) {
        out += std::to_string(value.get<std::uint64_t>());
    } else if (value.is_number_integer()) {
        out += std::to_string(value.get<std::int64_t>());
    } else if (value.is_number()) {
        write_number(out, value.get<double>());
    } else {
        out += "null";
    }
}

}  // namespace

std::string json_text(const Json& value, int indent) {
    std::string out;
    write(out, value, indent, 0);
    return out;
}

const Json* member_of(const Json& value, std::string_view key) {
    const auto member = value.find(key);
    return member == value.end() ? nullptr : &*member;
}

std::string kind_of(const Json& value) {
    if (value.is_string()) return "the string \"" + shown(value.text()) + "\"";
    if (value.is_array()) return "a list";
    if (value.is_object()) return "an object";
    if (value.is_number())
        return (value.is_number_integer() ? "the integer " : "the number ") + json_text(value);
    return json_text(value);
}

}  // namespace tbt
