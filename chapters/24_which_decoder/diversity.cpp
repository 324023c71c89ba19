#include "chapters/24_which_decoder/diversity.hpp"

#include <set>
#include <sstream>

#include "chapters/24_which_decoder/plain_measures.hpp"

namespace tbt {

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
