// Chapter 05: top-p (nucleus) sampling and its relatives.
//
// Adds up probabilities until they reach p, on small examples and at the borders; compares all
// cuts on a confident and a flat distribution; and follows the size of the nucleus along a text.
// Run it: make run-05, or make run-05 ARGS="--part 3". Look for: the nucleus breathes.
// One token where the model is sure, dozens at a turn.
#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/03_temperature/sample.hpp"
#include "chapters/03_temperature/temperature.hpp"
#include "chapters/04_top_k/top_k.hpp"
#include "chapters/04_top_k/two_laws.hpp"
#include "chapters/05_top_p/relatives.hpp"
#include "chapters/05_top_p/top_p.hpp"
#include "lib/kernels/rng.hpp"
#include "lib/machine/part_options.hpp"
#include "lib/machine/program.hpp"
#include "lib/model/model.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

namespace {

constexpr std::array<std::string_view, 5> words{"sunny", "cloudy", "rainy", "windy", "foggy"};
const std::vector<float> logits{5, 3, 2, 1, 0.5f};
const std::vector<float> eight{5, 3, 2, 1, 0.5f, -1, -2, -5};

void adding_up() {
    std::printf("1. Adding up, most probable first:\n\n   %s probability  cumulative\n",
                padded("", 8).c_str());
    Candidates c(logits);
    double sum = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool inside = sum < 0.9;
        sum += c.probability(i);
        std::printf("   %s    %.6f    %.6f  %s\n", padded(words[i], 8).c_str(), c.probability(i),
                    sum, inside ? "in the nucleus of p = 0.9" : "");
    }
    std::printf(
        "\n   Eight logits [5, 3, 2, 1, .5, -1, -2, -5]; p and the size of its nucleus:\n\n  ");
    for (const double p : {0.0, 0.5, 0.9, 0.95, 0.99, 1.0}) {
        Candidates e(eight);
        keep_top_p(e, p);
        std::printf("  p = %g: %zu", p, e.size());
    }
    std::printf("\n\n   Borders: in doubles .4 + .3 + .2 = %.16f, .2 + .3 + .4 = %.16f.\n",
                .4 + .3 + .2, .2 + .3 + .4);
    const std::vector<float> ten(10, 0.0f);
    Candidates t(ten);
    keep_top_p(t, 0.9);
    std::printf(
        "   In whole quanta the order is no matter: of ten equal tokens p = 0.9 keeps %zu.\n",
        t.size());
}

using NamedCut = std::pair<const char*, std::function<void(Candidates&)>>;
const std::vector<NamedCut>& cuts() {
    static const std::vector<NamedCut> all = {
        {"top-k 10", [](Candidates& c) { keep_top_k(c, 10); }},
        {"top-p 0.9", [](Candidates& c) { keep_top_p(c, 0.9); }},
        {"min-p 0.1", [](Candidates& c) { keep_min_p(c, 0.1); }},
        {"typical 0.9", [](Candidates& c) { keep_typical(c, 0.9); }},
        {"epsilon 0.003", [](Candidates& c) { cut_epsilon(c, 0.003); }},
        {"eta 0.003", [](Candidates& c) { cut_eta(c, 0.003); }}};
    return all;
}

void all_cuts() {
    std::printf(
        "2. Tokens kept of 1,000, and the mass they hold:\n\n   %s     confident          flat     "
        "  flat, T = "
        "1.5\n",
        padded("", 15).c_str());
    for (const auto& [name, cut] : cuts()) {
        std::printf("   %s", padded(name, 15).c_str());
        const std::vector<float> confident = confident_law(), flat = flat_law();
        for (const auto& [s, T] :
             {std::pair(&confident, 1.0), std::pair(&flat, 1.0), std::pair(&flat, 1.5)}) {
            Candidates c(*s);
            apply_temperature(c, T);
            const std::vector<double> before = c.probabilities();
            cut(c);
            double mass = 0;
            for (std::size_t i = 0; i < c.size(); ++i)
                mass += before[static_cast<std::size_t>(c.id(i))];
            std::printf("   %5zu  %6.2f %%", c.size(), 100 * mass);
        }
        std::printf("\n");
    }
}

void along_a_text(const Model& model, const NextLogits& gpt, const std::string& prompt, double p,
                  int length, std::uint64_t seed) {
    std::printf("3. The nucleus of p = %g along a text that starts with \"%s\":\n\n", p,
                prompt.c_str());
    std::printf("   token          size                            its probability\n");
    Rng rng(seed);
    Candidates c;
    const int eos = model.tokenizer.eos_id();
    const auto pick = [&](std::span<const float> row, const std::vector<int>&) {
        c.reset(row);
        keep_top_p(c, p);
        const std::size_t size = c.size();
        const int id = draw(c, rng.uniform());
        Candidates all(row);
        std::printf("   %s %4zu  %s %6.2f %%\n",
                    padded(visible(model.tokenizer.token_bytes(id)), 13).c_str(), size,
                    padded(bar(static_cast<double>(size) / 60, 30), 30).c_str(),
                    100 * all.probability(static_cast<std::size_t>(id)));
        return id;
    };
    generate(gpt, encode_prompt(model, prompt, length), length, pick,
             [&](int id) { return id != eos; });
}

// Cumulative mass over the number of tokens, for both laws.
void write_figure(const std::string& file) {
    LineChart chart;
    chart.title = "How many tokens it takes to reach p = 0.9";
    chart.x_label = "tokens, most probable first";
    chart.y_label = "their mass";
    chart.log_x = true;
    const std::pair<const char*, std::vector<float>> laws[] = {{"confident", confident_law()},
                                                               {"flat", flat_law()}};
    for (const auto& [name, s] : laws) {
        Candidates c(s);
        LineChart::Series line{name, {}};
        double sum = 0;
        for (std::size_t i = 0; i < s.size(); ++i) {
            sum += c.probability(i);
            if (i < 30 || i % 10 == 9) line.points.emplace_back(static_cast<double>(i + 1), sum);
        }
        chart.series.push_back(std::move(line));
    }
    LineChart::Series level{"p = 0.9", {{1, 0.9}, {1000, 0.9}}};
    level.dashed = true;
    chart.series.push_back(std::move(level));
    write_svg(file, chart);
}

}  // namespace

int main(int argc, char** argv) {
    std::string prompt = "Once upon a time", figure,
                model_directory = shipped_model("storyteller").string();
    int part = 0, max_new_tokens = 30;
    double p = 0.9;
    std::uint64_t seed = 1;
    PartOptions for_parts(part);
    return run_program(
        argc, argv, "Chapter 05: top-p (nucleus) sampling and its relatives.",
        [&](CLI::App& app) {
            for_parts.add({3}, app.add_option("prompt", prompt, "the text to continue in part 3")
                                   ->capture_default_str());
            app.add_option("--part", part, "only this part, 1 to 3 (1 and 2 need no model)")
                ->check(CLI::Range(1, 3));
            for_parts.add({3}, app.add_option("--top-p", p, "p in part 3")->capture_default_str());
            for_parts.add({3}, app.add_option("--max-new-tokens", max_new_tokens,
                                              "length of the text in part 3")
                                   ->capture_default_str()
                                   ->check(CLI::Range(1, 100000)));
            for_parts.add({3},
                          app.add_option("--seed", seed, "of the draws")->capture_default_str());
            for_parts.add({3}, app.add_option("--model", model_directory, "a model directory")
                                   ->capture_default_str());
            app.add_option("--figure", figure, "write the cumulative curves as a picture (SVG)");
        },
        [&] {
            for_parts.check();
            check_top_p(p);
            if (!figure.empty()) write_figure(figure);
            if (part == 0 || part == 1) adding_up();
            if (part == 0) std::printf("\n");
            if (part == 0 || part == 2) all_cuts();
            if (part != 0 && part != 3) return;
            if (part == 0) std::printf("\n");
            Model model = load_model(model_directory);
            CachedModel gpt(model.gpt);
            along_a_text(model, std::ref(gpt), prompt, p, max_new_tokens, seed);
        });
}
