// Small models and an exhaustive search for the tests of beam search.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "chapters/10_generate/batch.hpp"
#include "chapters/11_beam_search/beam_search.hpp"
#include "lib/core/rng.hpp"
#include "tests/support/small_model.hpp"

namespace tbt::test {

// A model given by its probabilities: (generated ids) -> distribution.
// The prompt is the one token 0.
class TreeModel {
public:
    using Distribution = std::vector<double>;
    TreeModel(std::map<std::vector<int>, Distribution> distributions, Distribution otherwise)
        : distributions_(std::move(distributions)), otherwise_(std::move(otherwise)) {}

    std::span<const float> operator()(std::span<const int> ids) {
        const auto at = distributions_.find({ids.begin() + 1, ids.end()});
        logits_.clear();
        for (const double p : at == distributions_.end() ? otherwise_ : at->second)
            logits_.push_back(static_cast<float>(std::log(p)));
        return logits_;
    }

private:
    std::map<std::vector<int>, Distribution> distributions_;
    Distribution otherwise_;
    std::vector<float> logits_;
};

// ERRATA.md: A = 0, B = 1, C = 2. After A's first child one token is certain.
inline TreeModel tree_where_two_beams_lose() {
    constexpr double sure = 1, no = 0;
    return {{{{}, {.4, .35, .25}}, {{1}, {.5, .5, no}}, {{0, 0}, {sure, no, no}}}, {.34, .33, .33}};
}
inline TreeModel tree_where_two_beams_win() {
    return {{{{}, {.6, .4, 0}}, {{0}, {.4, .35, .25}}, {{1}, {.9, .05, .05}}}, {.34, .33, .33}};
}

// Random logits that depend on all the ids.
class RandomModel {
public:
    RandomModel(std::uint64_t seed, int vocab, double spread = 2)
        : seed_(seed), logits_(static_cast<std::size_t>(vocab)), spread_(spread) {}
    std::span<const float> operator()(std::span<const int> ids) {
        std::uint64_t h = seed_;
        for (const int id : ids) h = SplitMix64(h ^ static_cast<std::uint64_t>(id + 1)).next();
        Rng rng(h);
        for (float& s : logits_) s = static_cast<float>(spread_ * rng.normal());
        return logits_;
    }

private:
    std::uint64_t seed_;
    std::vector<float> logits_;
    double spread_;
};

inline double log_probability(std::span<const float> logits, int id) {
    double sum = 0;
    for (const float s : logits) sum += std::exp(static_cast<double>(s));
    return static_cast<double>(logits[static_cast<std::size_t>(id)]) - std::log(sum);
}

struct Text {
    std::vector<int> ids;
    double sum = 0;
};

// Every text of at most `depth` tokens that ends in eos or has them all.
template <class Model>
void all_texts(Model& model, std::vector<int>& ids, std::size_t prompt, std::size_t depth, int eos,
               double sum, std::vector<Text>& out) {
    const std::size_t n = ids.size() - prompt;
    if (n > 0 && (n == depth || ids.back() == eos)) {
        out.push_back({{ids.begin() + static_cast<std::ptrdiff_t>(prompt), ids.end()}, sum});
        return;
    }
    const std::span<const float> row = model(ids);
    const std::vector<float> logits(row.begin(), row.end());
    for (std::size_t id = 0; id < logits.size(); ++id) {
        ids.push_back(static_cast<int>(id));
        all_texts(model, ids, prompt, depth, eos,
                  sum + log_probability(logits, static_cast<int>(id)), out);
        ids.pop_back();
    }
}

inline BeamRequest beams(int B, int max_new_tokens, std::vector<int> eos = {},
                         double length_penalty = 1, int returned = 1) {
    BeamRequest r;
    r.beams.num_beams = B;
    r.beams.length_penalty = length_penalty;
    r.beams.num_return_sequences = returned;
    r.stop.max_new_tokens = max_new_tokens;
    r.stop.eos = std::move(eos);
    return r;
}

// A model over the bytes and one end-of-text token that knows nothing: its weights are zero.
inline Model zero_model() {
    return small_model(byte_tokenizer(),
                       [](const std::string&, const Shape& shape) { return Tensor(shape); });
}

template <class Model>
std::vector<BeamText> search(Model model, const BeamRequest& request,
                             std::vector<int> prompt = {0}) {
    return beam_search(one_at_a_time(std::move(model)), request, prompt);
}

inline std::vector<std::vector<int>> ids_of(const std::vector<BeamText>& texts) {
    std::vector<std::vector<int>> ids;
    for (const BeamText& t : texts) ids.push_back(t.ids);
    return ids;
}

}  // namespace tbt::test
