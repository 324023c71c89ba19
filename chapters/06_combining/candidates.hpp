// The tokens that may still be chosen, with their logits: what every step of a chain works on.
//
// One row of logits s and a temperature T, as in chapter 03, but nothing is copied or sorted:
//
// - A cut leaves a list of candidates, always in the order of their ids.
// - The temperature is a number beside the logits: setting it costs nothing.
// - Weights are computed when somebody asks, and again only after a change.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "chapters/03_temperature/further/checks.hpp"
#include "chapters/04_top_k/plain_top_k.hpp"
#include "lib/check.hpp"
#include "lib/error.hpp"
#include "lib/kernels/math.hpp"
#include "lib/kernels/quanta.hpp"
#include "lib/kernels/scan.hpp"
#include "lib/kernels/select.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

class Candidates {
public:
    Candidates() = default;
    // A view of a row of logits (V). −∞ marks a token that may not be chosen.
    // Throws Error on NaN, on +∞ and when nothing is left.
    explicit Candidates(std::span<const float> logits) { reset(logits); }
    Candidates(const Candidates&) = delete;
    Candidates& operator=(const Candidates&) = delete;
    Candidates(Candidates&&) = default;
    Candidates& operator=(Candidates&&) = default;

    // Starts again with another row; the memory is used again.
    void reset(std::span<const float> logits) {
        if (logits.empty() || logits.size() > longest_row)
            throw Error("sampling: a row of " + std::to_string(logits.size()) +
                        " logits, expected 1 to " + std::to_string(longest_row));
        row_ = logits;
        vocab_size_ = logits.size();
        whole_row_ = true;
        temperature_ = 1;
        weighed_ = measured_ = false;
    }

    // ---- what there is: position i of size(), in the order of ids ----
    std::size_t vocab_size() const { return vocab_size_; }
    std::size_t size() const { return row_.size(); }
    int id(std::size_t i) const { return whole_row_ ? static_cast<int>(i) : ids_[i]; }
    std::span<const float> logits() const { return row_; }
    double temperature() const { return temperature_; }
    // How many can really be chosen: positions whose logit is not −∞.
    std::size_t count() const { return count_kept(row_); }
    float largest() { return measure(), largest_; }
    // A logit that at least k candidates reach, and usually few more.
    float reached_by(std::size_t k) {
        measure();
        return maxima_.size() >= 4 * k ? kth_largest(maxima_, k) : reached_by_at_least(row_, k);
    }

    // ---- the distribution ----
    // w_i = e^((s_i − max s)/T) in whole quanta, and their sum.
    std::span<const std::uint64_t> weights() {
        weigh();
        return {weights_.data(), size()};
    }
    std::uint64_t total_weight() { return weigh(), total_; }
    // Σ w over each `quanta_block` positions.
    std::span<const std::uint64_t> block_weights() {
        weigh();
        return {block_weights_.data(), (size() + quanta_block - 1) / quanta_block};
    }
    double probability(std::size_t i) {
        check_position(i);
        return static_cast<double>(weights()[i]) / static_cast<double>(total_weight());
    }
    // ln p_i = (s_i − max s)/T − ln Σ_j e^((s_j − max s)/T); also where the weight is 0.
    double log_probability(std::size_t i) {
        check_position(i);
        return (static_cast<double>(row_[i]) - static_cast<double>(largest())) / temperature_ -
               log_sum();
    }
    double log_sum() {
        return portable_log(static_cast<double>(total_weight()) /
                            static_cast<double>(weight_of_largest));
    }
    // H = −Σ p ln p, in nats: with d_i = (max s − s_i)/T it is ln Σ e^-d_i + Σ p_i·d_i.
    double entropy() {
        const double gaps = weighted_sum_of_gaps(row_, weights(), largest(), temperature_);
        return log_sum() + gaps / static_cast<double>(total_weight());
    }
    // One probability for each of the V tokens, 0 for those that are gone.
    std::vector<double> probabilities() {
        std::vector<double> p(vocab_size_, 0.0);
        for (std::size_t i = 0; i < size(); ++i)
            p[static_cast<std::size_t>(id(i))] = probability(i);
        return p;
    }

    // ---- what a step may do ----
    // T ← T·factor. Nothing else changes, so it is free.
    void multiply_temperature(double factor) {
        if (!(factor > 0 && std::isfinite(factor)))
            throw Error("candidates: a temperature times " + short_number(factor) +
                        ", expected a number above 0");
        temperature_ *= factor;
        weighed_ = false;
    }
    // All V logits, to be changed, as long as no token has been cut; then none.
    std::span<float> whole_row() {
        make_own();
        weighed_ = measured_ = false;
        return whole_row_ ? std::span<float>(values_.data(), vocab_size_) : std::span<float>();
    }
    // The logit of one token, to be changed; null when it is no longer a candidate.
    float* find(int id) {
        checked_id("candidates", id, vocab_size_);
        make_own();
        weighed_ = measured_ = false;
        if (whole_row_) return &values_[static_cast<std::size_t>(id)];
        const auto end = ids_.begin() + static_cast<std::ptrdiff_t>(size());
        const auto at = std::lower_bound(ids_.begin(), end, id);
        return at != end && *at == id ? &values_[static_cast<std::size_t>(at - ids_.begin())]
                                      : nullptr;
    }
    // Keeps what the cut keeps by these keys, one for each position.
    void keep_by(std::span<const float> keys, const Cut& cut) {
        check_size("candidates: keys", keys.size(), size());
        const std::size_t room = size() + slack;
        if (ids_.size() < room) ids_.resize(room);
        if (values_.size() < room) values_.resize(room);
        const Source from{whole_row_ ? nullptr : ids_.data(), row_.data()};
        const std::size_t kept = tbt::keep(keys, cut, from, {ids_.data(), values_.data()});
        const bool by_logit = keys.data() == row_.data();
        row_ = {values_.data(), kept};
        whole_row_ = false;
        maxima_.clear();
        weighed_ = false;
        if (!by_logit || kept == 0) measured_ = false;  // the largest may be gone
    }
    void keep(const Cut& cut) { keep_by(row_, cut); }

    // Room for one key for each position, for keep_by.
    std::span<float> room_for_keys() {
        if (keys_.size() < size()) keys_.resize(size());
        return {keys_.data(), size()};
    }

private:
    void check_position(std::size_t i) const {
        if (i >= size()) checked_place("candidates", static_cast<long long>(i), size());
    }
    // Looks at the row once: its largest value, and whether it is a row of logits at all.
    void measure() {
        if (measured_) return;
        largest_ = group_maxima(row_, 64, maxima_);
        if (!std::isfinite(largest_)) complain();
        measured_ = true;
    }
    // Says which token's logit is not a number; called when the scan found one.
    [[noreturn]] void complain() const {
        std::vector<float> by_id(vocab_size_, masked);
        for (std::size_t i = 0; i < size(); ++i) by_id[static_cast<std::size_t>(id(i))] = row_[i];
        check_row(by_id);
        throw Error("sampling: the row changed while it was read");
    }
    void weigh() {
        if (weighed_) return;
        measure();
        if (weights_.size() < size() + slack) weights_.resize(size() + slack);
        if (block_weights_.size() * quanta_block < size())
            block_weights_.resize(size() / quanta_block + 1);
        total_ =
            exp_in_quanta(row_, largest_, temperature_, weights_.data(), block_weights_.data());
        weighed_ = true;
    }
    // Steps that edit logits see s/T, as if the temperature had been applied to every logit.
    void make_own() {
        if (row_.data() == values_.data() && temperature_ == 1) return;
        if (values_.size() < size() + slack) values_.resize(size() + slack);
        if (row_.data() != values_.data()) std::copy(row_.begin(), row_.end(), values_.begin());
        if (temperature_ != 1) {
            for (std::size_t i = 0; i < size(); ++i)
                values_[i] = static_cast<float>(static_cast<double>(values_[i]) / temperature_);
            temperature_ = 1;
        }
        row_ = {values_.data(), row_.size()};
    }

    std::span<const float> row_;  // the logits: the caller's row, or values_
    std::size_t vocab_size_ = 0;
    bool whole_row_ = true;  // position i is token i; otherwise ids_[i]
    double temperature_ = 1;
    bool measured_ = false, weighed_ = false;
    float largest_ = 0;
    std::uint64_t total_ = 0;
    LineVector<int> ids_;
    LineVector<float> values_, keys_;
    LineVector<std::uint64_t> weights_, block_weights_;
    std::vector<float> maxima_;  // of groups of the row; empty once it was cut
};

}  // namespace tbt
