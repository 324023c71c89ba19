// Drafts under a schema: the shipped schemas, the storyteller and what may guess for it, against
// plain decoding. Coupled by seed, so each text must be the plain one; the schemas' masks are
// kept from text to text, as in a service that answers by one schema all day.
#include <string>
#include <vector>

#include "chapters/23_text_generator/text_generator.hpp"
#include "lib/core/error.hpp"
#include "tests/bench/bench.hpp"

namespace tbt::bench {

namespace {

int texts() { return quick() ? 1 : 8; }

struct Way {
    std::string name;
    TextOptions options;
    double tokens = 0, passes = 0;
    std::vector<std::string> written{};
};

TextOptions held_to(const std::string& schema, double temperature, int threads) {
    TextOptions o;
    o.threads = threads;
    o.temperature = temperature;
    o.guide.schema = "data/schemas/" + schema + ".json";
    o.max_new_tokens = 160;
    return o;
}

std::vector<Way> ways_of(const TextOptions& plain) {
    TextOptions o = plain;
    o.known_runs = false;
    std::vector<Way> ways{{"plain", o}, {"runs", plain}};
    o.assistant_model = "sketch", o.num_assistant_tokens = 4;
    ways.push_back({"sketch 4, no runs", o});
    o = plain;
    o.assistant_model = "sketch", o.num_assistant_tokens = 4;
    ways.push_back({"sketch 4", o});
    o.num_assistant_tokens = 12, o.schedule = "adaptive";
    ways.push_back({"sketch, adaptive", o});
    o.assistant_model = "lookup";
    ways.push_back({"lookup, adaptive", o});
    o = plain;
    o.medusa = true;
    ways.push_back({"heads 6", o});
    o.known_runs = false;
    ways.push_back({"heads 6, no runs", o});
    return ways;
}

void write(TextGenerator& generator, Way& way) {
    way.tokens = way.passes = 0;
    way.written.clear();
    for (int i = 0; i < texts(); ++i) {
        TextOptions o = way.options;
        o.seed = static_cast<std::uint64_t>(i);
        const GeneratedText text = generator.generate("Once upon a time", o)[0];
        way.tokens += static_cast<double>(text.ids.size());
        way.passes += static_cast<double>(generator.effort().passes);
        way.written.push_back(text.text);
    }
}

void measure(Table& table, TextGenerator& generator, const std::string& schema, double temperature,
             int threads) {
    std::vector<Way> ways = ways_of(held_to(schema, temperature, threads));
    for (Way& way : ways) {  // every mask once
        write(generator, way);
        if (way.written != ways[0].written) throw Error("bench: a draft changed the text");
    }
    std::vector<Contender> work;
    for (Way& way : ways) work.push_back(repeated(way.name, [&] { write(generator, way); }));
    const std::vector<Timing> timings = interleaved(work, 7, 0.001);
    for (std::size_t w = 0; w < ways.size(); ++w)
        table.row({schema, Cell(temperature, 1), ways[w].name,
                   Cell(ways[w].tokens / ways[w].passes, 2),
                   Cell(timings[w].median * 1e6 / ways[w].tokens, 1),
                   Cell(timings[0].median / timings[w].median, 2)});
}

void run(const Settings& settings) {
    Table table("guided", {"schema", "T", "draft", "a pass", "µs a token", "ratio"});
    GenerateOptions o;
    o.model = "data/models/storyteller";
    o.threads = settings.threads.back();
    TextGenerator generator(o);
    for (const double temperature : {0.8, 0.0})
        for (const char* schema : {"person", "order", "weather"}) {
            if (temperature != 0.8 && !thorough()) continue;
            measure(table, generator, schema, temperature, o.threads);
            if (quick()) return;
        }
}

const Section section{"guided", 62, "drafts under a schema, against plain decoding", run};

}  // namespace

}  // namespace tbt::bench
