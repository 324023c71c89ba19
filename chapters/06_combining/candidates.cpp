#include "chapters/06_combining/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "chapters/03_temperature/further/checks.hpp"
#include "chapters/04_top_k/plain_top_k.hpp"
#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/math.hpp"
#include "lib/select/integer_weights.hpp"
#include "lib/select/select.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

void Candidates::reset(std::span<const float> logits) {
    if (logits.empty() || logits.size() > max_row_length)
        throw Error("sampling: a row of " + std::to_string(logits.size()) +
                    " logits, expected 1 to " + std::to_string(max_row_length));
    row_ = logits;
    vocab_size_ = logits.size();
    id_is_position_ = true;
    temperature_ = 1;
    least_ = 1;
    weighed_ = measured_ = false;
}

std::size_t Candidates::count() const { return count_kept(row_); }

std::size_t Candidates::position_of(int id) const {
    if (id_is_position_) return id < 0 ? size() : std::min(index(id), size());
    const auto end = ids_.begin() + static_cast<std::ptrdiff_t>(size());
    const auto at = std::lower_bound(ids_.begin(), end, id);
    return at != end && *at == id ? index(at - ids_.begin()) : size();
}

float Candidates::reached_by(std::size_t k) {
    measure();
    return maxima_.size() >= 4 * k ? kth_largest(maxima_, k) : reached_by_at_least(row_, k);
}

double Candidates::probability(std::size_t i) {
    check_position(i);
    return static_cast<double>(weights()[i]) / static_cast<double>(total_weight());
}

double Candidates::log_probability(std::size_t i) {
    check_position(i);
    return (static_cast<double>(row_[i]) - static_cast<double>(largest())) / temperature_ -
           log_sum();
}

double Candidates::log_sum() {
    return portable_log(static_cast<double>(total_weight()) /
                        static_cast<double>(weight_of_largest));
}

double Candidates::entropy() {
    const double gaps = weighted_sum_of_gaps(row_, weights(), largest(), temperature_);
    return log_sum() + gaps / static_cast<double>(total_weight());
}

std::vector<double> Candidates::probabilities() {
    std::vector<double> p(vocab_size_, 0.0);
    for (std::size_t i = 0; i < size(); ++i) p[index(id(i))] = probability(i);
    return p;
}

void Candidates::multiply_temperature(double factor) {
    if (!(factor > 0 && std::isfinite(factor)))
        throw Error("candidates: got the temperature factor " + short_number(factor) +
                    ", expected a number above 0");
    temperature_ *= factor;
    weighed_ = false;
}

std::span<float> Candidates::whole_row() {
    make_own();
    weighed_ = measured_ = false;
    return id_is_position_ ? std::span<float>(values_.data(), vocab_size_) : std::span<float>();
}

float* Candidates::find(int id) {
    checked_id("candidates", id, vocab_size_);
    make_own();
    weighed_ = measured_ = false;
    const std::size_t at = position_of(id);
    return at < size() ? &values_[at] : nullptr;
}

// The cut. If it would keep fewer than `least_` candidates: the cut to the `least_` largest keys.
Cut Candidates::widened(std::span<const float> keys, const Cut& cut) const {
    const std::size_t wanted = std::min(least_, keys.size());
    if (wanted < 2) return cut;
    const auto above = [&](float x) {
        return index(std::count_if(keys.begin(), keys.end(), [&](float key) { return key > x; }));
    };
    const auto equal = index(std::count(keys.begin(), keys.end(), cut.threshold));
    if (above(cut.threshold) + std::min(cut.ties, equal) >= wanted) return cut;
    const float last = kth_largest(keys, wanted);
    return {last, wanted - above(last)};
}

void Candidates::keep_by(std::span<const float> keys, const Cut& asked) {
    check_size("candidates: keys", keys.size(), size());
    const Cut cut = widened(keys, asked);
    const std::size_t room = size() + slack;
    if (ids_.size() < room) ids_.resize(room);
    if (values_.size() < room) values_.resize(room);
    const Source from{id_is_position_ ? nullptr : ids_.data(), row_.data()};
    const std::size_t kept = tbt::keep(keys, cut, from, {ids_.data(), values_.data()});
    const bool by_logit = keys.data() == row_.data();
    row_ = {values_.data(), kept};
    id_is_position_ = false;
    maxima_.clear();
    weighed_ = false;
    if (!by_logit || kept == 0) measured_ = false;  // the largest may be gone
}

std::span<float> Candidates::room_for_keys() {
    if (keys_.size() < size()) keys_.resize(size());
    return {keys_.data(), size()};
}

void Candidates::check_position(std::size_t i) const {
    if (i >= size()) checked_place("candidates", static_cast<long long>(i), size());
}

// Reads the row once: finds its largest value, and checks that all values are logits.
void Candidates::measure_again() {
    largest_ = group_maxima(row_, 64, maxima_);
    if (!std::isfinite(largest_)) complain();
    measured_ = true;
}

// Throws an Error that names the token whose logit is not a number; called if the scan found one.
void Candidates::complain() const {
    std::vector<float> by_id(vocab_size_, masked);
    for (std::size_t i = 0; i < size(); ++i) by_id[index(id(i))] = row_[i];
    check_row(by_id);
    throw Error("sampling: the logits changed while they were read");
}

void Candidates::weigh_again() {
    measure();
    if (weights_.size() < size() + slack) weights_.resize(size() + slack);
    if (block_weights_.size() * weight_block < size())
        block_weights_.resize(size() / weight_block + 1);
    total_ = integer_exp(row_, largest_, temperature_, weights_.data(), block_weights_.data());
    weighed_ = true;
}

// Copies the row, with s/T, for steps that change logits: they see the logits as if the temperature
// had been applied to each of them.
void Candidates::make_own() {
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

}  // namespace tbt
