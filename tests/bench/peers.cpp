// The same models in llama.cpp, where its llama-bench is on the path: the same random weights as a
// GGUF file, the same number of threads, in turns.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "chapters/19_training/tools/gguf.hpp"
#include "lib/files/model.hpp"
#include "lib/files/random_model.hpp"
#include "lib/json/json.hpp"
#include "lib/model/kv_cache.hpp"
#include "tests/bench/bench.hpp"
#include "tests/support/temporary.hpp"

namespace tbt::bench {

namespace {

// Tokens a second: of a prompt that is read at once, and of tokens written one by one.
struct Speed {
    double reading = 0, writing = 0;
};

std::string output_of(const std::string& command) {
    std::string text;
    FILE* const pipe = popen(command.c_str(), "r");
    if (!pipe) throw Error("bench: cannot run " + command);
    char buffer[4096];
    while (const std::size_t n = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
    pclose(pipe);
    return text;
}

Speed llama_cpp(const std::string& file, int threads, int prompt, int written) {
    const std::string text = output_of("llama-bench -r 1 -o json -m '" + file + "' -t " +
                                       std::to_string(threads) + " -p " + std::to_string(prompt) +
                                       " -n " + std::to_string(written) + " 2>/dev/null");
    Speed speed;
    for (const Json& test : parse_json(text, "llama-bench"))
        (test.at("n_gen").get<int>() > 0 ? speed.writing : speed.reading) =
            test.at("avg_ts").get<double>();
    return speed;
}

Speed ours(Transformer& model, int prompt, int written) {
    const std::vector<int> text(static_cast<std::size_t>(prompt), 7);
    const std::span<const int> ids(text);
    const auto timed = [&](int tokens, int at_once) {
        KvCache cache(model.config());
        const double begin = now();
        for (int t = 0; t < tokens; t += at_once)
            keep(model.forward(cache, ids.first(static_cast<std::size_t>(at_once)))[0]);
        return tokens / (now() - begin);
    };
    return {timed(prompt, prompt), timed(written, 1)};
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void measure(Table& table, const std::string& name, int prompt, int threads) {
    constexpr int written = 32;
    const int rounds = thorough() ? 3 : 1;
    const test::TemporaryFolder folder;
    const std::string file = folder.file("model.gguf");
    write_random_model(folder.path(), preset_config(name), {.type = WeightType::f16});
    write_gguf(folder.path(), file, WeightType::f16);
    Transformer model(preset_config(name), random_weights(preset_config(name), 0),
                      {threads, WeightType::f16, WeightType::f16});
    std::vector<double> reading[2], writing[2];
    for (int round = 0; round < rounds; ++round) {
        const Speed speeds[2] = {ours(model, prompt, written),
                                 llama_cpp(file, threads, prompt, written)};
        for (int who = 0; who < 2; ++who) {
            reading[who].push_back(speeds[who].reading);
            writing[who].push_back(speeds[who].writing);
        }
    }
    const auto row = [&](const std::string& what, const std::vector<double>* speeds) {
        const double us = median(speeds[0]), them = median(speeds[1]);
        table.row({name, what, {threads * 1.0, 0}, {us, 0}, {them, 0}, {us / them, 2}});
    };
    row("prefill " + std::to_string(prompt), reading);
    row("decode " + std::to_string(written), writing);
}

void run(const Settings& settings) {
    if (output_of("command -v llama-bench").empty()) {
        std::printf("  llama-bench is not on the path\n");
        return;
    }
    Table table("peers", {"model, f16", "what", "threads", "tokens/s", "llama.cpp", "ratio"});
    for (const auto& [name, prompt] : {std::pair{"storyteller", 256}, std::pair{"gpt2", 512}})
        measure(table, name, prompt, settings.threads.back());
}

const Section section{"peers", 33, "the same models in llama.cpp, where it is installed", run};

}  // namespace

}  // namespace tbt::bench
