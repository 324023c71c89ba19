// Chapter 07: the KV cache.
//
// Shows what is computed again and again without a cache, that the cache changes no bit, how much work it saves (counted, then
// timed), what it costs in memory, and what happens when tokens are taken back or fall out of the window. Run it: make run-07,
// or one part: make run-07 ARGS="--part 3". Look for: "same bits", and the last column of part 3.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "chapters/02_greedy/greedy.hpp"
#include "chapters/07_kv_cache/work.hpp"
#include "model.hpp"
#include "program.hpp"
#include "svg.hpp"
#include "terminal.hpp"

using namespace tbt;

namespace {

constexpr int generated = 100;

// Every token from scratch: a fresh cache, the whole text.
std::vector<float> uncached_logits(Gpt& gpt, std::span<const int> ids) {
    KvCache fresh(gpt.config());
    const std::span<const float> logits = gpt.forward(fresh, ids);
    return {logits.begin(), logits.end()};
}

std::vector<float> cached_logits(Gpt& gpt, KvCache& cache, std::span<const int> ids) {
    const std::span<const float> logits = gpt.forward(cache, ids.subspan(static_cast<std::size_t>(cache.length())));
    return {logits.begin(), logits.end()};
}

// 1. and 2. Both ways side by side.
void same_bits(Model& model, std::vector<int> ids, int steps) {
    KvCache cache(model.config());
    std::printf("1. Greedy, with and without a cache. Positions computed at each step, and whether all %d logits are the same bits:\n\n"
                "   step  token          without   with\n", model.config().vocab_size);
    std::int64_t again = 0, equal = 0;
    for (int step = 1; step <= steps; ++step) {
        const std::size_t fresh = ids.size() - static_cast<std::size_t>(cache.length());
        const std::vector<float> with = cached_logits(model.gpt, cache, ids), without = uncached_logits(model.gpt, ids);
        const bool same = with == without;
        const int id = argmax(with);
        std::printf("   %4d  %s %8zu %6zu   %s\n", step, padded(visible(model.tokenizer.token_bytes(id)), 13).c_str(), ids.size(), fresh,
                    same ? "same bits" : "DIFFERENT");
        equal += same;
        again += static_cast<std::int64_t>(ids.size() - fresh);
        ids.push_back(id);
    }
    std::printf("\n   Without the cache %lld positions were computed a second time, with the same result. %lld of %d steps: same bits.\n",
                static_cast<long long>(again), static_cast<long long>(equal), steps);
}

// 2. Work, by counting.
void work_table() {
    std::printf("2. Work for %d new tokens after a prompt of P, counted exactly:\n\n"
                "               positions projected            causal dot products\n"
                "      P   without     with    ratio       without        with   ratio\n", generated);
    for (const int p : {2, 12, 50, 100, 200, 400}) {
        const Work a = uncached_work(p, generated), b = cached_work(p, generated);
        std::printf("   %4d  %8lld %8lld  %7.3f  %12lld  %10lld  %6.2f\n", p, static_cast<long long>(a.positions), static_cast<long long>(b.positions),
                    static_cast<double>(a.positions) / static_cast<double>(b.positions), static_cast<long long>(a.dot_products),
                    static_cast<long long>(b.dot_products), static_cast<double>(a.dot_products) / static_cast<double>(b.dot_products));
    }
}

// Microseconds for the token at each of some positions: the median of several forward passes.
std::vector<std::pair<double, double>> time_per_token(Gpt& gpt, bool with_cache, int repeats) {
    const int context = gpt.config().n_positions;
    std::vector<int> ids(static_cast<std::size_t>(context), 5);
    std::vector<std::pair<double, double>> points;
    KvCache cache(gpt.config());
    for (int position = std::min(10, context - 1); position < context; position += std::max(1, context / 10)) {
        std::vector<double> times;
        for (int i = 0; i <= repeats; ++i) {  // the first one warms up
            cache.clear();
            const std::span<const int> text = std::span(ids).first(static_cast<std::size_t>(position + 1));
            if (with_cache) gpt.forward(cache, text.first(static_cast<std::size_t>(position)));
            const auto started = std::chrono::steady_clock::now();
            gpt.forward(cache, with_cache ? text.last(1) : text);
            if (i) times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - started).count());
        }
        std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
        points.emplace_back(position, times[static_cast<std::size_t>(repeats / 2)]);
    }
    return points;
}

// 3. Time, by the clock: different on every machine, and therefore never part of a test.
void time_table(Model& model, const std::string& figure) {
    const auto without = time_per_token(model.gpt, false, 3), with = time_per_token(model.gpt, true, 9);
    std::printf("3. Microseconds for one token at a position (median; %d threads):\n\n   position   without      with\n", model.gpt.threads());
    for (std::size_t i = 0; i < with.size(); ++i) {
        std::printf("   %8.0f  %8.0f  %8.0f  %s\n", with[i].first, without[i].second, with[i].second, bar(without[i].second / without.back().second, 30).c_str());
    }
    std::printf("\n   The last token costs %.2f times the first with the cache, %.1f times without.\n", with.back().second / with.front().second,
                without.back().second / without.front().second);
    if (figure.empty()) return;
    LineChart chart;
    chart.title = "Time for one token, by its position";
    chart.x_label = "position in the text";
    chart.y_label = "milliseconds";
    LineChart::Series a{"without a cache", {}}, b{"with a cache", {}};
    for (const auto& [x, y] : without) a.points.emplace_back(x, y / 1000);
    for (const auto& [x, y] : with) b.points.emplace_back(x, y / 1000);
    chart.series = {a, b};
    write_svg(figure, chart);
}

// 4. Memory, by formula and as allocated.
void memory_table(const GptConfig& config) {
    const auto kib = [](std::int64_t bytes) { return static_cast<double>(bytes) / 1024; };
    std::printf("4. Memory: 2 (keys and values) · %d layers · %d channels · 4 bytes = %.0f KiB a token\n\n"
                "   tokens     formula   blocks of %d\n", config.n_layer, config.n_embd, kib(KvCache::bytes_per_token(config)), KvCache::block_tokens);
    KvCache cache(config);
    for (const int tokens : {1, 64, 65, 200, config.n_positions}) {
        if (tokens > config.n_positions) continue;
        cache.clear();
        cache.make_room(tokens);
        std::printf("   %6d  %6.0f KiB  %8.0f KiB\n", tokens, kib(tokens * KvCache::bytes_per_token(config)), kib(cache.bytes()));
    }
    std::printf("\n   A fork shares its blocks: ");
    cache.clear();
    cache.make_room(200);
    cache.advance(200);
    KvCache fork = cache;
    fork.make_room(1);
    int copied = 0;
    const int blocks = (200 + KvCache::block_tokens - 1) / KvCache::block_tokens;
    for (int b = 0; b < blocks; ++b) copied += fork.keys(b, 0, 0) != cache.keys(b, 0, 0);
    std::printf("a second text after 200 common tokens copies %d of %d blocks.\n", copied, blocks);
}

// 5. Taking tokens back is free; moving the window is not.
void rollback_and_sliding(Model& model, const std::vector<int>& prompt) {
    KvCache cache(model.config());
    std::vector<int> ids = prompt;
    for (int i = 0; i < 8; ++i) ids.push_back(argmax(cached_logits(model.gpt, cache, ids)));
    cache.truncate(static_cast<int>(prompt.size()) - 1);  // rollback: back to the prompt, its last token is read again
    const std::vector<float> rolled_back = cached_logits(model.gpt, cache, prompt);
    std::printf("5. After 8 tokens taken back:        %s as a fresh start\n", rolled_back == uncached_logits(model.gpt, prompt) ? "same bits" : "DIFFERENT");

    // Sliding: drop the first token and keep the cache of the others as it is. Their keys were made for other positions.
    const std::span<const int> shorter = std::span(ids).subspan(1);
    const std::vector<float> right = uncached_logits(model.gpt, shorter), stale = uncached_logits(model.gpt, ids);
    double largest = 0;
    for (std::size_t i = 0; i < right.size(); ++i) largest = std::max(largest, std::abs(static_cast<double>(right[i]) - static_cast<double>(stale[i])));
    std::printf("   After the first token fell out:   logits off by up to %.2f if the old keys are kept;\n"
                "                                     all %zu positions must be computed again\n", largest, shorter.size());
}

}  // namespace

int main(int argc, char** argv) {
    std::string prompt = "Once upon a time, there was", figure, model_directory = shipped_model("storyteller").string();
    int part = 0, threads = 0;
    return run_program(
        argc, argv, "Chapter 07: the KV cache.",
        [&](CLI::App& app) {
            app.add_option("prompt", prompt, "the text to continue")->capture_default_str();
            app.add_option("--part", part, "only this part, 1 to 5 (3 is the one with a clock)")->check(CLI::Range(1, 5));
            app.add_option("--threads", threads, "0: all cores")->capture_default_str()->check(CLI::Range(0, 1024));
            app.add_option("--model", model_directory, "a model directory")->capture_default_str();
            app.add_option("--figure", figure, "with part 3: write time against position as a picture (SVG)");
        },
        [&] {
            const auto wanted = [&](int n) { return part == 0 || part == n; };
            const auto gap = [&] { if (part == 0) std::printf("\n"); };
            Model model = load_model(model_directory, {threads});
            const std::vector<int> ids = encode_prompt(model, prompt, 16);
            if (wanted(1)) same_bits(model, ids, 12), gap();
            if (wanted(2)) work_table(), gap();
            if (wanted(3)) time_table(model, figure), gap();
            if (wanted(4)) memory_table(model.config()), gap();
            if (wanted(5)) rollback_and_sliding(model, ids);
        });
}
