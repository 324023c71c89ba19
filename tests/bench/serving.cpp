// What the engine of chapter 26 adds to a pass, what texts side by side buy with everything that
// belongs to a text, and how even the steps are while long prompts keep coming.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/10_generate/request.hpp"
#include "chapters/26_serving/engine.hpp"
#include "lib/model/model.hpp"
#include "tests/bench/bench.hpp"

namespace tbt::bench {

namespace {

constexpr int new_tokens = 64, long_prompt = 480, writers = 16;

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

// So many texts of 64 tokens after a prompt of 16, from the first request to the last text.
Contender served(Model& model, const TokenBytes& bytes, int texts) {
    return {"engine", [&model, &bytes, texts](int times) {
                for (int i = 0; i < times; ++i) {
                    CachedBatch batch(model.gpt);
                    Engine engine(std::ref(batch), bytes, model.config().vocab_size,
                                  PlainScheduler(texts));
                    for (int t = 0; t < texts; ++t)
                        engine.add(prompt_of(16, t), request_for(new_tokens));
                    while (engine.step()) {
                    }
                    keep(static_cast<float>(batch.computed()));
                }
            }};
}

Contender bare(Model& model, const TokenBytes& bytes) {
    return {"generate_texts", [&model, &bytes](int times) {
                for (int i = 0; i < times; ++i) {
                    CachedBatch batch(model.gpt);
                    keep(static_cast<float>(generate_texts(std::ref(batch), bytes, prompt_of(16, 0),
                                                           request_for(new_tokens))
                                                .size()));
                }
            }};
}

// Milliseconds of each step of 16 texts, while every twentieth brings a prompt of 480 tokens.
std::vector<double> steps_under_load(Model& model, const TokenBytes& bytes, int budget) {
    CachedBatch batch(model.gpt);
    Engine engine(std::ref(batch), bytes, model.config().vocab_size,
                  PlainScheduler(writers + 1, budget));
    for (int t = 0; t < writers; ++t) engine.add(prompt_of(16, t), request_for(400));
    engine.step();
    std::vector<double> steps;
    for (int next = writers; steps.size() < (quick() ? 40 : 380);) {
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

    FirstToken(Model& model, const TokenBytes& bytes, bool remembers)
        : cache(model.gpt, 0, remembers),
          batch(cache),
          engine(&batch, bytes, model.config().vocab_size, PlainScheduler(1)) {}
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
    double median() const {
        std::vector<double> later(seconds.begin() + 1, seconds.end());
        std::sort(later.begin(), later.end());
        return later[later.size() / 2];
    }
};

void run(const Settings& settings) {
    Table table("serving", {"storyteller, f16", "threads", "texts", "tokens/s", "bare = 1"});
    Table steps("steps", {"16 texts, a prompt of 480 every 20 steps", "threads", "median ms",
                          "p99 ms", "p99 / median"});
    Table first("first token", {"400 shared tokens, 12 of its own", "threads", "without ms",
                                "with ms", "with / without"});
    for (const int threads : settings.threads) {
        Model model = load_model(shipped_model("storyteller"), {threads, WeightType::f16});
        const TokenBytes bytes = token_bytes_of(model.tokenizer);
        std::vector<Contender> work = {bare(model, bytes)};
        const std::vector<int> sizes = {1, 16, 32};
        for (const int texts : sizes) work.push_back(served(model, bytes, texts));
        const std::vector<Timing> t = interleaved(work, 9);
        const auto count = [](double n) { return Cell(n, 0); };
        table.row(
            {"generate_texts", count(threads), count(1), {new_tokens / t[0].median, 0}, {1, 2}});
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const double rate = sizes[i] * new_tokens / t[i + 1].median;
            table.row({"engine",
                       count(threads),
                       count(sizes[i]),
                       {rate, 0},
                       {rate * t[0].median / new_tokens, 2}});
        }
        FirstToken without(model, bytes, false), with(model, bytes, true);
        for (int question = 0; question < 41; ++question) without.ask(question), with.ask(question);
        first.row({"time to first token",
                   count(threads),
                   {1e3 * without.median(), 2},
                   {1e3 * with.median(), 2},
                   {with.median() / without.median(), 3}});
        for (const int budget : {0, 128, 64, 32}) {
            const std::vector<double> ms = steps_under_load(model, bytes, budget);
            const double median = ms[ms.size() / 2], p99 = ms[ms.size() * 99 / 100];
            steps.row({budget == 0 ? "prompts whole" : "at most " + std::to_string(budget),
                       count(threads),
                       {median, 2},
                       {p99, 2},
                       {p99 / median, 1}});
        }
    }
}

const Section section{"serving", 33, "the engine of chapter 26: texts that share passes", run};

}  // namespace

}  // namespace tbt::bench
