// Chapter 06: combining the steps, and why their order matters.
//
// Takes the tutorials' worked example through a chain, shows how four programs treat the same
// request, and that temperature changes the nucleus but not the top k. Then the model writes with
// each preset. Run it: make run-06, or one part:
// make run-06 ARGS="--part 2". Look for: the same three numbers, T = 0.5 and p = 0.8,
// keep one token in one program and two in another.
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/04_top_k/two_distributions.hpp"
#include "chapters/06_combining/chain.hpp"
#include "lib/core/gpt.hpp"
#include "lib/core/rng.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/usual_options.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

namespace {

const std::vector<float> example{10, 8, 5, 2, 1, 0.5f};
constexpr std::string_view animals[] = {"cat", "dog", "car", "house", "tree", "book"};
constexpr int draws = 100000;

Chain chain_of(const SamplingOptions& options, Dialect dialect = Dialect::ours) {
    return in_order(dialect, truncation_steps(options, dialect));
}

SamplingOptions options(double temperature, int top_k, double top_p) {
    SamplingOptions o;
    o.temperature = temperature, o.top_k = top_k, o.top_p = top_p;
    return o;
}

std::size_t kept(const std::vector<float>& s, const SamplingOptions& o,
                 Dialect dialect = Dialect::ours) {
    Candidates c(s);
    chain_of(o, dialect).apply(c, {});
    return c.count();
}

void worked_example(std::uint64_t seed) {
    const Chain chain = chain_of(options(1, 3, 0.9));
    std::printf("1. \"The …\": %s\n\n   %s", chain.to_string().c_str(), padded("", 12).c_str());
    for (const std::string_view word : animals) std::printf("  %-8s", std::string(word).c_str());
    std::printf("\n   %s", padded("logits", 12).c_str());
    for (const float s : example) std::printf("  %-8g", static_cast<double>(s));
    Candidates c(example);
    const auto print = [&](const std::string& name) {
        std::printf("\n   %s", padded(name, 12).c_str());
        for (const double p : c.probabilities())
            p > 0 ? std::printf("  %8.6f", p) : std::printf("  %-8s", "-");
    };
    print("softmax");
    for (const ChainStep& step : chain.steps())
        step.apply(c, {}), print(step.name + " " + step.parameters);
    std::printf("\n\n  ");
    Candidates scratch;
    for (const double u : {0.75, 0.8807, 0.8809}) {
        std::printf(" u = %g gives %s.", u,
                    std::string(animals[chain.pick(example, {}, u, scratch)]).c_str());
    }
    Rng rng(seed);
    int cats = 0;
    for (int i = 0; i < draws; ++i) cats += chain.pick(example, {}, rng.uniform(), scratch) == 0;
    std::printf("\n   %d draws: %d cats; expected %.0f ± %.1f.\n", draws, cats, draws * 0.880797,
                std::sqrt(draws * 0.880797 * 0.119203));
}

void four_dialects() {
    std::printf("2. One request, four programs: logits [3, 2, 1], T = 0.5, p = 0.8\n\n");
    const std::vector<float> s{3, 2, 1};
    for (const auto& [name, dialect] : dialects()) {
        const Chain chain = chain_of(options(0.5, 0, 0.8), dialect);
        Candidates c(s);
        chain.apply(c, {});
        std::printf("   %s %s keeps", padded(name, 12).c_str(),
                    padded(chain.to_string(), 36).c_str());
        for (std::size_t i = 0; i < c.size(); ++i)
            std::printf(" %d (%.4f)", c.id(i), c.probability(i));
        std::printf("\n");
    }
    std::printf("\n   Four equal logits, k = 2:\n\n  ");
    const std::vector<float> equal(4, 1.0f);
    for (const auto& [name, dialect] : dialects())
        std::printf("  %s keeps %zu", std::string(name).c_str(),
                    kept(equal, options(1, 2, 1), dialect));
    std::printf("\n\n   What each does when told nothing:\n\n");
    for (const auto& [name, dialect] : dialects()) {
        std::printf(
            "   %s %s\n", padded(name, 13).c_str(),
            in_order(dialect, truncation_steps(defaults_of(dialect), dialect)).to_string().c_str());
    }
}

void sizes() {
    const std::vector<float> zipf = zipf_logits(1, 0);
    std::printf(
        "3. Zipf's law over 1,000 tokens. Temperature moves the nucleus, never the top k:\n\n");
    std::printf("   T               0.7     1   1.5\n   top-p 0.9     ");
    for (const double T : {0.7, 1.0, 1.5}) std::printf(" %5zu", kept(zipf, options(T, 0, 0.9)));
    std::printf("\n   top-k 50      ");
    for (const double T : {0.7, 1.0, 1.5}) std::printf(" %5zu", kept(zipf, options(T, 50, 1)));
    std::printf(
        "\n\n   top-k, then top-p of what is left (T = 1):\n\n           p = 0.5   0.9  0.95\n");
    for (const int k : {10, 20, 50, 0}) {
        std::printf("   k = %-4s", k ? std::to_string(k).c_str() : "off");
        for (const double p : {0.5, 0.9, 0.95}) std::printf(" %5zu", kept(zipf, options(1, k, p)));
        std::printf("\n");
    }
}

void with_presets(const GptModel& model, const NextLogits& gpt, const std::string& prompt,
                  int length, std::uint64_t seed) {
    std::printf("4. \"%s …\" with each preset (penalties come in chapter 08):\n", prompt.c_str());
    const std::vector<int> ids = encode_prompt(model, prompt, length);
    const int eos = model.tokenizer.eos_id();
    Candidates scratch;
    for (const Preset& preset : presets()) {
        const Chain chain = chain_of(preset.options);
        std::printf("\n   %s (%s): %s\n", std::string(preset.name).c_str(),
                    std::string(preset.good_for).c_str(), chain.to_string().c_str());
        Rng rng(seed);
        std::vector<int> written;
        const auto pick = [&](std::span<const float> row, const std::vector<int>& so_far) {
            return chain.pick(row, {so_far, ids.size()}, rng.uniform(), scratch);
        };
        generate(gpt, ids, length, pick, [&](int id) {
            if (id != eos) written.push_back(id);
            return id != eos;
        });
        print_wrapped("…" + visible(model.tokenizer.decode(written)));
    }
}

// The size of the nucleus against the temperature, for both orders.
void write_figure(const std::string& file) {
    LineChart chart;
    chart.title = "Tokens kept of 1,000 (Zipf's law), by where the temperature stands";
    chart.x_label = "temperature";
    chart.y_label = "tokens kept";
    const std::vector<float> zipf = zipf_logits(1, 0);
    LineChart::Series first{"T, then top-p 0.9", {}}, last{"top-p 0.9, then T", {}},
        k{"top-k 50", {}};
    last.dashed = k.dashed = true;
    for (double T = 0.2; T <= 2.01; T += 0.05) {
        first.points.emplace_back(T, static_cast<double>(kept(zipf, options(T, 0, 0.9))));
        last.points.emplace_back(
            T, static_cast<double>(kept(zipf, options(T, 0, 0.9), Dialect::llama_cpp)));
        k.points.emplace_back(T, static_cast<double>(kept(zipf, options(T, 50, 1))));
    }
    chart.series = {first, last, k};
    write_svg(file, chart);
}

struct Options {
    std::string prompt = "The meaning of life is", figure, model = model_directory("storyteller");
    int part = 0, max_new_tokens = 40;
    std::uint64_t seed = 1;
    PartOptions of_part{part};
};

void declare(CommandLine& line, Options& o) {
    o.of_part.add({4}, prompt_option(line, o.prompt, " in part 4"));
    part_option(line, o.part, 4, "1 to 3 need no model");
    o.of_part.add({4}, length_option(line, o.max_new_tokens, " in part 4"));
    o.of_part.add({1, 4}, seed_option(line, o.seed));
    o.of_part.add({4}, model_option(line, o.model));
    figure_option(line, o.figure, "sizes over the temperature");
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    return run_program(
        argc, argv, "Chapter 06: combining the steps, and why their order matters.",
        [&](CommandLine line) { declare(line, o); },
        [&] {
            o.of_part.check();
            // The model is opened first, so that errors are reported before any output.
            std::optional<GptModel> model;
            if (o.part == 0 || o.part == 4)
                model = load_gpt(o.model), encode_prompt(*model, o.prompt, o.max_new_tokens);
            if (!o.figure.empty()) write_figure(o.figure);
            if (o.of_part.begin(1)) worked_example(o.seed);
            if (o.of_part.begin(2)) four_dialects();
            if (o.of_part.begin(3)) sizes();
            if (!o.of_part.begin(4)) return;
            WholeTextModel gpt(model->gpt);
            with_presets(*model, std::ref(gpt), o.prompt, o.max_new_tokens, o.seed);
        });
}
