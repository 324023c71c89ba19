// A schema that no value meets is refused before anything is written: keyword, place, reason.
#include "tests/catch.hpp"

#include <array>

#include "tests/support/budget.hpp"

using namespace tbt;
using namespace tbt::testing;
using namespace tbt::testing::budget;

TEST_CASE("a schema that nothing meets is refused with the keyword and its place", "[ch16]") {
    const std::vector<std::array<std::string, 2>> cases = {
        // in circles
        {R"({"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}},"required":)"
         R"(["next"]}},"type":"object","properties":{"a":{"$ref":"#/$defs/n"}},"required":["a"]})",
         "#/$defs/n: 'required' asks for \"next\", whose value requires another one inside"},
        {R"({"type":"array","items":{"$ref":"#"},"minItems":1})",
         "#: 'minItems' asks for an item, whose value requires another one inside"},
        {R"({"type":"object","anyOf":[{"required":["a"],"properties":{"a":{"$ref":"#"}}},)"
         R"({"required":["b"],"properties":{"b":{"$ref":"#"}}}]})",
         "#/anyOf/0: 'required' asks for \"a\""},
        {R"({"type":"array","contains":{"$ref":"#"}})", "#: 'contains' asks for an item"},
        // a value that cannot be
        {R"({"type":"object","required":["a"],"properties":{"a":{"type":"string","minLength":5,)"
         R"("maxLength":2}}})",
         "#/properties/a: 'maxLength', 'minLength', 'type': no value satisfies this"},
        {R"({"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"allOf":)"
         R"([{"properties":{"a":{"type":"string"}}}]})",
         "#/allOf/0/properties/a: 'type' beside 'type' of #/properties/a"},
        {R"({"type":"array","prefixItems":[{"type":"null"},{"enum":[]}],"minItems":2})",
         "#/prefixItems/1: 'enum'"},
        {R"({"type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":)"
         R"({"x":{"const":5,"type":"string"}}})",
         "#/$defs/x: 'const', 'type'"},
        {"false", "#: false"},
        // members and items that there is no room for
        {R"({"type":"object","properties":{"a":{}},"required":["b"],"additionalProperties":false})",
         "#: 'required' asks for \"b\", whose schema is false"},
        {R"({"type":"object","minProperties":3,"properties":{"a":{},"b":{}},)"
         R"("additionalProperties":false})",
         "#: 'minProperties' asks for more members than there can be"},
        {R"({"type":"array","items":{"enum":[1,2]},"uniqueItems":true,"minItems":3})",
         "#: 'minItems' asks for more items than there can be"},
    };
    for (const auto& [schema, message] : cases) {
        INFO(schema);
        CHECK_THROWS_WITH(compile_schema(schema), Catch::Contains("schema: " + message));
        // A validator has an answer: no.
        SchemaValidator validator(schema, quiet());
        for (const char* text : {"null", "{}", "[]", "[[1]]", R"({"a":5,"b":5})", "\"a\""})
            CHECK_FALSE(validator.valid(text));
    }
}

TEST_CASE("a circle that may end is none", "[ch16]") {
    for (const char* schema :
         {R"({"type":"object","properties":{"a":{"anyOf":[{"$ref":"#"},{"type":"null"}]}},)"
          R"("required":["a"]})",
          R"({"type":"object","properties":{"a":{"$ref":"#"}}})",
          R"({"type":"array","items":{"$ref":"#"}})"}) {
        INFO(schema);
        CHECK_NOTHROW(compile_schema(schema));
    }
}
