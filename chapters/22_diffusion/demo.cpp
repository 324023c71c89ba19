#include "chapters/22_diffusion/demo.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <vector>

#include "chapters/06_combining/chain.hpp"
#include "chapters/10_generate/tools/page.hpp"
#include "chapters/22_diffusion/distributions.hpp"
#include "chapters/22_diffusion/filled_trace.hpp"
#include "chapters/22_diffusion/filling.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/files/model.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/transformer.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {
namespace {

constexpr const char* gap_sign = "___";

Hole hole_in(const MaskedModel& model, const std::string& text, int tokens) {
    check_gap(text);
    const std::size_t at = text.find(gap_sign);
    return hole_between(model, text.substr(0, at), text.substr(at + 3), tokens);
}

std::string cell(const MaskedModel& model, int id) {
    return id == mask_token ? "░" : visible(model.tokenizer.token_bytes(id));
}

// Draws a grid: a row for each step, a column for each place; new tokens are dark.
void write_grid(const std::string& file, const MaskedModel& model, const std::vector<Canvas>& steps,
                const Hole& hole) {
    std::string svg;
    const double width = 640.0 / static_cast<double>(hole.end - hole.begin);
    for (std::size_t s = 0; s < steps.size(); ++s) {
        const double y = 30 + 30 * static_cast<double>(s);
        svg += svg_text(56, y + 17, s == 0 ? "masked" : "step " + std::to_string(s), "end", 11);
        for (std::size_t i = hole.begin; i < hole.end; ++i) {
            const double x = 64 + width * static_cast<double>(i - hole.begin);
            const int id = steps[s][i];
            const bool fresh = s > 0 && id != mask_token && steps[s - 1][i] == mask_token;
            svg += svg_rect(x, y, width - 2, 26, id == mask_token ? svg_grey : svg_colour(0),
                            id == mask_token ? "fill-opacity=\"0.25\""
                            : fresh          ? "fill-opacity=\"0.6\""
                                             : "fill-opacity=\"0.15\"");
            if (id != mask_token)
                svg += svg_text(x + width / 2 - 1, y + 17, cell(model, id), "middle", 11);
        }
    }
    write_svg(file, "What was filled in at each step, place by place", 720,
              40 + 30 * to_int(steps.size()), svg);
}

// "two places a step, the most certain first"
std::string described(const Hole& hole, const FillOptions& o) {
    const std::size_t places = hole.end - hole.begin,
                      steps = o.steps == 0 ? places : std::min(places, index(o.steps)),
                      block = o.block_length == 0 ? places : index(o.block_length),
                      each = std::min(places / steps, block);
    std::string words = places % steps != 0 ? std::to_string(steps) + " steps"
                        : each == 1         ? "one place a step"
                        : each == 2         ? "two places a step"
                                            : std::to_string(each) + " places a step";
    words += o.order == "random" ? ", in random order" : ", the most certain first";
    if (o.block_length > 0) words += ", blocks of " + std::to_string(o.block_length);
    return words;
}

// For the page: what was known before each step, and the most probable token at each place.
std::string page_lines(MaskedModel& model, const std::string& text, const std::vector<Canvas>& rows,
                       const Hole& hole, const FillOptions& options, const GridFiles& files) {
    SamplingOptions always_the_best;
    always_the_best.temperature = 0;
    const Chain chain(truncation_steps(always_the_best, Dialect::ours));
    const std::size_t at = text.find(gap_sign);
    const ShownPrompt prompt{text.substr(0, at), model.tokenizer.encode(text.substr(0, at))};
    FilledTexts filled;
    filled.fill = options;
    filled.suffix = text.substr(at + 3);
    GeneratedText gap;
    gap.ids.assign(rows.back().begin() + static_cast<std::ptrdiff_t>(hole.begin),
                   rows.back().begin() + static_cast<std::ptrdiff_t>(hole.end));
    gap.text = valid_text(model.tokenizer.decode(gap.ids));
    filled.texts = {gap};
    filled.tokens = {replay_filling(model, chain, {}, rows, hole.begin, hole.end)};
    return filled_trace({files.command, files.directory, ""}, model, chain, {&prompt, 1}, filled);
}

}  // namespace

void check_gap(const std::string& text) {
    const std::size_t at = text.find(gap_sign);
    if (at == std::string::npos || text.find(gap_sign, at + 1) != std::string::npos)
        throw UsageError(std::string("infill: expected one gap, ") + gap_sign + ", in the text");
    if (at == 0 || at + 3 == text.size())
        throw UsageError(std::string("infill: expected text on both sides of ") + gap_sign);
}

void show_distributions() {
    const std::vector<std::string> words = {"New", "Los", "San", "York", "Angeles", "Diego"};
    const std::map<Canvas, double> texts = {{{0, 3}, .5}, {{1, 4}, .3}, {{2, 5}, .2}};
    const MaskedDistribution distribution = conditionals(texts, 6);
    const Canvas start(2, mask_token);
    const auto of = [&](const Sampler& sampler) {
        return distribution_of(sampler, distribution, start);
    };
    const std::map<Canvas, double> distributions[] = {of(at_random(1)), of(at_random(2)),
                                                      of(by_confidence(1))};
    std::printf(
        "1. Two masked places, three texts. What each sampler writes, exactly:\n\n"
        "                  one a step   both at once   most confident first\n");
    double others[3] = {1, 1, 1};
    for (int text = 0; text < 3; ++text) {
        const Canvas row = {text, text + 3};
        std::printf("   %s", padded(words[index(text)] + " " + words[index(text + 3)], 13).c_str());
        for (int i = 0; i < 3; ++i) {
            const auto found = distributions[i].find(row);
            const double p = found == distributions[i].end() ? 0 : found->second;
            others[i] -= p;
            std::printf("%*.1f %%", i == 2 ? 21 : i == 1 ? 13 : 10, 100 * p);
        }
        std::printf("\n");
    }
    std::printf("   %s%10.1f %%%13.1f %%%21.1f %%\n", padded("all others", 13).c_str(),
                100 * std::max(0.0, others[0]), 100 * others[1], 100 * std::max(0.0, others[2]));
}

void show_grid(MaskedModel& model, const std::string& text, int tokens, const FillOptions& options,
               std::uint64_t seed, const GridFiles& files) {
    const PageFile page(files.html, files.trace);
    const Hole hole = hole_in(model, text, tokens);
    std::vector<Canvas> steps;
    model.on_pass = [&](const Canvas& row) { steps.push_back(row); };
    Hole filled = hole;
    Rng rng(seed);
    const MaskedDistribution p = model.distribution();
    fill_once(filled, greedy(p), drawing(rng), options, p);
    const Canvas& row = filled.row;
    model.on_pass = nullptr;
    steps.push_back(row);
    std::printf("2. %d tokens are masked; %s:\n", tokens, described(hole, options).c_str());
    print_wrapped(
        model.text(Canvas(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(hole.begin))));
    std::printf("\n");
    const int width = count(std::to_string(steps.size() - 1));
    for (std::size_t s = 0; s < steps.size(); ++s) {
        std::printf("   %*zu ", width, s);
        for (std::size_t i = hole.begin; i < hole.end; ++i)
            std::printf(" %s",
                        padded(cell(model, steps[s][i]), columns(cell(model, row[i]))).c_str());
        std::printf("\n");
    }
    std::printf("\n");
    print_wrapped(
        model.text(Canvas(row.begin() + static_cast<std::ptrdiff_t>(hole.end), row.end())));
    if (!files.grid.empty()) write_grid(files.grid, model, steps, hole);
    if (page.wanted()) page.write(page_lines(model, text, steps, hole, options, files));
}

void show_bound(const std::string& directory) {
    const Json recipe = read_json(join_path(directory, "recipe.json"));
    std::printf(
        "6. Bits per byte on held-out texts; the model's figure is an upper bound:\n\n"
        "                bound    floor    texts\n");
    for (const auto& [genre, row] : recipe.at("held_out_bits_per_byte").items())
        std::printf("   %s%6.3f   %6.3f   %6.0f\n", padded(genre, 12).c_str(),
                    row.at("model").get<double>(), row.at("floor").get<double>(),
                    row.at("documents").get<double>());
}

void show_times(MaskedModel& model, const std::string& storyteller) {
    const auto milliseconds = [](const std::function<void()>& what) {
        double best = 1e9;
        for (int run = 0; run < 5; ++run) {
            const auto start = std::chrono::steady_clock::now();
            what();
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
            best = std::min(best, 1000 * took.count());
        }
        return best;
    };
    const int places = model.gpt.config().n_positions;
    const std::vector<int> canvas(index(places), model.gpt.mask_id());
    const double pass = milliseconds([&] { model.gpt.forward(canvas); });
    Transformer gpt = load_transformer(storyteller, {model.gpt.threads()});
    const double plain = milliseconds([&] {
        KvCache cache(gpt.config());
        for (int i = 0; i < places; ++i) gpt.forward(cache, std::vector<int>{i});
    });
    std::printf(
        "7. %d places, %d threads:\n\n   one pass of the canvas            %6.2f ms\n"
        "   %d tokens, one after the other   %6.2f ms: as many as %.1f passes\n",
        places, model.gpt.threads(), pass, places, plain, plain / pass);
}

}  // namespace tbt
