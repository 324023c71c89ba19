// The plain validator of finished values, and the compiled schemas that are held to it.
#include "tests/catch.hpp"

#include "chapters/16_json_schema/plain_schema.hpp"
#include "lib/core/rng.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/schema/schema.hpp"
#include "lib/grammar/schema/validator.hpp"
#include "lib/machine/files.hpp"

using namespace tbt;

namespace {

Json one_of(Rng& rng, const Json& list) { return list[rng.below(list.size())]; }

Json random_value(Rng& rng, int depth) {
    static const Json scalars = json_value(
        R"([null, true, false, 0, 1, 2, -1, 3, 1.5, 2.0, 12,
            "", "a", "b", "ab", "é", "abc", "a\"b"])");
    const auto kind = rng.below(depth > 2 ? 3 : 6);
    if (kind < 3) return one_of(rng, scalars);
    Json value = kind == 3 ? Json::array() : Json::object();
    for (std::uint64_t n = rng.below(4); n > 0; --n) {
        if (kind == 3) value.push_back(random_value(rng, depth + 1));
        else value[std::string(1, "abcd"[rng.below(4)])] = random_value(rng, depth + 1);
    }
    return value;
}

Json random_schema(Rng& rng, int depth) {
    if (depth > 2 || rng.below(12) == 0) return one_of(rng, json_value("[true, true, {}, false]"));
    static const Json types = json_value(
        R"(["object", "object", "object", "array", "array", "string", "number", "integer",
            "boolean", "null"])");
    Json schema = Json::object();
    const auto sometimes = [&](std::uint64_t n) { return rng.below(n) == 0; };
    const auto number = [&](int low, int high) {
        return low + to_int(rng.below(static_cast<std::uint64_t>(high - low + 1)));
    };
    const std::string type = one_of(rng, types);
    if (!sometimes(4)) schema["type"] = type;
    if (sometimes(2)) schema["minimum"] = number(-1, 1);
    if (sometimes(2)) schema["maximum"] = number(1, 12);
    if (sometimes(2)) schema["minLength"] = number(0, 1);
    if (sometimes(2)) schema["maxLength"] = number(1, 3);
    if (type == "array" || sometimes(6)) {
        if (sometimes(2)) schema["items"] = random_schema(rng, depth + 1);
        if (sometimes(3)) schema["minItems"] = number(0, 2);
        if (sometimes(3)) schema["maxItems"] = number(1, 3);
    }
    if (type == "object" || sometimes(6)) {
        for (const char* key : {"a", "b", "c"}) {
            if (sometimes(2)) schema["properties"][key] = random_schema(rng, depth + 1);
            if (sometimes(5)) schema["required"].push_back(key);
        }
        if (sometimes(3))
            schema["additionalProperties"] =
                sometimes(2) ? Json(false) : random_schema(rng, depth + 1);
    }
    if (sometimes(10)) schema["enum"] = {random_value(rng, 2), random_value(rng, 2), 1, "a"};
    if (sometimes(8))
        schema["anyOf"] = {random_schema(rng, depth + 1), random_schema(rng, depth + 1)};
    return schema;
}

// A value written with its members in any order.
std::string written(const Json& value, Rng& rng) {
    if (value.is_array()) {
        std::string text;
        for (const Json& item : value) text += (text.empty() ? "" : ",") + written(item, rng);
        return "[" + text + "]";
    }
    if (!value.is_object()) return json_text(value);
    std::vector<std::string> members;
    for (const auto& [key, member] : value.items())
        members.insert(members.begin() + static_cast<long>(rng.below(members.size() + 1)),
                       json_text(Json(key)) + ":" + written(member, rng));
    std::string text;
    for (const std::string& member : members) text += (text.empty() ? "" : ",") + member;
    return "{" + text + "}";
}

}  // namespace

TEST_CASE("by hand: the first place that is wrong is named, with its keyword") {
    const Json person = read_json("data/schemas/person.json");
    const auto fault = [&](const char* text) { return plain_fault(json_value(text), person); };
    CHECK(fault(R"({"job": "baker", "age": 36, "name": "Ada"})").empty());
    CHECK(fault(R"({"job": "baker", "age": 36.0, "name": "Ada"})").empty());
    CHECK(fault("[]") == ": type");
    CHECK(fault("{}") == ": required \"name\"");
    CHECK(fault(R"({"job": "baker", "age": 121, "name": "Ada"})") == "/age: maximum");
    CHECK(fault(R"({"job": "baker", "age": -1, "name": "Ada"})") == "/age: minimum");
    CHECK(fault(R"({"job": "baker", "age": 3.5, "name": "Ada"})") == "/age: type");
    CHECK(fault(R"({"job": "poet", "age": 3, "name": "Ada"})") == "/job: enum");
    CHECK(fault(R"({"job": "baker", "age": 3, "name": "Ada", "pet": 1})") == "/pet: false");
    CHECK(fault(R"({"job": "baker", "age": 3, "name": "Ada", "likes": ["tea", 1]})") ==
          "/likes/1: type");
    CHECK(fault(R"({"job": "baker", "age": 3, "name": "Adaaaaaaaaaaa"})") == "/name: maxLength");
    // Characters, not bytes; and a number may look like a boolean to nobody.
    CHECK(plain_fault("éé", json_value(R"({"maxLength": 2})")).empty());
    CHECK(plain_fault(true, json_value(R"({"type": "integer"})")) == ": type");
    CHECK(plain_fault(3, json_value(R"({"anyOf": [{"maximum": 2}, {"type": "string"}]})")) ==
          ": anyOf");
}

TEST_CASE(
    "on random schemas and values, in any order of members, the compiled schema accepts what "
    "the plain validator finds no fault with") {
    Rng rng(16);
    int yes = 0, no = 0;
    for (int i = 0; i < 1200; ++i) {
        const Json schema = random_schema(rng, 0);
        INFO(json_text(schema));
        SchemaValidator recognizer(json_text(schema));
        for (int v = 0; v < 25; ++v) {
            const Json value = random_value(rng, 0);
            const std::string text = written(value, rng), fault = plain_fault(value, schema);
            INFO(text << ": " << (fault.empty() ? "no fault" : fault));
            REQUIRE(recognizer.valid(text) == fault.empty());
            fault.empty() ? ++yes : ++no;
        }
    }
    CHECK(yes > 3000);
    CHECK(no > 3000);
}
