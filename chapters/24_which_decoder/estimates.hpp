// Means with their intervals.
#pragma once

#include <cstdint>
#include <vector>

namespace tbt {

// A mean with a 95 % interval: the 2.5 % and 97.5 % quantiles of means of samples drawn from
// the values with replacement (the bootstrap, Efron 1979). Not a number without values.
struct Estimate {
    double mean = 0, low = 0, high = 0;
};
Estimate bootstrap(const std::vector<double>& values, std::uint64_t seed = 1, int resamples = 1000);

// KL(p‖q) over the true texts that q can write, among which p is made to add up to 1.
// ratios: log2 p(x) − log2 q(x) of each true text; infinite where q can never write it. Not a
// number if all are lost.
Estimate kl_of_kept(const std::vector<double>& ratios);

// The same, `by` higher.
Estimate shifted(const Estimate& e, double by);

}  // namespace tbt
