#include "chapters/25_todays_models/figures.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include "chapters/18_transformer/plain_layers.hpp"
#include "chapters/25_todays_models/demo.hpp"
#include "chapters/25_todays_models/plain_llama_layers.hpp"
#include "chapters/25_todays_models/published.hpp"
#include "lib/core/index.hpp"
#include "lib/model/rotary.hpp"
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

// A sentence's tokens and the experts that they take, the darker the more of the output is theirs.
std::string expert_squares() {
    const auto [words, shares] = experts_of_text();
    constexpr int size = 18;
    std::string all;
    for (std::size_t layer = 0; layer < shares.size(); ++layer) {
        const double left = 70 + 190 * static_cast<double>(layer);
        all += svg_text(left, 20, "layer " + std::to_string(layer) + ": experts 0 to 7");
        for (std::size_t t = 0; t < words.size(); ++t) {
            const double y = 32 + size * static_cast<double>(t);
            if (layer == 0) all += svg_text(left - 10, y + 13, words[t], "end");
            for (std::size_t e = 0; e < 8; ++e) {
                const float share = shares[layer][t][e];
                char opacity[40];
                std::snprintf(opacity, sizeof opacity, "fill-opacity=\"%.2f\"",
                              share > 0 ? 0.25 + 0.75 * static_cast<double>(share) : 0.15);
                all += svg_rect(left + size * static_cast<double>(e), y, size - 2, size - 2,
                                share > 0 ? svg_colour(0) : svg_grey, opacity);
            }
        }
    }
    return all;
}

// How many tokens each pair takes for a full turn: Qwen3's 64 pairs, for four times the context.
LineChart yarn_chart() {
    LineChart chart{"Tokens for a full turn of each pair (Qwen3; YaRN for 131,072 tokens)",
                    "pair, from the fastest to the slowest",
                    "tokens",
                    {},
                    false,
                    true,
                    false};
    Rotary rotary;
    rotary.theta = 1e6, rotary.factor = 4, rotary.original_positions = 32768;
    rotary.low_frequency_factor = 1, rotary.high_frequency_factor = 32;
    for (const auto& [name, scaling] : {std::pair{"as trained, 32,768 tokens", RotaryScaling::none},
                                        {"all divided by 4", RotaryScaling::linear},
                                        {"YaRN", RotaryScaling::yarn}}) {
        rotary.scaling = scaling;
        LineChart::Series line{name, {}, scaling != RotaryScaling::yarn};
        double pair = 0;
        for (const double f : rotary_frequencies(rotary, 128))
            line.points.push_back({pair++, 2 * 3.14159265358979 / f});
        chart.series.push_back(line);
    }
    return chart;
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
    write_svg(folder + "/experts.svg", "Which experts the tokens of a sentence take", 440, 240,
              expert_squares());
    write_svg(folder + "/yarn.svg", yarn_chart());
}

}  // namespace tbt
