// Chapter 04: top-k sampling.
//
// Cuts the tail off a distribution: on the tutorials' eight words, on equal logits,
// and on a confident and a flat distribution, where the same k is too many and too few.
// Run it: make run-04, or one part: make run-04 ARGS="--part 2". Look for:
// how much probability the ten best tokens hold in each distribution.
// One k cannot suit both.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/04_top_k/further/option.hpp"
#include "chapters/04_top_k/plain_top_k.hpp"
#include "chapters/04_top_k/two_distributions.hpp"
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

constexpr std::array<std::string_view, 8> words{"sunny", "cloudy", "rainy", "windy",
                                                "foggy", "snowy",  "hazy",  "xylophone"};
const std::vector<float> logits{5, 3, 2, 1, 0.5f, -1, -2, -5};

void eight_words() {
    std::printf("1. The k most probable of eight words, as probabilities:\n\n   %s",
                padded("k", 10).c_str());
    const std::array<int, 4> ks{1, 3, 5, 8};
    for (const int k : ks) std::printf("  %8d", k);
    std::printf("\n");
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::printf("   %s", padded(words[i], 10).c_str());
        for (const int k : ks) {
            const double p = softmax_at(top_k(logits, k), 1)[i];
            if (p > 0) std::printf("  %8.6f", p);
            else std::printf("  %8s", "-");
        }
        std::printf("\n");
    }
}

void ties() {
    std::printf("2. Equal logits [1, 1, 1, 1], k = 2:\n\n");
    const std::vector<float> equal(4, 1.0f);
    for (const Ties rule : {Ties::exact, Ties::keep_all}) {
        const std::vector<float> kept = top_k(equal, 2, rule);
        std::printf("   %s keeps", rule == Ties::exact ? "exactly k, lower ids first"
                                                       : "s >= the k-th largest     ");
        for (std::size_t id = 0; id < kept.size(); ++id) {
            if (kept[id] != masked) std::printf(" %zu", id);
        }
        std::printf("\n");
    }
}

void confident_and_flat() {
    std::printf("3. The same k on a confident and on a flat distribution of 1,000 tokens:\n\n");
    std::printf("       k   confident: mass kept   k-th token    flat: mass kept   k-th token\n");
    for (const int k : {1, 5, 10, 40, 200}) {
        std::printf("   %5d", k);
        for (const std::vector<float>& s : {confident_logits(), flat_logits()}) {
            const std::vector<double> p =
                softmax_at(s, 1);  // both distributions are in descending order
            const double mass = std::accumulate(p.begin(), p.begin() + k, 0.0);
            std::printf("   %8.3f %s %8.4f %%", mass, padded(bar(mass, 8), 8).c_str(),
                        100 * p[index(k - 1)]);
        }
        std::printf("\n");
    }
}

void with_the_model(const GptModel& model, const NextLogits& gpt,
                    const std::vector<std::string>& prompts, int k) {
    std::printf("4. What k = %d keeps of the model's next token:\n", k);
    for (const std::string& prompt : prompts) {
        const std::span<const float> row = gpt(encode_prompt(model, prompt));
        const std::vector<double> p = softmax_at(row, 1);
        const auto probability = [&](const Candidate& t) { return p[index(t.id)]; };
        double mass = 0;
        const std::vector<Candidate> top = top_candidates(row, k);
        for (const Candidate& t : top) mass += probability(t);
        std::printf("\n   \"%s\": %.1f %% of the probability, entropy %.2f nats\n", prompt.c_str(),
                    100 * mass, entropy_at(row, 1));
        for (std::size_t i = 0; i < top.size();
             i += i < 3 ? 1 : std::max<std::size_t>(top.size() - 4, 1)) {
            if (i == top.size() - 1 && top.size() > 5) std::printf("      …\n");
            std::printf("   %3zu %s %8.4f %%\n", i + 1,
                        padded(visible(model.tokenizer.token_bytes(top[i].id)), 14).c_str(),
                        100 * probability(top[i]));
        }
    }
}

// The first twenty tokens of both distributions; what k = 10 keeps in colour.
void write_figure(const std::string& file) {
    std::string svg;
    const std::vector<float> distributions[] = {confident_logits(), flat_logits()};
    const char* names[] = {"confident: nine of the ten kept are noise",
                           "flat: the ten hold 17 % of the probability"};
    for (int k = 0; k < 2; ++k) {
        const std::vector<double> p = softmax_at(distributions[k], 1);
        const double x0 = 40 + 350 * k, base = 250;
        svg +=
            svg_text(x0, 30, names[k], "start", 14) + svg_text(x0, 48, "probability", "start", 12);
        for (std::size_t i = 0; i < 20; ++i) {
            const double height = std::max(0.7, 190 * p[i] / p[0]),
                         x = x0 + 15.5 * static_cast<double>(i);
            svg += svg_rect(x, base - height, 12, height, i < 10 ? svg_colour(0) : svg_grey);
        }
        svg += svg_line(x0 + 153.5, 50, x0 + 153.5, base + 8, svg_grey, "stroke-dasharray=\"4 3\"");
        svg += svg_text(x0 + 147, base + 22, "k = 10 kept", "end", 12) +
               svg_text(x0 + 160, base + 22, "cut", "start", 12) +
               svg_text(x0, base + 42, "tokens, most probable first", "start", 12);
    }
    write_svg(file, "A confident and a flat distribution, cut at k = 10", 720, 305, svg);
}

struct Options {
    std::vector<std::string> prompts{"Once upon a", "He works as a"};
    std::string figure, model = model_directory("storyteller");
    int part = 0, k = 10;
    PartOptions of_part{part};
};

void declare(CommandLine& line, Options& o) {
    o.of_part.add({4},
                  line.option("prompt", o.prompts, "texts to continue in part 4").shows_default());
    part_option(line, o.part, 4, "1 to 3 need no model");
    o.of_part.add({4}, top_k_option(line, o.k, ", in part 4").shows_default().between(1, 1000000));
    o.of_part.add({4}, model_option(line, o.model));
    figure_option(line, o.figure, "the two distributions");
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    return run_program(
        argc, argv, "Chapter 04: top-k sampling.", [&](CommandLine line) { declare(line, o); },
        [&] {
            o.of_part.check();
            // Opened first: what is wrong with it is said before anything is shown.
            std::optional<GptModel> model;
            if (o.part == 0 || o.part == 4) model = load_gpt(o.model);
            for (const std::string& prompt : o.prompts)
                if (model) encode_prompt(*model, prompt);
            if (!o.figure.empty()) write_figure(o.figure);
            if (o.of_part.begin(1)) eight_words();
            if (o.of_part.begin(2)) ties();
            if (o.of_part.begin(3)) confident_and_flat();
            if (!o.of_part.begin(4)) return;
            WholeTextModel gpt(model->gpt);
            with_the_model(*model, std::ref(gpt), o.prompts, o.k);
        });
}
