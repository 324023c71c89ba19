// Chapter 07: the KV cache.
//
// Shows what is computed again and again without a cache, that the cache changes no bit, how much
// work it saves (counted, then timed), how much memory it takes, and what happens when tokens are
// rolled back or dropped from the beginning.
//
//   make run-07                              all five parts
//   make run-07 ARGS="--part 3"              the part that measures time
//
// Look for: "same bits", and the last column of part 3.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "chapters/02_greedy/greedy.hpp"
#include "chapters/07_kv_cache/work.hpp"
#include "lib/core/gpt.hpp"
#include "lib/core/index.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/usual_options.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

namespace {

constexpr int new_tokens = 100;

// Computes the logits from scratch, from the whole text. The filled cache is returned in `fresh`.
std::vector<float> uncached_logits(Gpt& gpt, std::span<const int> ids, GptCache& fresh) {
    fresh.clear();
    const std::span<const float> logits = gpt.forward(fresh, ids);
    return {logits.begin(), logits.end()};
}
std::vector<float> uncached_logits(Gpt& gpt, std::span<const int> ids) {
    GptCache fresh(gpt.config());
    return uncached_logits(gpt, ids, fresh);
}

// Computes the logits from only those tokens that are not in the cache.
std::vector<float> cached_logits(Gpt& gpt, GptCache& cache, std::span<const int> ids) {
    const std::span<const float> logits = gpt.forward(cache, ids.subspan(index(cache.length())));
    return {logits.begin(), logits.end()};
}

// 1. Without and with the cache, side by side; for the uncached pass also the number of positions
//    whose keys and values are in the cache already.
void same_bits(GptModel& model, std::vector<int> ids, int steps) {
    GptCache cache(model.config()), fresh(model.config());
    std::printf(
        "1. Greedy, with and without a cache: positions computed, those of them that come\n"
        "   out as before (keys and values, every bit), and the %d logits compared.\n\n"
        "                         without      with   logits\n"
        "   step  token       computed again  computed\n",
        model.config().vocab_size);
    int in_vain = 0, equal = 0;
    for (int step = 1; step <= steps; ++step) {
        const int known = cache.length(), fresh_tokens = count(ids) - known;
        const std::vector<float> with = cached_logits(model.gpt, cache, ids);
        const std::vector<float> without = uncached_logits(model.gpt, ids, fresh);
        const int again = equal_positions(cache, fresh, model.config(), known);
        const int id = argmax(with);
        std::printf("   %4d  %s %7zu %5d %9d   %s\n", step,
                    padded(visible(model.tokenizer.token_bytes(id)), 11).c_str(), ids.size(), again,
                    fresh_tokens, with == without ? "same bits" : "DIFFERENT");
        equal += with == without;
        in_vain += again;
        ids.push_back(id);
    }
    std::printf(
        "\n   Without the cache the keys and values of %d positions were computed again,\n"
        "   each to the bit what it had been. Logits: same bits at %d of %d steps.\n",
        in_vain, equal, steps);
}

// 2. The work, counted.
void work_table() {
    std::printf(
        "2. Work for %d new tokens after a prompt of P, counted exactly:\n\n"
        "         positions projected            causal dot products\n"
        "      P   without     with    ratio       without        with   ratio\n",
        new_tokens);
    for (const int p : {2, 12, 50, 100, 200, 400}) {
        const Work a = uncached_work(p, new_tokens), b = cached_work(p, new_tokens);
        const auto ratio = [](std::int64_t x, std::int64_t y) {
            return static_cast<double>(x) / static_cast<double>(y);
        };
        std::printf("   %4d  %8lld %8lld  %7.3f  %12lld  %10lld  %6.2f\n", p,
                    static_cast<long long>(a.positions), static_cast<long long>(b.positions),
                    ratio(a.positions, b.positions), static_cast<long long>(a.dot_products),
                    static_cast<long long>(b.dot_products), ratio(a.dot_products, b.dot_products));
    }
}

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double median(std::vector<double> times) {
    const auto middle = times.begin() + to_int(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

// A text of equal tokens: the time does not depend on the tokens.
std::vector<int> any_text(int tokens) { return std::vector<int>(index(tokens), 5); }

// The time for the token at `position`, measured several times; the first run is a warm-up.
double token_time(Gpt& gpt, GptCache& cache, std::span<const int> ids, int position,
                  bool with_cache, int repeats) {
    const auto before = index(with_cache ? position : 0);
    const std::span<const int> text = ids.first(index(position) + 1);
    cache.clear();
    if (with_cache) gpt.forward(cache, text.first(before));
    std::vector<double> times;
    for (int i = 0; i <= repeats; ++i) {
        cache.truncate(to_int(before));
        const Clock::time_point start = Clock::now();
        gpt.forward(cache, text.subspan(before));
        if (i > 0) times.push_back(microseconds_since(start));
    }
    return median(times);
}

// The time for a prompt of `prompt` tokens and `generated` more.
double text_time(Gpt& gpt, GptCache& cache, std::span<const int> ids, int prompt, int generated,
                 bool with_cache) {
    cache.clear();
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < generated; ++i) {
        if (!with_cache) cache.clear();
        gpt.forward(cache, ids.subspan(index(cache.length()), index(prompt + i - cache.length())));
    }
    return microseconds_since(start);
}

void write_figure(const std::string& path, const LineChart::Series& without,
                  const LineChart::Series& with) {
    LineChart chart;
    chart.title = "Time for one token, by its position";
    chart.x_label = "position in the text";
    chart.y_label = "milliseconds";
    chart.series = {without, with};
    write_svg(path, chart);
}

// 3. The time for one token at each position and for a whole text, with and without a cache. If
//    `figure` is not empty, it is the file for the picture of time against position (SVG).
void print_times(Gpt& gpt, const std::string& figure) {
    const int context = gpt.config().n_positions, last = context - 1;
    const std::vector<int> ids = any_text(context);
    GptCache cache(gpt.config());
    LineChart::Series without{"without a cache", {}}, with{"with a cache", {}};
    std::vector<int> positions = {std::min(10, last)};
    for (int i = 1; i <= 9; ++i)
        positions.push_back(std::max(positions.back(), i * 500 / 9 * last / 511));
    std::printf(
        "3. Microseconds for one token at a position (medians; %d thread%s):\n\n"
        "   position   without    with   without, as a bar\n",
        gpt.threads(), gpt.threads() == 1 ? "" : "s");
    for (const int position : positions) {
        without.points.emplace_back(position, token_time(gpt, cache, ids, position, false, 3));
        with.points.emplace_back(position, token_time(gpt, cache, ids, position, true, 25));
    }
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const double slow = without.points[i].second;
        std::printf("   %8d  %8.0f  %6.0f   %s\n", positions[i], slow, with.points[i].second,
                    bar(slow / without.points.back().second, 30).c_str());
    }
    std::printf(
        "\n   The token at %d costs %.2f times the one at %d with the cache, %.1f times without.\n",
        positions.back(), with.points.back().second / with.points.front().second, positions.front(),
        without.points.back().second / without.points.front().second);
    if (context >= 500) {
        const double slow = text_time(gpt, cache, ids, 400, 100, false),
                     quick = text_time(gpt, cache, ids, 400, 100, true);
        const double counted = static_cast<double>(uncached_work(400, 100).positions) /
                               static_cast<double>(cached_work(400, 100).positions);
        std::printf(
            "   A prompt of 400 tokens and 100 new ones: %.0f ms without, %.1f ms with: %.1f "
            "times\n"
            "   (positions counted: %.1f times; one row alone costs more than a row among many).\n",
            slow / 1000, quick / 1000, slow / quick, counted);
    }
    if (figure.empty()) return;
    for (LineChart::Series* series : {&without, &with}) {
        for (auto& point : series->points) point.second /= 1000;
    }
    write_figure(figure, without, with);
}

// 4. The memory of a cache, by the formula; tools/memory_main.cpp shows it in blocks.
void print_cache_memory(const GptModel& model) {
    const GptConfig& c = model.config();
    const int kib = 2 * c.n_layer * c.n_embd * to_int(sizeof(float)) / 1024;
    std::printf(
        "4. Memory: 2 (keys and values) · %d layers · %d channels · 4 bytes = %d KiB a token\n\n",
        c.n_layer, c.n_embd, kib);
    for (const int tokens : {1, 64, 200, c.n_positions})
        std::printf("   %6d tokens  %6d KiB\n", tokens, tokens * kib);
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest =
            std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    }
    return largest;
}

// 5. Rolling back tokens takes no work; dropping the first token does.
void rollback_and_sliding(GptModel& model, const std::vector<int>& prompt) {
    GptCache cache(model.config());
    std::vector<int> ids = prompt;
    for (int i = 0; i < 8; ++i) ids.push_back(argmax(cached_logits(model.gpt, cache, ids)));
    // Rollback: to the prompt without its last token, which is read again for its logits.
    cache.truncate(count(prompt) - 1);
    const bool same = cached_logits(model.gpt, cache, prompt) == uncached_logits(model.gpt, prompt);
    std::printf("5. Eight tokens taken back:     %s as a fresh start; 1 position computed\n",
                same ? "same bits" : "DIFFERENT");

    // Sliding: the first token is dropped. The keys of the others were computed for positions that
    // are one higher.
    const std::vector<int> shorter(ids.begin() + 1, ids.end());
    const std::vector<float> right = uncached_logits(model.gpt, shorter),
                             stale = uncached_logits(model.gpt, ids);
    std::printf(
        "   The first token dropped:     old keys kept: logits off by up to %.2f;\n"
        "                                right: all %zu positions computed again\n",
        largest_difference(right, stale), shorter.size());
}

struct Options {
    std::string prompt = "Once upon a time, there was", figure, weights = "stored",
                model = model_directory("storyteller");
    int part = 0, threads = 0;
};

void declare(CommandLine& line, Options& o, PartOptions& of_part) {
    of_part.add({1, 5}, prompt_option(line, o.prompt));
    part_option(line, o.part, 5, "3 is the one with a clock");
    model_option(line, o.model);
    line.option("--weights", o.weights,
                "keep weights in memory as f32 or f16; stored: as in the file")
        .shows_default()
        .one_of({"stored", "f32", "f16"});
    line.option("--threads", o.threads, "0: one for each core").shows_default().between(0, 1024);
    of_part.add({3}, line.option("--figure", o.figure,
                                 "with part 3: write time against position as a picture (SVG)"));
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    PartOptions of_part{o.part};
    return run_program(
        argc, argv, "Chapter 07: the KV cache.",
        [&](CommandLine line) { declare(line, o, of_part); },
        [&] {
            of_part.check();
            const auto wanted = [&](int n) { return o.part == 0 || o.part == n; };
            const auto gap = [&] {
                if (o.part == 0) std::printf("\n");
            };
            GptOptions options{o.threads, o.weights == "f16"};
            if (o.weights == "stored") options.in_16_bits.reset();
            GptModel model = load_gpt(o.model, options);
            const std::vector<int> ids = encode_prompt(model, o.prompt, 16);
            if (wanted(1)) same_bits(model, ids, 12), gap();
            if (wanted(2)) work_table(), gap();
            if (wanted(3)) print_times(model.gpt, o.figure), gap();
            if (wanted(4)) print_cache_memory(model), gap();
            if (wanted(5)) rollback_and_sliding(model, ids);
        });
}
