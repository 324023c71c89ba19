#include "chapters/24_which_decoder/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <sstream>

#include "chapters/06_combining/trace.hpp"
#include "chapters/11_beam_search/beam_search.hpp"
#include "chapters/19_training/report/write_texts.hpp"
#include "chapters/24_which_decoder/plain_measures.hpp"
#include "lib/error.hpp"
#include "lib/index.hpp"
#include "lib/kernels/rng.hpp"

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

Bits score(Transformer& gpt, const std::vector<int>& ids, std::size_t prompt_length,
           const std::vector<Mixture>& mixtures) {
    if (prompt_length == 0 || prompt_length > ids.size())
        throw Error("score: a prompt of " + std::to_string(prompt_length) +
                    " tokens, expected 1 to " + std::to_string(ids.size()));
    Bits bits{0, std::vector<double>(mixtures.size())};
    if (prompt_length == ids.size()) return bits;
    KvCache cache(gpt.config());
    const Logits logits = gpt.forward_all(cache, std::span(ids).first(ids.size() - 1));
    Candidates candidates;
    std::vector<double> log_probabilities;  // ln m of the tokens so far: mirostat steers by them
    for (std::size_t t = prompt_length; t < ids.size(); ++t) {
        const auto row = logits.row(to_int(t) - 1);
        candidates.reset(row);
        const double ln_m = candidates.log_probability(index(ids[t]));
        bits.m -= ln_m / std::numbers::ln2;
        const TextSoFar text{std::span(ids).first(t), prompt_length, log_probabilities};
        for (std::size_t k = 0; k < mixtures.size(); ++k) {
            if (std::isinf(bits.q[k])) continue;
            double p = 0;
            for (const auto& [share, chain] : mixtures[k]) {
                candidates.reset(row);
                chain.apply(candidates, text);
                p += share * probability_of(candidates, ids[t]);
            }
            bits.q[k] -= std::log2(p);
        }
        log_probabilities.push_back(ln_m);
    }
    return bits;
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

Estimate shifted(const Estimate& e, double by) { return {e.mean + by, e.low + by, e.high + by}; }

}  // namespace

// Among the kept, p(x) becomes p(x) / share: log2 p grows by −log2(share).
Estimate kl_of_kept(const std::vector<double>& ratios) {
    std::vector<double> kept;
    for (const double ratio : ratios)
        if (!std::isinf(ratio)) kept.push_back(ratio);
    return shifted(bootstrap(kept), -std::log2(static_cast<double>(kept.size()) /
                                               static_cast<double>(ratios.size())));
}

namespace {

template <class Map>
double entropy(const Map& counts) {
    double all = 0, bits = 0;
    for (const auto& [what, n] : counts) all += n;
    for (const auto& [what, n] : counts) bits -= n / all * std::log2(n / all);
    return bits + 0;
}

}  // namespace

DecoderMeasure::DecoderMeasure(const Language& language, Model& model,
                               std::vector<Passage> passages, std::vector<Setting> settings,
                               int most_tokens, int most_searched)
    : language_(language),
      model_(model),
      passages_(std::move(passages)),
      settings_(std::move(settings)),
      most_tokens_(most_tokens),
      most_searched_(most_searched),
      true_bits_(settings_.size()) {
    std::vector<Mixture> mixtures;
    for (const Setting& setting : settings_) mixtures.push_back(setting.mixture());
    std::vector<std::string> texts;
    Used used(passages_.size());
    for (std::size_t i = 0; i < passages_.size(); ++i) {
        const Passage& passage = passages_[i];
        texts.push_back(passage.rest);
        language_.bits(passage, passage.rest, &used[i]);
        const Bits bits = score(model_.transformer, passage.ids, passage.prompt.size(), mixtures);
        for (std::size_t k = 0; k < mixtures.size(); ++k) true_bits_[k].push_back(bits.q[k]);
    }
    truth_ = diversity_of(texts, used);
}

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

Diversity DecoderMeasure::diversity_of(const std::vector<std::string>& texts,
                                       const Used& used) const {
    Diversity d = word_diversity(texts);
    std::set<std::string> whole;  // with their beginnings: the same end of two beginnings is two
    for (std::size_t i = 0; i < texts.size(); ++i) whole.insert(passages_[i].beginning + texts[i]);
    if (!texts.empty())
        d.distinct_texts = static_cast<double>(whole.size()) / static_cast<double>(texts.size());
    std::set<const void*> alternatives;
    std::map<std::vector<const void*>, double> plots;
    for (const auto& text : used) {
        std::vector<const void*> plot;
        for (const auto& a : text) {
            alternatives.insert(a.sequence);
            if (a.depth <= 2) plot.push_back(a.sequence);
        }
        if (!text.empty()) plots[plot] += 1;
    }
    d.alternatives = alternatives.size();
    d.plot_entropy = entropy(plots);
    return d;
}

std::vector<std::vector<int>> DecoderMeasure::write(const Setting& setting, std::size_t texts,
                                                    std::uint64_t seed) {
    StopRules stop;
    stop.eos = {model_.tokenizer.eos_id()};
    stop.max_new_tokens = most_tokens_;
    stop.context = model_.config().n_positions;
    std::vector<std::vector<int>> prompts, written;
    for (std::size_t i = 0; i < texts; ++i) prompts.push_back(passages_[i].prompt);
    if (setting.beams == 0) {
        GenerateRequest request;
        request.chain = setting.chain();
        request.stop = stop;
        request.seed = seed;
        for (GeneratedText& text : write_texts(model_, prompts, request))
            written.push_back(std::move(text.ids));
        return written;
    }
    BeamRequest request;
    request.beams.num_beams = setting.beams;
    request.beams.length_penalty = 0;  // the sum of the log-probabilities itself
    request.beams.early_stopping = EarlyStopping::never;
    request.stop = stop;
    CachedBatch batch(model_.transformer);
    const BatchLogits model = [&](std::span<const BatchText> rows) { return batch(rows); };
    for (const auto& prompt : prompts)
        written.push_back(beam_search(model, request, prompt).at(0).ids);
    return written;
}

void DecoderMeasure::read_written(const Setting& setting,
                                  const std::vector<std::vector<int>>& written, Measured& r,
                                  std::vector<double>& far) {
    const std::vector<Mixture> mixture{setting.mixture()};
    std::vector<double> valid, kl;
    Used used(written.size());
    texts_.clear();
    for (std::size_t i = 0; i < written.size(); ++i) {
        const Passage& passage = passages_[i];
        const bool ended = !written[i].empty() && written[i].back() == model_.tokenizer.eos_id();
        texts_.push_back(model_.tokenizer.decode(
            std::span(written[i]).first(written[i].size() - (ended ? 1 : 0))));
        r.tokens += static_cast<double>(written[i].size()) / static_cast<double>(written.size());
        double p = std::numeric_limits<double>::infinity();
        try {
            if (ended) p = language_.bits(passage, texts_.back(), &used[i]);
        } catch (const Error&) {
            ++r.undecided;
        }
        valid.push_back(std::isinf(p) ? 0 : 1);
        far[i] = most_bits;
        if (std::isinf(p)) continue;
        std::vector<int> ids = passage.prompt;
        ids.insert(ids.end(), written[i].begin(), written[i].end());
        const Bits bits = score(model_.transformer, ids, passage.prompt.size(), mixture);
        kl.push_back(p - bits.q[0]);
        far[i] = std::min(kl.back(), most_bits);
        r.m_bits += bits.m;
        r.p_bits += p;
    }
    r.m_bits /= static_cast<double>(kl.size());
    r.p_bits /= static_cast<double>(kl.size());
    r.valid = bootstrap(valid);
    r.kl_qp = shifted(bootstrap(kl), -std::log2(r.valid.mean));
    r.diversity = diversity_of(texts_, used);
}

// What the decoder can no longer write of the truth.
void DecoderMeasure::compare_truth(std::size_t setting, Measured& r, std::vector<double>& far) {
    std::vector<double> ratios;
    double lost = 0;
    for (std::size_t i = 0; i < far.size(); ++i) {
        ratios.push_back(true_bits_[setting][i] - passages_[i].rest_bits);
        lost += std::isinf(ratios[i]);
        far[i] += std::min(ratios[i], most_bits);
    }
    r.lost = lost / static_cast<double>(far.size());
    r.kl_pq = kl_of_kept(ratios);
}

Measured DecoderMeasure::run(std::size_t number, std::uint64_t seed) {
    const Setting& setting = settings_.at(number);
    Measured r;
    r.decoder = setting.decoder;
    r.value = setting.value;
    const std::size_t texts =
        setting.beams == 0 ? passages_.size() : std::min(passages_.size(), index(most_searched_));
    r.texts = to_int(texts);
    const auto start = std::chrono::steady_clock::now();
    const auto written = write(setting, texts, seed);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::vector<double> far(texts);
    read_written(setting, written, r, far);
    r.microseconds = seconds * 1e6 / (r.tokens * static_cast<double>(texts));
    // What a search finds is one text, and no distribution.
    if (setting.beams == 0) {
        compare_truth(number, r, far);
        r.divergence = bootstrap(far);
    } else {
        const double none = std::numeric_limits<double>::quiet_NaN();
        r.kl_qp = r.kl_pq = r.divergence = {none, none, none};
    }
    return r;
}

}  // namespace tbt
