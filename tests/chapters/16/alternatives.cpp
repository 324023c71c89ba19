// Alternatives of alternatives: a reference or one of many kinds of objects, conditions beside each
// other and denied. They are not multiplied where they exclude each other or say the same.
#include "tests/catch.hpp"

#include "tests/support/budget.hpp"
#include "tests/support/schema_cases.hpp"

using namespace tbt;
using namespace tbt::testing;
using namespace tbt::testing::budget;

namespace {

// As published schemas have it: {"$ref": …}, or an object of one of the kinds. One of them is open.
std::string reference_or_kind(int kinds) {
    std::string all;
    for (int k = 0; k < kinds; ++k) {
        const std::string n = std::to_string(k);
        all += (k == 0 ? "" : ",") + std::string(R"({"type":"object","required":["kind"],)") +
               R"("properties":{"kind":{"enum":["k)" + n + "\"]}";
        for (const char* name : {"a", "b", "c", "d"})
            all += ",\"" + (name + n) + R"(":{"type":"string"})";
        all += R"(},"patternProperties":{"^x-":{"type":"null"}})";
        all += k == 0 ? "}" : R"(,"additionalProperties":false})";
    }
    return R"({"oneOf":[{"type":"object","required":["$ref"],"properties":{"$ref":)"
           R"({"type":"string"}}},{"oneOf":[)" +
           all + "]}]}";
}

// Where ai is there, bi must be.
std::string conditions(int count) {
    std::string all, members;
    for (int i = 0; i < count; ++i) {
        const std::string n = std::to_string(i);
        all += (i == 0 ? "" : ",") + (R"({"if":{"required":["a)" + n) +
               R"("]},"then":{"required":["b)" + n + "\"]}}";
        members += (i == 0 ? "\"a" : ",\"a") + n + "\":{},\"b" + n + "\":{\"type\":\"string\"}";
    }
    return R"({"type":"object","properties":{)" + members + R"(},"allOf":[)" + all + "]}";
}

}  // namespace

TEST_CASE("a reference or one of many kinds is validated: only what can meet is told apart") {
    check({{reference_or_kind(16),
            {R"({"$ref":"x"})", R"({"kind":"k7","a7":"x"})", R"({"kind":"k0"})",
             R"({"kind":"k0","x-a":null,"more":5})", R"({"$ref":"x","kind":"k0","a0":5})",
             R"({"$ref":"x","kind":"k7"})"},
            {"{}", R"({"$ref":5})", R"({"kind":"k7","a8":"x"})", R"({"kind":"k17"})",
             R"({"$ref":"x","kind":"k0"})", R"({"$ref":5,"kind":"k7"})",
             R"({"kind":"k0","x-a":5})"}}});
}

TEST_CASE("… and written within its budget") {
    Rng rng(181);
    hold_to_budget(reference_or_kind(16), words(), rng);
}

TEST_CASE("what stands beside oneOf tells its alternatives apart") {
    std::string all;  // "in" decides, but only the schema around requires it
    for (int k = 0; k < 5; ++k) {
        all += (k == 0 ? "" : ",") + (R"({"properties":{"in":{"enum":["k)" + std::to_string(k)) +
               "\"]}";
        for (int m = 0; m < 9; ++m) all += ",\"m" + std::to_string(m) + R"(":{"type":"string"})";
        all += R"(},"additionalProperties":false})";
    }
    const std::string schema = R"({"type":"object","required":["in"],"oneOf":[)" + all + "]}";
    const std::vector<std::string> good = {R"({"in":"k3","m5":"x"})", R"({"in":"k0"})"};
    check({{schema, good, {"{}", R"({"m5":"x"})", R"({"in":"k5"})", R"({"in":"k3","m5":5})"}}});
    for (const std::string& text : good) CHECK(writes(schema, text, quiet()));
}

TEST_CASE("conditions beside each other are denied without a product of all their parts") {
    check({{R"({"not":)" + conditions(9) + R"(,"type":"object"})",
            {R"({"a3":1})", R"({"a3":1,"b3":"","a8":1})", R"({"b5":7})"},
            {"{}", R"({"a3":1,"b3":""})", R"({"b5":""})"}}});
}

TEST_CASE("one of two, of which one holds a list of the same kind, is denied at every depth") {
    const char* const schema =
        R"({"$ref":"#/$defs/list","$defs":{"list":{"items":{"oneOf":[{"required":["name"]},
            {"properties":{"any":{"$ref":"#/$defs/list"}},"required":["any"]}]}}}})";
    CHECK(writes(schema, R"([{"any":[{"name":2}]}])", quiet()));
    CHECK_FALSE(writes(schema, R"([{"any":[{}]}])", quiet()));
}

TEST_CASE(
    "a way that needs a key without a name is not written where there is another: told once") {
    const std::string schema = reference_or_kind(2);
    std::vector<std::string> told;
    SchemaOptions options = telling(told);
    GrammarRecognizer writer(compile_schema(schema, options));
    REQUIRE(told.size() == 1);
    CHECK_THAT(told[0], Catch::Contains("'not' applies to keys that the schema does not name") &&
                            Catch::Contains("values that need it are not generated"));
    CHECK(accepts_text(writer, R"({"$ref":"x"})"));
    CHECK(accepts_text(writer, R"({"kind":"k1"})"));
    options.strict = true;
    CHECK_THROWS_WITH(compile_schema(schema, options),
                      Catch::Contains("'not' applies to keys that the schema does not name"));
}

TEST_CASE("one of several may hold a value of its own kind inside, as in Vega's fields") {
    std::string parts = R"({"type":"string"})";
    for (const char* key : {"signal", "datum", "group", "parent", "event"})
        parts += std::string(R"(,{"type":"object","properties":{")") + key +
                 R"(":{"$ref":"#"},"level":{"type":"number"}},"required":[")" + key +
                 R"("],"additionalProperties":false})";
    const std::string schema = R"({"oneOf":[)" + parts + "]}";
    CHECK(writes(schema, R"({"group":{"parent":{"datum":"x"},"level":2}})"));
    CHECK_FALSE(writes(schema, R"({"group":{"parent":5}})"));
}

TEST_CASE("too many combinations are refused where they are") {
    std::string parts;
    for (int i = 0; i < 12; ++i)
        parts += (i == 0 ? R"({"anyOf":[{"required":["a)" : R"(,{"anyOf":[{"required":["a)") +
                 std::to_string(i) + R"("]},{"required":["b)" + std::to_string(i) + "\"]}]}";
    CHECK_THROWS_WITH(compile_schema(R"({"properties":{"x":{"allOf":[)" + parts + "]}}}"),
                      Catch::Contains("#/properties/x: 'allOf'") &&
                          Catch::Contains("more than 2000 combinations"));
    std::string needs;
    for (int i = 0; i < 12; ++i)
        needs +=
            (i == 0 ? "\"" : ",\"") + std::to_string(i) + R"(":["n)" + std::to_string(i) + "\"]";
    CHECK_THROWS_WITH(compile_schema(R"({"items":{"dependentRequired":{)" + needs + "}}}"),
                      Catch::Contains("#/items: 'dependentRequired' makes more than 2000"));
    CHECK_THROWS_WITH(
        compile_schema(R"({"items":{"enum":[)" + listed(2001, "{\"a\":", "}") + "]}}"),
        Catch::Contains("#/items: 'enum' makes more than 2000"));
}

TEST_CASE("one of several open objects: what is written is what meets exactly one of them") {
    // Objects of a, b, c and a key that nobody names, each missing or one of two values.
    std::vector<std::vector<std::string>> objects;
    for (int n = 0; n < 81; ++n) {
        objects.emplace_back();
        for (int i = 0, rest = n; i < 4; ++i, rest /= 3)
            if (rest % 3 > 0)
                objects.back().push_back("\"" + std::string(1, "abcz"[i]) +
                                         (rest % 3 == 1 ? "\":5" : "\":\"x\""));
    }
    const std::string a = R"({"type":"object","properties":{"a":{"type":"string"}})",
                      b = R"({"type":"object","properties":{"b":{"type":"integer"}})",
                      c = R"({"type":"object","properties":{"c":{"type":"string"},"a":true})",
                      open = R"(,"additionalProperties":true})",
                      pattern = R"(,"patternProperties":{"^z":true},"additionalProperties":true})";
    int valid = 0;
    for (const std::string& parts :
         {a + open + "," + b + open, a + open + "," + b + open + "," + c + open,
          a + pattern + "," + b + open, a + "}," + b + pattern + "," + c + "}",
          a + open + "," + b + R"(,"required":["b"],"additionalProperties":true})",
          a + R"(,"maxProperties":2,"additionalProperties":true},)" + b + open,
          a + R"(,"propertyNames":true,"additionalProperties":true},)" + b + open + "," + a + open,
          std::string(R"({"type":"object","additionalProperties":true},)") + a + open}) {
        const std::string schema = R"({"oneOf":[)" + parts + "]}";
        SchemaValidator validator(schema);
        GrammarRecognizer writer(compile_schema(schema, strict()));
        for (std::vector<std::string> members : objects) {
            bool is_written = false, is_valid = false;
            do {  // in each order, since a schema has one of its own
                std::string text = "{";
                for (const std::string& m : members) text += (text.size() > 1 ? "," : "") + m;
                is_valid = validator.valid(text += "}");
                INFO(schema << " " << text);
                const bool accepted = accepts_text(writer, text);
                if (accepted) CHECK(is_valid);
                is_written = is_written || accepted;
            } while (std::next_permutation(members.begin(), members.end()));
            CHECK(is_written == is_valid);
            valid += is_valid;
        }
    }
    CHECK(valid > 100);
    CHECK_THROWS_WITH(compile_schema(R"({"oneOf":[{"type":"object","additionalProperties":true},)"
                                     R"({"type":"object","additionalProperties":true}]})"),
                      Catch::Contains("no value satisfies this"));
}
