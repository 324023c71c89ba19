#include "chapters/22_diffusion/filling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/machine/command_line.hpp"

namespace tbt {

void add_order_options(CommandLine line, FillOptions& o) {
    line.option("--diffusion-steps", o.steps,
                "passes for a gap, each fills about as many masks (a block begins a new pass); 0: "
                "one for each mask")
        .shows_default();
    line.option("--diffusion-order", o.order,
                "random (one mask a pass samples the model's distribution exactly), or confidence: "
                "the most probable first")
        .one_of({"random", "confidence"});
    line.option("--block-length", o.block_length,
                "fill blocks of this many masks from left to right; 0: one block")
        .shows_default();
}

void add_fill_options(OptionTable& app, FillOptions& o) {
    CommandLine line(app, "How gaps are filled (--decoder diffusion)");
    add_order_options(line, o);
    line.option("--diffusion-best-of", o.best_of,
                "fill the gap this many times, and keep the most probable filling")
        .shows_default();
}

void check_fill_options(const FillOptions& o) {
    const auto refuse = [](const std::string& what) { throw UsageError(what); };
    if (o.steps < 0)
        refuse("diffusion-steps: got " + std::to_string(o.steps) +
               ", expected 1 or more, or 0 for one a place");
    if (o.block_length < 0)
        refuse("block-length: got " + std::to_string(o.block_length) +
               ", expected 1 or more, or 0 for one block");
    if (o.best_of < 1)
        refuse("diffusion-best-of: got " + std::to_string(o.best_of) + ", expected 1 or more");
    if (o.order != "random" && o.order != "confidence")
        refuse("diffusion-order: got '" + o.order + "', expected random or confidence");
}

Hole hole_between(const MaskedModel& model, std::string_view before, std::string_view suffix,
                  int tokens) {
    check_at_least("infill: tokens of the gap", tokens, 0);
    for (const auto& [name, text] : {std::pair{"prompt", before}, std::pair{"infill", suffix}}) {
        const std::size_t bad = find_invalid_utf8(text);
        if (bad != std::string_view::npos)
            throw Error(std::string(name) + ": byte " + std::to_string(bad + 1) +
                        " is not valid UTF-8; save the text as UTF-8");
    }
    std::vector<int> ids = model.tokenizer.encode(before);
    const std::vector<int> after = model.tokenizer.encode(suffix);
    const std::size_t begin = ids.size(), canvas = index(model.gpt.config().n_positions);
    const std::size_t ends = begin + after.size();
    const std::size_t places = tokens > 0 ? index(tokens) : canvas - std::min(canvas, ends);
    if (places == 0 || ends + places > canvas)
        throw Error("infill: " + std::to_string(ends) + " tokens of text and a gap of " +
                    std::to_string(std::max(places, std::size_t{1})) +
                    ", and the model's canvas "
                    "has " +
                    std::to_string(canvas) + " places; shorten one of them");
    ids.resize(begin + places, model.tokenizer.eos_id());
    ids.insert(ids.end(), after.begin(), after.end());
    Hole hole{model.canvas(ids), begin, begin + places};
    for (std::size_t i = hole.begin; i < hole.end; ++i) hole.row[i] = mask_token;
    return hole;
}

double cost_in_orders(const MaskedDistribution& distribution, const Canvas& row,
                      std::vector<std::size_t> places, int orders, const Draw& draw) {
    check_at_least("cost: orders", orders, 1);
    double sum = 0;
    for (int order = 0; order < orders; ++order) {
        Canvas seen = row;
        for (const std::size_t i : places)
            seen[checked_place("cost", static_cast<long long>(i), row.size())] = mask_token;
        for (std::size_t left = places.size(); left > 0; --left) {
            const std::vector<double> equal(left, 1.0 / static_cast<double>(left));
            std::swap(places[checked_place("cost: the draw", draw(equal), left)], places[left - 1]);
            const std::size_t i = places[left - 1];
            const std::vector<double> p = distribution(seen, i);
            sum -= std::log(p[checked_id("cost", row[i], p.size())]);
            seen[i] = row[i];
        }
    }
    return sum / orders;
}

std::size_t fill(Hole& hole, const MaskedDistribution& distribution, const Draw& draw,
                 const FillOptions& o, const MaskedDistribution& sure,
                 const std::function<void()>& begins) {
    check_fill_options(o);
    if (hole.end > hole.row.size() || hole.begin >= hole.end)
        throw Error("infill: a gap from " + std::to_string(hole.begin) + " to " +
                    std::to_string(hole.end) + " in a row of " + std::to_string(hole.row.size()));
    const Hole open = hole;
    if (begins) begins();
    fill_once(hole, distribution, draw, o, sure);
    if (o.best_of == 1) return 0;
    constexpr int orders = 4;  // the same orders for each filling, to reduce the effect of chance
    const auto cost = [&](const Hole& filled) {
        Rng rng(1);
        return cost_in_orders(sure ? sure : distribution, filled.row,
                              masked_places(open.row, open.end), orders, drawing(rng));
    };
    std::size_t kept = 0;
    double least = cost(hole);
    for (int i = 1; i < o.best_of; ++i) {
        Hole next = open;
        if (begins) begins();
        fill_once(next, distribution, draw, o, sure);
        if (next.row == hole.row) continue;  // the same filling, so the same cost
        const double costs = cost(next);
        if (costs < least) hole = std::move(next), least = costs, kept = index(i);
    }
    return kept;
}

std::span<const float> open_logits(MaskedModel& model, const Canvas& row, std::size_t place,
                                   std::span<const int> banned, std::vector<float>& logits) {
    const std::span<const float> plain = model.logits(row, place);
    logits.assign(plain.begin(), plain.end());
    check_ids("diffusion", banned, logits.size());
    for (const int id : banned) logits[index(id)] = -std::numeric_limits<float>::infinity();
    return logits;
}

MaskedDistribution distribution_after(MaskedModel& model, const Chain& chain,
                                      std::vector<int> banned) {
    return [&model, &chain, banned = std::move(banned), logits = std::vector<float>()](
               const Canvas& row, std::size_t place) mutable {
        Candidates candidates(open_logits(model, row, place, banned, logits));
        chain.apply(candidates, {});
        return candidates.probabilities();
    };
}

}  // namespace tbt
