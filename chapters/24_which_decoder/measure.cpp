#include "chapters/24_which_decoder/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "chapters/06_combining/trace.hpp"
#include "chapters/11_beam_search/beam_search.hpp"
#include "chapters/11_beam_search/exact_search.hpp"
#include "chapters/19_training/report/write_texts.hpp"
#include "chapters/24_which_decoder/plain_measures.hpp"
#include "lib/error.hpp"
#include "lib/index.hpp"

namespace tbt {

Bits score(const BatchLogits& model, const std::vector<int>& ids, std::size_t prompt_length,
           const std::vector<Mixture>& mixtures) {
    if (prompt_length == 0 || prompt_length > ids.size())
        throw Error("score: a prompt of " + std::to_string(prompt_length) +
                    " tokens, expected 1 to " + std::to_string(ids.size()));
    Bits bits{0, std::vector<double>(mixtures.size())};
    if (prompt_length == ids.size()) return bits;
    const BatchText read{0, std::span(ids).first(ids.size() - 1), ids.size() - prompt_length};
    const auto rows = model({&read, 1});
    Candidates candidates;
    std::vector<double> log_probabilities;  // ln m of the tokens so far: mirostat steers by them
    for (std::size_t t = prompt_length; t < ids.size(); ++t) {
        const auto row = rows[t - prompt_length];
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

Bits score(Transformer& gpt, const std::vector<int>& ids, std::size_t prompt_length,
           const std::vector<Mixture>& mixtures) {
    CachedBatch batch(gpt);
    return score([&](std::span<const BatchText> texts) { return batch(texts); }, ids, prompt_length,
                 mixtures);
}

namespace {

constexpr long most_expanded = 1000;  // beginnings that the search for the best of all may read

template <class Map>
double entropy(const Map& counts) {
    double all = 0, bits = 0;
    for (const auto& [what, n] : counts) all += n;
    for (const auto& [what, n] : counts) bits -= n / all * std::log2(n / all);
    return bits + 0;
}

}  // namespace

DecoderMeasure::DecoderMeasure(const Language& language, Model& model, OtherModels& others,
                               std::vector<Passage> passages, std::vector<Setting> settings,
                               int most_tokens, int most_searched)
    : language_(language),
      model_(model),
      others_(others),
      passages_(std::move(passages)),
      settings_(std::move(settings)),
      most_tokens_(most_tokens),
      most_searched_(most_searched),
      true_bits_(settings_.size()) {
    // One reading serves all settings that draw from the model's own logits.
    std::vector<Mixture> mixtures;
    std::vector<std::size_t> own;
    for (std::size_t k = 0; k < settings_.size(); ++k) {
        if (!settings_[k].is_distribution()) continue;
        if (settings_[k].amateur.empty()) {
            own.push_back(k);
            mixtures.push_back(settings_[k].mixture());
            continue;
        }
        const BatchLogits logits = others_.logits(settings_[k]);
        for (const Passage& p : passages_)
            true_bits_[k].push_back(
                score(logits, p.ids, p.prompt.size(), {settings_[k].mixture()}).q[0]);
    }
    std::vector<std::string> texts;
    Used used(passages_.size());
    truth_.decoder = "the truth";
    truth_.texts = to_int(passages_.size());
    for (std::size_t i = 0; i < passages_.size(); ++i) {
        const Passage& passage = passages_[i];
        texts.push_back(passage.rest);
        language_.bits(passage, passage.rest, &used[i]);
        const Bits bits = score(model_.transformer, passage.ids, passage.prompt.size(), mixtures);
        for (std::size_t k = 0; k < own.size(); ++k) true_bits_[own[k]].push_back(bits.q[k]);
        truth_.m_bits += bits.m / truth_.texts;
        truth_.p_bits += passage.rest_bits / truth_.texts;
        truth_.tokens +=
            static_cast<double>(passage.ids.size() - passage.prompt.size()) / truth_.texts;
    }
    const double none = std::numeric_limits<double>::quiet_NaN();
    truth_.valid = {1, 1, 1};
    truth_.kl_qp = truth_.kl_pq = truth_.divergence = {none, none, none};
    truth_.diversity = diversity_of(texts, used);
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

std::vector<DecoderMeasure::Written> DecoderMeasure::write(const Setting& setting,
                                                           std::size_t texts, std::uint64_t seed) {
    StopRules stop;
    stop.eos = {model_.tokenizer.eos_id()};
    stop.max_new_tokens = most_tokens_;
    stop.context = model_.config().n_positions;
    if (setting.beams > 0) return search(setting, texts, stop, seed);
    std::vector<Written> written;
    if (setting.fill) {
        for (std::size_t i = 0; i < texts; ++i)
            written.push_back({i, others_.filled(passages_[i], setting, seed + i)});
        return written;
    }
    GenerateRequest request;
    request.chain = setting.chain();
    request.stop = stop;
    request.seed = seed;
    std::vector<std::vector<int>> prompts;
    for (std::size_t i = 0; i < texts; ++i) prompts.push_back(passages_[i].prompt);
    const TokenBytes bytes = [&](int id) { return model_.tokenizer.token_bytes(id); };
    for (GeneratedText& text : write_texts(others_.logits(setting), bytes, prompts, request))
        written.push_back({written.size(), std::move(text.ids)});
    return written;
}

std::vector<DecoderMeasure::Written> DecoderMeasure::search(const Setting& setting,
                                                            std::size_t texts,
                                                            const StopRules& stop,
                                                            std::uint64_t seed) {
    BeamRequest request;
    request.beams.num_beams = setting.beams;
    request.beams.length_penalty = 0;  // the sum of the log-probabilities itself
    request.beams.early_stopping = EarlyStopping::never;
    request.stop = stop;
    if (setting.drawn_beams) request.seed = seed;
    const BatchLogits model = others_.logits(setting);
    const NextLogits next = [&](std::span<const int> ids) {
        const BatchText text{0, ids};
        return model({&text, 1})[0];
    };
    std::vector<Written> written;
    for (std::size_t i = 0; i < texts; ++i) {
        BeamText best = beam_search(model, request, passages_[i].prompt).at(0);
        if (setting.exact) {
            // Better than the beams' best, or that.
            ExactText exact =
                ExactSearch(next, request, passages_[i].prompt, best.score, most_expanded).run();
            if (!exact.proven) continue;
            if (!exact.ids.empty()) best.ids = std::move(exact.ids);
        }
        written.push_back({i, std::move(best.ids)});
    }
    return written;
}

void DecoderMeasure::read_written(const Setting& setting, const std::vector<Written>& written,
                                  Measured& r, std::vector<double>& far) {
    const BatchLogits logits = others_.logits(setting);
    const std::vector<Mixture> mixture{setting.mixture()};
    std::vector<double> valid, kl;
    Used used(written.size());
    texts_.clear();
    for (std::size_t i = 0; i < written.size(); ++i) {
        const Passage& passage = passages_[written[i].passage];
        const std::vector<int>& ids = written[i].ids;
        const bool ended = !ids.empty() && ids.back() == model_.tokenizer.eos_id();
        texts_.push_back(
            model_.tokenizer.decode(std::span(ids).first(ids.size() - (ended ? 1 : 0))));
        r.tokens += static_cast<double>(ids.size()) / static_cast<double>(written.size());
        double p = std::numeric_limits<double>::infinity();
        try {
            if (ended) p = language_.bits(passage, texts_.back(), &used[i]);
        } catch (const Error&) {
            ++r.undecided;
        }
        valid.push_back(std::isinf(p) ? 0 : 1);
        far[i] = most_bits;
        std::vector<int> whole = passage.prompt;
        whole.insert(whole.end(), ids.begin(), ids.end());
        if (!setting.is_distribution())
            r.searched_bits += score(model_.transformer, whole, passage.prompt.size(), {}).m /
                               static_cast<double>(written.size());
        if (std::isinf(p)) continue;
        const Bits bits = score(logits, whole, passage.prompt.size(), mixture);
        kl.push_back(p - bits.q[0]);
        far[i] = std::min(kl.back(), most_bits);
        r.m_bits += setting.amateur.empty()
                        ? bits.m
                        : score(model_.transformer, whole, passage.prompt.size(), {}).m;
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
    std::size_t texts =
        setting.beams == 0 ? passages_.size() : std::min(passages_.size(), index(most_searched_));
    const auto start = std::chrono::steady_clock::now();
    const auto written = write(setting, texts, seed);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (setting.exact) r.undecided = to_int(texts - written.size());
    texts = written.size();
    r.texts = to_int(texts);
    std::vector<double> far(texts);
    read_written(setting, written, r, far);
    r.microseconds = seconds * 1e6 / (r.tokens * static_cast<double>(texts));
    // What a search finds is one text, and no distribution; that of a filled canvas is not known.
    if (setting.is_distribution()) {
        compare_truth(number, r, far);
        r.divergence = bootstrap(far);
    } else {
        const double none = std::numeric_limits<double>::quiet_NaN();
        r.kl_qp = r.kl_pq = r.divergence = {none, none, none};
        r.lost = none;
    }
    return r;
}

}  // namespace tbt
