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
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/03_temperature/plain_draw.hpp"
#include "chapters/04_top_k/two_distributions.hpp"
#include "chapters/05_top_p/further/option.hpp"
#include "chapters/05_top_p/further/plain_typical.hpp"
#include "chapters/05_top_p/plain_relatives.hpp"
#include "chapters/05_top_p/plain_top_p.hpp"
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
const std::vector<float> eight{5, 3, 2, 1, 0.5f, -1, -2, -5};

void adding_up() {
    std::printf(
        "1. Cumulative probability, most probable first:\n\n   %s probability  cumulative\n",
        padded("", 8).c_str());
    const std::vector<double> distribution = softmax_at(logits, 1);
    const std::vector<float> nucleus = top_p(logits, 1, 0.9);
    double sum = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        sum += distribution[i];
        std::printf("   %s    %.6f    %.6f  %s\n", padded(words[i], 8).c_str(), distribution[i],
                    sum, nucleus[i] != masked ? "in the nucleus of p = 0.9" : "");
    }
    std::printf(
        "\n   Eight logits [5, 3, 2, 1, .5, -1, -2, -5]; p and the size of its nucleus:\n\n  ");
    for (const double p : {0.0, 0.5, 0.9, 0.95, 0.99, 1.0})
        std::printf("  p = %g: %zu", p, count_kept(top_p(eight, 1, p)));
    std::printf("\n\n   Rounding: in doubles .4 + .3 + .2 = %.16f, .2 + .3 + .4 = %.16f.\n",
                .4 + .3 + .2, .2 + .3 + .4);
    const std::vector<float> ten(10, 0.0f);
    std::printf(
        "   In integer weights the order does not matter: of ten equal tokens p = 0.9 keeps %zu.\n",
        count_kept(top_p(ten, 1, 0.9)));
}

// A cut makes a row of a row; the temperature stands beside it.
using Row = std::vector<float>;
using NamedCut = std::pair<const char*, std::function<Row(const Row&, double T)>>;
const std::vector<NamedCut>& cuts() {
    static const std::vector<NamedCut> all = {
        {"top-k 10", [](const Row& s, double) { return top_k(s, 10); }},
        {"top-p 0.9", [](const Row& s, double T) { return top_p(s, T, 0.9); }},
        {"min-p 0.1", [](const Row& s, double T) { return min_p(s, T, 0.1); }},
        {"typical 0.9", [](const Row& s, double T) { return typical(s, T, 0.9); }},
        {"epsilon 0.003", [](const Row& s, double T) { return cut_epsilon(s, T, 0.003); }},
        {"eta 0.003", [](const Row& s, double T) { return cut_eta(s, T, 0.003); }}};
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
        for (const auto& [s, T] : {std::pair(confident_logits(), 1.0),
                                   std::pair(flat_logits(), 1.0), std::pair(flat_logits(), 1.5)}) {
            const Row kept = cut(s, T);
            const std::vector<double> before = softmax_at(s, T);
            double mass = 0;
            for (std::size_t i = 0; i < kept.size(); ++i) mass += kept[i] != masked ? before[i] : 0;
            std::printf("   %5zu  %6.2f %%", count_kept(kept), 100 * mass);
        }
        std::printf("\n");
    }
}

void along_a_text(const GptModel& model, const NextLogits& gpt, const std::string& prompt, double p,
                  int length, std::uint64_t seed) {
    std::printf("3. The nucleus of p = %g along a text that starts with \"%s\":\n\n", p,
                prompt.c_str());
    std::printf("   token          size                            token's probability\n");
    Rng rng(seed);
    const int eos = model.tokenizer.eos_id();
    const auto pick = [&](std::span<const float> row, const std::vector<int>&) {
        const Row nucleus = top_p(row, 1, p);
        const std::size_t size = count_kept(nucleus);
        const int id = draw(nucleus, 1, rng.uniform());
        std::printf("   %s %4zu  %s %6.2f %%\n",
                    padded(visible(model.tokenizer.token_bytes(id)), 13).c_str(), size,
                    padded(bar(static_cast<double>(size) / 60, 30), 30).c_str(),
                    100 * softmax_at(row, 1)[index(id)]);
        return id;
    };
    generate(gpt, encode_prompt(model, prompt, length), length, pick,
             [&](int id) { return id != eos; });
}

// Cumulative mass over the number of tokens, for both distributions.
void write_figure(const std::string& file) {
    LineChart chart;
    chart.title = "How many tokens it takes to reach p = 0.9";
    chart.x_label = "tokens, most probable first";
    chart.y_label = "their mass";
    chart.log_x = true;
    const std::pair<const char*, std::vector<float>> distributions[] = {
        {"confident", confident_logits()}, {"flat", flat_logits()}};
    for (const auto& [name, s] : distributions) {
        const std::vector<double> distribution = softmax_at(s, 1);
        LineChart::Series line{name, {}};
        double sum = 0;
        for (std::size_t i = 0; i < s.size(); ++i) {
            sum += distribution[i];
            if (i < 30 || i % 10 == 9) line.points.emplace_back(static_cast<double>(i + 1), sum);
        }
        chart.series.push_back(std::move(line));
    }
    LineChart::Series level{"p = 0.9", {{1, 0.9}, {1000, 0.9}}};
    level.dashed = true;
    chart.series.push_back(std::move(level));
    write_svg(file, chart);
}

struct Options {
    std::string prompt = "Once upon a time", figure, model = model_directory("storyteller");
    int part = 0, max_new_tokens = 30;
    double p = 0.9;
    std::uint64_t seed = 1;
    PartOptions of_part{part};
};

void declare(CommandLine& line, Options& o) {
    o.of_part.add({3}, prompt_option(line, o.prompt, " in part 3"));
    part_option(line, o.part, 3, "1 and 2 need no model");
    o.of_part.add({3}, top_p_option(line, o.p, ", in part 3").shows_default());
    o.of_part.add({3}, length_option(line, o.max_new_tokens, " in part 3"));
    o.of_part.add({3}, seed_option(line, o.seed));
    o.of_part.add({3}, model_option(line, o.model));
    figure_option(line, o.figure, "the cumulative curves");
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    return run_program(
        argc, argv, "Chapter 05: top-p (nucleus) sampling and its relatives.",
        [&](CommandLine line) { declare(line, o); },
        [&] {
            o.of_part.check(), check_top_p(o.p);
            // Opened first: what is wrong with it is said before anything is shown.
            std::optional<GptModel> model;
            if (o.part == 0 || o.part == 3)
                model = load_gpt(o.model), encode_prompt(*model, o.prompt, o.max_new_tokens);
            if (!o.figure.empty()) write_figure(o.figure);
            if (o.of_part.begin(1)) adding_up();
            if (o.of_part.begin(2)) all_cuts();
            if (!o.of_part.begin(3)) return;
            WholeTextModel gpt(model->gpt);
            along_a_text(*model, std::ref(gpt), o.prompt, o.p, o.max_new_tokens, o.seed);
        });
}
