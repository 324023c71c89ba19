// Made-up language models over three tokens, small enough to enumerate every text.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "chapters/12_speculative/speculative.hpp"
#include "lib/core/math.hpp"
#include "lib/core/rng.hpp"

namespace tbt::toy {

constexpr int V = 3;

// Logits that depend on every token of the text. The same text, the same logits.
class ToyModel {
public:
    ToyModel(std::uint64_t seed, double spread) : seed_(seed), spread_(spread) {}

    std::span<const float> operator()(std::span<const int> ids) { return rows(ids, 1).values; }
    Logits rows(std::span<const int> ids, int count) {
        values_.clear();
        for (std::size_t n = ids.size() + 1 - static_cast<std::size_t>(count); n <= ids.size();
             ++n) {
            std::uint64_t key = seed_;
            for (const int id : ids.first(n))
                key = key * 1000003 + static_cast<std::uint64_t>(id) + 17;
            Rng rng(key);
            for (int v = 0; v < V; ++v)
                values_.push_back(static_cast<float>(spread_ * rng.normal()));
        }
        return {values_, count};
    }
    LastLogits last() {
        return [this](std::span<const int> ids, int count) { return rows(ids, count); };
    }

private:
    std::uint64_t seed_;
    double spread_;
    std::vector<float> values_;
};

// Logits whose softmax is this distribution, whatever the text; or after each last token.
class TableModel {
public:
    explicit TableModel(std::vector<std::vector<double>> distributions)
        : distributions_(std::move(distributions)) {}
    std::span<const float> operator()(std::span<const int> ids) { return rows(ids, 1).values; }
    Logits rows(std::span<const int> ids, int count) {
        values_.clear();
        for (std::size_t n = ids.size() + 1 - static_cast<std::size_t>(count); n <= ids.size();
             ++n) {
            const auto& distribution = distributions_.size() == 1
                                           ? distributions_[0]
                                           : distributions_[static_cast<std::size_t>(ids[n - 1])];
            for (const double p : distribution)
                values_.push_back(static_cast<float>(portable_log(p)));
        }
        return {values_, count};
    }
    LastLogits last() {
        return [this](std::span<const int> ids, int count) { return rows(ids, count); };
    }

private:
    std::vector<std::vector<double>> distributions_;
    std::vector<float> values_;
};

}  // namespace tbt::toy
