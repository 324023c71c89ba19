// The promise of the budget: from the stated number on, every text is complete, valid and within
// it; below, it is refused before the first token, with that number.
// TBT_FULL=1: 500 schemas and every budget up to 40 more, in place of a few.
#include "tests/catch.hpp"

#include "tests/support/budget.hpp"
#include "tests/support/schema_maker.hpp"

using namespace tbt;
using namespace tbt::testing;
using namespace tbt::testing::budget;

TEST_CASE("the promise of the budget holds for schemas drawn at random") {
    SchemaMaker maker(161);
    Rng rng(162);
    const int schemas = full() ? 500 : 24;
    for (int i = 0; i < schemas; ++i) {
        const int members = i % 20 == 0 ? 60 : 1 + static_cast<int>(maker.rng().below(12));
        hold_to_budget(maker.object(members).dump(), words(), rng);
    }
}

TEST_CASE("the stated number is near the fewest tokens, as far as enumeration can say") {
    SchemaMaker maker(163);
    Rng rng(164);
    int compared = 0;
    for (int i = 0; i < (full() ? 400 : 60); ++i) {
        const OrderedSchema schema =
            i % 2 == 0 ? maker.value(1)
                       : maker.object(1 + static_cast<int>(maker.rng().below(3)), 1);
        INFO(schema.dump());
        const auto shared = language_of(schema.dump(), words(), quiet());
        const int true_one = by_enumeration(*shared, 3000);
        if (true_one < 0) continue;
        ++compared;
        CHECK(near_the_fewest(stated(*shared), true_one));
    }
    CHECK(compared > 30);
}

TEST_CASE("items that are all different: the promise of the budget, and near the fewest tokens") {
    const std::vector<std::string> schemas = {
        R"({"items":{"enum":["image","user","port",5,null]},"type":"array","uniqueItems":true})",
        R"({"items":{"enum":["image","user","name",5,null]},"type":"array","uniqueItems":true,
            "minItems":3})",
        R"({"items":{"enum":["a",1,1.0,{"a":[2]},[1],[1]]},"type":"array","uniqueItems":true,
            "minItems":4})",
        R"({"items":{"type":"boolean"},"type":"array","uniqueItems":true,"minItems":2})",
        R"({"items":{"enum":["name","port","host","user","_id","type","kind","state","path",
            "image","label","count","size","url","tag"]},"type":"array","uniqueItems":true,
            "minItems":9,"maxItems":14})",
        R"({"type":"object","properties":{"tags":{"type":"array","uniqueItems":true,"minItems":1,
            "items":{"anyOf":[{"$ref":"#/$defs/t"},{"const":0}]}}},"required":["tags"],
            "$defs":{"t":{"enum":["tag","type"]}}})",
        R"({"type":"array","uniqueItems":true,"items":{"type":"string"},"minItems":3})",
        R"({"uniqueItems":true,"items":{"type":["integer","object"]},"minItems":2,"maxItems":5})",
    };
    Rng rng(165);
    for (const std::string& schema : schemas) {
        for (const JsonLayout layout : {JsonLayout::any, JsonLayout::line, JsonLayout::pretty}) {
            SchemaOptions options;
            options.layout = layout;
            hold_to_budget(schema, words(), rng, options);
        }
        const auto shared = language_of(schema, words(), quiet());
        const int true_one = by_enumeration(*shared, 3000);
        INFO(schema);
        if (true_one >= 0) CHECK(near_the_fewest(stated(*shared), true_one));
    }
}
