#include "lib/grammar/schema/validator.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/grammar/automata/numbers.hpp"
#include "lib/grammar/recognizer/json_recognizer.hpp"
#include "lib/grammar/schema/document.hpp"
#include "lib/grammar/schema/formats.hpp"
#include "lib/grammar/schema/keywords.hpp"
#include "lib/grammar/schema/scalars.hpp"

namespace tbt {

namespace {

// A JSON value as it was written. Numbers are kept as texts: a double cannot hold all of them.
struct Value {
    enum class Kind { null, yes, no, number, string, array, object };
    Kind kind = Kind::null;
    std::string text;  // of a number: its digits without an exponent; of a string: UTF-8
    std::vector<Value> items;
    std::vector<std::string> keys;  // of an object; the values of its members are in items
};
using Kind = Value::Kind;

constexpr int deepest_value = 1000;

// Reads a text that is valid JSON.
class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    Value value(int depth = 0) {
        if (depth > deepest_value)
            throw UnsupportedSchema(
                "value", "the instance",
                "is nested more than " + std::to_string(deepest_value) + " deep");
        Value v;
        const char c = next();
        if (c == '[' || c == '{') {
            v.kind = c == '[' ? Kind::array : Kind::object;
            ++at_;
            while (next() != ']' && text_[at_] != '}') {
                if (c == '{') v.keys.push_back(string()), next(), ++at_;
                v.items.push_back(value(depth + 1));
                if (next() == ',') ++at_;
            }
            ++at_;
        } else if (c == '"') {
            v.kind = Kind::string;
            v.text = string();
        } else {
            const std::size_t end = std::min(text_.find_first_of(" \t\r\n,]}", at_), text_.size());
            const std::string_view word = text_.substr(at_, end - at_);
            v.kind = c == 'n'   ? Kind::null
                     : c == 't' ? Kind::yes
                     : c == 'f' ? Kind::no
                                : Kind::number;
            if (v.kind == Kind::number) v.text = word;
            if (v.text.find_first_of("eE") != std::string::npos)
                v.text = Decimal::parse(v.text).text();
            at_ = end;
        }
        return v;
    }

private:
    char next() {
        at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size() - 1);
        return text_[at_];
    }
    std::string string() {
        const std::size_t from = at_++;
        for (; text_[at_] != '"'; ++at_) at_ += text_[at_] == '\\' ? 1 : 0;
        return json_value(text_.substr(from, ++at_ - from)).get<std::string>();
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

// A text that is the same for equal values: 1 and 1.0, members in any order.
std::string form_of(const Value& v) {
    switch (v.kind) {
        case Kind::null:
            return "null";
        case Kind::yes:
            return "true";
        case Kind::no:
            return "false";
        case Kind::number: {
            const std::string number = Decimal::parse(v.text).text();
            return number == "-0" ? "0" : number;
        }
        case Kind::string:
            return json_text(Json(v.text));
        default:
            break;
    }
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < v.items.size(); ++i)
        parts.push_back((v.keys.empty() ? "" : json_text(Json(v.keys[i])) + ":") +
                        form_of(v.items[i]));
    if (v.kind == Kind::object) std::sort(parts.begin(), parts.end());
    std::string form = v.kind == Kind::object ? "{" : "[";
    for (const std::string& part : parts) form += part + ",";
    return form;
}

std::string form_of_json(const Json& value) { return form_of(Reader(json_text(value)).value()); }

// Which items or members a schema has evaluated, for unevaluatedItems and unevaluatedProperties.
using Seen = std::vector<bool>;

void add(Seen& to, const Seen& more) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = to[i] || more[i];
}

}  // namespace

class SchemaValidator::Walk {
public:
    Walk(const std::string& schema, const SchemaOptions& options, const std::string& name)
        : document_(schema, name, options) {}

    std::string fault(std::string_view text) {
        JsonRecognizer json({-1, false, false});
        if (!accepts_text(json, text)) return "the text is not JSON";
        place_.clear(), fault_.clear(), results_.clear();
        try {
            const Value value = Reader(text).value();
            Seen seen(value.items.size());
            return meets(document_.root(), value, seen) ? "" : fault_;
        } catch (const TooLarge& e) {
            throw UnsupportedSchema("number", "the instance",
                                    std::string("cannot be validated: ") + e.what());
        }
    }

private:
    bool fail(const std::string& keyword) {
        fault_ = (place_.empty() ? "the value" : place_) + ": '" + keyword + "'";
        return false;
    }

    // Does the value meet the schema? Marks in `seen` the items or members that were evaluated.
    bool meets(const Json& schema, const Value& v, Seen& seen) {
        document_.check(schema);
        if (schema.is_boolean()) return schema.get<bool>() || fail("false");
        const auto [place, added] = results_.try_emplace({&schema, &v});
        std::optional<Result>& known = place->second;
        if (!added && !known)
            document_.unsupported(schema, "$ref",
                                  "is left-recursive: it refers directly to itself");
        if (added) {
            Result result{false, Seen(v.items.size()), ""};
            result.met = all_keywords(schema, v, result.seen);
            if (!result.met) result.fault = fault_;
            known = std::move(result);
        }
        if (known->met) add(seen, known->seen);
        else fault_ = known->fault;
        const bool met = known->met;
        if (v.items.empty()) results_.erase(place);  // soon found out again; names do not stay
        return met;
    }
    bool meets_alone(const Json& schema, const Value& v) {
        Seen seen(v.items.size());
        return meets(schema, v, seen);
    }
    // Does this item or member meet the schema? Extends the place for messages meanwhile.
    bool part_meets(const Json& schema, const Value& part, const std::string& name) {
        const std::size_t before = place_.size();
        place_ += "/" + name;
        const bool met = meets_alone(schema, part);
        place_.resize(before);
        return met;
    }

    bool all_keywords(const Json& schema, const Value& v, Seen& seen) {
        for (const Json* target : document_.references(schema))
            if (!meets(*target, v, seen)) return false;
        if (document_.ignores_siblings(schema)) return true;
        if (!has_type(schema, v)) return fail("type");
        for (const char* keyword : {"enum", "const"})
            if (schema.contains(keyword) && values_of(schema, keyword).count(form_of(v)) == 0)
                return fail(keyword);
        if (v.kind == Kind::number && !number_meets(schema, v)) return false;
        if (v.kind == Kind::string && !string_meets(schema, v)) return false;
        if (v.kind == Kind::array && !array_meets(schema, v, seen)) return false;
        if (v.kind == Kind::object && !object_meets(schema, v, seen)) return false;
        return lists_meet(schema, v, seen) && condition_meets(schema, v, seen) &&
               rest_meets(schema, v, seen);
    }

    bool has_type(const Json& schema, const Value& v) const {
        static const char* const names[] = {"null",   "boolean", "boolean", "number",
                                            "string", "array",   "object"};
        if (type_allows(document_, schema, names[static_cast<int>(v.kind)])) return true;
        if (v.kind != Kind::number || !type_allows(document_, schema, "integer")) return false;
        const bool without_point = document_.draft_of(schema) == 4;  // 1.0 is not an integer there
        return (without_point ? whole_numbers_without_point() : whole_numbers()).accepts(v.text);
    }

    const std::set<std::string>& values_of(const Json& schema, const char* keyword) {
        const Json& values = schema.at(keyword);
        const auto [place, added] = values_.try_emplace(&values);
        if (added && std::string_view(keyword) == "const")
            place->second.insert(form_of_json(values));
        else if (added)
            for (const Json& value : values) place->second.insert(form_of_json(value));
        return place->second;
    }

    // Is the text in the language of this keyword?
    bool in_language(const Json& schema, const char* keyword, const std::string& text) {
        if (!schema.contains(keyword)) return true;
        const auto [place, added] = languages_.try_emplace(&schema.at(keyword));
        if (added) place->second = language_of(document_, schema, keyword, true);
        return !place->second || place->second->accepts(text) || fail(keyword);
    }
    bool number_meets(const Json& schema, const Value& v) {
        if (document_.has_format(schema)) {
            const Dfa* const format = number_format(schema.at("format").get<std::string>());
            if (format != nullptr && !format->accepts(v.text)) return fail("format");
        }
        return std::all_of(std::begin(number_keywords), std::end(number_keywords),
                           [&](const char* k) { return in_language(schema, k, v.text); });
    }
    bool string_meets(const Json& schema, const Value& v) {
        return counts_meet(schema, "minLength", "maxLength",
                           static_cast<long long>(count_characters(v.text))) &&
               in_language(schema, "pattern", v.text) &&
               (!document_.has_format(schema) || in_language(schema, "format", v.text));
    }
    bool counts_meet(const Json& schema, const char* least, const char* most, long long number) {
        if (number < count_of(schema, least, 0)) return fail(least);
        const long long limit = count_of(schema, most, -1);
        return limit < 0 || number <= limit || fail(most);
    }

    bool array_meets(const Json& schema, const Value& v, Seen& seen) {
        if (!counts_meet(schema, "minItems", "maxItems", count(v.items))) return false;
        const Json* const prefix = document_.prefix_of(schema);
        const Json* const rest = document_.rest_of(schema);
        for (std::size_t i = 0; i < v.items.size(); ++i) {
            const bool listed = prefix != nullptr && i < prefix->size();
            const Json* const item = listed ? &prefix->at(i) : rest;
            if (item == nullptr) continue;
            seen[i] = true;
            if (!part_meets(*item, v.items[i], std::to_string(i))) return false;
        }
        if (schema.contains("uniqueItems") && schema.at("uniqueItems") == Json(true)) {
            std::set<std::string> forms;
            for (const Value& item : v.items)
                if (!forms.insert(form_of(item)).second) return fail("uniqueItems");
        }
        if (!schema.contains("contains")) return true;
        long long found = 0;
        for (std::size_t i = 0; i < v.items.size(); ++i) {
            if (!part_meets(schema.at("contains"), v.items[i], std::to_string(i))) continue;
            ++found;
            if (document_.draft_of(schema) != 2019) seen[i] = true;
        }
        if (found < count_of(schema, "minContains", 1))
            return fail(schema.contains("minContains") ? "minContains" : "contains");
        const long long most = count_of(schema, "maxContains", -1);
        return most < 0 || found <= most || fail("maxContains");
    }

    bool object_meets(const Json& schema, const Value& v, Seen& seen) {
        if (!counts_meet(schema, "minProperties", "maxProperties", count(v.keys))) return false;
        if (std::set(v.keys.begin(), v.keys.end()).size() < v.keys.size())
            return fail("a key appears twice");
        const auto has = [&](const Json& name) {
            return std::find(v.keys.begin(), v.keys.end(), name.get<std::string>()) != v.keys.end();
        };
        if (schema.contains("required"))
            for (const Json& name : schema.at("required"))
                if (!has(name)) return fail("required");
        for (std::size_t i = 0; i < v.keys.size(); ++i)
            if (!member_meets(schema, v.keys[i], v.items[i], seen, i)) return false;
        for (const char* keyword : {"dependentRequired", "dependentSchemas", "dependencies"}) {
            if (!schema.contains(keyword)) continue;
            for (const auto& [key, needs] : schema.at(keyword).items()) {
                if (!has(Json(key))) continue;
                if (needs.is_array() && !std::all_of(needs.begin(), needs.end(), has))
                    return fail(keyword);
                if (!needs.is_array() && !meets(needs, v, seen)) return false;
            }
        }
        return true;
    }

    bool member_meets(const Json& schema, const std::string& key, const Value& value, Seen& seen,
                      std::size_t i) {
        if (schema.contains("propertyNames")) {
            Value name;
            name.kind = Kind::string, name.text = key;
            if (!part_meets(schema.at("propertyNames"), name, key)) return false;
        }
        bool named = false;
        if (schema.contains("properties") && schema.at("properties").contains(key)) {
            named = true;
            if (!part_meets(schema.at("properties").at(key), value, key)) return false;
        }
        if (schema.contains("patternProperties")) {
            for (const auto& [pattern, about] : schema.at("patternProperties").items()) {
                if (!key_matches(schema, pattern, about, key)) continue;
                named = true;
                if (!part_meets(about, value, key)) return false;
            }
        }
        if (!named && schema.contains("additionalProperties")) {
            named = true;
            if (!part_meets(schema.at("additionalProperties"), value, key)) return false;
        }
        if (named) seen[i] = true;
        return true;
    }
    bool key_matches(const Json& schema, const std::string& pattern, const Json& about,
                     const std::string& key) {
        const auto [place, added] = languages_.try_emplace(&about);
        if (added) place->second = pattern_of_keys(document_, schema, pattern);
        return place->second->accepts(key);
    }

    bool lists_meet(const Json& schema, const Value& v, Seen& seen) {
        if (schema.contains("allOf"))
            for (const Json& part : schema.at("allOf"))
                if (!meets(part, v, seen)) return false;
        for (const char* keyword : {"anyOf", "oneOf"}) {
            if (!schema.contains(keyword)) continue;
            int met = 0;
            for (const Json& part : schema.at(keyword)) {
                Seen own(v.items.size());
                if (meets(part, v, own)) ++met, add(seen, own);
            }
            if (met == 0 || (met > 1 && keyword[0] == 'o')) return fail(keyword);
        }
        return !schema.contains("not") || !meets_alone(schema.at("not"), v) || fail("not");
    }

    bool condition_meets(const Json& schema, const Value& v, Seen& seen) {
        if (!document_.has_condition(schema)) return true;
        Seen own(v.items.size());
        const bool met = meets(schema.at("if"), v, own);
        if (met) add(seen, own);
        const char* const then = met ? "then" : "else";
        return !schema.contains(then) || meets(schema.at(then), v, seen);
    }

    // Checks the items or members that no other keyword has evaluated.
    bool rest_meets(const Json& schema, const Value& v, Seen& seen) {
        const char* const keyword = v.kind == Kind::array    ? "unevaluatedItems"
                                    : v.kind == Kind::object ? "unevaluatedProperties"
                                                             : "";
        if (!schema.contains(keyword)) return true;
        for (std::size_t i = 0; i < v.items.size(); ++i) {
            if (seen[i]) continue;
            seen[i] = true;
            const std::string name = v.keys.empty() ? std::to_string(i) : v.keys[i];
            if (!part_meets(schema.at(keyword), v.items[i], name)) return false;
        }
        return true;
    }

    SchemaDocument document_;
    std::string place_, fault_;
    struct Result {
        bool met;
        Seen seen;  // what its own keywords evaluate, not those around it
        std::string fault;
    };
    std::map<std::pair<const Json*, const Value*>, std::optional<Result>> results_;  // none: begun
    std::map<const Json*, std::set<std::string>> values_;  // forms of enum's or const's values
    std::map<const Json*, SharedDfa> languages_;           // by the keyword's value
};

SchemaValidator::SchemaValidator(const std::string& schema, const SchemaOptions& options,
                                 const std::string& name)
    : walk_(std::make_unique<Walk>(schema, options, name)) {}
SchemaValidator::~SchemaValidator() = default;

std::string SchemaValidator::fault(std::string_view text) { return walk_->fault(text); }

}  // namespace tbt
