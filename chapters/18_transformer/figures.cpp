#include "chapters/18_transformer/figures.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "chapters/18_transformer/patterns.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

// One head as a square: in row t, column u, the darkness shows the attention weight.
std::string square(const HeadPattern& pattern, const PlainGpt& gpt,
                   const BytePairTokenizer& tokenizer, double x0, double y0) {
    std::vector<int> ids = tokenizer.encode(head_texts()[pattern.text]);
    Inside inside;
    gpt.forward(ids, &inside);
    const std::size_t first = pattern.first, T = std::min(ids.size() - first, pattern_window);
    constexpr double cell = 8.5;
    char caption[96];
    std::snprintf(caption, sizeof caption, "%s (layer %zu, head %zu)", pattern.name.c_str(),
                  pattern.layer, pattern.head);
    std::string svg = svg_text(x0, y0 - 12, caption, "start", 12);
    for (std::size_t t = 0; t < T; ++t) {
        const double y = y0 + cell * static_cast<double>(t);
        svg += svg_text(x0 + 56, y + 7.5,
                        padded(visible(tokenizer.token_bytes(ids[first + t])), 10), "end", 8);
        for (std::size_t u = 0; u <= t; ++u) {
            const auto share = static_cast<double>(
                inside.attention[pattern.layer][pattern.head][first + t][first + u]);
            char opacity[48];
            std::snprintf(opacity, sizeof opacity, "fill-opacity=\"%.2f\"", 0.06 + 0.94 * share);
            svg += svg_rect(x0 + 60 + cell * static_cast<double>(u), y, cell - 1, cell - 1,
                            svg_colour(0), opacity);
        }
    }
    return svg;
}

}  // namespace

void write_heads(const std::string& file, const PlainGpt& gpt, const BytePairTokenizer& tokenizer) {
    std::string svg;
    const std::vector<HeadPattern> found = strongest_heads(gpt, tokenizer);
    const std::size_t chosen[] = {0, 1, 3, 4};
    for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t row = i / 2, column = i % 2;
        svg += square(found[chosen[i]], gpt, tokenizer, 40 + 340 * static_cast<double>(column),
                      40 + 270 * static_cast<double>(row));
    }
    write_svg(file, "Four attention heads: row by row, which earlier token each token looks at",
              720, 560, svg);
}

void write_machine(const std::string& file, const PlainGpt& gpt) {
    std::string svg;
    const auto box = [&](double x, double y, double width, const std::string& what,
                         const std::string& shape, int colour) {
        svg += svg_rect(x, y, width, 34, svg_colour(colour), "fill-opacity=\"0.25\" rx=\"4\"");
        svg += svg_text(x + width / 2, y + 15, what, "middle", 12) +
               svg_text(x + width / 2, y + 29, shape, "middle", 10);
    };
    const auto arrow = [&](double x1, double y1, double x2, double y2) {
        svg += svg_line(x1, y1, x2, y2, svg_grey, "stroke-width=\"1.5\"");
    };
    const std::string C = std::to_string(gpt.channels), F = std::to_string(gpt.inner),
                      V = std::to_string(gpt.vocab_size), H = std::to_string(gpt.heads),
                      D = std::to_string(gpt.channels / gpt.heads);
    const auto shape = [](const std::string& a, const std::string& b) { return a + " × " + b; };
    // The residual: one straight line from the ids to the logits.
    svg += svg_line(110, 70, 110, 378, svg_colour(0), "stroke-width=\"6\" stroke-opacity=\"0.35\"");
    svg += svg_text(110, 24, "token ids", "middle", 13);
    box(40, 34, 140, "wte + wpe", shape(V, C) + ", " + shape(std::to_string(gpt.positions), C), 1);
    svg += svg_text(122, 98, "x: " + C + " numbers a token (the residual)", "start", 11);
    const auto branch = [&](double y, const std::string& name) {
        arrow(110, y, 230, y), arrow(660, y + 17, 690, y + 17);
        arrow(690, y + 17, 690, y + 62), arrow(690, y + 62, 118, y + 62);
        svg += svg_text(100, y + 67, "+", "end", 18) + svg_text(236, y - 8, name, "start", 12);
    };
    branch(130, "attention: what do the tokens before have for me?");
    box(230, 130, 80, "norm", C, 2);
    box(320, 130, 100, "Q, K, V", shape(C, std::to_string(3 * gpt.channels)), 1);
    box(430, 130, 130, "softmax(QKᵀ/√d)·V", H + " heads of " + D, 3);
    box(570, 130, 90, "out", shape(C, C), 1);
    branch(250, "MLP: each token by itself");
    box(230, 250, 80, "norm", C, 2);
    box(320, 250, 120, "features", shape(C, F), 1);
    box(450, 250, 80, "GELU", F, 3);
    box(540, 250, 120, "out", shape(F, C), 1);
    svg += svg_rect(196, 106, 508, 222, "none", "stroke=\"#7f7f7f\" stroke-dasharray=\"5 4\"");
    svg += svg_text(700, 344, std::to_string(gpt.layers) + " times", "end", 13);
    box(40, 380, 140, "norm", C, 2);
    arrow(110, 416, 110, 428);
    box(40, 430, 140, "wteᵀ: output", shape(C, V), 1);
    svg += svg_text(110, 488, V + " logits", "middle", 13);
    write_svg(file, "The whole machine, from token ids to logits", 720, 500, svg);
}

}  // namespace tbt
