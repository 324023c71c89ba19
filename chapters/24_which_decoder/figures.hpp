// Figures of sets of texts: means with their intervals, and how varied the texts are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
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

// How varied a set of texts is.
struct Diversity {
    double distinct_texts = 0;     // share
    double distinct[4] = {};       // distinct-1 … 4
    double plot_entropy = 0;       // bits: of the alternatives taken at most two rules deep
    double repeated = 0;           // share of a text's runs of four words that it had before
    std::size_t alternatives = 0;  // of the grammar that occur at all
};

// What the words alone say of it: without plots and alternatives. Words end at white space.
Diversity word_diversity(const std::vector<std::string>& texts);

}  // namespace tbt
