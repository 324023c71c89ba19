// What a decoder does to texts, measured against the true distribution.
//
//     p(x)   the language: exact, by the grammar                       (language.hpp)
//     m(x)   the model: Π m(token | text before)
//     q(x)   the decoder: Π of the probabilities that its chain left, made to add up to 1
//
//     KL(q‖p) = E over texts that it wrote of  log2 q(x) − log2 p(x)
//     KL(p‖q) = E over true texts of           log2 p(x) − log2 q(x)
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "chapters/24_which_decoder/language.hpp"
#include "chapters/24_which_decoder/settings.hpp"
#include "lib/model/model.hpp"

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

// −log2 of what the model gives the tokens after the prompt, and of what each of the decoders gives
// them: by the integer weights that tokens are drawn with. An infinite one can never be drawn.
struct Bits {
    double m = 0;
    std::vector<double> q;  // one for each mixture
};
Bits score(Transformer& gpt, const std::vector<int>& ids, std::size_t prompt_length,
           const std::vector<Mixture>& mixtures);

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

struct Measured {
    std::string model, genre, decoder, value;
    int texts = 0;
    int undecided = 0;    // texts that the grammar's search gave up on; not counted as valid
    double tokens = 0;    // mean length
    Estimate valid;       // share of texts in the language, ended within the limit
    Estimate kl_qp;       // bits a text, over the valid ones
    double lost = 0;      // share of true texts that q cannot write
    Estimate kl_pq;       // bits a text, over the others
    Estimate divergence;  // both ways, each text's log-ratio at most `most_bits`
    double m_bits = 0, p_bits = 0;  // −log2 m and −log2 p of valid texts, means
    Diversity diversity;
    double microseconds = 0;  // a token, all texts side by side
};

// What a text counts at most in `divergence`: one that is not in the language, or that was cut.
inline constexpr double most_bits = 32;

class DecoderMeasure {
public:
    // All must outlive it. passages: what every setting is asked to continue, and how it goes on
    // in truth; those of beams continue the first `most_searched` alone.
    DecoderMeasure(const Language& language, Model& model, std::vector<Passage> passages,
                   std::vector<Setting> settings, int most_tokens = 400, int most_searched = 100);

    const std::vector<Setting>& settings() const { return settings_; }
    // The measurement of one of the settings; model and genre are left empty.
    Measured run(std::size_t setting, std::uint64_t seed);
    // Of the true texts themselves.
    Diversity truth() const { return truth_; }
    // Continuations of the last run, in the order of the passages.
    const std::vector<std::string>& texts() const { return texts_; }

private:
    using Used = std::vector<std::vector<TextProbability::Alternative>>;

    std::vector<std::vector<int>> write(const Setting& setting, std::size_t texts,
                                        std::uint64_t seed);
    // How far each text is from the truth, added to `far`.
    void read_written(const Setting& setting, const std::vector<std::vector<int>>& written,
                      Measured& result, std::vector<double>& far);
    void compare_truth(std::size_t setting, Measured& result, std::vector<double>& far);
    Diversity diversity_of(const std::vector<std::string>& texts, const Used& used) const;

    const Language& language_;
    Model& model_;
    std::vector<Passage> passages_;
    std::vector<Setting> settings_;
    int most_tokens_, most_searched_;
    std::vector<std::vector<double>> true_bits_;  // −log2 q of each true text, by setting
    Diversity truth_;
    std::vector<std::string> texts_;
};

}  // namespace tbt
