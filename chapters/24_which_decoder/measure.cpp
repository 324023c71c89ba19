#include "chapters/24_which_decoder/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "chapters/10_generate/options.hpp"
#include "chapters/24_which_decoder/plain_measures.hpp"
#include "chapters/24_which_decoder/write_texts.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

namespace {

std::vector<int> joined(const std::vector<int>& prompt, const std::vector<int>& ids) {
    std::vector<int> whole = prompt;
    whole.insert(whole.end(), ids.begin(), ids.end());
    return whole;
}

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
    std::vector<Alternatives> derivations(passages_.size());
    std::vector<const Alternatives*> used;
    truth_.decoder = "the truth";
    truth_.texts = to_int(passages_.size());
    for (std::size_t i = 0; i < passages_.size(); ++i) {
        const Passage& passage = passages_[i];
        texts.push_back(passage.rest);
        language_.bits(passage, passage.rest, &derivations[i]);
        used.push_back(&derivations[i]);
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
                                       const std::vector<const Alternatives*>& used) const {
    Diversity d = word_diversity(texts);
    std::set<std::string> whole;  // with their beginnings: the same end of two beginnings is two
    for (std::size_t i = 0; i < texts.size(); ++i) whole.insert(passages_[i].beginning + texts[i]);
    if (!texts.empty())
        d.distinct_texts = static_cast<double>(whole.size()) / static_cast<double>(texts.size());
    std::set<const void*> alternatives;
    std::map<std::vector<const void*>, double> plots;
    for (const Alternatives* text : used) {
        std::vector<const void*> plot;
        for (const auto& a : *text) {
            alternatives.insert(a.sequence);
            if (a.depth <= 2) plot.push_back(a.sequence);
        }
        if (!text->empty()) plots[plot] += 1;
    }
    d.alternatives = alternatives.size();
    d.plot_entropy = entropy(plots);
    return d;
}

StopRules DecoderMeasure::stop_rules() const {
    StopRules stop;
    stop.eos = {model_.tokenizer.eos_id()};
    stop.max_new_tokens = most_tokens_;
    stop.context = model_.config().n_positions;
    return stop;
}

std::vector<std::vector<int>> DecoderMeasure::prompts(std::size_t count) const {
    std::vector<std::vector<int>> prompts;
    for (std::size_t i = 0; i < count; ++i) prompts.push_back(passages_[i].prompt);
    return prompts;
}

std::vector<DecoderMeasure::Written> DecoderMeasure::write(const Setting& setting,
                                                           std::size_t texts, std::uint64_t seed) {
    const StopRules stop = stop_rules();
    std::vector<Written> written;
    if (setting.beams > 0) {
        for (std::size_t i = 0; i < texts; ++i)
            if (auto ids = others_.searched(passages_[i], setting, stop, seed))
                written.push_back({i, std::move(*ids)});
        return written;
    }
    if (setting.fill) {
        for (std::size_t i = 0; i < texts; ++i)
            written.push_back({i, others_.filled(passages_[i], setting, seed + i)});
        return written;
    }
    GenerateRequest request;
    request.chain = setting.chain();
    request.stop = stop;
    request.seed = seed;
    for (GeneratedText& text : write_texts(
             others_.logits(setting), token_bytes_of(model_.tokenizer), prompts(texts), request))
        written.push_back({written.size(), std::move(text.ids)});
    return written;
}

void DecoderMeasure::judge(const Setting& setting, std::vector<Written>& written) {
    const BatchLogits logits = others_.logits(setting);
    const std::vector<Mixture> mixture{setting.mixture()};
    const bool searched = !setting.is_distribution(), own = setting.amateur.empty();
    for (Written& w : written) {
        w.judged = std::make_shared<Judged>(
            tbt::judge(language_, model_.tokenizer, passages_[w.passage], w.ids));
        const std::vector<int>& prompt = passages_[w.passage].prompt;
        const std::vector<int> whole = joined(prompt, w.ids);
        const bool valid = !std::isinf(w.judged->p);
        if (valid) {
            const Bits bits = score(logits, whole, prompt.size(), mixture);
            w.q = bits.q[0];
            w.judged->m = bits.m;
        }
        if (!searched && (own || !valid)) continue;
        const double m = score(model_.transformer, whole, prompt.size(), {}).m;
        if (searched) w.judged->searched = m;
        if (!own) w.judged->m = m;
    }
}

void DecoderMeasure::draw_all(std::uint64_t seed) {
    std::vector<std::size_t> drawn;
    std::vector<GenerateRequest> requests;
    for (std::size_t k = 0; k < settings_.size(); ++k) {
        if (!settings_[k].draws_own()) continue;
        drawn.push_back(k);
        GenerateRequest& request = requests.emplace_back();
        request.chain = settings_[k].chain();
        request.stop = stop_rules();
        request.seed = seed;
    }
    const BatchLogits model = others_.logits({});
    const auto start = std::chrono::steady_clock::now();
    WrittenTogether texts = write_together(model, token_bytes_of(model_.tokenizer),
                                           prompts(passages_.size()), requests);
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    drawn_microseconds_ = time.count() / static_cast<double>(texts.rows);
    drawn_seed_ = seed;
    drawn_.assign(settings_.size(), {});
    for (std::size_t i = 0; i < passages_.size(); ++i) {
        std::map<std::vector<int>, std::vector<std::size_t>> writers;  // of each text
        for (std::size_t d = 0; d < drawn.size(); ++d)
            writers[std::move(texts.ids[d][i])].push_back(drawn[d]);
        for (const auto& [ids, its] : writers) {
            const auto judged = std::make_shared<Judged>(
                tbt::judge(language_, model_.tokenizer, passages_[i], ids));
            Bits bits{0, std::vector<double>(its.size())};
            if (!std::isinf(judged->p)) {
                std::vector<Mixture> mixtures;
                for (const std::size_t k : its) mixtures.push_back(settings_[k].mixture());
                const std::vector<int>& prompt = passages_[i].prompt;
                bits = score(model, joined(prompt, ids), prompt.size(), mixtures);
                judged->m = bits.m;
            }
            for (std::size_t n = 0; n < its.size(); ++n)
                drawn_[its[n]].push_back({i, ids, judged, bits.q[n]});
        }
    }
}

void DecoderMeasure::read_written(const std::vector<Written>& written, Measured& r,
                                  std::vector<double>& far) {
    std::vector<double> valid, kl;
    std::vector<const Alternatives*> used;
    texts_.clear();
    for (std::size_t i = 0; i < written.size(); ++i) {
        const Judged& judged = *written[i].judged;
        texts_.push_back(judged.text);
        used.push_back(&judged.used);
        r.tokens +=
            static_cast<double>(written[i].ids.size()) / static_cast<double>(written.size());
        r.undecided += judged.undecided;
        valid.push_back(std::isinf(judged.p) ? 0 : 1);
        far[i] = most_bits;
        r.searched_bits += judged.searched / static_cast<double>(written.size());
        if (std::isinf(judged.p)) continue;
        kl.push_back(judged.p - written[i].q);
        far[i] = std::min(kl.back(), most_bits);
        r.m_bits += judged.m;
        r.p_bits += judged.p;
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
    std::vector<Written> written;
    if (setting.draws_own()) {
        if (drawn_.empty() || drawn_seed_ != seed) draw_all(seed);
        written = drawn_[number];
        r.microseconds = drawn_microseconds_;
    } else {
        const auto start = std::chrono::steady_clock::now();
        written = write(setting, texts, seed);
        const std::chrono::duration<double, std::micro> time =
            std::chrono::steady_clock::now() - start;
        std::size_t tokens = 0;
        for (const Written& w : written) tokens += w.ids.size();
        r.microseconds = time.count() / static_cast<double>(tokens);
        judge(setting, written);
    }
    if (setting.exact) r.undecided = to_int(texts - written.size());
    texts = written.size();
    r.texts = to_int(texts);
    std::vector<double> far(texts);
    read_written(written, r, far);
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
