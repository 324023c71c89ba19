// Names of hosts, while writing; how they are validated: tests/data/json-schema/host_names.json.
#include "tests/catch.hpp"

#include "tests/support/budget.hpp"

using namespace tbt;
using namespace tbt::testing;
using namespace tbt::testing::budget;

TEST_CASE("names of hosts are written without codes, and are valid", "[ch16]") {
    Rng rng(221);
    const std::string schema = R"({"type":"string","format":"hostname"})";
    hold_to_budget(schema, words(), rng);
    GrammarRecognizer recognizer(compile_schema(schema));
    CHECK(accepts_text(recognizer, "\"www.elm-tree.com\""));
    for (const char* odd : {"\"xn--bcher-kva.com\"", "\"www.xn--bcher-kva\"",
                            "\"b\xc3\xbc"
                            "cher.com\"",
                            "\"a.b.c.d\"", "\"ab--c\""})
        CHECK_FALSE(accepts_text(recognizer, odd));
}

TEST_CASE("names in letters of other scripts are a format that is not enforced", "[ch16]") {
    for (const char* format : {"idn-hostname", "idn-email"}) {
        const std::string schema = R"({"format":")" + std::string(format) + R"("})";
        SchemaOptions options;
        std::string said;
        options.warn = [&](const std::string& line) { said += line; };
        SchemaValidator validator(schema, options);
        CHECK(
            validator.valid("\"b\xc3\xbc"
                            "cher.de\""));
        CHECK_THAT(said, Catch::Contains(format) && Catch::Contains("not a format"));
        options.strict = true;
        CHECK_THROWS_AS(compile_schema(schema, options), UnsupportedSchema);
    }
}
