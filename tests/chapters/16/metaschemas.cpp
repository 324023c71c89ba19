// References to the schemas of JSON Schema's drafts, which stand in no document of ours. What is
// validated by them is in tests/data/json-schema/metaschemas.json.
#include "tests/catch.hpp"

#include "lib/grammar/schema/metaschemas.hpp"
#include "tests/support/budget.hpp"

using namespace tbt;
using namespace tbt::testing;
using namespace tbt::testing::budget;

namespace {

const std::vector<std::string> drafts = {
    "http://json-schema.org/draft-04/schema", "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-07/schema", "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema"};

std::string reference_to(const std::string& uri) { return R"({"$ref":")" + uri + R"("})"; }

}  // namespace

TEST_CASE("the schema of each draft meets itself, and so do its vocabularies", "[ch16]") {
    for (const std::string& draft : drafts) {
        SchemaValidator validator(reference_to(draft), quiet());
        REQUIRE(!metaschemas_beside(draft).empty());
        for (const std::string_view text : metaschemas_beside(draft)) {
            INFO(draft << ": " << text.substr(0, 200));
            CHECK(validator.valid(text));
            CHECK_NOTHROW(compile_schema(std::string(text), quiet()));
        }
    }
    CHECK(metaschemas_beside("http://json-schema.org/draft-03/schema").empty());
}

TEST_CASE("a member that is a schema of some draft is written within its budget",
          "[ch16][budget]") {
    Rng rng(171);
    for (const std::string& draft : drafts) {
        hold_to_budget(reference_to(draft), words(), rng);
        hold_to_budget(R"({"type":"object","properties":{"of":)" + reference_to(draft + "#") +
                           R"(,"name":{"type":"string"}},"required":["of"]})",
                       words(), rng);
    }
}

TEST_CASE("members of a draft's schema come in its order", "[ch16]") {
    SchemaOptions options;
    options.max_whitespace = 0;
    GrammarRecognizer recognizer(
        compile_schema(reference_to("http://json-schema.org/draft-07/schema#"), quiet(options)));
    CHECK(accepts_text(recognizer, R"({"title":"x","readOnly":true,"minLength":2,"not":{}})"));
    CHECK_FALSE(accepts_text(recognizer, R"({"readOnly":true,"title":"x"})"));
}

TEST_CASE("other schemas of json-schema.org are outside of a document", "[ch16]") {
    for (const char* other :
         {"http://json-schema.org/draft-07/hyper-schema#", "http://json-schema.org/geo",
          "http://json-schema.org/draft-03/schema#"})
        CHECK_THROWS_WITH(compile_schema(reference_to(other)),
                          Catch::Contains(other) && Catch::Contains("outside this document"));
}

TEST_CASE("a place in a draft's schema is told with the schema's address", "[ch16]") {
    CHECK_THROWS_WITH(
        compile_schema(reference_to("http://json-schema.org/draft-07/schema#/definitions/none")),
        Catch::Contains("there is no \"none\" in http://json-schema.org/draft-07/schema#/"
                        "definitions"));
}
