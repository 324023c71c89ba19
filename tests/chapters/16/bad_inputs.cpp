// Schemas that are large, deep, circular or explode: an answer, or a refusal in a line that names a
// keyword and says what to do, within seconds.
#include "tests/catch.hpp"

#include <ctime>

#include "lib/json/json.hpp"
#include "tests/support/schemas.hpp"

using namespace tbt;
using namespace tbt::testing;

namespace {

// All of it is several times slower with sanitizers, or on an emulated processor.
#ifdef __SANITIZE_ADDRESS__
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
const std::clock_t second =
    (sanitized ? 5 : 1) * (std::getenv("TBT_EMULATED") != nullptr ? 10 : 1) * CLOCKS_PER_SEC;

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}
std::string nested(const std::string& open, const std::string& close) {
    return repeated(open, 10000) + "{}" + repeated(close, 10000);
}

// "": compiled. Anything but one short line fails.
std::string refusal(const std::string& schema) {
    const std::clock_t start = std::clock();
    std::string said;
    try {
        const auto writer = writer_of(schema, quiet());
        CHECK(read_bytes(*writer, writer->start(), "?") == Recognizer::dead);
    } catch (const std::exception& e) {
        said = e.what();
        CHECK(said.size() < 400);
        CHECK(said.find('\n') == std::string::npos);
    }
    CHECK(std::clock() - start < 60 * second);  // no hang, however busy the machine is
    return said;
}

}  // namespace

TEST_CASE("schemas of ten thousand levels are refused by their depth") {
    for (const auto& [open, close] :
         std::vector<std::pair<const char*, const char*>>{{R"({"properties":{"a":)", "}}"},
                                                          {R"({"items":)", "}"},
                                                          {R"({"allOf":[)", "]}"},
                                                          {R"({"anyOf":[)", "]}"},
                                                          {R"({"not":)", "}"}})
        CHECK_THAT(refusal(nested(open, close)), Catch::Contains("nested more than 1000 deep"));
}

TEST_CASE("a hundred thousand values, or letters of a key: refused by keyword") {
    const std::string key(100000, 'k');
    CHECK_THAT(refusal(R"({"enum":[)" + listed(100000, "7", "") + "]}"),
               Catch::Contains("'enum'") && Catch::Contains("use fewer, or minimum and maximum"));
    CHECK_THAT(refusal(R"({"enum":[)" + listed(10000, "7", "1234567") + "]}"),
               Catch::Contains("'enum'") && Catch::Contains("use fewer, or minimum and maximum"));
    CHECK(refusal(R"({"enum":[)" + listed(1000, "7", "") + "]}") == "");
    CHECK_THAT(refusal(R"({"const":")" + repeated(key, 10) + R"("})"),
               Catch::Contains("'const'") && Catch::Contains("use fewer or shorter ones"));
    CHECK_THAT(refusal(R"({"properties":{")" + key + R"(":{}},"required":[")" + key + R"("]})"),
               Catch::Contains("'properties'") && Catch::Contains("or fewer and shorter texts"));
}

TEST_CASE("a product of patterns and members is refused before it takes much memory") {
    // Each automaton is small enough; together they would take minutes and gigabytes.
    std::string many;
    for (int i = 0; i < 400; ++i)
        many += (i == 0 ? "" : ",") +
                (R"("p)" + std::to_string(i) + R"(":{"patternProperties":{"^[a-m].*)" +
                 std::to_string(i) + R"($":{},"(a|b)*a(a|b){9}":{},"^.{3}[c-x]{)" +
                 std::to_string(1 + i % 90) + R"(}":{}}})");
    const std::clock_t start = std::clock();
    CHECK_THAT(refusal(R"({"properties":{)" + many + "}}"),
               Catch::Contains("take") && Catch::Contains("more than"));
    CHECK(std::clock() - start < 20 * second);
    std::string members;
    for (int i = 0; i < 90; ++i)
        members += (i == 0 ? "" : ",") +
                   (R"("of )" + std::to_string(i) + R"(":{"properties":{)" +
                    listed(2000, R"("key of )" + std::to_string(i) + " ", R"(":{})") + "}}");
    CHECK_THAT(refusal(R"({"properties":{)" + members + "}}"),
               Catch::Contains("'properties'") && Catch::Contains("84 MB"));
}

TEST_CASE("a thousand schemas that must all hold are put together in a second") {
    const std::clock_t start = std::clock();
    CHECK(refusal(R"({"allOf":[)" + listed(3000, R"({"properties":{"p)", R"(":{"type":"null"}}})") +
                  "]}") == "");
    CHECK(std::clock() - start < 3 * second);
}

TEST_CASE("references in circles are refused where nothing is read between them") {
    for (const char* circle :
         {R"({"$ref":"#"})", R"({"allOf":[{"$ref":"#"}]})", R"({"not":{"$ref":"#"}})",
          R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}})"})
        CHECK_THAT(refusal(circle), Catch::Contains("'$ref'"));
    // Something is read, but there is no end: a language without texts.
    CHECK_THAT(refusal(R"({"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]})"),
               Catch::Contains("'required'"));
}

TEST_CASE("expressions and limits that explode are refused by keyword") {
    for (const char* pattern : {"[ab]*a[ab]{20}", "a{1000000}", "(a|b|ab)*c{0,99999}"})
        CHECK_THAT(refusal(std::string(R"({"pattern":")") + pattern + R"("})"),
                   Catch::Contains("'pattern'"));
    CHECK_THAT(refusal(R"({"minItems":10000000})"), Catch::Contains("'minItems'"));
    CHECK_THAT(refusal(R"({"multipleOf":999983})"), Catch::Contains("'multipleOf'"));
    CHECK_THAT(refusal(R"({"minimum":1e400})"), Catch::Contains("1e400"));
    CHECK_THAT(refusal(R"({"type":"string","pattern":"^(..|.{9})*$","minLength":1000000001})"),
               Catch::Contains("lengths above 20000"));
    CHECK_THAT(refusal(R"({"type":"string","minLength":1000000000})"),
               Catch::Contains("'minLength'"));
}

TEST_CASE("a validator reads names and strings in any spelling") {
    SchemaValidator closed(R"({"properties":{)" + listed(200, "\"a name \\u00e9 ", "\":{}") +
                           R"(},"additionalProperties":false})");
    CHECK(closed.valid(R"({"\u0061 n\u0061me \u00E9 7":"\ud83d\ude00\/"})"));
    CHECK_FALSE(closed.valid(R"({"\u0061 n\u0061me \u00E9 200":1})"));
}

TEST_CASE("a grammar gets no more nodes than its limit until it is finished") {
    Grammar grammar;
    grammar.limit_nodes(3);
    const int root = grammar.add_rule("root");
    for (int i = 0; i < 3; ++i) grammar.add_node();
    CHECK_THROWS_WITH(grammar.add_node(),
                      "the grammar takes more than 3 nodes; ask for fewer or smaller "
                      "repetitions, members or alternatives");
    CHECK(grammar.nodes() == 3);
    grammar.rule(root).start = 0;
    grammar.node(0).final = true;
    grammar.finish(root);
    CHECK(grammar.add_node() == 3);  // what a text asks for on its way
}
