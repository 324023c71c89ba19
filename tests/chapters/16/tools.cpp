#include "tests/catch.hpp"

#include "chapters/16_json_schema/tools.hpp"
#include "lib/core/error.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/schema/schema.hpp"
#include "lib/grammar/schema/validator.hpp"
#include "tests/support/guided.hpp"

using namespace tbt;
using namespace tbt::testing;

namespace {

const std::string city = R"({"type":"object","properties":{"city":{"type":"string"}},
    "required":["city"],"additionalProperties":false})";

// A call of get_weather with these arguments, in the order in which a schema of tools has them.
bool takes(const std::string& tools, const std::string& arguments,
           const std::string& name = "get_weather") {
    SchemaOptions options;
    options.strict = true;
    GrammarRecognizer recognizer(compile_schema(schema_of_tools(tools, "tools"), options, "tools"));
    return accepts_text(recognizer, R"({"name":")" + name + R"(","arguments":)" + arguments + "}");
}

std::string refusal_of(const std::string& tools) {
    try {
        schema_of_tools(tools, "tools.json");
    } catch (const UsageError& e) {
        return e.what();
    }
    return "nothing was refused";
}

}  // namespace

TEST_CASE("a tool's schema counts in each of the forms: OpenAI's, Anthropic's and MCP's") {
    for (const std::string& tools :
         {R"([{"name":"get_weather","parameters":)" + city + "}]",
          R"([{"type":"function","function":{"name":"get_weather","strict":true,"parameters":)" +
              city + "}}]",
          R"([{"type":"function","name":"get_weather","parameters":)" + city + "}]",
          R"([{"name":"get_weather","description":"d","input_schema":)" + city + "}]",
          R"([{"name":"get_weather","title":"t","annotations":{},"inputSchema":)" + city + "}]",
          R"({"tools":[{"name":"get_weather","inputSchema":)" + city + "}]}"}) {
        INFO(tools);
        CHECK(takes(tools, R"({"city":"Elm"})"));
        CHECK_FALSE(takes(tools, "{}"));
        CHECK_FALSE(takes(tools, R"({"city":7})"));
    }
    CHECK(takes(R"([{"name":"get_weather"}])", "{}"));
    CHECK_FALSE(takes(R"([{"name":"get_weather"}])", R"({"city":"Elm"})"));
}

TEST_CASE("the arguments of a tool are an object, whether its schema says so or not") {
    for (const char* schema :
         {"true", "{}", R"({"properties":{"city":{"type":"string"}}})",
          R"({"$ref":"#/$defs/a","$defs":{"a":{}}})",
          R"({"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/a",)"
          R"("definitions":{"a":{}}})"}) {
        const std::string tools =
            R"([{"name":"get_weather","parameters":)" + std::string(schema) + "}]";
        INFO(tools);
        CHECK(takes(tools, R"({"city":"Elm"})"));
        for (const char* other : {"\"Elm\"", "7", "[]", "null", "true"})
            CHECK_FALSE(takes(tools, other));
    }
}

TEST_CASE("references inside a tool's schema mean that tool's schema") {
    // Two tools whose $defs have the same name for different things.
    const std::string tools = R"([
        {"name":"get_weather","parameters":{"type":"object","required":["at"],
            "properties":{"at":{"$ref":"#/$defs/Place"}},"additionalProperties":false,
            "$defs":{"Place":{"type":"string"}}}},
        {"name":"move","input_schema":{"type":"object","required":["to"],
            "properties":{"to":{"$ref":"#/$defs/Place"}},"additionalProperties":false,
            "$defs":{"Place":{"type":"integer"}}}}])";
    CHECK(takes(tools, R"({"at":"Elm"})"));
    CHECK_FALSE(takes(tools, R"({"at":7})"));
    CHECK(takes(tools, R"({"to":7})", "move"));
    CHECK_FALSE(takes(tools, R"({"to":"Elm"})", "move"));

    // A schema that is a reference as a whole, and one that refers to itself.
    for (const std::string draft :
         {"", R"("$schema":"https://json-schema.org/draft/2020-12/schema",)",
          R"("$schema":"http://json-schema.org/draft-07/schema#",)",
          R"("$schema":"http://json-schema.org/draft-04/schema#",)"}) {
        INFO(draft);
        const std::string list = R"([{"name":"get_weather","inputSchema":{)" + draft + R"(
            "$ref":"#/definitions/Node","definitions":{"Node":{"type":"object",
            "properties":{"city":{"type":"string"},"next":{"$ref":"#/definitions/Node"}},
            "required":["city"],"additionalProperties":false}}}}])";
        CHECK(takes(list, R"({"city":"Elm","next":{"city":"Oak"}})"));
        CHECK_FALSE(takes(list, R"({"city":"Elm","next":{}})"));
    }
}

TEST_CASE("a tool's schema keeps its identifier: references inside mean what they mean alone") {
    const auto schema = [](const std::string& head, const std::string& reference,
                           const std::string& place) {
        return "{" + head + R"("type":"object","properties":{"at":{"$ref":")" + reference +
               R"("}},"required":["at"],"additionalProperties":false,"definitions":{"P":)" + place +
               "}}";
    };
    const std::string draft_4 = R"("$schema":"http://json-schema.org/draft-04/schema#",)";
    const std::vector<std::array<std::string, 3>> cases = {
        // head, reference, the members of the place that is meant
        {R"("$id":"https://example.org/tools/args",)", "#/definitions/P", ""},
        {R"("$id":"https://example.org/tools/args",)", "args#/definitions/P", ""},
        {R"("$id":"https://example.org/tools/args",)", "place", R"("$id":"place",)"},
        {R"("$id":"https://example.org/tools/args",)", "https://example.org/tools/place",
         R"("$id":"/tools/place",)"},
        {R"("$id":"https://example.org/tools/args",)", "#P", R"("$anchor":"P",)"},
        {R"("$id":"args.json",)", "args.json#/definitions/P", ""},
        {R"("$id":"args.json",)", "sub/p", R"("$id":"sub/p",)"},
        {R"("$id":"urn:example:args",)", "#/definitions/P", ""},
        {R"("$id":"urn:example:args",)", "urn:example:p", R"("$id":"urn:example:p",)"},
        {"", "https://example.org/place", R"("$id":"https://example.org/place",)"},
        {draft_4 + R"("id":"http://example.org/args",)", "place", R"("id":"place",)"},
        {R"("$schema":"http://json-schema.org/draft-07/schema#","$id":"http://example.org/a",)",
         "#P", R"("$id":"#P",)"}};
    for (const auto& [head, reference, members] : cases) {
        const std::string strings = schema(head, reference, "{" + members + R"("type":"string"})");
        const std::string numbers = schema(head, reference, "{" + members + R"("type":"integer"})");
        const std::string tools = R"([{"name":"get_weather","parameters":)" + strings +
                                  R"(},{"name":"move","inputSchema":)" + numbers + "}]";
        INFO(tools);
        SchemaValidator weather(strings), move(numbers);
        for (const char* arguments :
             {"{}", R"({"at":"Elm"})", R"({"at":7})", R"({"at":null})", R"({"at":{}})"}) {
            CHECK(takes(tools, arguments) == weather.valid(arguments));
            CHECK(takes(tools, arguments, "move") == move.valid(arguments));
        }
        CHECK(takes(tools, R"({"at":"Elm"})"));
        CHECK(takes(tools, R"({"at":7})", "move"));
    }
}

TEST_CASE("a long number in a tool matters only where its schema restricts values") {
    const auto tools = [](const std::string& members) {
        return R"([{"name":"get_weather","parameters":{"type":"object","properties":{"at":{)" +
               members + R"(}},"required":["at"],"additionalProperties":false},)" +
               R"("input_examples":[{"at":123456789012345678901}]}])";
    };
    const std::string note = R"("minimum":1,"default":[0.5,-123456789012345678901],"maximum":9)";
    SchemaValidator validator("{" + note + "}");
    for (int n = -2; n < 20; ++n)
        CHECK(takes(tools(note), R"({"at":)" + std::to_string(n) + "}") ==
              validator.valid(std::to_string(n)));
    const std::string largest = "12345678901234567890";
    CHECK(takes(tools(R"("const":)" + largest), R"({"at":)" + largest + "}"));
    CHECK_THROWS_WITH(takes(tools(R"("const":)" + largest + "1"), "{}"),
                      Catch::Contains(largest + "1' has more digits than a double holds"));
}

TEST_CASE("a form of tools that nobody knows is refused by the name of its member") {
    using Catch::Contains;
    CHECK_THAT(refusal_of(R"([{"name":"a","parameter_definitions":{"b":{"type":"str"}}}])"),
               Contains("tool 1: \"parameter_definitions\"") && Contains("\"input_schema\""));
    CHECK_THAT(refusal_of(R"([{"name":"a","arguments":{}}])"), Contains("\"arguments\""));
    CHECK_THAT(refusal_of(R"([{"functionDeclarations":[{"name":"a"}]}])"), Contains("\"name\""));
    CHECK_THAT(refusal_of(R"([{"name":"a"},{"name":"a"}])"),
               Contains("tool 2") && Contains("twice"));
    CHECK_THAT(refusal_of(R"([{"name":"a","parameters":{},"inputSchema":{}}])"),
               Contains("leave out one of the two"));
    CHECK_THAT(refusal_of(R"([{"type":"web_search_20250305","name":"a"}])"),
               Contains("web_search_20250305"));
    CHECK_THAT(refusal_of(R"([{"function":{"name":"a"},"parameters":{}}])"),
               Contains("put it inside"));
    CHECK_THAT(refusal_of(R"([{"name":"a","parameters":"none"}])"), Contains("a JSON Schema"));
    CHECK_THAT(refusal_of("{}"), Contains("at least one tool"));
    CHECK_THAT(refusal_of(R"({"tools":[]})"), Contains("at least one tool"));
}
