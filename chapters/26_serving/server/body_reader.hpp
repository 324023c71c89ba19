// The members of an object of JSON, taken one after the other; what is left is not known.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "chapters/26_serving/server/api_error.hpp"
#include "lib/machine/json_file.hpp"

namespace tbt {

// Each function throws ApiError 400 on a value of another kind. null is as if it were not there.
class BodyReader {
public:
    // object must outlive it; `name` is where it is in the body.
    explicit BodyReader(const OrderedJson& object, std::string name = "")
        : object_(&object), name_(std::move(name)) {
        if (!object.is_object()) fail("", "expected an object");
    }

    const OrderedJson* take(const std::string& name) {
        const auto at = object_->find(name);
        if (at == object_->end()) return nullptr;
        taken_.insert(name);
        return at->is_null() ? nullptr : &*at;
    }
    void give_back(const std::string& name) { taken_.erase(name); }
    bool flag(const std::string& name, bool otherwise = false) {
        const OrderedJson* value = take(name);
        if (value && !value->is_boolean()) fail(name, "expected true or false");
        return value ? value->get<bool>() : otherwise;
    }
    std::optional<std::string> text(const std::string& name) {
        const OrderedJson* value = take(name);
        if (!value) return std::nullopt;
        if (!value->is_string()) fail(name, "expected a string");
        return value->get<std::string>();
    }
    int integer(const std::string& name, int otherwise, int least, int most) {
        const OrderedJson* value = take(name);
        return value ? integer_of(*value, name, least, most) : otherwise;
    }
    int integer_of(const OrderedJson& value, const std::string& name, int least, int most) const {
        if (!value.is_number_integer() || !is_integer(Json(value), least, most))
            fail(name, "expected a whole number from " + std::to_string(least) + " to " +
                           std::to_string(most));
        return value.get<int>();
    }
    // What nobody took.
    std::vector<std::pair<std::string, OrderedJson>> rest() const {
        std::vector<std::pair<std::string, OrderedJson>> members;
        for (const auto& [name, value] : object_->items())
            if (!taken_.contains(name)) members.emplace_back(name, value);
        return members;
    }
    void refuse_rest() const {
        for (const auto& [name, value] : rest()) fail(name, "there is no such parameter");
    }
    [[noreturn]] void fail(const std::string& name, const std::string& why) const {
        const std::string at = name_ + (name_.empty() || name.empty() ? "" : ".") + name;
        throw ApiError(400, at.substr(0, 128) + ": " + why, at.substr(0, 128));
    }

private:
    const OrderedJson* object_;
    std::string name_;
    std::set<std::string> taken_;
};

}  // namespace tbt
