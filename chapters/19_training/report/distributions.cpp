#include "chapters/19_training/report/distributions.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <sstream>

#include "lib/core/index.hpp"
#include "lib/model/layers.hpp"

namespace tbt {

Distributions distributions(Model& model, const std::vector<std::string>& texts) {
    Distributions sum;
    double positions = 0;
    std::vector<float> log_p(index(model.config().vocab_size));
    KvCache cache(model.config());
    for (const std::string& text : texts) {
        std::vector<int> ids = {model.tokenizer.eos_id()};
        const std::vector<int> tokens = model.tokenizer.encode(text);
        ids.insert(ids.end(), tokens.begin(), tokens.end());
        ids.resize(std::min(ids.size(), index(model.config().n_positions)));
        cache.clear();
        const Logits logits = model.transformer.forward_all(cache, ids);
        for (std::int64_t t = 0; t < logits.rows; ++t, ++positions) {
            log_softmax(logits.row(t), log_p);
            std::ranges::sort(log_p, std::greater<>());
            double mass = 0;
            bool inside = true;
            for (const float value : log_p) {
                const double p = std::exp(static_cast<double>(value));
                sum.entropy -= p * static_cast<double>(value) / std::numbers::ln2;
                if (inside) sum.nucleus += 1;
                if (inside && mass == 0 && p < 0.9) sum.wide_nuclei += 1;
                mass += p;
                inside = inside && mass < 0.9;
            }
        }
    }
    return {sum.entropy / positions, sum.wide_nuclei / positions, sum.nucleus / positions};
}

bool repeats_itself(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    const std::size_t n = words.size();
    // The last word may be incomplete, so it may be left out.
    for (std::size_t cut = 0; cut <= std::min<std::size_t>(1, n); ++cut) {
        for (std::size_t period = 4; 3 * period + cut <= n; ++period) {
            const auto end = words.end() - static_cast<std::ptrdiff_t>(cut);
            const auto p = static_cast<std::ptrdiff_t>(period);
            if (std::equal(end - 2 * p, end, end - 3 * p)) return true;
        }
    }
    return false;
}

}  // namespace tbt
