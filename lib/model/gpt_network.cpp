#include "lib/model/gpt_network.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "lib/check.hpp"
#include "lib/error.hpp"
#include "lib/index.hpp"
#include "lib/machine/memory.hpp"
#include "lib/model/attention_both_ways.hpp"
#include "lib/model/int8_file.hpp"
#include "lib/model/layers.hpp"
#include "lib/model/memory_plan.hpp"
#include "lib/model/safetensors.hpp"

namespace tbt {

GptNetwork::GptNetwork(const GptConfig& shape, const WeightSource& source, const GptOptions& chosen,
                       std::int64_t output_count)
    : config(shape), options(chosen), outputs(output_count) {
    KvCache::check_type(config.cache_type = options.cache);
    check_config(config, "gpt");
    if (!source) throw Error("gpt: there is nothing that gives the weights");
    if (options.threads <= 0) options.threads = default_threads();
    options.threads = std::min(options.threads, most_threads);
    const WeightType type = options.weights.value_or(WeightType::f32);
    const auto view = [](const Tensor& w) { return MatrixView::of(w.data(), w.dim(0), w.dim(1)); };
    std::map<std::string, Shape> shapes;
    for (const WeightShape& w : weight_shapes(config)) shapes[w.name] = w.shape;
    const auto tensor = [&](const std::string& name) {
        Tensor weight = source(name, shapes.at(name));
        check_shape("gpt", name.c_str(), weight.shape(), shapes.at(name));
        return weight;
    };
    const auto matrix = [&](const std::string& name) {
        return PackedMatrix(view(tensor(name)), type);
    };
    token_embedding = tensor("wte.weight");
    position_embedding = tensor("wpe.weight");
    for (int layer = 0; layer < config.n_layer; ++layer) {
        const std::string h = "h." + std::to_string(layer) + ".";
        GptBlock& b = blocks.emplace_back();
        b.norm1_gamma = tensor(h + "ln_1.weight");
        b.norm1_beta = tensor(h + "ln_1.bias");
        b.qkv = matrix(h + "attn.c_attn.weight");
        b.qkv_bias = tensor(h + "attn.c_attn.bias");
        b.proj = matrix(h + "attn.c_proj.weight");
        b.proj_bias = tensor(h + "attn.c_proj.bias");
        b.norm2_gamma = tensor(h + "ln_2.weight");
        b.norm2_beta = tensor(h + "ln_2.bias");
        b.up = matrix(h + "mlp.c_fc.weight");
        b.up_bias = tensor(h + "mlp.c_fc.bias");
        b.down = matrix(h + "mlp.c_proj.weight");
        b.down_bias = tensor(h + "mlp.c_proj.bias");
    }
    norm_gamma = tensor("ln_f.weight");
    norm_beta = tensor("ln_f.bias");
    const auto embedding_transposed = [&](const Tensor& e) {
        return PackedMatrix(MatrixView::of(e.data(), outputs, e.dim(1)).transposed(), type);
    };
    output = config.tie_word_embeddings ? embedding_transposed(token_embedding)
                                        : embedding_transposed(tensor("lm_head.weight"));
}

// Weights of 16 bits are exactly the floats they are widened to, so keeping them as they are
// changes no bit of a logit. Where one matrix is in 8 bits, int8 (int8_file.hpp); float32 where
// others are mixed.
static WeightType stored_type(const Safetensors& file) {
    std::optional<std::string> dtype;
    bool mixed = false;
    for (const auto& [name, tensor] : file.tensors()) {
        if (tensor.shape.size() != 2) continue;
        if (tensor.dtype == int8_dtype) return WeightType::int8;
        mixed = mixed || (dtype && *dtype != tensor.dtype);
        dtype = tensor.dtype;
    }
    if (mixed) return WeightType::f32;
    return weight_type_named(dtype.value_or("")).value_or(WeightType::f32);
}

// The file holds the weights that config.json speaks of, no fewer and no more layers.
static void check_weights(const std::string& name, const Safetensors& file,
                          const GptConfig& config) {
    const auto fail = [&](const std::string& what) {
        throw Error(name + ": config.json says n_layer " + std::to_string(config.n_layer) +
                    ", but the weights " + what + "; they don't belong together");
    };
    const std::string behind = "h." + std::to_string(config.n_layer) + ".ln_1.weight";
    if (file.find(behind) || file.find("transformer." + behind)) fail("go on with " + behind);
    const auto tensors = static_cast<std::int64_t>(file.tensors().size());
    if (tensors < config.n_layer) fail("are only " + std::to_string(tensors) + " tensors");
    for (const WeightShape& w : weight_shapes(config)) file.check_weight(w.name, w.shape);
}

void with_weights_of(const std::string& directory, const GptConfig& config,
                     const GptOptions& options,
                     const std::function<void(const WeightSource&, const GptOptions&)>& use) {
    const Safetensors file = Safetensors::open_directory(directory);
    GptOptions chosen = options;
    if (!chosen.weights) chosen.weights = stored_type(file);
    // Asked before anything is allocated: are the weights these, and does the machine
    // have the memory?
    check_weights(directory, file, config);
    GptConfig planned = config;
    planned.cache_type = chosen.cache;
    check_memory(directory, plan_memory(planned, *chosen.weights, config.n_positions, 1).total(),
                 available_memory());
    use([&](const std::string& weight,
            const Shape& shape) { return file.read_weight(weight, shape); },
        chosen);
}

std::int64_t GptNetwork::weight_bytes() const {
    std::int64_t bytes = output.bytes() + 4 * (token_embedding.size() + position_embedding.size());
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
    int longest = 0;
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
        const int deepest = 1 + *std::max_element(depths.begin(), depths.end());
        step.cache->make_room(deepest);
        if (!step.parents.empty()) step.cache->hold_rows(rows_of_step);
        p.sequences.push_back({step.cache, first, rows_of_step, step.parents});
        const std::int64_t end = first + rows_of_step;
        for (std::int64_t r = step.all_logits ? first : end - 1; r < end; ++r)
            p.logit_rows.push_back(r);
        longest = std::max(longest, step.cache->length() + deepest);
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
    p.scratch.get(options.threads * attention_scratch_size(longest));
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
    for (std::int64_t r = begin; r < end; ++r) {
        const float* token = token_embedding.data() + p.tokens[index(r)] * c;
        const float* position = position_embedding.data() + p.positions[index(r)] * c;
        for (std::int64_t i = 0; i < c; ++i) x[r * c + i] = token[i] + position[i];
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
