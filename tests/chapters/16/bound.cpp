// The bound in tokens of the end of a text, under schemas: never above the bytes, and one token
// along its own way it is one less, whatever an object or an array asks for.
#include "tests/catch.hpp"

#include "lib/grammar/tokens/token_bound.hpp"
#include "tests/support/bound.hpp"
#include "tests/support/schema_maker.hpp"
#include "tests/support/schemas.hpp"

using namespace tbt;
using namespace tbt::testing;

namespace {

std::shared_ptr<const TokenTrie> words() {
    static const auto trie = vocabulary_with(
        {"{\"",  "\":", "\": ", "\",\"", "\"}",    "\"]",   "}]",    "},{\"", "\",", "name",
         "port", "ho",  "st",   "user",  "_id",    "type",  "kind",  "state", "pa",  "_",
         "ima",  "ge",  "true", "fals",  "l,\"",   "00",    "\":\"", "\"\"",  "[]",  "{}",
         "}}",   ",\"", "a\"",  "  ",    "\n    ", ",\n  ", "\xc3",  "\xa9t", "x-",  "key_"});
    return trie;
}

std::shared_ptr<GrammarRecognizer> recognizer_of(const std::string& schema,
                                                 const SchemaOptions& options) {
    return writer_of(schema, quiet(options));
}

// In each layout, closed and open.
std::vector<SchemaOptions> all_options() {
    std::vector<SchemaOptions> all;
    for (const JsonLayout layout :
         {JsonLayout::any, JsonLayout::compact, JsonLayout::line, JsonLayout::pretty})
        for (const bool closed : {false, true}) {
            all.emplace_back();
            all.back().layout = layout;
            all.back().closed = closed;
        }
    return all;
}

}  // namespace

TEST_CASE("the bound in tokens keeps its promise under schemas drawn at random") {
    SchemaMaker maker(182);
    Rng rng(183);
    const std::vector<SchemaOptions> options = all_options();
    int looked_at = 0;
    for (int i = 0; i < 48; ++i) {
        const std::string schema = maker.object(1 + static_cast<int>(maker.rng().below(12))).dump();
        INFO(schema);
        const auto recognizer = recognizer_of(schema, options[index(i) % options.size()]);
        REQUIRE_NOTHROW(looked_at += keep_the_bound(recognizer, words(), rng, 3));
    }
    CHECK(looked_at > 1000);
}

TEST_CASE("under schemas drawn at random the bound is never below the fewest tokens") {
    SchemaMaker maker(186);
    Rng rng(187);
    const std::vector<SchemaOptions> options = all_options();
    int states = 0, above = 0;
    double most = 0;
    for (int i = 0; i < 60; ++i) {
        const std::string schema =
            maker.object(1 + static_cast<int>(maker.rng().below(4)), 1).dump();
        INFO(schema);
        const auto recognizer = recognizer_of(schema, options[index(i) % options.size()]);
        Compared c;
        REQUIRE_NOTHROW(c = compare_with_fewest(recognizer, words(), rng, 2, 2000));
        states += c.states, above += c.above;
        most = std::max(most, c.most);
    }
    CHECK(states > 200);
    CHECK(above > 50);
    CHECK(most <= 1.5);
}

TEST_CASE("… and under what objects and arrays may ask for") {
    const std::vector<std::string> schemas = {
        // Spellings of a letter, and one key that begins as another.
        R"({"properties":{"é":{},"ét\u0001e":{"type":"null"},"é\"":{},"name":{},"names":{}},)"
        R"("required":["ét\u0001e","names","é"]})",
        R"({"patternProperties":{"^x-":{"type":"integer"}},"properties":{"key_1":{"type":"null"}},)"
        R"("minProperties":2,"maxProperties":3,"additionalProperties":false})",
        R"({"properties":{"name":{"minLength":7},"kind":{"pattern":"^a{3}b+$"}},)"
        R"("required":["name","kind"],"additionalProperties":{"type":"boolean"}})",
        R"({"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}],"minItems":5,)"
        R"("contains":{"type":"integer"},"minContains":3,"maxContains":4,)"
        R"("items":{"type":["integer","string"]}})",
        R"({"type":"array","uniqueItems":true,"minItems":3,)"
        R"("items":{"enum":["name","port","user",5,[1,2],null,{"a":2}]}})",
        R"({"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":)"
        R"({"kind":{"const":"key_"},"user":{"type":"array","items":{"$ref":"#/$defs/n"}}},)"
        R"("required":["kind"]}}})",
        R"({"anyOf":[{"properties":{"kind":{"const":"a"},"port":{"type":"integer"}},)"
        R"("required":["kind","port"]},{"properties":{"kind":{"const":"b"}},"required":["kind"]}],)"
        R"("type":"object"})",
        R"({"type":"object","properties":{"name":{"type":"string"}},"minProperties":1,)"
        R"("dependentRequired":{"name":["port","host"]}})"};
    Rng rng(184);
    for (const std::string& schema : schemas) {
        for (const SchemaOptions& options : all_options()) {
            INFO(schema << ", layout " << static_cast<int>(options.layout) << ", closed "
                        << options.closed);
            std::shared_ptr<GrammarRecognizer> recognizer;
            try {
                recognizer = recognizer_of(schema, options);
            } catch (const UsageError&) {
                continue;
            }
            if (recognizer->start() == Recognizer::dead) continue;
            REQUIRE_NOTHROW(keep_the_bound(recognizer, words(), rng, 6));
        }
    }
}

TEST_CASE("thirty required members fit a budget in tokens that is far below their bytes") {
    std::string members, required;
    for (int i = 10; i < 40; ++i) {
        members += (i > 10 ? "," : "") + std::string("\"key_") + std::to_string(i) + "\":{}";
        required += (i > 10 ? "," : "") + std::string("\"key_") + std::to_string(i) + "\"";
    }
    const auto recognizer = recognizer_of(
        R"({"type":"object","properties":{)" + members + R"(},"required":[)" + required + "]}", {});
    TokenBound bound(*recognizer, *words());
    // { " key_ 1 0 ": {} ," … }: a rule ends after the brace, and no token has what follows
    CHECK(bound.of(recognizer->start()) == 1 + 1 + 30 * 5 + 29 + 1);
    CHECK(recognizer->closing_bytes(recognizer->start()) == 1 + 30 * 10 + 29 + 1);
}

TEST_CASE("a text of thousands of letters is counted in the longest words, and closed in time") {
    const auto recognizer = recognizer_of(R"({"type":"string","minLength":2011})", {});
    const auto trie = vocabulary_with({std::string(20, 'a'), std::string(10, 'b'), "c\""});
    TokenBound bound(*recognizer, *trie);
    // the quote, 100 × 20, 1 × 10 and one letter, the quote; a word may take letter and quote
    CHECK(bound.of(recognizer->start()) == 1 + 100 + 1 + 1 + 1);
    const auto shared = language(recognizer, trie);
    CHECK(shared->closing().enough(recognizer->start()) == 104);
    CHECK_THROWS_AS(GrammarMatcher(shared, 103), Error);
    Rng rng(186);
    for (const int budget : {104, 105, 120}) {
        GrammarMatcher constraint(shared, budget);
        while (!constraint.complete()) constraint.advance(random_token(constraint.mask(), rng));
        CHECK(constraint.length() <= budget);
    }
}
