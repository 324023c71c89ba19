#include "chapters/24_which_decoder/estimates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"

namespace tbt {

Estimate bootstrap(const std::vector<double>& values, std::uint64_t seed, int resamples) {
    if (resamples < 40)
        throw Error("bootstrap: got " + std::to_string(resamples) +
                    " resamples, expected 40 or more, to have a 2.5 % quantile");
    if (values.empty()) {
        const double none = std::numeric_limits<double>::quiet_NaN();
        return {none, none, none};
    }
    Rng rng(seed);
    const auto n = static_cast<double>(values.size());
    std::vector<double> means(index(resamples));
    for (double& mean : means) {
        for (std::size_t i = 0; i < values.size(); ++i) mean += values[rng.below(values.size())];
        mean /= n;
    }
    std::ranges::sort(means);
    const auto tail = index(resamples) / 40;
    double sum = 0;
    for (const double v : values) sum += v;
    return {sum / n, means[tail], means[means.size() - 1 - tail]};
}

Estimate shifted(const Estimate& e, double by) { return {e.mean + by, e.low + by, e.high + by}; }

// Among the kept, p(x) becomes p(x) / share: log2 p grows by −log2(share).
Estimate kl_of_kept(const std::vector<double>& ratios) {
    std::vector<double> kept;
    for (const double ratio : ratios)
        if (!std::isinf(ratio)) kept.push_back(ratio);
    return shifted(bootstrap(kept), -std::log2(static_cast<double>(kept.size()) /
                                               static_cast<double>(ratios.size())));
}

}  // namespace tbt
