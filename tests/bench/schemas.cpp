// Schemas never met before, shaped like those that people have: what does the first mask cost, what
// each one after it, and near the end of a budget? How often does a step ask for memory?
// Times are those of the thread, which others on the machine disturb little.
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/schema/schema.hpp"
#include "lib/grammar/tokens/grammar_matcher.hpp"
#include "tests/bench/bench.hpp"
#include "tests/bench/vocabulary.hpp"
#include "tests/support/counted_new.hpp"
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
             schema["definitions"]["d" + std::to_string(d)] = {
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

// Of one sort of schemas; of steps: the time of the mask, and how often it asked for memory.
struct Steps {
    std::vector<double> times;
    std::size_t allocations = 0;
};
struct Figures {
    std::vector<double> compile, first;
    Steps masks, tight, again;
    std::size_t memory = 0, texts = 0;
};

double cpu_now() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double microseconds(std::vector<double> times, double share) {
    if (times.empty()) return 0;
    std::sort(times.begin(), times.end());
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))] * 1e6;
}
double mean(const std::vector<double>& times) {
    double sum = 0;
    for (const double t : times) sum += t;
    return times.empty() ? 0 : sum / static_cast<double>(times.size()) * 1e6;
}

// A text by a model that knows nothing but ends its strings: quotes and commas are likelier.
void write(const std::shared_ptr<CompiledGrammar>& language, int budget, Rng rng,
           const std::vector<bool>& is_structure, Steps& steps) {
    GrammarMatcher constraint(language, budget);
    std::vector<int> legal, structure;
    while (!constraint.ended() && constraint.remaining() > 0) {
        const std::size_t before = allocations;
        const double start = cpu_now();
        const TokenMask& mask = constraint.mask();
        steps.times.push_back(cpu_now() - start);
        steps.allocations += allocations - before;
        legal.clear(), structure.clear();
        mask.each([&](int id) {
            legal.push_back(id);
            if (is_structure[static_cast<std::size_t>(id)]) structure.push_back(id);
        });
        if (legal.empty()) break;
        const std::vector<int>& from = !structure.empty() && rng.below(3) == 0 ? structure : legal;
        constraint.advance(from[rng.below(from.size())]);
    }
    if (!constraint.complete()) throw Error("bench: a text was not complete within its budget");
}

void measure(Figures& f, const std::string& schema, const std::shared_ptr<const TokenTrie>& trie,
             Rng& rng) {
    std::vector<bool> is_structure;
    for (int id = 0; id < trie->vocabulary(); ++id)
        is_structure.push_back(trie->bytes(id).find_first_of("\",}]:") != std::string::npos);
    SchemaOptions options;
    options.warn = [](const std::string&) {};
    options.closed = true;
    const double start = cpu_now();
    const auto language = std::make_shared<CompiledGrammar>(
        std::make_shared<GrammarRecognizer>(compile_schema(schema, options)), trie);
    f.compile.push_back(cpu_now() - start);
    const double before = cpu_now();
    GrammarMatcher(language, 1000).mask();
    f.first.push_back(cpu_now() - before);
    const Rng draws = rng;
    for (Steps* steps : {&f.masks, &f.again}) write(language, 1000, draws, is_structure, *steps);
    rng.below(2);
    const int least = language->closing().enough(language->recognizer().start());
    write(language, least + 10, rng, is_structure, f.tight);
    write(language, least, rng, is_structure, f.tight);
    f.memory = std::max(f.memory, language->memory());
    ++f.texts;
}

void add(Steps& to, const Steps& from) {
    to.times.insert(to.times.end(), from.times.begin(), from.times.end());
    to.allocations += from.allocations;
}
double allocations_of(const Steps& s) {
    return s.times.empty()
               ? 0
               : static_cast<double>(s.allocations) / static_cast<double>(s.times.size());
}

void run(const Settings&) {
    std::string name;
    std::vector<std::string> tokens = vocabulary(name);
    const int eos = static_cast<int>(tokens.size()) - 1;
    const auto trie = std::make_shared<const TokenTrie>(std::move(tokens), eos);
    std::printf(
        "%s; times of the thread in µs: to compile, of the first mask, of each on the way of a "
        "text of at most 1000 tokens, and of each of texts with a budget of the fewest tokens and "
        "of ten more; new: calls of operator new a step, for the first time and of the same text "
        "once more\n",
        name.c_str());
    Table table("schemas",
                {"schemas", "number", "compile", "first", "worst", "mean", "median", "p99",
                 "worst ", "new", "again", "near the end", "p99 ", "worst  ", "MB"});
    Figures all;
    Rng rng(7);
    const auto row = [&](const std::string& what, const Figures& g) {
        table.row({what, Cell(static_cast<double>(g.texts), 0), Cell(mean(g.compile), 0),
                   Cell(mean(g.first), 0), Cell(microseconds(g.first, 1), 0),
                   Cell(mean(g.masks.times), 1), Cell(microseconds(g.masks.times, .5), 1),
                   Cell(microseconds(g.masks.times, .99), 0),
                   Cell(microseconds(g.masks.times, 1), 0), Cell(allocations_of(g.masks), 1),
                   Cell(allocations_of(g.again), 2), Cell(mean(g.tight.times), 0),
                   Cell(microseconds(g.tight.times, .99), 0),
                   Cell(microseconds(g.tight.times, 1), 0),
                   Cell(static_cast<double>(g.memory) / 1e6, 1)});
    };
    for (const Kind& kind : kinds) {
        SchemaMaker maker(static_cast<std::uint64_t>(kind.schemas));
        Figures f;
        for (int i = 0; i < (quick() ? 4 : kind.schemas); ++i)
            measure(f, kind.make(maker, i).dump(), trie, rng);
        row(kind.name, f);
        for (auto times : {&Figures::compile, &Figures::first})
            (all.*times).insert((all.*times).end(), (f.*times).begin(), (f.*times).end());
        for (auto steps : {&Figures::masks, &Figures::tight, &Figures::again})
            add(all.*steps, f.*steps);
        all.memory = std::max(all.memory, f.memory);
        all.texts += f.texts;
    }
    row("all", all);
}

const Section section{"schemas", 61, "masks under schemas never met before, µs", run};

}  // namespace

}  // namespace tbt::bench
