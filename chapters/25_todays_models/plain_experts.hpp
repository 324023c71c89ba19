// A mixture of experts [Shazeer et al. 2017; Jiang et al. 2024]: a layer has E MLPs, the experts,
// and each token takes k of them. The router, a small matrix, gives each expert a score.
//
//   p = softmax(scores)        the k experts with the largest p; of equal ones the lower number
//   y = Σ_e p_e · expert_e(x) over these k, in order of their numbers
//
// In most models the k weights are divided by their sum, so that they are a distribution again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "chapters/18_transformer/plain_layers.hpp"
#include "lib/core/math.hpp"

namespace tbt {

struct PlainChoice {
    std::size_t expert = 0;
    float weight = 0;
};

inline std::vector<PlainChoice> plain_choice(const Row& scores, std::size_t k, bool sum_to_one) {
    const float largest = *std::max_element(scores.begin(), scores.end());
    std::vector<PlainChoice> all;
    float total = 0;
    for (std::size_t e = 0; e < scores.size(); ++e) {
        all.push_back({e, portable_expf(scores[e] - largest)});
        total += all[e].weight;
    }
    for (PlainChoice& c : all) c.weight /= total;
    std::stable_sort(all.begin(), all.end(), [&](const PlainChoice& a, const PlainChoice& b) {
        return scores[a.expert] > scores[b.expert];
    });
    all.resize(k);
    float sum = 0;
    for (const PlainChoice& c : all) sum += c.weight;
    for (PlainChoice& c : all)
        if (sum_to_one) c.weight /= sum;
    std::sort(all.begin(), all.end(),
              [](const PlainChoice& a, const PlainChoice& b) { return a.expert < b.expert; });
    return all;
}

using PlainExpert = std::function<Row(const Row& x)>;

inline Row plain_mixture(const Row& x, const Row& scores, const std::vector<PlainExpert>& experts,
                         std::size_t k, bool sum_to_one) {
    Row y(x.size(), 0.0f);
    for (const auto& [expert, weight] : plain_choice(scores, k, sum_to_one)) {
        const Row part = experts.at(expert)(x);
        for (std::size_t i = 0; i < y.size(); ++i) y[i] += weight * part[i];
    }
    return y;
}

}  // namespace tbt
