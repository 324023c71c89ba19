// For tests of configurations: a small model's config.json with a change, and what is said of it.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lib/json/json.hpp"
#include "tests/catch.hpp"
#include "tests/support/temporary.hpp"

namespace tbt::test {

// Replaces members, also those of an object inside.
inline void replace_members(Json& json, const Json& members) {
    for (const auto& [key, value] : members.items()) {
        Json& old = json[key];
        if (old.is_object() && value.is_object()) replace_members(old, value);
        else old = value;
    }
}

// What is done to a file of JSON: the members to replace, written as JSON, or a function.
class Change {
public:
    template <std::invocable<Json&> F>
    Change(F change) : apply(std::move(change)) {}
    Change(const char* members)
        : apply([all = json_value(members)](Json& json) { replace_members(json, all); }) {}
    std::function<void(Json&)> apply;
};

// A file of tests/data after the change, in a folder of its own.
struct ChangedFile : TemporaryFolder {
    ChangedFile(const std::string& folder, const std::string& name, const Change& change) {
        Json json = read_json("tests/data/" + folder + "/" + name);
        change.apply(json);
        write(name, json_text(json));
    }
};

// A change, and a part of what is said then; "": nothing is said.
struct Refused {
    Change change;
    std::string message;
};

// complaint(change): what is said.
template <class Complaint>
void check_refused(const Complaint& complaint, const std::vector<Refused>& all) {
    for (const Refused& r : all) {
        const std::string said = complaint(r.change);
        INFO("expected '" << r.message << "', got '" << said << "'");
        CHECK((r.message.empty() ? said.empty() : contains(said, r.message)));
    }
}

}  // namespace tbt::test
