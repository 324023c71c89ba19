// The stated minimum where many members must come: the order of members that takes the fewest
// tokens, against every order tried.
#include "tests/catch.hpp"

#include "tests/support/law.hpp"
#include "tests/support/schema_maker.hpp"

using namespace tbt;
using namespace tbt::testing;
using namespace tbt::testing::law;

namespace {

// An object of so many required members with short keys, and values of kinds whose ends begin
// different tokens.
std::string schema_of(int members, Rng& rng) {
    const char* const values[] = {
        R"({"const":""})",   R"({"const":1})",      R"({"const":"b"})",     R"({"const":[]})",
        R"({"const":null})", R"({"enum":["a",2]})", R"({"const":{"a":0}})", R"({"type":"string"})"};
    std::string properties, required;
    for (int i = 0; i < members; ++i) {
        const std::string key = "\"" + std::string(1, static_cast<char>('a' + i)) + "\"";
        properties += (i > 0 ? "," : "") + key + ":" + values[rng.below(std::size(values))];
        required += (i > 0 ? "," : "") + key;
    }
    return R"({"type":"object","properties":{)" + properties + R"(},"required":[)" + required +
           R"(],"additionalProperties":false})";
}

// Pieces of the texts of such an object, that end and begin anywhere.
std::shared_ptr<const TokenTrie> pieces(Rng& rng, int many) {
    const std::string text =
        R"({"a":"","b":1,"c":"b","d":[],"e":null,"f":2,"c":"","a":{"a":0},"b":"","d":"a","e":""})";
    std::vector<std::string> tokens;
    for (int i = 0; i < many; ++i) {
        const std::size_t length = 2 + rng.below(5);
        tokens.push_back(text.substr(rng.below(text.size() - length), length));
    }
    return vocabulary_with(tokens);
}

SchemaOptions compact() {
    SchemaOptions options;
    options.layout = JsonLayout::compact;
    return options;
}

std::shared_ptr<GuidedLanguage> language_of(const std::string& schema,
                                            const std::shared_ptr<const TokenTrie>& trie) {
    return language(std::make_shared<GrammarMachine>(compile_schema(schema, quiet(compact()))),
                    trie);
}

int stated(GuidedLanguage& language) {
    return language.closing().minimum(language.machine().start()).tokens;
}

}  // namespace

TEST_CASE("five to eight required members: the stated minimum is that of the best order",
          "[ch16]") {
    Rng rng(201);
    int compared = 0, shorter = 0;
    for (int i = 0; i < (full() ? 400 : 40); ++i) {
        const std::string schema = schema_of(5 + i % 4, rng);
        const auto trie = pieces(rng, 10 + static_cast<int>(rng.below(30)));
        const auto shared = language_of(schema, trie);
        const int true_one = by_enumeration(*shared, 60000);
        if (true_one < 0) continue;
        INFO(schema);
        ++compared;
        REQUIRE(stated(*shared) == true_one);
        SchemaOptions in_order = compact();
        in_order.in_order = true;
        GuidedLanguage ordered(
            std::make_shared<GrammarMachine>(compile_schema(schema, quiet(in_order))), trie);
        shorter += stated(ordered) > true_one;
    }
    CHECK(compared > 20);
    CHECK(shorter > 5);  // an order that pays
}

TEST_CASE("members that end alike are told apart by what follows: strings stand together",
          "[ch16]") {
    // `","` is a token, and so is `,"`: three strings in a row save two.
    const auto trie = vocabulary_with({"\",\"", ",\"", "\":", "{\""});
    const auto shared = language_of(
        R"({"properties":{"a":{"const":"x"},"b":{"const":1},"c":{"const":"x"},"d":{"const":1},
            "e":{"const":"x"},"f":{"const":1}},"required":["a","b","c","d","e","f"],
            "type":"object","additionalProperties":false})",
        trie);
    // {" and }; a ": 1 and a ": " x for each; ," or "," between. Three strings first: each `","`.
    CHECK(stated(*shared) == 2 + 3 * 3 + 3 * 4 + 5);
    CHECK_THROWS_WITH(TokenConstraint(shared, 27), Catch::Contains("needs 28; allow at least 28"));
}

TEST_CASE("thirty and sixty required members: the law of the budget at the minimum, in time",
          "[ch16]") {
    Rng rng(203);
    SchemaMaker maker(204);
    for (const int members : {30, 60}) {
        OrderedSchema schema = {{"type", "object"}, {"properties", OrderedSchema::object()}};
        OrderedSchema required = OrderedSchema::array();
        for (int i = 0; i < members; ++i) {
            const std::string key = "key_" + std::to_string(i);
            schema["properties"][key] = maker.scalar();
            required.push_back(key);
        }
        schema["required"] = required;
        const std::clock_t start = std::clock();
        obey_the_law(schema.dump(), words(), rng);
        CHECK(std::clock() - start < 20 * CLOCKS_PER_SEC);
    }
}

TEST_CASE("where it was not looked into which order is best, the minimum is called a bound",
          "[ch16]") {
    // Each member is of a kind of its own: a token ends it that begins the next but one.
    std::vector<std::string> tokens;
    std::string properties, required;
    for (int i = 0; i < 24; ++i) {
        const std::string key(1, static_cast<char>('a' + i)),
            next(1, static_cast<char>('a' + (i + 2) % 24));
        tokens.push_back(key + "\",\"" + next);
        properties += (i > 0 ? ",\"" : "\"") + key + R"(":{"const":")" + key + "\"}";
        required += (i > 0 ? ",\"" : "\"") + key + "\"";
    }
    const auto shared =
        language_of(R"({"type":"object","properties":{)" + properties + R"(},"required":[)" +
                        required + R"(],"additionalProperties":false})",
                    vocabulary_with(tokens));
    const Closing::Minimum least = shared->closing().minimum(shared->machine().start());
    CHECK_FALSE(least.exact);
    CHECK_THROWS_WITH(TokenConstraint(shared, least.tokens - 1),
                      Catch::Contains("needs at most " + std::to_string(least.tokens)));
    Rng rng(205);
    for (int i = 0; i < 5; ++i) REQUIRE_NOTHROW(random_text(shared, least.tokens + i, rng));
}
