#include "chapters/25_todays_models/figures.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "chapters/18_transformer/plain_layers.hpp"
#include "chapters/25_todays_models/plain_llama_layers.hpp"
#include "chapters/25_todays_models/published.hpp"
#include "lib/core/index.hpp"
#include "lib/show/svg.hpp"

namespace tbt {

namespace {

// Eight numbers before and after the two norms: RMS norm keeps zero where it is.
LineChart norm_chart() {
    const Row x = {1, 3, 2, 5, 4, -1, 2, 0}, ones(x.size(), 1.0f), zeros(x.size(), 0.0f);
    LineChart chart{"A row before and after a norm", "component", "value", {}, false, false, false};
    const auto add = [&](const char* name, const Row& row) {
        LineChart::Series line{name, {}};
        for (std::size_t i = 0; i < row.size(); ++i)
            line.points.push_back({static_cast<double>(i), static_cast<double>(row[i])});
        chart.series.push_back(line);
    };
    add("the row", x);
    add("layer norm, GPT-2", layer_norm(x, ones, zeros, 1e-5f));
    add("RMS norm", rms_norm(x, ones, 1e-5f));
    return chart;
}

// The score of a query and a key that are equal and point everywhere alike, as they grow.
LineChart score_chart() {
    constexpr int D = 64;
    LineChart chart{"A score q · k / √D, D = 64, of queries and keys that grow",
                    "length of q and k, in √D",
                    "score",
                    {},
                    false,
                    false,
                    false};
    LineChart::Series plain{"as they are", {}}, normed{"after a norm of each", {}};
    for (int length = 1; length <= 8; ++length) {
        const Row q(D, static_cast<float>(length)), ones(D, 1.0f), k = rms_norm(q, ones, 1e-5f);
        double before = 0, after = 0;
        for (int d = 0; d < D; ++d) {
            before += static_cast<double>(q[index(d)] * q[index(d)]) / std::sqrt(D);
            after += static_cast<double>(k[index(d)] * k[index(d)]) / std::sqrt(D);
        }
        plain.points.push_back({static_cast<double>(length), before});
        normed.points.push_back({static_cast<double>(length), after});
    }
    chart.series = {plain, normed};
    return chart;
}

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
    write_svg(folder + "/norm.svg", norm_chart());
    write_svg(folder + "/score.svg", score_chart());
    write_svg(folder + "/rotary.svg", rotary_chart());
    write_svg(folder + "/gate.svg", gate_chart());
    write_svg(folder + "/cache.svg", cache_chart());
    write_svg(folder + "/window.svg", "What a token sees, without a window and with one", 480, 240,
              window_squares());
}

}  // namespace tbt
