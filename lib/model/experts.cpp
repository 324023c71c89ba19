#include "lib/model/experts.hpp"

#include <algorithm>
#include <vector>

#include "lib/core/check.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rows.hpp"
#include "lib/model/transformer_network.hpp"

namespace tbt {

void choose_experts(std::span<const float> scores, bool sum_to_one,
                    std::span<ChosenExpert> chosen) {
    check_at_least("experts: scores", count(scores), count(chosen));
    std::vector<float> weights(scores.size());
    softmax(scores, weights);
    std::vector<bool> taken(scores.size());
    float sum = 0;
    for (ChosenExpert& c : chosen) {
        int best = -1;
        for (int e = 0; e < count(scores); ++e)
            if (!taken[index(e)] && (best < 0 || scores[index(e)] > scores[index(best)])) best = e;
        taken[index(best)] = true;
        c = {best, weights[index(best)]};
        sum += c.weight;
    }
    for (ChosenExpert& c : chosen)
        if (sum_to_one) c.weight /= sum;
    std::sort(chosen.begin(), chosen.end(),
              [](const auto& a, const auto& b) { return a.expert < b.expert; });
}

namespace {

// Sorts the pairs by expert.
void sort_pairs(ExpertPass& p, std::int64_t pairs, int experts) {
    p.first.assign(index(experts + 1), 0);
    for (std::int64_t i = 0; i < pairs; ++i) ++p.first[index(p.chosen[index(i)].expert + 1)];
    for (int e = 0; e < experts; ++e) p.first[index(e + 1)] += p.first[index(e)];
    std::vector<std::int64_t> next = p.first;
    for (std::int64_t i = 0; i < pairs; ++i)
        p.places[index(i)] = next[index(p.chosen[index(i)].expert)]++;
}

}  // namespace

// Every process gets the outputs of the others' experts for these pairs.
void TransformerNetwork::gather_experts(std::int64_t pairs, const Worker& worker) {
    if (!options.processes) return;
    if (worker.rank == 0) {
        const ExpertPass& p = pass.experts;
        std::vector<std::int64_t> firsts;
        for (const ModelPart& each : parts)
            firsts.push_back(p.first[index(each.experts.begin)] * config.n_embd);
        firsts.push_back(pairs * config.n_embd);
        options.processes->gather(pass.experts.outputs.get(0), 1, firsts.back(), firsts);
    }
    worker.sync();
}

void TransformerNetwork::run_experts(const TransformerBlock& b, const float* normed,
                                     const Worker& worker) {
    const auto rows = length_of(pass.tokens);
    for (std::int64_t begin = 0; begin < rows; begin += expert_rows)
        add_experts(b, normed, begin, std::min<std::int64_t>(expert_rows, rows - begin), worker);
}

// x += the sum over a row's experts of weight · down(act(gate(y)) · up(y)), y = normed, in order of
// their numbers, so that the bits do not depend on the other rows. Only chosen ones are computed.
void TransformerNetwork::add_experts(const TransformerBlock& b, const float* normed,
                                     std::int64_t begin, std::int64_t rows, const Worker& worker) {
    const Architecture& a = config.architecture;
    ExpertPass& p = pass.experts;
    const std::int64_t c = config.n_embd, f = a.expert_inner, k = a.experts_per_token;
    float *scores = p.scores.get(0), *inputs = p.inputs.get(0), *inner = p.inner.get(0),
          *out = p.outputs.get(0);
    normed += begin * c;
    matmul(MatrixView::of(normed, rows, c), b.router, scores, a.experts, {b.router_bias.data()},
           worker);
    worker.sync();
    const auto [first, end] = worker.share(rows);
    for (std::int64_t r = first; r < end; ++r)
        choose_experts({scores + r * a.experts, index(a.experts)}, a.experts_sum_to_one,
                       std::span(p.chosen).subspan(index(r * k), index(k)));
    worker.sync();
    if (worker.rank == 0) {
        sort_pairs(p, rows * k, a.experts);
        if (expert_watch) {
            auto& seen = expert_watch->layers[index(&b - blocks.data())];
            seen.insert(seen.end(), p.chosen.begin(), p.chosen.begin() + rows * k);
        }
    }
    worker.sync();
    for (std::int64_t i = first * k; i < end * k; ++i)
        std::copy_n(normed + i / k * c, c, inputs + p.places[index(i)] * c);
    worker.sync();
    // Calls product(expert, its first pair, how many) for each expert of this process with pairs.
    const Range own = part.experts;
    const auto for_each_expert = [&](auto product) {
        for (auto e = index(own.begin); e < index(own.end); ++e)
            if (const std::int64_t n = p.first[e + 1] - p.first[e]; n > 0)
                product(b.experts[e], p.first[e], n);
        worker.sync();
    };
    for_each_expert([&](const TransformerBlock::Expert& e, std::int64_t at, std::int64_t n) {
        matmul(MatrixView::of(inputs + at * c, n, c), e.up, inner + at * 2 * f, 2 * f,
               {e.up_bias.data()}, worker);
    });
    const std::int64_t first_pair = p.first[index(own.begin)],
                       pairs = p.first[index(own.end)] - first_pair;
    gate(inner + first_pair * 2 * f, pairs, f, worker);
    worker.sync();
    for_each_expert([&](const TransformerBlock::Expert& e, std::int64_t at, std::int64_t n) {
        matmul({inner + at * 2 * f, n, f, 2 * f, 1}, e.down, out + at * c, c, {e.down_bias.data()},
               worker);
    });
    gather_experts(rows * k, worker);
    for (std::int64_t r = first; r < end; ++r)
        for (std::int64_t i = 0; i < c; ++i) {
            float sum = 0;
            for (std::int64_t j = r * k; j < (r + 1) * k; ++j)
                sum += p.chosen[index(j)].weight * out[p.places[index(j)] * c + i];
            pass.x.get(0)[(begin + r) * c + i] += a.residual_scale * sum;
        }
    worker.sync();
}

}  // namespace tbt
