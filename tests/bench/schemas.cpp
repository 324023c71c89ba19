// Schemas never met before, shaped like those that people have: what does the first mask cost, what
// each one after it, and near the end of a budget? How often does a step ask for memory?
#include "tests/bench/bench.hpp"
#include "tests/bench/schema_figures.hpp"
#include "tests/support/schema_maker.hpp"

namespace tbt::bench {

namespace {

using testing::OrderedSchema;
using testing::SchemaMaker;

struct Kind {
    const char* name;
    int schemas;
    OrderedSchema (*make)(SchemaMaker&, int);
};

// A package file, the configuration of services, a request's body, a list of tools.
const char* const by_hand[] = {
    R"({"type":"object","required":["name","version"],"properties":{"name":{"type":"string",
    "maxLength":214,"pattern":"^(@[a-z0-9-~][a-z0-9-._~]*/)?[a-z0-9-~][a-z0-9-._~]*$"},"version":
    {"type":"string"},"description":{"type":"string"},"keywords":{"type":"array","items":
    {"type":"string"}},"license":{"enum":["MIT","ISC","Apache-2.0","GPL-3.0"]},"private":
    {"type":"boolean"},"author":{"anyOf":[{"type":"string"},{"type":"object","properties":
    {"name":{"type":"string"},"email":{"type":"string","format":"email"},"url":{"type":"string"}},
    "required":["name"]}]},"scripts":{"type":"object","additionalProperties":{"type":"string"}},
    "dependencies":{"type":"object","additionalProperties":{"type":"string"}},"engines":
    {"type":"object","properties":{"node":{"type":"string"}},"additionalProperties":
    {"type":"string"}}}})",
    R"({"type":"object","properties":{"version":{"type":"string"},"services":{"type":"object",
    "patternProperties":{"^[a-zA-Z0-9._-]+$":{"type":"object","properties":{"image":
    {"type":"string"},"restart":{"enum":["no","always","on-failure"]},"ports":{"type":"array",
    "items":{"type":["string","integer"]}},"environment":{"anyOf":[{"type":"object",
    "additionalProperties":{"type":["string","number","null"]}},{"type":"array","items":
    {"type":"string"}}]},"depends_on":{"type":"array","items":{"type":"string"}}},"required":
    ["image"],"additionalProperties":false}},"additionalProperties":false}},"required":
    ["services"],"additionalProperties":false})",
    R"({"type":"object","required":["customer","items","total"],"properties":{"customer":
    {"$ref":"#/$defs/person"},"items":{"type":"array","minItems":1,"maxItems":50,"items":
    {"type":"object","required":["sku","quantity"],"properties":{"sku":{"type":"string",
    "pattern":"^[A-Z]{3}-[0-9]{4}$"},"quantity":{"type":"integer","minimum":1,"maximum":999},
    "options":{"type":"array","items":{"$ref":"#/$defs/option"}}},"additionalProperties":false}},
    "total":{"type":"number","minimum":0},"currency":{"enum":["EUR","USD","GBP","JPY"]},"due":
    {"type":"string","format":"date"}},"additionalProperties":false,"$defs":{"person":
    {"type":"object","properties":{"name":{"type":"string","minLength":1},"email":
    {"type":"string","format":"email"}},"required":["name","email"]},"option":{"type":"object",
    "properties":{"key":{"type":"string"},"options":{"type":"array","items":
    {"$ref":"#/$defs/option"}}},"required":["key"]}}})",
    R"({"anyOf":[{"type":"object","properties":{"name":{"const":"search"},"arguments":
    {"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer",
    "minimum":1,"maximum":100}},"required":["query"],"additionalProperties":false}},"required":
    ["name","arguments"],"additionalProperties":false},{"type":"object","properties":{"name":
    {"const":"read_file"},"arguments":{"type":"object","properties":{"path":{"type":"string",
    "minLength":1},"lines":{"type":"array","prefixItems":[{"type":"integer"},{"type":"integer"}],
    "items":false}},"required":["path"],"additionalProperties":false}},"required":["name",
    "arguments"],"additionalProperties":false},{"type":"object","properties":{"name":
    {"const":"run"},"arguments":{"type":"object","properties":{"command":{"type":"string"},
    "timeout":{"type":"number","exclusiveMinimum":0}},"required":["command"]}},"required":
    ["name","arguments"],"additionalProperties":false}]})"};

// Package files, configuration of services, bodies of requests, lists of tools.
const Kind kinds[] = {
    {"small objects", 80, [](SchemaMaker& m, int i) { return m.object(2 + i % 10); }},
    {"deep", 40, [](SchemaMaker& m, int i) { return m.object(3 + i % 4, 4); }},
    {"a hundred members", 40, [](SchemaMaker& m, int i) { return m.object(60 + i % 60); }},
    {"alternatives", 40,
     [](SchemaMaker& m, int i) {
         OrderedSchema any = OrderedSchema::array();
         for (int k = 0; k < 3 + i % 12; ++k) {
             any.push_back(m.object(1 + k % 5, 1));
             any.back()["properties"]["kind"] = {{"const", "tool_" + std::to_string(k)}};
             any.back()["required"].push_back("kind");
         }
         return OrderedSchema{{"anyOf", any}};
     }},
    {"long lists of words", 40,
     [](SchemaMaker& m, int i) {
         OrderedSchema s = m.object(3, 1);
         OrderedSchema list = OrderedSchema::array();
         for (int k = 0; k < 20 * (1 + i % 15); ++k)
             list.push_back("value_" + std::to_string(m.rng().below(100000)) + "_of");
         s["properties"]["choice"] = {{"enum", list}};
         s["required"].push_back("choice");
         return s;
     }},
    {"patterns, formats", 40,
     [](SchemaMaker& m, int i) {
         static const char* formats[] = {"date", "date-time", "uuid", "email", "uri", "ipv4"};
         OrderedSchema s = m.object(2, 1);
         for (int k = 0; k < 3 + i % 6; ++k) {
             const std::string key = "field_" + std::to_string(k);
             if (k % 2 == 0) s["properties"][key] = {{"format", formats[(i + k) % 6]}};
             else s["properties"][key] = {{"pattern", "^v?[0-9]+(\\.[0-9]+){1,3}(-[a-z0-9.]+)?$"}};
             s["properties"][key]["type"] = "string";
             s["required"].push_back(key);
         }
         return s;
     }},
    {"like published ones", 12,
     [](SchemaMaker& m, int i) {
         // A linter's or a compiler's settings: hundreds of members, most of them a reference to
         // one of a hundred definitions, many of which are alternatives of a word, a list of words
         // or an object.
         OrderedSchema schema = {{"type", "object"}, {"additionalProperties", false}};
         const int definitions = 40 + 20 * (i % 4);
         for (int d = 0; d < definitions; ++d) {
             OrderedSchema words = OrderedSchema::array(), object = m.object(5 + d % 20, 1);
             for (int w = 0; w < 3 + d % 30; ++w) words.push_back("word-" + std::to_string(d * w));
             object["properties"]["next"] = {
                 {"$ref", "#/definitions/d" + std::to_string(m.rng().below(index(definitions)))}};
             object["properties"]["include"] = {
                 {"type", "array"}, {"uniqueItems", true}, {"items", {{"enum", words}}}};
             if (d % 3 == 0) object["patternProperties"]["^x-"] = true;
             if (d % 2 == 0) object["additionalProperties"] = false;
             schema["definitions"][std::string("d").append(std::to_string(d))] = {
                 {"description", "how strictly this is looked at"},
                 {"anyOf",
                  {{{"enum", words}},
                   object,
                   {{"type", "array"}, {"items", {{"type", "string"}, {"minLength", 1}}}}}}};
         }
         for (int p = 0; p < 100 + 60 * (i % 3); ++p)
             schema["properties"]["setting-" + std::to_string(p * 7919 % 1000)] = {
                 {"$ref", "#/definitions/d" + std::to_string(p % definitions)}};
         return schema;
     }},
    {"counted alternatives", 4,
     [](SchemaMaker&, int i) {
         OrderedSchema any = OrderedSchema::array();
         for (int k = 0; k < 50 * (i + 1); ++k)
             any.push_back(
                 {{"type", "array"}, {"items", {{"type", "string"}, {"maxLength", 1000 + k}}}});
         return OrderedSchema{{"anyOf", any}};
     }},
    {"five thousand words", 2,
     [](SchemaMaker& m, int) {
         OrderedSchema list = OrderedSchema::array();
         for (int k = 0; k < 5000; ++k)
             list.push_back("value_" + std::to_string(m.rng().below(1000000000)) + "_of");
         return OrderedSchema{{"enum", list}};
     }},
    {"written by hand", 20,
     [](SchemaMaker&, int i) {
         return OrderedSchema::parse(by_hand[static_cast<std::size_t>(i) % std::size(by_hand)]);
     }},
};

void run(const Settings&) {
    const auto trie = schema_vocabulary();
    SchemaTable table("schemas");
    SchemaFigures all;
    Rng rng(7);
    for (const Kind& kind : kinds) {
        SchemaMaker maker(static_cast<std::uint64_t>(kind.schemas));
        SchemaFigures f;
        for (int i = 0; i < (quick() ? 4 : kind.schemas); ++i)
            measure_schema(f, kind.make(maker, i).dump(), trie, rng);
        table.row(kind.name, f);
        all.add(f);
    }
    table.row("all", all);
}

const Section section{"schemas", 61, "masks under schemas never met before, µs", run};

}  // namespace

}  // namespace tbt::bench
