#include "chapters/22_diffusion/distributions.hpp"

#include <algorithm>
#include <utility>

#include "lib/core/index.hpp"

namespace tbt {

Sampler at_random(std::size_t n) {
    return [n](Canvas& row, const MaskedDistribution& distribution, const Draw& draw) {
        fill_at_random(row, distribution, draw, n);
    };
}

Sampler by_confidence(std::size_t n) {
    return [n](Canvas& row, const MaskedDistribution& distribution, const Draw& draw) {
        fill_by_confidence(row, distribution, draw, n);
    };
}

std::map<Canvas, double> distribution_of(const Sampler& sampler,
                                         const MaskedDistribution& distribution,
                                         const Canvas& row) {
    struct Choice {
        std::vector<double> p;
        std::size_t taken;
    };
    const auto next_possible = [](const std::vector<double>& p, std::size_t from) {
        while (from < p.size() && !(p[from] > 0)) ++from;
        return from;
    };
    std::map<Canvas, double> result;
    std::vector<Choice> path;
    do {
        std::size_t depth = 0;
        const Draw draw = [&](const std::vector<double>& p) {
            if (depth == path.size()) path.push_back({p, next_possible(p, 0)});
            return to_int(path[depth++].taken);
        };
        Canvas filled = row;
        sampler(filled, distribution, draw);
        double probability = 1;
        for (const Choice& choice : path) probability *= choice.p.at(choice.taken);
        result[filled] += probability;
        // Change the last draw that has another possible result.
        while (!path.empty()) {
            path.back().taken = next_possible(path.back().p, path.back().taken + 1);
            if (path.back().taken < path.back().p.size()) break;
            path.pop_back();
        }
    } while (!path.empty());
    return result;
}

MaskedDistribution conditionals(std::map<Canvas, double> joint, int vocabulary) {
    check_at_least("conditionals: the vocabulary", vocabulary, 1);
    for (const auto& text : joint) check_ids("conditionals", text.first, index(vocabulary));
    return [joint = std::move(joint), vocabulary](const Canvas& row, std::size_t place) {
        checked_place("conditionals: places", static_cast<long long>(place), row.size());
        std::vector<double> p(index(vocabulary));
        double sum = 0;
        for (const auto& [text, probability] : joint) {
            bool fits = text.size() == row.size();
            if (!fits) continue;
            for (std::size_t i = 0; i < row.size(); ++i)
                fits = fits && (row[i] == mask_token || row[i] == text[i]);
            if (!fits) continue;
            p[index(text[place])] += probability;
            sum += probability;
        }
        for (double& p_i : p) p_i = sum > 0 ? p_i / sum : 1.0 / vocabulary;
        return p;
    };
}

double cost_of_steps(const std::vector<double>& f, std::size_t n) {
    check_at_least("cost of steps: places a step", static_cast<long long>(n), 1);
    double cost = 0;
    n = std::min(n, std::max<std::size_t>(f.size(), 1));
    for (std::size_t known = 0; known < f.size(); known += n)
        for (std::size_t m = 0; m < n && known + m < f.size(); ++m) cost += f[known] - f[known + m];
    return cost;
}

}  // namespace tbt
