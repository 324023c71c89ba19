#include "chapters/25_todays_models/figures.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "chapters/18_transformer/plain_layers.hpp"
#include "chapters/25_todays_models/plain_llama_layers.hpp"
#include "chapters/25_todays_models/published.hpp"
#include "lib/index.hpp"
#include "lib/show/svg.hpp"

namespace tbt {

namespace {

// The product of a query and a key that are equal, a pair of components alone.
LineChart rotary_chart() {
    LineChart chart{"A pair's share of q · k, by the distance of the two tokens",
                    "distance in tokens",
                    "cosine",
                    {},
                    false,
                    false,
                    false};
    for (const int pair : {0, 4, 8, 12}) {
        LineChart::Series line{"pair " + std::to_string(pair) + " of 32", {}};
        for (int distance = 0; distance <= 64; ++distance) {
            Row x(64, 0.0f);
            x[index(pair)] = 1;
            Row y = x;
            rotate(y, 0, 64, distance, 10000);
            line.points.push_back({distance, static_cast<double>(y[index(pair)])});
        }
        chart.series.push_back(line);
    }
    return chart;
}

LineChart gate_chart() {
    LineChart chart{"Two activations, and a gate that multiplies",
                    "gate, or x",
                    "what goes on",
                    {},
                    false,
                    false,
                    false};
    LineChart::Series of_gelu{"gelu(x), GPT-2", {}}, of_silu{"silu(gate) · 1", {}},
        twice{"silu(gate) · −1", {}, true};
    for (double x = -5; x <= 3.001; x += 0.25) {
        const auto v = static_cast<float>(x);
        of_gelu.points.push_back({x, static_cast<double>(gelu(v))});
        of_silu.points.push_back({x, static_cast<double>(silu(v))});
        twice.points.push_back({x, static_cast<double>(-silu(v))});
    }
    chart.series = {of_gelu, of_silu, twice};
    return chart;
}

BarChart cache_chart() {
    BarChart chart{"Keys and values of one token, F16", "kB", {}, 0};
    for (const Published& m : published) {
        chart.bars.push_back({m.name, m.bytes_per_token(m.kv_heads) / 1000.0, 0});
        if (m.kv_heads != m.heads)
            chart.bars.push_back({"not grouped", m.bytes_per_token(m.heads) / 1000.0, 1});
    }
    return chart;
}

// Who sees whom: rows are tokens, columns what they see, with a window of 4 and without.
std::string window_squares() {
    constexpr int n = 12, window = 4, size = 16;
    std::string all;
    for (const int kind : {0, 1}) {
        const int left = 20 + kind * (n * size + 50);
        all += svg_text(left, 24, kind == 0 ? "every token before" : "a window of 4");
        for (int t = 0; t < n; ++t)
            for (int u = 0; u <= t; ++u) {
                const bool seen = kind == 0 || u > t - window;
                all += svg_rect(left + u * size, 36 + t * size, size - 2, size - 2,
                                seen ? svg_colour(kind) : svg_grey,
                                seen ? "" : "fill-opacity=\"0.15\"");
            }
    }
    return all;
}

}  // namespace

void write_figures(const std::string& folder) {
    write_svg(folder + "/rotary.svg", rotary_chart());
    write_svg(folder + "/gate.svg", gate_chart());
    write_svg(folder + "/cache.svg", cache_chart());
    write_svg(folder + "/window.svg", "What a token sees, without a window and with one", 480, 240,
              window_squares());
}

}  // namespace tbt
