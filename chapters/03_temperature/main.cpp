// Chapter 03: temperature, and the draw.
//
// Shows one set of logits at several temperatures, spins the wheel a hundred thousand times,
// and then does both with the model's own logits. Run it: make run-03, or one part:
// make run-03 ARGS="--part 2". Other text: ARGS='"Once upon a time"'.
// Look for: the order of the words never changes, only how far they are apart;
// and every draw is decided by one number u.
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/03_temperature/plain_draw.hpp"
#include "chapters/03_temperature/plain_temperature.hpp"
#include "lib/core/gpt.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/usual_options.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

namespace {

constexpr std::array<std::string_view, 5> words{"sunny", "cloudy", "rainy", "windy", "foggy"};
const std::vector<float> logits{5, 3, 2, 1, 0.5f};
constexpr double temperatures[] = {0.5, 1.0, 1.5};
constexpr int draws = 100000;

// "   sunny       0.823352  ████████████"
void print_bars(std::span<const double> p) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::printf("   %s %8.6f  %s\n", padded(words[i], 12).c_str(), p[i], bar(p[i], 40).c_str());
    }
}

// Each segment of the wheel, unrolled: as many letters as its share of the width.
std::string unrolled(std::span<const double> p, int width) {
    std::string strip;
    double end = 0;
    std::size_t column = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        end += p[i] * width;
        for (; static_cast<double>(column) + 0.5 < end && column < index(width); ++column)
            strip += words[i][0];
    }
    return strip;
}

void one_distribution() {
    std::printf("1. The same logits at three temperatures:\n");
    for (const double T : temperatures) {
        std::printf("\n   T = %g, entropy %.6f nats\n", T, entropy_at(logits, T));
        print_bars(softmax_at(logits, T));
    }
    std::printf("\n   Three more sets of logits:\n\n");
    for (const std::vector<float>& s : std::vector<std::vector<float>>{
             {2, 1, 0.5f}, {2, 1, 0.5f, -1}, {5.2f, 4.8f, 3.2f, 2.1f}}) {
        std::printf("   [");
        for (std::size_t i = 0; i < s.size(); ++i)
            std::printf("%s%g", i ? ", " : "", static_cast<double>(s[i]));
        std::printf("]\n");
        for (const double T : {0.5, 1.0, 2.0}) {
            std::printf("   T = %-4g", T);
            for (const double p : softmax_at(s, T)) std::printf(" %.6f", p);
            std::printf("\n");
        }
    }
}

void the_wheel(std::uint64_t seed) {
    std::printf(
        "2. The wheel, unrolled from u = 0 to u = 1 (s sunny, c cloudy, r rainy, w windy, f "
        "foggy):\n\n");
    for (const double T : temperatures)
        std::printf("   T = %-4g %s\n", T, unrolled(softmax_at(logits, T), 66).c_str());
    std::printf("\n   The same five u at each temperature:\n\n   u      ");
    Rng rng(seed);
    double us[5];
    for (double& u : us) std::printf("  %.4f", u = rng.uniform());
    for (const double T : {0.0, 0.5, 1.0, 1.5, 5.0}) {
        std::printf("\n   T = %-4g", T);
        for (const double u : us) {
            const auto id = index(draw(logits, T, u));
            std::printf("  %-6s", std::string(words[id]).c_str());
        }
    }
    std::printf("\n\n   %d draws at T = 1, against what the distribution expects:\n\n", draws);
    int count[5] = {};
    for (int i = 0; i < draws; ++i) ++count[draw(logits, 1, rng.uniform())];
    for (std::size_t i = 0; i < words.size(); ++i) {
        const double p = softmax_at(logits, 1)[i];
        std::printf("   %s %6d   %8.1f ± %.1f\n", padded(words[i], 8).c_str(), count[i], draws * p,
                    std::sqrt(draws * p * (1 - p)));
    }
}

void next_token_of_the_model(const GptModel& model, const NextLogits& gpt,
                             const std::string& prompt, const std::vector<int>& ids) {
    const std::span<const float> row = gpt(ids);
    std::printf("3. The model's next token after \"%s\":\n\n   %s", prompt.c_str(),
                padded("", 14).c_str());
    const std::array<double, 5> Ts{0.2, 0.5, 0.8, 1.0, 1.5};
    for (const double T : Ts) std::printf("  T = %-4g", T);
    std::printf("\n");
    for (const Candidate& top : top_candidates(row, 8)) {
        std::printf("   %s", padded(visible(model.tokenizer.token_bytes(top.id)), 14).c_str());
        for (const double T : Ts)
            std::printf("  %6.2f %%", 100 * softmax_at(row, T)[index(top.id)]);
        std::printf("\n");
    }
    std::printf("   %s", padded("entropy (nats)", 14).c_str());
    for (const double T : Ts) std::printf("  %-8.4f", entropy_at(row, T));
    std::printf("\n");
}

void texts_of_the_model(const GptModel& model, const NextLogits& gpt, const std::string& prompt,
                        const std::vector<int>& ids, int length, std::uint64_t seed) {
    std::printf("4. \"%s …\" at each temperature, two draws:\n", prompt.c_str());
    const int eos = model.tokenizer.eos_id();
    for (const double T : {0.0, 0.2, 0.5, 0.8, 1.0, 1.5}) {
        std::printf("\n   T = %g\n", T);
        for (std::uint64_t sample = 0; sample < 2; ++sample) {
            Rng rng(seed, sample);
            std::vector<int> written;
            const auto pick = [&](std::span<const float> row, const std::vector<int>&) {
                return draw(row, T, rng.uniform());
            };
            generate(gpt, ids, length, pick, [&](int id) {
                if (id != eos) written.push_back(id);
                return id != eos;
            });
            print_wrapped("…" + visible(model.tokenizer.decode(written)));
        }
    }
}

// Three game-show wheels side by side.
void write_figure(const std::string& file) {
    std::string svg;
    constexpr double radius = 92, pi = 3.14159265358979;
    for (int k = 0; k < 3; ++k) {
        const double T = temperatures[k], cx = 120 + 240 * k, cy = 150;
        const std::vector<double> p = softmax_at(logits, T);
        double from = 0;
        for (std::size_t i = 0; i < p.size(); ++i) {
            const double to = from + p[i], a = 2 * pi * from - pi / 2, b = 2 * pi * to - pi / 2;
            char path[256];
            std::snprintf(
                path, sizeof path,
                "<path d=\"M%.1f %.1f L%.1f %.1f A%.0f %.0f 0 %d 1 %.1f %.1f Z\" fill=\"%s\"/>\n",
                cx, cy, cx + radius * std::cos(a), cy + radius * std::sin(a), radius, radius,
                to - from > 0.5, cx + radius * std::cos(b), cy + radius * std::sin(b),
                svg_colour(to_int(i)).c_str());
            svg += path;
            from = to;
        }
        char label[64];
        std::snprintf(label, sizeof label, "T = %g, entropy %.2f", T, entropy_at(logits, T));
        svg += svg_text(cx, 40, label, "middle", 14);
        svg +=
            svg_text(cx, 56, "▼", "middle", 14);  // the pointer: u = 0 at the top, then clockwise
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
        const double x = 120 + 105 * static_cast<double>(i);
        svg += svg_rect(x, 266, 12, 12, svg_colour(to_int(i))) +
               svg_text(x + 18, 277, std::string(words[i]));
    }
    write_svg(file, "Three wheels: the same five words at T = 0.5, 1 and 1.5", 720, 295, svg);
}

struct Options {
    std::string prompt = "The weather today is", figure, model = model_directory("storyteller");
    int part = 0, max_new_tokens = 24;
    std::uint64_t seed = 7;
    PartOptions of_part{part};
};

void declare(CommandLine& line, Options& o) {
    o.of_part.add({3, 4}, prompt_option(line, o.prompt));
    part_option(line, o.part, 4, "1 and 2 need no model");
    o.of_part.add({4}, length_option(line, o.max_new_tokens, " in part 4"));
    o.of_part.add({2, 4}, seed_option(line, o.seed));
    o.of_part.add({3, 4}, model_option(line, o.model));
    figure_option(line, o.figure, "the wheels");
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    return run_program(
        argc, argv, "Chapter 03: temperature, and the draw.",
        [&](CommandLine line) { declare(line, o); },
        [&] {
            o.of_part.check();
            // Opened first: what is wrong with it is said before anything is shown.
            std::optional<GptModel> model;
            std::vector<int> ids;
            if (o.part != 1 && o.part != 2)
                model = load_gpt(o.model), ids = encode_prompt(*model, o.prompt, o.max_new_tokens);
            if (!o.figure.empty()) write_figure(o.figure);
            if (o.of_part.begin(1)) one_distribution();
            if (o.of_part.begin(2)) the_wheel(o.seed);
            if (!model) return;
            WholeTextModel gpt(model->gpt);
            if (o.of_part.begin(3)) next_token_of_the_model(*model, std::ref(gpt), o.prompt, ids);
            if (o.of_part.begin(4))
                texts_of_the_model(*model, std::ref(gpt), o.prompt, ids, o.max_new_tokens, o.seed);
        });
}
