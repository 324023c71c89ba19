// Schemas never met before, shaped like those that people have: what does the first mask cost, what
// each one after it, and near the end of a budget?
#include <algorithm>
#include <memory>

#include "chapters/13_json_grammar/token_constraint.hpp"
#include "chapters/14_grammar/grammar_machine.hpp"
#include "chapters/16_json_schema/schema.hpp"
#include "tests/bench/bench.hpp"
#include "tests/bench/vocabulary.hpp"
#include "tests/schema_maker.hpp"

namespace tbt::bench {

namespace {

using testing::OrderedSchema;
using testing::SchemaMaker;

struct Kind {
    const char* name;
    int schemas;
    OrderedSchema (*make)(SchemaMaker&, int);
};

// Package files, configuration of services, bodies of requests, lists of tools.
const Kind kinds[] = {
    {"small objects", 100, [](SchemaMaker& m, int i) { return m.object(2 + i % 10); }},
    {"deep", 60, [](SchemaMaker& m, int i) { return m.object(3 + i % 4, 4); }},
    {"a hundred members", 60, [](SchemaMaker& m, int i) { return m.object(60 + i % 60); }},
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
};

struct Figures {
    std::vector<double> compile, first, masks, tight;
    std::size_t memory = 0, texts = 0, incomplete = 0;
};

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
void write(const std::shared_ptr<GuidedLanguage>& language, int budget, Rng& rng,
           std::vector<double>& times) {
    TokenConstraint constraint(language, budget);
    while (!constraint.ended() && constraint.remaining() > 0) {
        const double start = now();
        const TokenMask& mask = constraint.mask();
        times.push_back(now() - start);
        std::vector<int> legal, structure;
        mask.each([&](int id) {
            legal.push_back(id);
            const std::string& bytes = language->trie().bytes(id);
            if (bytes.find_first_of("\",}]:") != std::string::npos) structure.push_back(id);
        });
        if (legal.empty()) break;
        const std::vector<int>& from = !structure.empty() && rng.below(3) == 0 ? structure : legal;
        constraint.advance(from[rng.below(from.size())]);
    }
    if (!constraint.complete()) throw Error("bench: a text was not complete within its budget");
}

void measure(Figures& f, const std::string& schema, const std::shared_ptr<const TokenTrie>& trie,
             Rng& rng) {
    SchemaOptions options;
    options.warn = [](const std::string&) {};
    options.closed = true;
    const double start = now();
    const auto language = std::make_shared<GuidedLanguage>(
        std::make_shared<GrammarMachine>(compile_schema(schema, options)), trie);
    f.compile.push_back(now() - start);
    std::vector<double> fresh;
    const double before = now();
    TokenConstraint(language, 4000).mask();
    f.first.push_back(now() - before);
    write(language, 4000, rng, fresh);
    f.masks.insert(f.masks.end(), fresh.begin(), fresh.end());
    const int least = language->closing().minimum(language->machine().start()).tokens;
    write(language, least + 10, rng, f.tight);
    write(language, least, rng, f.tight);
    f.memory = std::max(f.memory, language->memory());
    ++f.texts;
}

void run(const Settings&) {
    std::string name;
    std::vector<std::string> tokens = vocabulary(name);
    const int eos = static_cast<int>(tokens.size()) - 1;
    const auto trie = std::make_shared<const TokenTrie>(std::move(tokens), eos);
    std::printf(
        "%s; times in µs: of the first mask, of each on the way of a text, and of each "
        "of texts with a budget of the fewest tokens and of ten more\n",
        name.c_str());
    Table table("schemas", {"schemas", "number", "compile", "first", "mean", "p99", "worst",
                            "near the end", "p99 ", "worst ", "MB"});
    Figures all;
    Rng rng(7);
    for (const Kind& kind : kinds) {
        SchemaMaker maker(static_cast<std::uint64_t>(kind.schemas));
        Figures f;
        for (int i = 0; i < kind.schemas; ++i) measure(f, kind.make(maker, i).dump(), trie, rng);
        const auto row = [&](const std::string& what, const Figures& g) {
            table.row({what, Cell(static_cast<double>(g.texts), 0), Cell(mean(g.compile), 0),
                       Cell(mean(g.first), 0), Cell(mean(g.masks), 1),
                       Cell(microseconds(g.masks, .99), 0), Cell(microseconds(g.masks, 1), 0),
                       Cell(mean(g.tight), 1), Cell(microseconds(g.tight, .99), 0),
                       Cell(microseconds(g.tight, 1), 0),
                       Cell(static_cast<double>(g.memory) / 1e6, 1)});
        };
        row(kind.name, f);
        for (auto times : {&Figures::compile, &Figures::first, &Figures::masks, &Figures::tight})
            (all.*times).insert((all.*times).end(), (f.*times).begin(), (f.*times).end());
        all.memory = std::max(all.memory, f.memory);
        all.texts += f.texts;
        if (&kind == &kinds[std::size(kinds) - 1]) row("all", all);
    }
}

const Section section{"schemas", 61, "masks under schemas never met before, µs", run};

}  // namespace

}  // namespace tbt::bench
