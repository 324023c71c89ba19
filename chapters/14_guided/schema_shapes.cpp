#include "chapters/14_guided/schema_shapes.hpp"

#include <algorithm>

namespace tbt {

namespace {

constexpr std::size_t most_alternatives = 2000;
constexpr int deepest_proof = 6;

bool speaks_of(const Json& schema, const std::string& type) {
    static const std::vector<const char*> of_objects = {"properties", "required", "additionalProperties"};
    static const std::vector<const char*> of_arrays = {"items", "prefixItems", "minItems", "maxItems",
                                                       "uniqueItems"};
    const auto& keywords = type == "object" ? of_objects : of_arrays;
    return std::any_of(keywords.begin(), keywords.end(), [&](const char* k) { return schema.contains(k); });
}

}  // namespace

Alternatives all_of(const Alternatives& a, const Alternatives& b) {
    Alternatives result;
    for (const Demands& x : a) {
        for (const Demands& y : b) result.push_back(join(x, y));
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    if (result.size() > most_alternatives)
        throw UsageError("schema: more than 2000 combinations of anyOf and oneOf; nest fewer of them");
    return result;
}

Demands join(const Demands& a, const Demands& b) {
    Demands both = a;
    both.insert(both.end(), b.begin(), b.end());
    std::sort(both.begin(), both.end());
    both.erase(std::unique(both.begin(), both.end()), both.end());
    return both;
}

const Alternatives& ShapeRules::of(const Json& schema, const std::string& type) {
    const auto key = std::pair(&schema, type);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    document_->check(schema);
    if (!open_.insert(key).second)
        document_->unsupported(schema, "$ref", "leads back to itself without reading anything");
    Alternatives alternatives = work_out(schema, type);
    open_.erase(key);
    return known_.emplace(key, std::move(alternatives)).first->second;
}

Alternatives ShapeRules::of(const Demands& demands, const std::string& type) {
    Alternatives result{{}};
    for (const Json* schema : demands) result = all_of(result, of(*schema, type));
    return result;
}

Alternatives ShapeRules::work_out(const Json& schema, const std::string& type) {
    if (schema.is_boolean()) return schema.get<bool>() ? Alternatives{{}} : Alternatives{};
    if (!type_allows(schema, type)) return {};
    Alternatives result{{}};
    if (speaks_of(schema, type)) result = {{&schema}};
    bool restricted = false;
    const std::vector<const Json*> values = listed_values(schema, restricted);
    if (restricted) {
        Alternatives listed;
        for (const Json* v : values) {
            if (type == "object" ? v->is_object() : v->is_array()) listed.push_back({&demand_for(*v)});
        }
        result = all_of(result, listed);
    }
    if (schema.contains("$ref")) result = all_of(result, of(document_->resolve(schema), type));
    if (schema.contains("allOf")) {
        for (const Json& part : schema.at("allOf")) result = all_of(result, of(part, type));
    }
    if (schema.contains("anyOf")) {
        Alternatives any;
        for (const Json& part : schema.at("anyOf")) {
            const Alternatives& next = of(part, type);
            any.insert(any.end(), next.begin(), next.end());
        }
        result = all_of(result, any);
    }
    if (schema.contains("oneOf")) result = all_of(result, only_one(schema, type));
    if (schema.contains("not")) {
        const std::optional<Alternatives> without = denied(of(schema.at("not"), type), type);
        if (!without)
            document_->unsupported(schema, "not",
                                   "speaks of all members or items of " + type +
                                       "s, which cannot be denied; say what is allowed instead");
        result = all_of(result, *without);
    }
    if (schema.contains("if")) result = all_of(result, conditional(schema, type));
    if (type == "object" && schema.contains("dependentRequired"))
        result = all_of(result, dependent(schema.at("dependentRequired"), true));
    if (type == "object" && schema.contains("dependentSchemas"))
        result = all_of(result, dependent(schema.at("dependentSchemas"), false));
    return result;
}

// const {"a": 1} as a schema of the members' own consts.
const Json& ShapeRules::demand_for(const Json& value) {
    const auto [place, added] = made_.try_emplace(&value, nullptr);
    if (added) {
        Json schema = Json::object();
        if (value.is_object()) {
            schema["properties"] = Json::object();
            schema["required"] = Json::array();
            schema["additionalProperties"] = false;
            for (const auto& [key, member] : value.items()) {
                schema["properties"][key] = {{"const", member}};
                schema["required"].push_back(key);
            }
        } else {
            Json prefix = Json::array();
            for (const Json& item : value) prefix.push_back({{"const", item}});
            if (!prefix.empty()) schema["prefixItems"] = prefix;
            schema["items"] = false;
            schema["minItems"] = value.size();
        }
        place->second = &document_->keep(std::move(schema));
    }
    return *place->second;
}

Demands ShapeRules::about_member(const Demands& facts, const std::string& key) const {
    Demands about;
    for (const Json* f : facts) {
        if (f->contains("properties") && f->at("properties").contains(key)) {
            about.push_back(&f->at("properties").at(key));
        } else if (f->contains("additionalProperties")) {
            about.push_back(&f->at("additionalProperties"));
        }
    }
    return join(about, {});
}

Demands ShapeRules::about_others(const Demands& facts, bool& allowed) const {
    Demands about;
    allowed = true;
    for (const Json* f : facts) {
        if (!f->contains("additionalProperties")) continue;
        about.push_back(&f->at("additionalProperties"));
        allowed = allowed && *about.back() != Json(false);
    }
    return join(about, {});
}

std::set<std::string> ShapeRules::required(const Demands& facts) const {
    std::set<std::string> names;
    for (const Json* f : facts) {
        if (!f->contains("required")) continue;
        for (const Json& name : f->at("required")) names.insert(name.get<std::string>());
    }
    return names;
}

Demands ShapeRules::about_item(const Demands& facts, std::size_t index) const {
    Demands about;
    for (const Json* f : facts) {
        if (f->contains("prefixItems") && index < f->at("prefixItems").size()) {
            about.push_back(&f->at("prefixItems").at(index));
        } else if (f->contains("items")) {
            about.push_back(&f->at("items"));
        }
    }
    return join(about, {});
}

std::size_t ShapeRules::longest_prefix(const Demands& facts) const {
    std::size_t longest = 0;
    for (const Json* f : facts)
        longest = std::max(longest, f->contains("prefixItems") ? f->at("prefixItems").size() : 0);
    return longest;
}

long long ShapeRules::least_items(const Demands& facts) const {
    long long least = 0;
    for (const Json* f : facts) least = std::max(least, count_of(*document_, *f, "minItems", 0));
    return least;
}

long long ShapeRules::most_items(const Demands& facts) const {
    long long most = -1;
    for (const Json* f : facts) {
        const long long one = count_of(*document_, *f, "maxItems", -1);
        if (one >= 0) most = most < 0 ? one : std::min(most, one);
    }
    return most;
}

bool ShapeRules::impossible(const Demands& demands, int depth) {
    if (depth > deepest_proof) return false;
    Scalars scalars;
    for (const Json* schema : demands) scalars = scalars & scalars_->of(*schema);
    if (!scalars.empty()) return false;
    for (const char* type : {"object", "array"}) {
        for (const Demands& facts : of(demands, type)) {
            if (!impossible_shape(facts, type, depth)) return false;
        }
    }
    return true;
}

bool ShapeRules::impossible_shape(const Demands& facts, const std::string& type, int depth) {
    if (type == "object") {
        const std::set<std::string> names = required(facts);
        return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
            return impossible(about_member(facts, name), depth + 1);
        });
    }
    const long long least = least_items(facts), most = most_items(facts);
    if (most >= 0 && most < least) return true;
    for (std::size_t i = 0; i < std::min<std::size_t>(static_cast<std::size_t>(least), longest_prefix(facts) + 1);
         ++i) {
        if (impossible(about_item(facts, i), depth + 1)) return true;
    }
    return false;
}

}  // namespace tbt
