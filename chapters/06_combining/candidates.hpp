// The candidates: the tokens that may still be chosen, with their logits. Every step of a chain
// works on them.
//
// They are one row of logits s and a temperature T, as in chapter 03, but nothing is copied or
// sorted unless it must be:
//
// - A truncation leaves a list of candidates, always in the order of their ids.
// - The temperature is one number, stored separately from the logits: setting it costs nothing.
// - Weights are computed when they are needed, and again only after a change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/select/integer_weights.hpp"
#include "lib/select/select.hpp"

namespace tbt {

class Candidates {
public:
    Candidates() = default;
    // Views a row of V logits, which must stay valid. −∞ marks a token that may not be chosen.
    // Throws Error on NaN, on +∞, and if no token may be chosen.
    explicit Candidates(std::span<const float> logits) { reset(logits); }
    Candidates(const Candidates&) = delete;
    Candidates& operator=(const Candidates&) = delete;
    Candidates(Candidates&&) = default;
    Candidates& operator=(Candidates&&) = default;

    // Starts again with another row and reuses the memory.
    void reset(std::span<const float> logits);

    // ---- the candidates: positions 0 to size() − 1, in the order of their ids ----
    std::size_t vocab_size() const { return vocab_size_; }
    std::size_t size() const { return row_.size(); }
    int id(std::size_t i) const { return id_is_position_ ? to_int(i) : ids_[i]; }
    // The position of a token; size() if it is no candidate.
    std::size_t position_of(int id) const;
    std::span<const float> logits() const { return row_; }
    double temperature() const { return temperature_; }
    // The number of candidates whose logit is not −∞.
    std::size_t count() const;
    float largest() { return measure(), largest_; }
    // A threshold that at least k candidates reach, and usually few more.
    float reached_by(std::size_t k);

    // ---- the distribution ----
    // w_i = e^((s_i − max s)/T) as integer weights, and their sum.
    std::span<const std::uint64_t> weights() {
        weigh();
        return {weights_.data(), size()};
    }
    std::uint64_t total_weight() { return weigh(), total_; }
    // The sum of w over each block of `weight_block` positions.
    std::span<const std::uint64_t> block_weights() {
        weigh();
        return {block_weights_.data(), (size() + weight_block - 1) / weight_block};
    }
    double probability(std::size_t i);
    // ln p_i = (s_i − max s)/T − ln Σ_j e^((s_j − max s)/T); finite even if the weight is 0.
    double log_probability(std::size_t i);
    double log_sum();
    // H = −Σ p ln p, in nats: with d_i = (max s − s_i)/T it is ln Σ e^-d_i + Σ p_i·d_i.
    double entropy();
    // One probability for each of the V tokens; 0 for tokens that are no longer candidates.
    std::vector<double> probabilities();

    // ---- what a step may do ----
    // T ← T·factor. Costs nothing, since no logit changes.
    void multiply_temperature(double factor);
    // All V logits, for changing them; empty once a token has been removed.
    std::span<float> whole_row();
    // The logit of one token, for changing it; null if the token is no longer a candidate.
    float* find(int id);
    // From now on every truncation keeps at least n tokens, the best by its own keys
    // (min_tokens_to_keep).
    void keep_at_least(std::size_t n) { least_ = n; }
    std::size_t least() const { return least_; }
    // Keeps the candidates that the cut keeps by these keys, one key for each position.
    void keep_by(std::span<const float> keys, const Cut& cut);
    void keep(const Cut& cut) { keep_by(row_, cut); }

    // Memory for one key for each position, to be used with keep_by.
    std::span<float> room_for_keys();

private:
    void check_position(std::size_t i) const;
    Cut widened(std::span<const float> keys, const Cut& cut) const;
    void measure() {
        if (!measured_) measure_again();
    }
    void weigh() {
        if (!weighed_) weigh_again();
    }
    void measure_again();
    [[noreturn]] void complain() const;
    void weigh_again();
    void make_own();

    std::span<const float> row_;  // the logits: the caller's row, or values_
    std::size_t vocab_size_ = 0;
    bool id_is_position_ = true;  // position i is token i; otherwise ids_[i]
    double temperature_ = 1;
    std::size_t least_ = 1;
    bool measured_ = false, weighed_ = false;
    float largest_ = 0;
    std::uint64_t total_ = 0;
    LineVector<int> ids_;
    LineVector<float> values_, keys_;
    LineVector<std::uint64_t> weights_, block_weights_;
    std::vector<float> maxima_;  // of groups of the row; empty right after a cut
};

}  // namespace tbt
