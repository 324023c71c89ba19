#include "chapters/07_kv_cache/timing.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>
#include <vector>

#include "chapters/07_kv_cache/work.hpp"
#include "lib/core/index.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

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
double token_time(Transformer& gpt, KvCache& cache, std::span<const int> ids, int position,
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
double text_time(Transformer& gpt, KvCache& cache, std::span<const int> ids, int prompt,
                 int generated, bool with_cache) {
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

}  // namespace

void print_times(Transformer& gpt, const std::string& figure) {
    const int context = gpt.config().n_positions, last = context - 1;
    const std::vector<int> ids = any_text(context);
    KvCache cache(gpt.config());
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

}  // namespace tbt
