// What the engine of chapter 26 adds to a pass, what texts side by side buy with everything that
// belongs to a text, and how even the steps are while long prompts keep coming.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/10_generate/options.hpp"
#include "chapters/26_serving/engine.hpp"
#include "lib/files/model.hpp"
#include "lib/files/random_model.hpp"
#include "tests/bench/bench.hpp"
#include "tests/bench/serving_http.hpp"

namespace tbt::bench {

namespace {

constexpr int new_tokens = 64, long_prompt = 480, writers = 16;
constexpr int middle = 16 + new_tokens / 2;

GenerateRequest request_for(int tokens) {
    GenerateRequest r;
    SamplingOptions o;
    o.temperature = 0.8, o.top_p = 0.9;
    r.chain = full_chain(o, Dialect::ours);
    r.stop.max_new_tokens = tokens;
    return r;
}

std::vector<int> prompt_of(int tokens, int first) {
    std::vector<int> ids(static_cast<std::size_t>(tokens), 7);
    ids[0] = 300 + first;  // no two begin alike
    return ids;
}

// A model and what spells its tokens.
struct Subject {
    std::string name;
    Transformer& transformer;
    TokenBytes bytes;

    int vocab_size() const { return transformer.config().vocab_size; }
    bool large() const { return name == "gpt2"; }
};

// Seconds of a step of the engine while so many texts write, 64 tokens each after prompts of 16.
// As in the server, the pages are those that earlier texts had: memory is asked of the system
// only once.
double served(const Subject& s, PrefixCache& cache, int texts) {
    CachedBatch batch(cache);
    Engine engine(&batch, s.bytes, s.vocab_size(), PlainScheduler(texts));
    for (int t = 0; t < texts; ++t) engine.add(prompt_of(16, t), request_for(new_tokens));
    engine.step();  // reads the prompts, and gives everybody the first token
    const double begin = now();
    while (engine.step()) {
    }
    return (now() - begin) / (new_tokens - 1);
}

// The same of a pass alone: a token for each, after as many as they have in the middle.
double pass(const Subject& s, std::vector<KvCache>& caches, int texts) {
    static const std::vector<int> token(1, 7);
    const double begin = now();
    for (int i = 0; i < new_tokens - 1; ++i) {
        std::vector<Step> steps;
        for (int t = 0; t < texts; ++t) {
            caches[static_cast<std::size_t>(t)].truncate(middle);
            steps.push_back({&caches[static_cast<std::size_t>(t)], token});
        }
        keep(s.transformer.forward(steps).values[0]);
    }
    return (now() - begin) / (new_tokens - 1);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// Milliseconds of each step of 16 texts, while every twentieth brings a prompt of 480 tokens.
std::vector<double> steps_under_load(const Subject& s, int budget) {
    CachedBatch batch(s.transformer);
    Engine engine(std::ref(batch), s.bytes, s.vocab_size(), PlainScheduler(writers + 1, budget));
    for (int t = 0; t < writers; ++t) engine.add(prompt_of(16, t), request_for(400));
    engine.step();
    std::vector<double> steps;
    for (int next = writers; steps.size() < (quick() ? 40 : s.large() ? 200 : 380);) {
        if (steps.size() % 20 == 0) engine.add(prompt_of(long_prompt, next++), request_for(1));
        const double before = now();
        engine.step();
        steps.push_back(1e3 * (now() - before));
    }
    std::sort(steps.begin(), steps.end());
    return steps;
}

// Seconds from a request to its first token, after 400 tokens that all requests begin with and 12
// of its own: one after the other, with pages that stay and with none, in turns.
struct FirstToken {
    PrefixCache cache;
    CachedBatch batch;
    Engine engine;
    std::vector<double> seconds;

    FirstToken(const Subject& s, bool remembers)
        : cache(s.transformer, 0, remembers),
          batch(cache),
          engine(&batch, s.bytes, s.vocab_size(), PlainScheduler(1)) {}
    void ask(int question) {
        std::vector<int> prompt = prompt_of(400, 0);
        for (const int id : prompt_of(12, question)) prompt.push_back(id);
        const double before = now();
        engine.add(prompt, request_for(8));
        engine.step();
        seconds.push_back(now() - before);
        while (engine.step()) {
        }
    }
    // The first request finds nothing.
    double later() const { return median({seconds.begin() + 1, seconds.end()}); }
};

// Of three tables, which are printed one after the other.
struct Rows {
    std::vector<std::vector<Cell>> rates, first, steps;
};

void measure_rates(std::vector<std::vector<Cell>>& rows, const Subject& s, int threads) {
    const std::vector<int> sizes = {1, 16, 32}, text(middle, 7);
    std::vector<KvCache> caches;
    caches.reserve(32);
    for (int t = 0; t < 32; ++t)
        s.transformer.forward(caches.emplace_back(s.transformer.config(), middle + 1), text);
    PrefixCache cache(s.transformer);
    std::vector<std::vector<double>> steps(sizes.size()), passes(sizes.size());
    for (int round = 0; round < (quick() ? 1 : s.large() ? 5 : 25); ++round)
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            steps[i].push_back(served(s, cache, sizes[i]));
            passes[i].push_back(pass(s, caches, sizes[i]));
        }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const double step = median(steps[i]), bare = median(passes[i]),
                     gain = sizes[i] * median(steps[0]) / step,
                     most = sizes[i] * median(passes[0]) / bare;
        rows.push_back({s.name, threads, sizes[i], Cell(sizes[i] / step, 0),
                        Cell(1e6 * (step - bare) / sizes[i], 1), Cell(gain, 2), Cell(most, 2),
                        Cell(gain / most, 2), i == 0 ? "" : "≥ .90"});
    }
}

void measure(Rows& rows, const Subject& s, int threads) {
    measure_rates(rows.rates, s, threads);
    const Cell on(threads, 0);
    FirstToken without(s, false), with(s, true);
    for (int question = 0; question < (s.large() ? 11 : 41); ++question)
        without.ask(question), with.ask(question);
    rows.first.push_back({s.name, on, Cell(1e3 * without.later(), 2), Cell(1e3 * with.later(), 2),
                          Cell(with.later() / without.later(), 3), "≤ .100"});
    for (const int budget : {0, 64, 32}) {
        const std::vector<double> ms = steps_under_load(s, budget);
        const double median = ms[ms.size() / 2], p99 = ms[ms.size() * 99 / 100];
        rows.steps.push_back(
            {s.name, on, budget == 0 ? "prompts whole" : "at most " + std::to_string(budget),
             Cell(median, 2), Cell(p99, 2), Cell(p99 / median, 1), budget == 0 ? "" : "≤ 3.0"});
    }
}

void print(std::vector<std::string> columns, const std::vector<std::vector<Cell>>& rows) {
    Table table("serving", std::move(columns));
    for (const std::vector<Cell>& row : rows) table.row(row);
}

void run(const Settings& settings) {
    Rows rows;
    for (const int threads : settings.threads) {
        Model model = load_model(shipped_model("storyteller"), {threads, WeightType::f16});
        measure(rows, {"storyteller", model.transformer, token_bytes_of(model.tokenizer)}, threads);
        if (!thorough()) continue;
        const TransformerConfig config = preset_config("gpt2");
        Transformer gpt(config, random_weights(config, 1), {threads, WeightType::f16});
        measure(rows, {"gpt2", gpt, [](int) { return std::string_view("a"); }}, threads);
    }
    print({"tokens/s, f16", "threads", "texts", "tokens/s", "µs a text beside the pass", "one = 1",
           "a pass", "of that", "asked"},
          rows.rates);
    print({"first token after 400 known, 12 new", "threads", "unknown ms", "known ms", "ratio",
           "asked"},
          rows.first);
    print({"16 texts, prompts of 480 keep coming", "threads", "a pass reads", "median ms", "p99 ms",
           "ratio", "asked"},
          rows.steps);
    measure_server();
}

const Section section{
    "serving", 33,
    "chapter 26: texts that share passes, known prefixes, even steps, and all that over HTTP", run};

}  // namespace

}  // namespace tbt::bench
