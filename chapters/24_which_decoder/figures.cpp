#include "chapters/24_which_decoder/figures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>
#include <string>

#include "chapters/24_which_decoder/plain_measures.hpp"
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

namespace {

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

// The share of a text's runs of four words that it had before.
double repeated_runs(const std::vector<std::vector<std::string>>& texts) {
    double again = 0, all = 0;
    for (const auto& words : texts) {
        if (words.size() < 4) continue;
        const auto runs = static_cast<double>(words.size() - 3);
        all += runs;
        again += runs * (1 - plain_distinct({words}, 4));
    }
    return all == 0 ? 0 : again / all;
}

}  // namespace

Diversity word_diversity(const std::vector<std::string>& texts) {
    Diversity d;
    std::vector<std::vector<std::string>> words;
    for (const std::string& text : texts) words.push_back(words_of(text));
    for (std::size_t n = 1; n <= 4; ++n) d.distinct[n - 1] = plain_distinct(words, n);
    d.repeated = repeated_runs(words);
    const std::set<std::string> whole(texts.begin(), texts.end());
    if (!texts.empty())
        d.distinct_texts = static_cast<double>(whole.size()) / static_cast<double>(texts.size());
    return d;
}

}  // namespace tbt
