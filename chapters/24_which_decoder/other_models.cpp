#include "chapters/24_which_decoder/other_models.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "chapters/11_beam_search/beam_search.hpp"
#include "chapters/11_beam_search/exact_search.hpp"
#include "chapters/23_text_generator/guidance.hpp"
#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/math.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/model.hpp"

namespace tbt {

namespace {

struct Softmax {
    std::vector<double> p, log_p;

    explicit Softmax(std::span<const float> logits) : p(logits.size()), log_p(logits.size()) {
        const auto largest = static_cast<double>(*std::ranges::max_element(logits));
        double sum = 0;
        for (std::size_t i = 0; i < p.size(); ++i)
            sum += p[i] = portable_exp(static_cast<double>(logits[i]) - largest);
        const double log_sum = largest + portable_log(sum);
        for (std::size_t i = 0; i < p.size(); ++i) {
            p[i] /= sum;
            log_p[i] = static_cast<double>(logits[i]) - log_sum;
        }
    }
};

// JS(p, q) = Σ (p·ln(p/m) + q·ln(q/m)) / 2 with m = (p + q)/2
double jensen_shannon(const Softmax& a, const Softmax& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.p.size(); ++i) {
        const double log_m = portable_log((a.p[i] + b.p[i]) / 2);
        if (a.p[i] > 0) sum += a.p[i] * (a.log_p[i] - log_m) / 2;
        if (b.p[i] > 0) sum += b.p[i] * (b.log_p[i] - log_m) / 2;
    }
    return sum;
}

BatchLogits own_logits(Transformer& gpt) {
    return [batch = std::make_shared<CachedBatch>(gpt)](std::span<const BatchText> texts) {
        return (*batch)(texts);
    };
}

constexpr long most_expanded = 1000;  // beginnings that the search for the best of all may read

BatchLogits with_early_layers(BatchLogits model, std::vector<BatchLogits> early, double alpha) {
    return [model = std::move(model), early = std::move(early), alpha,
            made = std::make_shared<std::vector<std::vector<float>>>()](
               std::span<const BatchText> texts) {
        const auto rows = model(texts);
        std::vector<std::vector<std::span<const float>>> others(rows.size());
        for (const BatchLogits& layer : early) {
            const auto its = layer(texts);
            for (std::size_t r = 0; r < rows.size(); ++r) others[r].push_back(its[r]);
        }
        made->resize(rows.size());
        std::vector<std::span<const float>> result;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            (*made)[r].resize(rows[r].size());
            dola_logits(rows[r], others[r], alpha, (*made)[r]);
            result.emplace_back((*made)[r]);
        }
        return result;
    };
}

}  // namespace

void dola_logits(std::span<const float> last, const std::vector<std::span<const float>>& early,
                 double alpha, std::span<float> result) {
    if (early.empty()) throw Error("dola: got no early layer, expected one or more");
    if (!(alpha > 0 && alpha <= 1))
        throw Error("dola: alpha is " + std::to_string(alpha) + ", expected above 0 and at most 1");
    check_size("dola: the result", result.size(), last.size());
    const Softmax p(last);
    std::vector<double> log_q;
    double furthest = -1;
    for (const std::span<const float> layer : early) {
        check_size("dola: an early layer", layer.size(), last.size());
        Softmax q(layer);
        const double divergence = jensen_shannon(p, q);
        if (divergence <= furthest) continue;
        furthest = divergence;
        log_q = std::move(q.log_p);
    }
    const double border = *std::ranges::max_element(p.log_p) + portable_log(alpha);
    for (std::size_t i = 0; i < last.size(); ++i)
        result[i] = p.log_p[i] >= border ? static_cast<float>(p.log_p[i] - log_q[i])
                                         : -std::numeric_limits<float>::infinity();
}

Transformer first_layers(const std::filesystem::path& directory, int layers,
                         const TransformerOptions& options) {
    TransformerConfig config = read_model_config(directory.string());
    check_at_least("first layers", layers, 1);
    check_at_least("first layers: the model's", config.n_layer, layers);
    const OpenedWeights weights(directory.string(), config, options);
    config.n_layer = layers;
    return {config, *weights.store, weights.options};
}

BatchLogits OtherModels::logits(const Setting& setting) {
    BatchLogits own = own_logits(model_.transformer);
    if (setting.amateur.empty()) return own;
    if (setting.amateur != "low" && setting.amateur != "high") {
        auto found = amateurs_.find(setting.amateur);
        if (found == amateurs_.end()) {
            Model amateur = load_model(shipped_model(setting.amateur), options());
            found = amateurs_.emplace(setting.amateur, std::move(amateur)).first;
        }
        return with_contrast(std::move(own), own_logits(found->second.transformer),
                             setting.contrast);
    }
    const int all = model_.config().n_layer, half = std::max(1, all / 2);
    std::vector<BatchLogits> early;
    for (int l = setting.amateur == "low" ? 1 : half;
         l <= (setting.amateur == "low" ? half : all - 1); l += 2) {
        auto found = early_.find(l);
        if (found == early_.end())
            found = early_.emplace(l, first_layers(directory_, l, options())).first;
        early.push_back(own_logits(found->second));
    }
    return with_early_layers(std::move(own), std::move(early), setting.contrast.plausible);
}

std::optional<std::vector<int>> OtherModels::searched(const Passage& passage,
                                                      const Setting& setting, const StopRules& stop,
                                                      std::uint64_t seed) {
    BeamRequest request;
    request.beams.num_beams = setting.beams;
    request.beams.length_penalty = 0;  // the sum of the log-probabilities itself
    request.beams.early_stopping = EarlyStopping::never;
    request.stop = stop;
    if (setting.drawn_beams) request.seed = seed;
    const BatchLogits model = logits(setting);
    BeamText best = beam_search(model, request, passage.prompt).at(0);
    if (!setting.exact) return best.ids;
    const NextLogits next = [&](std::span<const int> ids) {
        const BatchText text{0, ids};
        return model({&text, 1})[0];
    };
    ExactText exact = exact_search(next, request, passage.prompt, best.score, most_expanded);
    if (!exact.proven) return std::nullopt;
    return exact.ids.empty() ? best.ids : exact.ids;  // nothing is better than the beams' best
}

MaskedModel& OtherModels::masked() {
    if (!masked_) masked_.emplace(MaskedModel::load(shipped_model("diffusion"), options()));
    return *masked_;
}

bool OtherModels::fits(const Passage& passage) {
    const Tokenizer& words = masked().tokenizer;
    // And the separator after the passage.
    return words.encode(passage.beginning).size() + words.encode(passage.rest).size() + 1 <=
           index(masked().gpt.config().n_positions);
}

std::vector<int> OtherModels::filled(const Passage& passage, const Setting& setting,
                                     std::uint64_t seed) {
    MaskedModel& model = masked();
    Hole hole = hole_between(model, passage.beginning, "", 0);
    Rng rng(seed);
    fill(hole, model.distribution(), drawing(rng), *setting.fill);
    const auto begin = hole.row.begin() + static_cast<std::ptrdiff_t>(hole.begin);
    const auto end = std::find(begin, hole.row.end(), model.tokenizer.eos_id());
    const std::vector<int> written(begin, end);
    std::vector<int> ids = model_.tokenizer.encode(model.tokenizer.decode(written));
    if (end != hole.row.end()) ids.push_back(model_.tokenizer.eos_id());
    return ids;
}

}  // namespace tbt
