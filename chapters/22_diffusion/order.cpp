#include "chapters/22_diffusion/order.hpp"

#include <algorithm>
#include <cmath>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

void fill_once(Hole& hole, const MaskedDistribution& distribution, const Draw& draw,
               const FillOptions& o, const MaskedDistribution& sure) {
    const std::size_t places = hole.end - hole.begin;
    const std::size_t block = o.block_length == 0 ? places : index(o.block_length);
    std::size_t steps = o.steps == 0 ? places : index(o.steps);
    for (std::size_t end = hole.begin + block; end < hole.end + block; end += block) {
        while (!masked_places(hole.row, std::min(end, hole.end)).empty()) {
            // The masks that are left, split evenly over the steps that are left.
            const std::size_t left = masked_places(hole.row, hole.end).size();
            const std::size_t each = (left + steps - 1) / steps;
            if (steps > 1) --steps;
            if (o.order == "confidence")
                fill_by_confidence(hole.row, distribution, draw, each, end, sure, 1);
            else fill_at_random(hole.row, distribution, draw, each, end, 1);
        }
    }
}

MaskedDistribution greedy(const MaskedDistribution& model) {
    return [model](const Canvas& row, std::size_t place) {
        std::vector<double> p = model(row, place);
        const std::size_t best = index(most_probable()(p));
        p.assign(p.size(), 0.0);
        p[best] = 1;
        return p;
    };
}

Draw drawing(Rng& rng) {
    return [&rng](const std::vector<double>& p) {
        check_at_least("draw: probabilities", static_cast<long long>(p.size()), 1);
        double u = rng.uniform();
        std::size_t last = 0;  // the last id with p > 0, in case rounding leads past the end
        for (std::size_t i = 0; i < p.size(); ++i) {
            if (std::isnan(p[i]))
                throw Error("draw: the probability of token " + std::to_string(i) +
                            " is NaN; the model is broken");
            if (p[i] <= 0) continue;
            last = i;
            if ((u -= p[i]) < 0) break;
        }
        return to_int(last);
    };
}

Draw most_probable() {
    return [](const std::vector<double>& p) {
        check_at_least("draw: probabilities", static_cast<long long>(p.size()), 1);
        return to_int(std::max_element(p.begin(), p.end()) - p.begin());
    };
}

}  // namespace tbt
