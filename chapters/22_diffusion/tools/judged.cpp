#include "chapters/22_diffusion/tools/judged.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>

#include "chapters/22_diffusion/distributions.hpp"
#include "chapters/22_diffusion/filling.hpp"
#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/corpus/text_probability.hpp"
#include "lib/corpus/validation.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

Canvas Gap::row(const MaskedModel& model) const {
    Canvas row = model.canvas(tokens);
    std::fill(row.begin() + static_cast<std::ptrdiff_t>(begin),
              row.begin() + static_cast<std::ptrdiff_t>(end), mask_token);
    return row;
}

std::vector<Gap> gaps(const Corpus& corpus, const std::vector<std::string>& genres,
                      const MaskedModel& model, int each, int length) {
    check_at_least("gaps: of each genre", each, 1);
    check_at_least("gaps: tokens", length, 1);
    constexpr std::uint64_t most = 200'000;
    std::vector<Gap> found;
    for (const std::string& name : genres) {
        const int genre = corpus.genre_named(name);
        int of_this = 0;
        for (std::uint64_t i = 0; of_this < each; ++i) {
            if (i == most)
                throw Error("gaps: of " + name + " only " + std::to_string(of_this) +
                            " texts are held out and fit, expected " + std::to_string(each));
            const Document document = corpus.document_of(genre, validation_seed, i);
            if (!document.held_out) continue;
            std::vector<int> tokens = model.tokenizer.encode(document.text);
            if (count(tokens) < 2 * length || count(tokens) >= model.gpt.config().n_positions)
                continue;
            const std::size_t begin = (tokens.size() - index(length)) / 2;
            found.push_back({genre, std::move(tokens), begin, begin + index(length)});
            ++of_this;
        }
    }
    return found;
}

std::string continued(Model& model, const Tokenizer& tokenizer, const Gap& gap) {
    const std::span<const int> all(gap.tokens);
    std::vector<int> ids =
        encode_prompt(model, tokenizer.decode(all.first(gap.begin)), to_int(gap.end - gap.begin));
    KvCache cache(model.config());
    std::vector<int> fresh = ids;
    std::string text = tokenizer.decode(all.first(gap.begin));
    for (std::size_t i = gap.begin; i < gap.end; ++i) {
        const std::span<const float> logits = model.transformer.forward(cache, fresh);
        fresh = {to_int(std::max_element(logits.begin(), logits.end()) - logits.begin())};
        if (fresh[0] == model.tokenizer.eos_id()) break;
        text += model.tokenizer.token_bytes(fresh[0]);
    }
    return text + tokenizer.decode(all.subspan(gap.end));
}

std::vector<double> cross_entropies(MaskedModel& model, const std::vector<Gap>& gaps, int orders) {
    check_at_least("cross-entropies: gaps", count(gaps), 1);
    check_at_least("cross-entropies: orders", orders, 1);
    std::vector<double> f(gaps[0].end - gaps[0].begin);
    const MaskedDistribution distribution = model.distribution();
    for (std::size_t g = 0; g < gaps.size(); ++g) {
        check_size("cross-entropies: a gap", gaps[g].end - gaps[g].begin, f.size());
        for (int order = 0; order < orders; ++order) {
            Rng rng(index(order), g);
            std::vector<std::size_t> places(f.size());
            std::iota(places.begin(), places.end(), gaps[g].begin);
            for (std::size_t i = places.size(); i > 1; --i)
                std::swap(places[i - 1], places[rng.below(i)]);
            Canvas row = gaps[g].row(model);
            const Canvas text = model.canvas(gaps[g].tokens);
            for (std::size_t j = 0; j < f.size(); ++j) {
                f[j] += masked_loss(distribution, row, text) / static_cast<double>(gaps.size()) /
                        orders;
                row[places[j]] = text[places[j]];
            }
        }
    }
    return f;
}

namespace {

constexpr int each = 25, gap_length = 10;

Sampler greedy(std::size_t n) {
    return [n](Canvas& row, const MaskedDistribution& distribution, const Draw&) {
        fill_by_confidence(row, distribution, most_probable(), n);
    };
}

// Fills by confidence, sampled: the most probable of n fillings.
Sampler likeliest(int n) {
    return [n](Canvas& row, const MaskedDistribution& distribution, const Draw& draw) {
        const std::vector<std::size_t> hidden = masked_places(row, row.size());
        Hole hole{row, hidden.front(), hidden.back() + 1};
        FillOptions options;
        options.order = "confidence", options.best_of = n;
        fill(hole, distribution, draw, options);
        row = hole.row;
    };
}

struct Judge {
    explicit Judge(const Corpus& corpus) : recogniser(corpus) {}
    bool likes(const std::string& text, int genre) const {
        return recogniser.whole(text, genre) == Recogniser::Answer::yes;
    }
    Recogniser recogniser;
};

std::vector<Gap> fifty(const Corpus& corpus, const MaskedModel& model) {
    return gaps(corpus, {"weather", "everyday"}, model, each, gap_length);
}

std::string filled(MaskedModel& model, const Gap& gap, const Sampler& fill, std::uint64_t seed) {
    Canvas row = gap.row(model);
    Rng rng(seed);
    fill(row, model.distribution(), drawing(rng));
    return model.text(row);
}

// The fraction of `runs` fills of each gap that the recognizer accepts as texts of their genre.
double share_right(MaskedModel& model, const Judge& judge, const std::vector<Gap>& gaps,
                   const Sampler& fill, int runs) {
    int right = 0;
    for (int run = 0; run < runs; ++run)
        for (const Gap& gap : gaps)
            right += judge.likes(filled(model, gap, fill, index(run) + 1), gap.genre);
    return static_cast<double>(right) / static_cast<double>(gaps.size()) / runs;
}

// If a distribution gives the probability `share` to a set, another one at KL divergence d from it
// gives the set at least this probability, since the divergence of the two binary distributions (in
// the set or not) is at most d.
double least_share(double share, double d) {
    const auto divergence = [&](double q) {
        const double r = std::clamp(share, 1e-9, 1 - 1e-9);
        return r * std::log(r / q) + (1 - r) * std::log((1 - r) / (1 - q));
    };
    double low = 1e-12, high = std::clamp(share, 1e-9, 1 - 1e-9);
    for (int i = 0; i < 100; ++i) {
        const double middle = (low + high) / 2;
        (divergence(middle) > d ? low : high) = middle;
    }
    return high;
}

}  // namespace

void show_gaps(MaskedModel& model, Model& storyteller, const Corpus& corpus, int best_of) {
    const Judge judge(corpus);
    const std::vector<Gap> all = fifty(corpus, model);
    std::printf(
        "3. %d weather reports and %d everyday scenes that are held out, the middle %d "
        "tokens\n   masked. Right: some expansion of the grammar gives the whole text, "
        "both ends included.\n\n",
        each, each, gap_length);
    const auto row = [&](const char* name, const std::function<std::string(const Gap&)>& fill) {
        int right[2] = {0, 0};
        for (std::size_t g = 0; g < all.size(); ++g)
            right[g / index(each)] += judge.likes(fill(all[g]), all[g].genre);
        std::printf("   %s%4d of %d%8d of %d%8.0f %%\n", padded(name, 38).c_str(), right[0], each,
                    right[1], each, 100.0 * (right[0] + right[1]) / (2 * each));
        std::fflush(stdout);
    };
    const auto way = [&](const Sampler& fill) {
        return [&model, fill](const Gap& gap) { return filled(model, gap, fill, 1); };
    };
    std::printf("   %s    weather      scenes      all\n", padded("", 35).c_str());
    row("one a step, any order, drawn", way(at_random(1)));
    row("one a step, confident first, greedy", way(greedy(1)));
    row("two a step, confident first, greedy", way(greedy(2)));
    if (best_of > 1)
        row(("drawn, the likeliest of " + std::to_string(best_of)).c_str(),
            way(likeliest(best_of)));
    row("left to right, beginning alone",
        [&](const Gap& gap) { return continued(storyteller, model.tokenizer, gap); });
    for (const std::size_t g : {std::size_t{0}, index(each)}) {
        const Gap& gap = all[g];
        const auto part = [&](std::size_t from, std::size_t to) {
            return model.tokenizer.decode(std::span(gap.tokens).subspan(from, to - from));
        };
        Canvas drawn = gap.row(model);
        greedy(1)(drawn, model.distribution(), {});
        const auto at = drawn.begin() + static_cast<std::ptrdiff_t>(gap.begin);
        std::printf("\n");
        print_wrapped(part(0, gap.begin) + " [" +
                      model.tokenizer.decode(Canvas(at, at + gap_length)) + " ]" +
                      part(gap.end, gap.tokens.size()));
    }
}

void show_steps(MaskedModel& model, const Corpus& corpus, const std::string& figure) {
    constexpr int runs = 2;
    const Judge judge(corpus);
    const std::vector<Gap> all = fifty(corpus, model);
    const std::vector<double> f = cross_entropies(model, all, 2);
    LineChart chart;
    chart.title = "Right fills of the gaps, by steps";
    chart.x_label = "steps for " + std::to_string(gap_length) + " tokens";
    chart.y_label = "share that is right";
    chart.series = {{"any order, measured", {}},
                    {"any order, predicted at least", {}, true},
                    {"confident first, drawn", {}},
                    {"confident first, greedy", {}}};
    std::printf(
        "4. Fewer steps: %d gaps, %d fills each (greedy: one).\n\n"
        "                      any order, drawn         confident first\n"
        "   a step  steps   cost  predicted  right      drawn     greedy\n",
        2 * each, runs);
    double exact = 0;
    for (const std::size_t n : {1u, 2u, 3u, 5u, 10u}) {
        const double cost = cost_of_steps(f, n),
                     right = share_right(model, judge, all, at_random(n), runs),
                     drawn = share_right(model, judge, all, by_confidence(n), runs),
                     best = share_right(model, judge, all, greedy(n), 1);
        if (n == 1) exact = right;
        const double least = least_share(exact, cost);
        const std::size_t steps = (index(gap_length) + n - 1) / n;
        std::printf("   %6zu %6zu  %5.2f     ≥%4.0f %%  %4.0f %%     %4.0f %%     %4.0f %%\n", n,
                    steps, cost, 100 * least, 100 * right, 100 * drawn, 100 * best);
        std::fflush(stdout);
        const double values[] = {right, least, drawn, best};
        for (std::size_t i = 0; i < 4; ++i)
            chart.series[i].points.emplace_back(static_cast<double>(steps), values[i]);
    }
    std::printf("\n   nats a masked token when 0 … %d of the gap are known:\n  ", gap_length - 1);
    for (const double nats : f) std::printf(" %.2f", nats);
    std::printf("\n");
    if (!figure.empty()) write_svg(figure, chart);
}

void show_empty(MaskedModel& model, const Corpus& corpus) {
    constexpr int texts = 20;
    const Judge judge(corpus);
    const int places = model.gpt.config().n_positions;
    std::printf(
        "5. From an empty canvas of %d places, %d texts each:\n\n"
        "                                   steps    right    tokens a text\n",
        places, texts);
    const auto row = [&](const char* name, const Sampler& fill) {
        int right = 0, tokens = 0;
        const int before = model.passes();
        for (int i = 0; i < texts; ++i) {
            Canvas canvas(index(places), mask_token);
            Rng rng(index(i) + 1);
            fill(canvas, model.distribution(), drawing(rng));
            const std::string text = model.text(canvas);
            tokens += count(model.tokenizer.encode(text));
            right += judge.likes(text, -1);
        }
        std::printf("   %s%6d %7.0f %% %13.1f\n", padded(name, 30).c_str(),
                    (model.passes() - before) / texts, 100.0 * right / texts,
                    static_cast<double>(tokens) / texts);
        std::fflush(stdout);
    };
    row("any order, one a step", at_random(1));
    row("any order, four a step", at_random(4));
    row("confident first, one a step", by_confidence(1));
    row("confident first, four a step", by_confidence(4));
    row("blocks of 8, one a step",
        [](Canvas& canvas, const MaskedDistribution& distribution, const Draw& draw) {
            fill_by_blocks(canvas, 8, [&](Canvas& r, std::size_t end) {
                fill_at_random(r, distribution, draw, 1, end);
            });
        });
}

}  // namespace tbt
