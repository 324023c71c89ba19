#include "lib/model/gpt_network.hpp"

#include <algorithm>

#include "lib/check.hpp"
#include "lib/error.hpp"
#include "lib/index.hpp"
#include "lib/model/attention_both_ways.hpp"
#include "lib/model/layers.hpp"
#include "lib/model/weight_reader.hpp"

namespace tbt {

GptNetwork::GptNetwork(const GptConfig& shape, const WeightSource& source, const GptOptions& chosen,
                       std::int64_t output_count, const Safetensors* file)
    : config(shape), options(chosen), outputs(output_count) {
    KvCache::check_type(config.cache_type = options.cache);
    check_config(config, "gpt");
    if (!source) throw Error("gpt: there is nothing that gives the weights");
    if (options.threads <= 0) options.threads = default_threads();
    options.threads = std::min(options.threads, most_threads);
    const WeightType type = options.weights.value_or(WeightType::f32);
    const WeightReader weights(config, source, file, options.threads);
    const auto output_of = [&](StoredView embedding) {
        embedding.rows = outputs;
        // Four bits are too few for what chooses among thousands of words.
        output = PackedMatrix(embedding.transposed(),
                              type == WeightType::int4 ? WeightType::int8 : type, options.threads);
    };
    const bool tied = config.tie_word_embeddings;
    weights.matrix("wte.weight", [&](const StoredView& w) {
        if (tied) output_of(w);
        // One copy, where the output matrix has all rows and rounds none.
        const bool same = tied && outputs == w.rows &&
                          (output.type() == WeightType::f32 || output.type() == w.type);
        if (!same) token_embedding = PackedMatrix(w.transposed(), w.type, options.threads);
    });
    if (!tied) weights.matrix("lm_head.weight", output_of);
    position_embedding = weights.tensor("wpe.weight");
    for (int layer = 0; layer < config.n_layer; ++layer) {
        const std::string h = "h." + std::to_string(layer) + ".";
        GptBlock& b = blocks.emplace_back();
        b.norm1_gamma = weights.tensor(h + "ln_1.weight");
        b.norm1_beta = weights.tensor(h + "ln_1.bias");
        b.qkv = weights.packed(h + "attn.c_attn.weight", type);
        b.qkv_bias = weights.tensor(h + "attn.c_attn.bias");
        b.proj = weights.packed(h + "attn.c_proj.weight", type);
        b.proj_bias = weights.tensor(h + "attn.c_proj.bias");
        b.norm2_gamma = weights.tensor(h + "ln_2.weight");
        b.norm2_beta = weights.tensor(h + "ln_2.bias");
        b.up = weights.packed(h + "mlp.c_fc.weight", type);
        b.up_bias = weights.tensor(h + "mlp.c_fc.bias");
        b.down = weights.packed(h + "mlp.c_proj.weight", type);
        b.down_bias = weights.tensor(h + "mlp.c_proj.bias");
    }
    norm_gamma = weights.tensor("ln_f.weight");
    norm_beta = weights.tensor("ln_f.bias");
}

std::int64_t GptNetwork::weight_bytes() const {
    std::int64_t bytes = output.bytes() + token_embedding.bytes() + 4 * position_embedding.size();
    for (const GptBlock& b : blocks)
        bytes += b.qkv.bytes() + b.proj.bytes() + b.up.bytes() + b.down.bytes();
    return bytes;
}

// Each sequence has a cache of its own, made for such a model.
static void check_caches(std::span<const Step> steps, const GptConfig& config) {
    std::vector<const KvCache*> caches;
    for (const Step& step : steps) {
        if (!step.cache || !step.cache->fits(config))
            throw Error(
                "gpt: a cache that was not made for this model; make one with its config()");
        caches.push_back(step.cache);
    }
    std::sort(caches.begin(), caches.end());
    if (std::adjacent_find(caches.begin(), caches.end()) != caches.end())
        throw Error("gpt: one cache for two sequences of a pass; copy it, and each has its own");
}

// How many tokens of the step stand before each.
static std::vector<int> depths_of(const Step& step) {
    std::vector<int> depths;
    if (!step.parents.empty())
        check_size("gpt: the parents of a tree", step.parents.size(), step.tokens.size());
    for (int i = 0; i < count(step.tokens); ++i) {
        const int parent = step.parents.empty() ? i - 1 : step.parents[index(i)];
        if (parent < -1 || parent >= i)
            throw Error("gpt: token " + std::to_string(i) + " of a tree follows token " +
                        std::to_string(parent) + ", expected an earlier one, or -1");
        depths.push_back(parent < 0 ? 0 : depths[index(parent)] + 1);
        if (!step.parents.empty() && depths.back() >= most_tree_depth)
            throw Error("gpt: a branch of more than " + std::to_string(most_tree_depth) +
                        " tokens in a tree");
    }
    return depths;
}

// Everything that can fail or allocate happens here, before the threads start.
void GptNetwork::prepare(std::span<const Step> steps) {
    if (steps.empty()) throw Error("gpt: a forward pass over no sequences");
    check_caches(steps, config);
    GptPass& p = pass;
    p.sequences.clear();
    p.tokens.clear();
    p.positions.clear();
    p.logit_rows.clear();
    for (const Step& step : steps) {
        if (step.tokens.empty())
            throw Error("gpt: a forward pass over no tokens; start from the document separator");
        const int rows_of_step = count(step.tokens);
        const auto first = static_cast<std::int64_t>(p.tokens.size());
        for (const int token : step.tokens) {
            if (token < 0 || token >= config.vocab_size) {
                throw Error("gpt: token id " + std::to_string(token) +
                            " is outside the vocabulary, expected 0 to " +
                            std::to_string(config.vocab_size - 1) +
                            "; is this the tokenizer of this model?");
            }
            p.tokens.push_back(token);
        }
        const std::vector<int> depths = depths_of(step);
        for (const int depth : depths) p.positions.push_back(step.cache->length() + depth);
        step.cache->make_room(1 + *std::max_element(depths.begin(), depths.end()));
        if (!step.parents.empty()) step.cache->hold_rows(rows_of_step);
        p.sequences.push_back({step.cache, first, rows_of_step, step.parents});
        const std::int64_t end = first + rows_of_step;
        for (std::int64_t r = step.all_logits ? first : end - 1; r < end; ++r)
            p.logit_rows.push_back(r);
    }
    const auto rows = length_of(p.tokens);
    const std::int64_t c = config.n_embd;
    p.x.get(rows * c);
    for (auto r = length_of(p.rows); r < rows; ++r) p.rows.push_back(r);
    p.rows.resize(index(rows));
    p.normed.get(std::max<std::int64_t>(rows, options.threads * options.threads) * c);
    p.qkv.get(rows * 3 * c);
    p.mixed.get(rows * c);
    p.inner.get(rows * config.n_inner);
    p.logits.get(length_of(p.logit_rows) * outputs);
    p.scratch.get(options.threads * attention_scratch_size(p.sequences));
    if (watch) watch->rows.assign(index(rows), {});
}

// Walked through by all threads together; sync() stands where a layer reads what
// other threads wrote.
void GptNetwork::run(const Worker& worker) {
    GptPass& p = pass;
    const auto rows = length_of(p.tokens);
    const std::int64_t c = config.n_embd;
    float* x = p.x.get(0);

    const auto [begin, end] = worker.share(rows);
    const PackedMatrix& embedding = token_embedding.n() > 0 ? token_embedding : output;
    for (std::int64_t r = begin; r < end; ++r) {
        embedding.column(p.tokens[index(r)], x + r * c);
        const float* position = position_embedding.data() + p.positions[index(r)] * c;
        for (std::int64_t i = 0; i < c; ++i) x[r * c + i] += position[i];
    }
    worker.sync();

    for (int layer = 0; layer < config.n_layer; ++layer)
        run_block(blocks[index(layer)], layer, worker);

    // Only the rows that somebody asked for, side by side.
    const auto wanted = length_of(p.logit_rows);
    const float* normed = norm(p.logit_rows, norm_gamma, norm_beta, worker);
    matmul(MatrixView::of(normed, wanted, c), output, p.logits.get(0), outputs, {}, worker);
}

// Layer norm of these rows of x, side by side. Of fewer rows than threads each thread makes a copy
// of its own: that takes less time than waiting for another's.
const float* GptNetwork::norm(std::span<const std::int64_t> rows, const Tensor& gamma,
                              const Tensor& beta, const Worker& worker) {
    const std::int64_t c = config.n_embd, count = length_of(rows);
    const bool alone = count < worker.size;
    const float* x = pass.x.get(0);
    float* normed = pass.normed.get(0) + (alone ? worker.rank * count * c : 0);
    const auto [begin, end] = alone ? Range{0, count} : worker.share(count);
    for (std::int64_t r = begin; r < end; ++r) {
        layer_norm(x + rows[index(r)] * c, gamma.data(), beta.data(), config.layer_norm_epsilon,
                   normed + r * c, 1, c, Worker{});
    }
    if (!alone) worker.sync();
    return normed;
}

void GptNetwork::run_block(const GptBlock& b, int layer, const Worker& worker) {
    GptPass& p = pass;
    const auto rows = length_of(p.tokens);
    const std::int64_t c = config.n_embd, f = config.n_inner;
    const AttentionShape shape{config.n_embd, config.n_head};
    float *x = p.x.get(0), *qkv = p.qkv.get(0), *mixed = p.mixed.get(0), *inner = p.inner.get(0);

    const float* normed = norm(p.rows, b.norm1_gamma, b.norm1_beta, worker);
    matmul(MatrixView::of(normed, rows, c), b.qkv, qkv, 3 * c, {b.qkv_bias.data()}, worker);
    worker.sync();
    // A thread attends with the same (sequence, head) pairs that it appended:
    // no sync between the two.
    append_keys_and_values(qkv, p.sequences, shape, layer, worker);
    float* scratch = p.scratch.get(0);
    if (both_ways) attend_both_ways(qkv, p.sequences, shape, layer, mixed, scratch, worker);
    else attend(qkv, p.sequences, shape, layer, mixed, scratch, worker, watch);
    worker.sync();
    matmul(MatrixView::of(mixed, rows, c), b.proj, x, c, {b.proj_bias.data(), true}, worker);
    worker.sync();
    normed = norm(p.rows, b.norm2_gamma, b.norm2_beta, worker);
    matmul(MatrixView::of(normed, rows, c), b.up, inner, f,
           {.bias = b.up_bias.data(), .activation = gelu}, worker);
    worker.sync();
    matmul(MatrixView::of(inner, rows, f), b.down, x, c, {b.down_bias.data(), true}, worker);
    worker.sync();
}

}  // namespace tbt
