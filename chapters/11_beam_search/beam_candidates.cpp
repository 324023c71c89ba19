#include "chapters/11_beam_search/beam_candidates.hpp"

namespace tbt {

BeamCandidates::BeamCandidates(const BeamRequest& request)
    : request_(&request), rng_(request.seed.value_or(0)) {
    // As transformers: each kind of end could take a place in the row of every beam.
    const std::size_t a_beam = std::max<std::size_t>(2, 1 + request.stop.eos.size());
    wanted_ = a_beam * index(std::max(1, request.beams.num_beams));
}

void BeamCandidates::extend(std::size_t parent, double sum, std::span<const int> ids,
                            std::span<const float> logits) {
    row_.reset(logits);
    double log_sum = static_cast<double>(row_.largest()) + row_.log_sum();
    if (request_->processor) {
        log_probs_.resize(logits.size());
        for (std::size_t i = 0; i < logits.size(); ++i)
            log_probs_[i] = static_cast<float>(static_cast<double>(logits[i]) - log_sum);
        request_->processor(log_probs_, ids);
        if (std::all_of(log_probs_.begin(), log_probs_.end(), [](float x) { return x == banned; }))
            return;
        row_.reset(log_probs_);
        log_sum = 0;
    }
    if (!request_->seed) keep_top_k(row_, to_int(std::min(wanted_, logits.size())));
    for (std::size_t i = 0; i < row_.size(); ++i) {
        const float value = row_.logits()[i];
        if (value == banned) continue;
        const double total = sum + (static_cast<double>(value) - log_sum);
        all_.push_back(
            {parent, row_.id(i), value, total, request_->seed ? total + gumbel() : total});
    }
}

std::vector<BeamCandidate> BeamCandidates::take_best() {
    const auto in_order = [](const BeamCandidate& a, const BeamCandidate& b) {
        if (a.sum != b.sum) return a.sum > b.sum;
        if (a.parent != b.parent) return a.parent < b.parent;
        return comes_before(a.value, a.id, b.value, b.id);
    };
    const auto end = all_.begin() + to_int(std::min(all_.size(), wanted_));
    std::partial_sort(all_.begin(), end, all_.end(),
                      [&](const BeamCandidate& a, const BeamCandidate& b) {
                          return a.key != b.key ? a.key > b.key : in_order(a, b);
                      });
    std::vector<BeamCandidate> best(all_.begin(), end);
    std::sort(best.begin(), best.end(), in_order);
    all_.clear();
    return best;
}

double BeamCandidates::gumbel() {
    const double u = (static_cast<double>(rng_.next() >> 11) + 0.5) * 0x1p-53;
    return -portable_log(-portable_log(u));
}

}  // namespace tbt
