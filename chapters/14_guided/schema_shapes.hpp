// What a schema says about objects and arrays: alternatives, each a list of schemas that must hold together.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "chapters/14_guided/schema_document.hpp"
#include "chapters/14_guided/schema_scalars.hpp"

namespace tbt {

using Demands = std::vector<const Json*>;  // schemas that must all hold; sorted, each once
using Alternatives = std::vector<Demands>; // none: impossible; one without demands: anything

class ShapeRules {
public:
    ShapeRules(SchemaDocument& document, ScalarRules& scalars) : document_(&document), scalars_(&scalars) {}

    // type: "object" or "array". The demands are schemas whose own keywords speak of that type.
    const Alternatives& of(const Json& schema, const std::string& type);
    Alternatives of(const Demands& demands, const std::string& type);

    // Objects: everything that is said about the value of a key; about keys nobody names.
    Demands about_member(const Demands& facts, const std::string& key) const;
    Demands about_others(const Demands& facts, bool& allowed) const;
    std::set<std::string> required(const Demands& facts) const;
    // Arrays.
    Demands about_item(const Demands& facts, std::size_t index) const;
    std::size_t longest_prefix(const Demands& facts) const;
    long long least_items(const Demands& facts) const;
    long long most_items(const Demands& facts) const;  // −1: any number

    // Certainly no value meets them. False may also mean: could not find out.
    bool impossible(const Demands& demands, int depth = 0);

private:
    Alternatives work_out(const Json& schema, const std::string& type);
    Alternatives only_one(const Json& schema, const std::string& type);
    Alternatives conditional(const Json& schema, const std::string& type);
    Alternatives dependent(const Json& dependencies, bool names);
    std::optional<Alternatives> denied(const Alternatives& alternatives, const std::string& type);
    std::optional<Alternatives> denied(const Demands& facts, const std::string& type);
    const std::optional<Alternatives>& denied_fact(const Json& fact, const std::string& type);
    bool impossible_shape(const Demands& facts, const std::string& type, int depth);
    const Json& demand_for(const Json& value);

    SchemaDocument* document_;
    ScalarRules* scalars_;
    std::map<std::pair<const Json*, std::string>, Alternatives> known_;
    std::set<std::pair<const Json*, std::string>> open_;
    std::map<const Json*, const Json*> made_;
    std::map<std::pair<const Json*, std::string>, std::optional<Alternatives>> denials_;
    std::map<const Json*, Alternatives> dependent_;
};

Demands join(const Demands& a, const Demands& b);
Alternatives all_of(const Alternatives& a, const Alternatives& b);

}  // namespace tbt
