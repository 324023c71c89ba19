// Dynamic references: what cannot be told before a value is read is refused, in words that help.
// What they mean is in tests/data/json-schema: dynamic.json, draft2019-recursive.json.
#include "tests/catch.hpp"

#include "tests/support/budget.hpp"

using namespace tbt;
using namespace tbt::testing;
using namespace tbt::testing::budget;

namespace {

// A list of what two others say, each on its own way.
std::string two_ways(const std::string& anchor, const std::string& reference) {
    const auto with = [&](const char* name, const char* type) {
        return "\"" + std::string(name) + R"(":{"$id":")" + name +
               R"(","$ref":"list","$defs":{"x":{)" + anchor + R"(,"type":")" + type + R"("}}})";
    };
    return R"({"$id":"http://example.org/","properties":{"a":{"$ref":"strings"},"b":{"$ref":)"
           R"("numbers"}},"$defs":{)" +
           with("strings", "string") + "," + with("numbers", "number") +
           R"(,"list":{"$id":"list","items":{)" + reference + R"(},"$defs":{"x":{)" + anchor +
           "}}}}}";
}

}  // namespace

TEST_CASE("a dynamic reference on which two ways disagree is refused: keyword, place, what to do",
          "[ch16]") {
    CHECK_THROWS_WITH(
        compile_schema(two_ways(R"("$dynamicAnchor":"item")", R"("$dynamicRef":"#item")")),
        Catch::Contains("#/$defs/list/items: '$dynamicRef' resolves to different schemas") &&
            Catch::Contains("#/$defs/strings/$defs/x") &&
            Catch::Contains("#/$defs/numbers/$defs/x") &&
            Catch::Contains("give the root that '$dynamicAnchor' \"item\", or use $ref"));
    // The root has the anchor: both ways lead there.
    std::string schema = two_ways(R"("$dynamicAnchor":"item")", R"("$dynamicRef":"#item")");
    schema.insert(1, R"("$dynamicAnchor":"item",)");
    CHECK_NOTHROW(compile_schema(schema));
    // Nobody asks for the list on one of the ways.
    schema = two_ways(R"("$dynamicAnchor":"item")", R"("$dynamicRef":"#item")");
    const std::string one = R"(,"b":{"$ref":"numbers"})";
    REQUIRE(schema.find(one) != std::string::npos);
    schema.erase(schema.find(one), one.size());
    CHECK_NOTHROW(compile_schema(schema));
}

TEST_CASE("… and so is a recursive one", "[ch16]") {
    SchemaOptions options;
    options.draft = 2019;
    const char* schema =
        R"({"$id":"http://example.org/","properties":{"a":{"$ref":"one"},"b":{"$ref":"two"}},)"
        R"("$defs":{"one":{"$id":"one","$recursiveAnchor":true,"$ref":"list","maxItems":1},)"
        R"("two":{"$id":"two","$recursiveAnchor":true,"$ref":"list","maxItems":2},)"
        R"("list":{"$id":"list","$recursiveAnchor":true,"items":{"$recursiveRef":"#"}}}})";
    CHECK_THROWS_WITH(compile_schema(schema, options),
                      Catch::Contains("'$recursiveRef' resolves to different schemas") &&
                          Catch::Contains("#/$defs/list/items") &&
                          Catch::Contains("give the root that '$recursiveAnchor', or use $ref"));
}

TEST_CASE("a schema that is extended by its root is written as it is validated", "[ch16]") {
    Rng rng(211);
    hold_to_budget(
        R"({"$id":"http://example.org/strict","$dynamicAnchor":"node","$ref":"tree",)"
        R"("required":["name"],"$defs":{"tree":{"$id":"tree","$dynamicAnchor":"node",)"
        R"("type":"object","properties":{"name":{"enum":["user","host"]},"path":{"type":"array",)"
        R"("items":{"$dynamicRef":"#node"}}},"unevaluatedProperties":false}}})",
        words(), rng);
}
