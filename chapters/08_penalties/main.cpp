// Chapter 08: penalties against repetition, and bans.
//
// Shows what each penalty does to five logits, with its surprises, and then breaks a
// real loop of greedy decoding with each of them. Run it: make run-08, or one part:
// make run-08 ARGS="--part 3". Other text: ARGS='"the key advantage is"'. Look for:
// a penalized word that becomes *more* probable; and how each penalty changes the rest of the text.
#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/02_greedy/greedy.hpp"
#include "chapters/03_temperature/plain_temperature.hpp"
#include "chapters/06_combining/steps.hpp"
#include "chapters/07_kv_cache/cached_model.hpp"
#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/08_penalties/option.hpp"
#include "chapters/08_penalties/penalties.hpp"
#include "chapters/08_penalties/plain_penalties.hpp"
#include "lib/core/gpt.hpp"
#include "lib/core/rng.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/usual_options.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

namespace {

constexpr std::array<std::string_view, 5> words{"the", "cat", "sat", "on", "a"};
const std::vector<float> logits{5, 3, 2, 1, -1};
const std::vector<int> written{0, 1, 2};  // "the cat sat"

template <class Values>
void row(const char* name, const Values& values, const char* format = "  %8.6f") {
    std::printf("   %s", padded(name, 30).c_str());
    for (const auto v : values) std::printf(format, static_cast<double>(v));
    std::printf("\n");
}

// The logits after a repetition penalty on these tokens.
std::vector<float> penalized(std::vector<float> s, const std::vector<int>& text, double theta) {
    plain_repetition(s, text, theta);
    return s;
}

void five_words() {
    std::printf("1. After \"the cat sat\", repetition penalty 1.5:\n\n   %s",
                padded("", 30).c_str());
    for (const std::string_view word : words) std::printf("  %8s", std::string(word).c_str());
    std::printf("\n");
    const std::vector<float> after = penalized(logits, written, 1.5);
    row("logits", logits, "  %8.2f");
    row("penalized", after, "  %8.2f");
    row("probabilities before", softmax_at(logits, 1));
    row("after", softmax_at(after, 1));
    std::printf(
        "\n   The same distribution, logits shifted by -4, and now \"the\" alone penalized:\n\n");
    for (const float shift : {0.0f, -4.0f}) {
        std::vector<float> shifted = logits;
        for (float& s : shifted) s += shift;
        row(shift == 0 ? "not shifted" : "shifted by -4",
            softmax_at(penalized(shifted, {0}, 1.5), 1));
    }
    const std::vector<float> six = penalized({6, -6}, {0, 1}, 1.2);
    const double up = six[0], down = six[1];
    std::printf(
        "\n   A penalty of 1.2 makes 6 into %.3f (%.3f %%) and -6 into %.3f (%+.0f %% in "
        "magnitude).\n",
        up, 100 * (up / 6 - 1), down, 100 * (down / -6 - 1));
}

void counts_and_ngrams() {
    std::printf("2. Frequency 0.5 and presence 0.3, after \"the cat the the\":\n\n");
    std::vector<float> s = logits;
    row("logits", s, "  %8.2f");
    plain_frequency_presence(s, {0, 1, 0, 0}, 0.5, 0.3);
    row("penalized", s, "  %8.2f");
    std::printf("\n   No 3-gram twice: which token may not follow?\n\n");
    for (const std::vector<int>& ids :
         {std::vector<int>{1, 2, 3, 1, 2}, std::vector<int>{1, 2, 3, 4, 1, 2, 5, 1, 2},
          std::vector<int>{1, 2}}) {
        std::vector<float> flat(6, 0.0f);
        plain_no_repeat_ngram(flat, ids, 3);
        std::string text, out;
        for (const int id : ids) text += std::to_string(id) + " ";
        for (std::size_t i = 0; i < flat.size(); ++i) {
            if (flat[i] == banned) out += " " + std::to_string(i);
        }
        std::printf("   %s→ %s\n", padded(text, 20).c_str(), out.empty() ? " none" : out.c_str());
    }
}

// The remedies of part 3: greedy decoding (temperature 0) with one penalty each, and sampling
// without a penalty.
std::vector<std::pair<std::string, SamplingOptions>> remedies() {
    return {{"greedy", {.temperature = 0}},
            {"repetition 1.3", {.temperature = 0, .repetition_penalty = 1.3}},
            {"frequency 1.0", {.temperature = 0, .frequency_penalty = 1.0}},
            {"presence 2.0", {.temperature = 0, .presence_penalty = 2.0}},
            {"no 3-gram twice", {.temperature = 0, .no_repeat_ngram_size = 3}},
            {"T 0.8, top-p 0.9", {.temperature = 0.8, .top_p = 0.9}}};
}

void a_loop_broken(const GptModel& model, const NextLogits& gpt, const std::string& prompt,
                   int length, Scope scope, std::uint64_t seed) {
    std::printf("3. \"%s …\", %d tokens:\n", prompt.c_str(), length);
    const std::vector<int> ids = encode_prompt(model, prompt, length);
    PenaltyOptions more;
    more.scope = scope;
    more.bias = {
        {{model.tokenizer.eos_id()}, banned}};  // no remedy may leave the loop by ending the text
    Candidates scratch;
    for (const auto& [name, options] : remedies()) {
        const Chain chain = full_chain(options, Dialect::ours, more);
        Rng rng(seed);
        const auto pick = [&](std::span<const float> logits_row, const std::vector<int>& so_far) {
            return chain.pick(logits_row, {so_far, ids.size()}, rng.uniform(), scratch);
        };
        const std::vector<int> all = generate(gpt, ids, length, pick, [](int) { return true; });
        const std::span<const int> text = std::span(all).subspan(ids.size());
        const Loop loop = find_loop(all);
        std::printf("\n   %s distinct-1 %.2f, distinct-2 %.2f, seq-rep-4 %.2f, %s\n",
                    padded(name + ":", 18).c_str(), distinct_ngrams(text, 1),
                    distinct_ngrams(text, 2), repeated_ngrams(text, 4),
                    loop ? ("loop of " + std::to_string(loop.period) + " tokens, " +
                            std::to_string(loop.repeats) + " times")
                               .c_str()
                         : "no loop");
        print_wrapped("…" + visible(model.tokenizer.decode(text)), 3);
    }
}

// The probability of each word against the penalty.
void write_figure(const std::string& file) {
    LineChart chart;
    chart.title = "Repetition penalty after \"the cat sat\": \"cat\" rises while \"the\" falls";
    chart.x_label = "penalty";
    chart.y_label = "probability";
    for (std::size_t i = 0; i < words.size(); ++i)
        chart.series.push_back({std::string(words[i]), {}});
    for (double theta = 1; theta <= 3.001; theta += 0.05) {
        const std::vector<double> p = softmax_at(penalized(logits, written, theta), 1);
        for (std::size_t i = 0; i < words.size(); ++i)
            chart.series[i].points.emplace_back(theta, p[i]);
    }
    write_svg(file, chart);
}

struct Options {
    std::string prompt = "The weather today is windy", figure, scope = "generated",
                model = model_directory("storyteller");
    int part = 0, max_new_tokens = 200;
    std::uint64_t seed = 1;
    PartOptions of_part{part};
};

void declare(CommandLine& line, Options& o) {
    o.of_part.add({3}, prompt_option(line, o.prompt, " in part 3"));
    part_option(line, o.part, 3, "1 and 2 need no model");
    o.of_part.add({3}, penalty_scope_option(line, o.scope).shows_default());
    o.of_part.add({3}, length_option(line, o.max_new_tokens, " in part 3"));
    o.of_part.add({3}, seed_option(line, o.seed));
    o.of_part.add({3}, model_option(line, o.model));
    figure_option(line, o.figure, "the penalty's effect");
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    return run_program(
        argc, argv, "Chapter 08: penalties against repetition, and bans.",
        [&](CommandLine line) { declare(line, o); },
        [&] {
            o.of_part.check();
            const Scope counted = scope_named(o.scope);
            // The model is opened first, so that errors are reported before any output.
            std::optional<GptModel> model;
            if (o.part == 0 || o.part == 3)
                model = load_gpt(o.model), encode_prompt(*model, o.prompt, o.max_new_tokens);
            if (!o.figure.empty()) write_figure(o.figure);
            if (o.of_part.begin(1)) five_words();
            if (o.of_part.begin(2)) counts_and_ngrams();
            if (!o.of_part.begin(3)) return;
            CachedModel gpt(model->gpt);
            a_loop_broken(*model, std::ref(gpt), o.prompt, o.max_new_tokens, counted, o.seed);
        });
}
