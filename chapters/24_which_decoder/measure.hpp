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
#include <memory>
#include <string>
#include <vector>

#include "chapters/10_generate/generate.hpp"
#include "chapters/24_which_decoder/figures.hpp"
#include "chapters/24_which_decoder/judge.hpp"
#include "chapters/24_which_decoder/language.hpp"
#include "chapters/24_which_decoder/other_models.hpp"
#include "chapters/24_which_decoder/settings.hpp"
#include "lib/files/model.hpp"

namespace tbt {

struct Measured {
    std::string model, genre, decoder, value;
    int texts = 0;
    int undecided = 0;    // texts that the grammar's search gave up on; not counted as valid
                          // (best of all: those that are not proven to be it; left out)
    double tokens = 0;    // mean length
    Estimate valid;       // share of texts in the language, ended within the limit
    Estimate kl_qp;       // bits a text, over the valid ones
    double lost = 0;      // share of true texts that q cannot write
    Estimate kl_pq;       // bits a text, over the others
    Estimate divergence;  // both ways, each text's log-ratio at most `most_bits`
    double m_bits = 0, p_bits = 0;  // −log2 m and −log2 p of valid texts, means
    double searched_bits = 0;       // searches: −log2 m of all their texts, mean
    Diversity diversity;
    double microseconds = 0;  // for each position that the model computed, texts side by side
};

// What a text counts at most in `divergence`: one that is not in the language, or that was cut.
inline constexpr double most_bits = 32;

class DecoderMeasure {
public:
    // All must outlive it. passages: what every setting is asked to continue, and how it goes on
    // in truth; those of beams continue the first `most_searched` alone.
    DecoderMeasure(const Language& language, Model& model, OtherModels& others,
                   std::vector<Passage> passages, std::vector<Setting> settings,
                   int most_tokens = 400, int most_searched = 100);

    const std::vector<Setting>& settings() const { return settings_; }
    // The measurement of one of the settings; model and genre are left empty.
    Measured run(std::size_t setting, std::uint64_t seed);
    // The true texts themselves, as a decoder that makes no mistake.
    const Measured& truth() const { return truth_; }
    // Continuations of the last run, in the order of the passages.
    const std::vector<std::string>& texts() const { return texts_; }

private:
    struct Written {
        std::size_t passage = 0;
        std::vector<int> ids = {};
        std::shared_ptr<Judged> judged = nullptr;  // shared by settings that wrote the same
        double q = 0;                              // −log2 q of texts in the language
    };

    // The texts of all settings that draw from the model's own logits, written together.
    void draw_all(std::uint64_t seed);
    void judge(const Setting& setting, std::vector<Written>& written);
    std::vector<Written> write(const Setting& setting, std::size_t texts, std::uint64_t seed);
    // How far each text is from the truth, added to `far`.
    void read_written(const std::vector<Written>& written, Measured& result,
                      std::vector<double>& far);
    void compare_truth(std::size_t setting, Measured& result, std::vector<double>& far);
    Diversity diversity_of(const std::vector<std::string>& texts,
                           const std::vector<const Alternatives*>& used) const;
    StopRules stop_rules() const;
    std::vector<std::vector<int>> prompts(std::size_t count) const;

    const Language& language_;
    Model& model_;
    OtherModels& others_;
    std::vector<Passage> passages_;
    std::vector<Setting> settings_;
    int most_tokens_, most_searched_;
    std::vector<std::vector<double>> true_bits_;  // −log2 q of each true text, by setting
    Measured truth_;
    std::vector<std::vector<Written>> drawn_;  // by setting; empty for those that do not draw
    std::uint64_t drawn_seed_ = 0;
    double drawn_microseconds_ = 0;
    std::vector<std::string> texts_;
};

}  // namespace tbt
