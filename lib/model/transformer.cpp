#include "lib/model/transformer.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/kernels/hash.hpp"
#include "lib/model/layers.hpp"
#include "lib/model/rotary.hpp"
#include "lib/model/transformer_network.hpp"
#include "lib/quantized/integer_matrix.hpp"

namespace tbt {

namespace {

// Weights that a function makes.
class MadeWeights final : public WeightStore {
public:
    explicit MadeWeights(const WeightSource& source) : source_(source) {
        if (!source) throw Error("transformer: no source of weights was given");
    }
    Tensor read(const std::string& name, const Shape& shape) const override {
        return source_(name, shape);
    }

private:
    const WeightSource& source_;
};

}  // namespace

TransformerNetwork::TransformerNetwork(const TransformerConfig& shape, const WeightSource& source,
                                       const TransformerOptions& chosen, std::int64_t output_count)
    : TransformerNetwork(shape, MadeWeights(source), chosen, output_count) {}

TransformerNetwork::TransformerNetwork(const TransformerConfig& shape, const WeightStore& weights,
                                       const TransformerOptions& chosen, std::int64_t output_count)
    : config(shape), options(chosen), outputs(output_count) {
    KvCache::check_type(config.cache_type = options.cache);
    check_config(config, "transformer");
    if (options.threads <= 0) options.threads = default_threads();
    options.threads = std::min(options.threads, max_threads);
    parts = model_parts(config, outputs, options.processes ? options.processes->size() : 1);
    part = parts[index(options.processes ? options.processes->rank() : 0)];
    config.kept_kv_heads = options.processes ? own_kv_heads() : 0;
    load_weights(*this, weights);
    const int size = config.architecture.rotary_size;
    for (const Rotary& rotary : config.architecture.rotaries) {
        frequencies.push_back(rotary_frequencies(rotary, size));
        long_frequencies.push_back(rotary_frequencies(rotary, size, largest_size));
    }
    pass.angles.resize(frequencies.size());
}

std::int64_t TransformerNetwork::weight_bytes() const {
    std::int64_t bytes = output.bytes() + token_embedding.bytes() + 4 * position_embedding.size();
    for (const TransformerBlock& b : blocks) {
        bytes += b.qkv.bytes() + b.proj.bytes() + b.up.bytes() + b.down.bytes();
        bytes += b.router.bytes();
        for (const TransformerBlock::Expert& e : b.experts) bytes += e.up.bytes() + e.down.bytes();
    }
    return bytes;
}

// Throws Error unless each sequence has a cache of its own that fits the model.
static void check_caches(std::span<const Step> steps, const TransformerConfig& config) {
    std::vector<const KvCache*> caches;
    for (const Step& step : steps) {
        if (!step.cache || !step.cache->fits(config))
            throw Error(
                "transformer: the cache was made for another model; make one from this model's "
                "config()");
        caches.push_back(step.cache);
    }
    std::sort(caches.begin(), caches.end());
    if (std::adjacent_find(caches.begin(), caches.end()) != caches.end())
        throw Error(
            "transformer: two sequences of a pass share a cache; give each a copy of its own");
}

// For each token of a step, the number of this step's tokens before it in its branch.
static std::vector<int> depths_of(const Step& step) {
    std::vector<int> depths;
    if (!step.parents.empty())
        check_size("transformer: the parents of a tree", step.parents.size(), step.tokens.size());
    for (int i = 0; i < count(step.tokens); ++i) {
        const int parent = step.parents.empty() ? i - 1 : step.parents[index(i)];
        if (parent < -1 || parent >= i)
            throw Error("transformer: token " + std::to_string(i) + " of a tree follows token " +
                        std::to_string(parent) + ", expected an earlier one, or -1");
        depths.push_back(parent < 0 ? 0 : depths[index(parent)] + 1);
        if (!step.parents.empty() && depths.back() >= max_tree_depth)
            throw Error("transformer: a branch of more than " + std::to_string(max_tree_depth) +
                        " tokens in a tree");
    }
    return depths;
}

// What can fail, and nearly all memory, comes before the threads start: they must not throw. If one
// finds no memory for the rest (rows of x in 8 bits, watched heads), the program ends.
void TransformerNetwork::prepare(std::span<const Step> steps) {
    if (steps.empty()) throw Error("transformer: a forward pass over no sequences");
    check_caches(steps, config);
    TransformerPass& p = pass;
    p.sequences.clear();
    p.tokens.clear();
    p.positions.clear();
    p.contexts.clear();
    p.logit_rows.clear();
    for (const Step& step : steps) {
        if (step.tokens.empty())
            throw Error(
                "transformer: a forward pass over no tokens; start from the document separator");
        const int rows_of_step = count(step.tokens);
        const auto first = static_cast<std::int64_t>(p.tokens.size());
        for (const int token : step.tokens) {
            if (token < 0 || token >= config.vocab_size) {
                throw Error("transformer: token id " + std::to_string(token) +
                            " is outside the vocabulary, expected 0 to " +
                            std::to_string(config.vocab_size - 1) +
                            "; is this the tokenizer of this model?");
            }
            p.tokens.push_back(token);
        }
        const std::vector<int> depths = depths_of(step);
        for (const int depth : depths) p.positions.push_back(step.cache->length() + depth);
        p.contexts.resize(p.positions.size(), step.cache->capacity());
        step.cache->make_room(1 + *std::max_element(depths.begin(), depths.end()));
        if (!step.parents.empty()) step.cache->stage_rows(rows_of_step);
        p.sequences.push_back({step.cache, first, rows_of_step, step.parents});
        const std::int64_t end = first + rows_of_step;
        for (std::int64_t r = step.all_logits ? first : end - 1; r < end; ++r)
            p.logit_rows.push_back(r);
    }
    make_buffers();
}

// Besides the first pool of a process that leads, the others keep only the latest one.
template <class Pools>
static void drop_pool_for(int number, Pools& pools) {
    if (!pools.count(number) && pools.size() > 1) pools.erase(std::next(pools.begin()));
}

// Throws Error unless the processes that follow can run this pass.
void TransformerNetwork::check_followed() {
    for (const SequenceRows& s : pass.sequences) {
        const int number = s.cache->pool().number();
        if (!s.parents.empty())
            throw Error("transformer: a process that leads others reads no trees of drafts");
        if (!kept_pools.count(number) && s.cache->length() > 0)
            throw Error(
                "transformer: the other processes have dropped the keys and values of a cache: "
                "they keep those of the first pool and of the latest; let the caches share a pool");
        drop_pool_for(number, kept_pools);
        kept_pools.insert(number);
    }
}

// Where the first process leads, sends the others this pass: for each sequence its pool, the copies
// of blocks since the last pass, its length and capacity, its tokens, and its blocks. Otherwise
// throws Error if other processes are about to run other rows.
void TransformerNetwork::announce_pass() {
    if (!options.processes) return;
    const bool led = options.processes->has_leader();
    if (led && options.processes->rank() == 0) check_followed();
    std::vector<int> message = {count(pass.sequences)};
    for (const SequenceRows& s : pass.sequences) {
        KvPool& pool = s.cache->pool();
        const auto copies = pool.take_copies();
        if (!led) continue;
        message.insert(message.end(), {pool.number(), count(copies)});
        for (const auto& [from, to] : copies) message.insert(message.end(), {from, to});
        const auto rows_with_logits = std::count_if(
            pass.logit_rows.begin(), pass.logit_rows.end(),
            [&](std::int64_t r) { return r >= s.first_row && r < s.first_row + s.tokens; });
        message.insert(message.end(), {s.cache->length(), s.cache->capacity(), s.tokens,
                                       rows_with_logits == s.tokens});
        for (int i = 0; i < s.tokens; ++i) message.push_back(pass.tokens[index(s.first_row + i)]);
        const std::span<const int> own = s.cache->block_numbers(s.tokens);
        message.insert(message.end(), own.begin(), own.end());
    }
    if (led && options.processes->rank() == 0) options.processes->send(message);
    if (led) return;
    Hash hash;
    for (const auto* numbers : {&pass.tokens, &pass.positions, &pass.contexts})
        for (const int n : *numbers) hash.add(std::to_string(n) + ",");
    options.processes->agree(hash.value(), "the next tokens");
}

void TransformerNetwork::make_buffers() {
    TransformerPass& p = pass;
    const Architecture& a = config.architecture;
    const auto rows = length_of(p.tokens);
    const std::int64_t c = config.n_embd, d = config.head_size(), q = own_heads() * d;
    p.x.get(rows * c);
    for (auto r = length_of(p.rows); r < rows; ++r) p.rows.push_back(r);
    p.rows.resize(index(rows));
    p.normed.get(std::max<std::int64_t>(rows, options.threads * options.threads) * c);
    p.qkv.get(rows * (q + 2 * own_kv_heads() * d));
    p.mixed.get(rows * q);
    p.inner.get(rows * own_inner() * (a.gated ? 2 : 1));
    if (options.processes)
        p.gathered.get(rows * std::max<std::int64_t>(config.query_size(), config.n_inner));
    p.logits.get(length_of(p.logit_rows) * outputs);
    p.scratch.get(options.threads * attention_scratch_size(p.sequences));
    if (a.norm_place != NormPlace::input || a.residual_scale != 1.0f) p.branch.get(rows * c);
    if (a.experts > 0) {
        const std::int64_t most = std::min<std::int64_t>(rows, expert_rows),
                           pairs = most * a.experts_per_token;
        p.experts.scores.get(most * a.experts);
        p.experts.chosen.resize(index(pairs));
        p.experts.places.resize(index(pairs));
        p.experts.inputs.get(pairs * c);
        p.experts.inner.get(pairs * 2 * a.expert_inner);
        p.experts.outputs.get(pairs * c);
    }
    if (a.parallel) p.mlp_input.get(rows * c);
    for (GrowingBuffer& angles : p.angles) angles.get(rows * a.rotary_size);
    if (watch) watch->rows.assign(index(rows), {});
    if (expert_watch) expert_watch->layers.assign(blocks.size(), {});
}

// Rounds n numbers to 8 bits with one scale, as a column of the output matrix.
static void round_to_8_bits(float* x, std::int64_t n) {
    thread_local std::vector<std::int8_t> q;
    q.resize(index(n));
    const float scale = quantize_row(x, n, 1, q.data());
    for (std::int64_t i = 0; i < n; ++i) x[i] = scale * static_cast<float>(q[index(i)]);
}

// Computes the input of the first layer: token embeddings, with position embeddings if the model
// has them. Each thread does its part of the rows.
void TransformerNetwork::embed(const Worker& worker) {
    TransformerPass& p = pass;
    const Architecture& a = config.architecture;
    const std::int64_t c = config.n_embd;
    const PackedMatrix& embedding = token_embedding.n() > 0 ? token_embedding : output;
    const auto [begin, end] = worker.share(length_of(p.tokens));
    for (std::int64_t r = begin; r < end; ++r) {
        float* const x = p.x.get(0) + r * c;
        if (embedding_blocks) embedding_blocks->widen_row(p.tokens[index(r)], x);
        else if (embedding_rows) widen_row(*embedding_rows, p.tokens[index(r)], x);
        else embedding.column(p.tokens[index(r)], x);
        if (rounds_embedding) round_to_8_bits(x, c);
        const std::int64_t position = p.positions[index(r)];
        if (a.learned_positions) {
            const float* learned = p.normed.get(0) + r * c;
            if (position_rows) widen_row(position_rows->view, position, p.normed.get(0) + r * c);
            else learned = position_embedding.data() + position * c;
            for (std::int64_t i = 0; i < c; ++i) x[i] += learned[i];
        }
        if (a.embedding_scale != 1.0f)
            for (std::int64_t i = 0; i < c; ++i) x[i] *= a.embedding_scale;
        for (std::size_t kind = 0; kind < frequencies.size(); ++kind) {
            const Rotary& rotary = a.rotaries[kind];
            const bool is_long = p.contexts[index(r)] > rotary.original_positions;
            rotary_angles((is_long ? long_frequencies : frequencies)[kind], position,
                          p.angles[kind].get(0) + r * a.rotary_size, rotary.amplitude);
        }
    }
}

// Every process gets the columns of these rows that the others have computed: `range` says which
// they are, in units of so many columns. Until then, the threads of a process sync.
void TransformerNetwork::gather(float* matrix, std::int64_t rows, Range ModelPart::*range,
                                std::int64_t unit, const Worker& worker) {
    worker.sync();
    if (!options.processes) return;
    if (worker.rank == 0) {
        std::vector<std::int64_t> firsts;
        for (const ModelPart& each : parts) firsts.push_back((each.*range).begin * unit);
        firsts.push_back((parts.back().*range).end * unit);
        options.processes->gather(matrix, rows, firsts.back(), firsts);
    }
    worker.sync();
}

// The columns that this process has computed, with those of all others.
MatrixView TransformerNetwork::gathered(float* own, std::int64_t rows, std::int64_t stride,
                                        Range ModelPart::*range, std::int64_t unit,
                                        const Worker& worker) {
    const std::int64_t columns = (parts.back().*range).end * unit;
    worker.sync();
    if (!options.processes) return {own, rows, columns, stride, 1};
    float* const all = pass.gathered.get(0);
    const Range mine = part.*range;
    const auto [begin, end] = worker.share(rows);
    for (std::int64_t r = begin; r < end; ++r)
        std::copy_n(own + r * stride, (mine.end - mine.begin) * unit,
                    all + r * columns + mine.begin * unit);
    gather(all, rows, range, unit, worker);
    return MatrixView::of(all, rows, columns);
}

// The forward pass. All threads run this together, with a sync() before a layer reads what other
// threads wrote.
void TransformerNetwork::run(const Worker& worker) {
    TransformerPass& p = pass;
    embed(worker);
    worker.sync();
    for (int layer = 0; layer < config.n_layer; ++layer)
        run_block(blocks[index(layer)], layer, worker);

    // Logits only for the rows that need them.
    const auto wanted = length_of(p.logit_rows);
    const float* normed = norm(p.logit_rows, norm_gamma, norm_beta, worker);
    matmul(MatrixView::of(normed, wanted, config.n_embd), output,
           p.logits.get(0) + part.outputs.begin, outputs, {}, worker);
    const float scale = config.architecture.logit_scale, cap = config.architecture.logit_cap;
    const bool masks = text_ids > 0 && text_ids < outputs;
    if (!masks && scale == 1.0f && cap == 0.0f && !options.processes) return;
    gather(p.logits.get(0), wanted, &ModelPart::outputs, 1, worker);
    const auto [begin, end] = worker.share(wanted);
    for (std::int64_t r = begin; r < end; ++r) {
        float* const row = p.logits.get(0) + r * outputs;
        if (scale != 1.0f)
            for (std::int64_t i = 0; i < outputs; ++i) row[i] *= scale;
        if (cap > 0) soft_cap(row, outputs, cap);
        if (masks)
            std::fill(row + text_ids, row + outputs, -std::numeric_limits<float>::infinity());
    }
}

void TransformerNetwork::norm_row(const float* x, const Tensor& gamma, const Tensor& beta,
                                  float* y) const {
    const float epsilon = config.layer_norm_epsilon;
    if (config.architecture.norm == Norm::layer)
        layer_norm(x, gamma.data(), beta.data(), epsilon, y, 1, gamma.size(), Worker{});
    else rms_norm(x, gamma.data(), epsilon, y, 1, gamma.size(), Worker{});
}

// Norms these rows of x into one dense matrix. If there are fewer rows than threads, each thread
// computes its own copy of all of them: that takes less time than a sync.
const float* TransformerNetwork::norm(std::span<const std::int64_t> rows, const Tensor& gamma,
                                      const Tensor& beta, const Worker& worker) {
    const std::int64_t c = config.n_embd, count = length_of(rows);
    const bool alone = count < worker.size;
    const float* x = pass.x.get(0);
    float* normed = pass.normed.get(0) + (alone ? worker.rank * count * c : 0);
    const auto [begin, end] = alone ? Range{0, count} : worker.share(count);
    for (std::int64_t r = begin; r < end; ++r)
        norm_row(x + rows[index(r)] * c, gamma, beta, normed + r * c);
    if (!alone) worker.sync();
    return normed;
}

// All rows of x as the input of a sub-layer: normed if it has a norm, otherwise x itself.
const float* TransformerNetwork::normed_input(const Tensor& gamma, const Tensor& beta,
                                              const Worker& worker) {
    return gamma.empty() ? pass.x.get(0) : norm(pass.rows, gamma, beta, worker);
}

void TransformerNetwork::run_block(const TransformerBlock& b, int layer, const Worker& worker) {
    if (!config.architecture.parallel) {
        run_attention(b, layer, worker);
        return run_mlp(b, normed_input(b.norm2_gamma, b.norm2_beta, worker), worker);
    }
    // The MLP's input is normed before attention changes x. The syncs of attention follow.
    const std::int64_t c = config.n_embd;
    float* input = pass.mlp_input.get(0);
    const auto [begin, end] = worker.share(length_of(pass.tokens));
    for (std::int64_t r = begin; r < end; ++r)
        norm_row(pass.x.get(0) + r * c, b.norm2_gamma, b.norm2_beta, input + r * c);
    run_attention(b, layer, worker);
    run_mlp(b, input, worker);
}

void TransformerNetwork::run_attention(const TransformerBlock& b, int layer, const Worker& worker) {
    TransformerPass& p = pass;
    const Architecture& a = config.architecture;
    const LayerKind kind = config.layer(layer);
    const auto rows = length_of(p.tokens);
    const int head_size = config.head_size();
    const AttentionShape shape{own_heads() * head_size, own_heads(), own_kv_heads(), kind.window,
                               a.score_scalar,          a.score_cap, b.sinks.data()};
    float *qkv = p.qkv.get(0), *mixed = p.mixed.get(0);

    const float* normed = normed_input(b.norm1_gamma, b.norm1_beta, worker);
    matmul(MatrixView::of(normed, rows, config.n_embd), b.qkv, qkv, shape.row(),
           {b.qkv_bias.data()}, worker);
    worker.sync();
    QueryKeyStep step{nullptr, nullptr, config.layer_norm_epsilon, nullptr, a.rotary_size};
    if (a.query_key_norm == QueryKeyNorm::head)
        step.query_norm = b.query_norm.data(), step.key_norm = b.key_norm.data();
    if (a.query_key_norm == QueryKeyNorm::token) {
        norm_heads(qkv, shape.row(), b.query_norm, &ModelPart::heads, worker);
        norm_heads(qkv + shape.channels, shape.row(), b.key_norm, &ModelPart::kv_heads, worker);
    }
    if (kind.rotary >= 0) step.angles = p.angles[index(kind.rotary)].get(0);
    norm_and_rotate(qkv, p.sequences, shape, step, worker);
    // These three functions divide the (sequence, head of keys) pairs among the threads in the same
    // way, so no sync is needed between them.
    append_keys_and_values(qkv, p.sequences, shape, layer, worker);
    float* scratch = p.scratch.get(0);
    if (bidirectional) attend_bidirectional(qkv, p.sequences, shape, layer, mixed, scratch, worker);
    else attend(qkv, p.sequences, shape, layer, mixed, scratch, worker, watch);
    add_product(gathered(mixed, rows, shape.channels, &ModelPart::heads, head_size, worker), b.proj,
                b.proj_bias, b.attention_out_gamma, worker);
}

// Norms each row over all its heads, of which this process has some.
void TransformerNetwork::norm_heads(float* own, std::int64_t stride, const Tensor& gamma,
                                    Range ModelPart::*range, const Worker& worker) {
    const std::int64_t d = config.head_size();
    const Range mine = part.*range;
    const MatrixView all = gathered(own, length_of(pass.tokens), stride, range, d, worker);
    const auto [begin, end] = worker.share(all.rows);
    for (std::int64_t r = begin; r < end; ++r) {
        auto* const row = const_cast<float*>(all.data) + r * all.row_stride;
        norm_row(row, gamma, {}, row);
        if (options.processes)
            std::copy(row + mine.begin * d, row + mine.end * d, own + r * stride);
    }
    worker.sync();
}

void TransformerNetwork::run_mlp(const TransformerBlock& b, const float* normed,
                                 const Worker& worker) {
    if (!b.experts.empty()) return run_experts(b, normed, worker);
    const Architecture& a = config.architecture;
    const auto rows = length_of(pass.tokens);
    const std::int64_t f = own_inner(), width = a.gated ? 2 * f : f;
    float* inner = pass.inner.get(0);
    MatmulOptions up{.bias = b.up_bias.data()};
    if (!a.gated) up.activation = gelu;
    if (a.activation == Activation::gelu_erf) up.activation = gelu_erf;
    matmul(MatrixView::of(normed, rows, config.n_embd), b.up, inner, width, up, worker);
    if (a.gated) {
        worker.sync();
        gate(inner, rows, f, worker);
    }
    add_product(gathered(inner, rows, width, &ModelPart::inner, 1, worker), b.down, b.down_bias,
                b.mlp_out_gamma, worker);
}

// gate ← act(gate) · up in each row (gate, up).
void TransformerNetwork::gate(float* inner, std::int64_t rows, std::int64_t f,
                              const Worker& worker) const {
    const Architecture& a = config.architecture;
    if (a.activation == Activation::limited_swiglu)
        gate_limited(inner, rows, f, a.activation_limit, worker);
    else if (a.activation == Activation::silu) gate_silu(inner, rows, f, worker);
    else gate_gelu(inner, rows, f, worker);
}

// x += y · w + bias. If the architecture norms or scales the product first, it goes to a buffer
// until all its columns are there.
void TransformerNetwork::add_product(const MatrixView& y, const PackedMatrix& w, const Tensor& bias,
                                     const Tensor& out_gamma, const Worker& worker) {
    const std::int64_t c = config.n_embd;
    const std::int64_t own = part.channels.begin;
    float* x = pass.x.get(0);
    const float scale = config.architecture.residual_scale;
    if (out_gamma.empty() && scale == 1.0f) {
        matmul(y, w, x + own, c, {bias.data(), true}, worker);
        gather(x, y.rows, &ModelPart::channels, 1, worker);
    } else {
        float* branch = pass.branch.get(0);
        matmul(y, w, branch + own, c, {bias.data()}, worker);
        gather(branch, y.rows, &ModelPart::channels, 1, worker);
        const auto [begin, end] = worker.share(y.rows);
        for (std::int64_t r = begin; r < end; ++r) {
            if (!out_gamma.empty()) norm_row(branch + r * c, out_gamma, {}, branch + r * c);
            for (std::int64_t i = r * c; i < (r + 1) * c; ++i) x[i] += scale * branch[i];
        }
        worker.sync();
    }
}

struct Transformer::State : TransformerNetwork {
    using TransformerNetwork::TransformerNetwork;
    std::map<int, std::shared_ptr<KvPool>> pools;  // of the process that this one follows
};

void Transformer::follow(std::span<const int> message) {
    State& s = state();
    std::size_t at = 0;
    const auto next = [&] { return message[at++]; };
    std::vector<KvCache> caches;
    std::vector<std::vector<int>> blocks;
    std::vector<Step> steps;
    const int sequences = next();
    caches.reserve(index(sequences));
    for (int i = 0; i < sequences; ++i) {
        const int number = next();
        drop_pool_for(number, s.pools);
        std::shared_ptr<KvPool>& pool = s.pools[number];
        if (!pool) pool = std::make_shared<KvPool>(s.config);
        for (int copies = next(); copies > 0; --copies) {
            const int from = next(), to = next();
            while (pool->used() <= std::max(from, to)) pool->take();
            pool->copy(from, to);
        }
        pool->take_copies();
        const int length = next(), capacity = next(), tokens = next();
        const bool all_logits = next();
        const std::span<const int> ids = message.subspan(at, index(tokens));
        at += index(tokens);
        const auto size = index(KvCache::block_count(length + tokens));
        const std::span<const int> own = message.subspan(at, size);
        at += size;
        // The pool has no free blocks: those of the leader are taken here for ever, in its order.
        for (const int block : own)
            while (pool->used() <= block) pool->take();
        caches.emplace_back(pool, s.config, capacity);
        caches.back().begin_with(own, length, tokens);
        blocks.emplace_back(own.begin(), own.end());
        steps.push_back({&caches.back(), ids, all_logits});
    }
    // Without other owners than its cache, the last block is not copied: the leader has done that.
    for (std::size_t i = 0; i < steps.size(); ++i)
        for (const int block : blocks[i]) steps[i].cache->pool().release(block);
    forward(steps);
    for (std::size_t i = 0; i < steps.size(); ++i)
        for (const int block : blocks[i]) steps[i].cache->pool().share(block);
}

Transformer::Transformer(std::unique_ptr<State> state) : state_(std::move(state)) {}

Transformer::Transformer(const TransformerConfig& config, const WeightSource& source,
                         const TransformerOptions& options)
    : Transformer(std::make_unique<State>(config, source, options, config.vocab_size)) {}

Transformer::Transformer(const TransformerConfig& config, const WeightStore& weights,
                         const TransformerOptions& options)
    : Transformer(std::make_unique<State>(config, weights, options, config.vocab_size)) {}

Transformer::~Transformer() = default;
Transformer::Transformer(Transformer&&) noexcept = default;
Transformer& Transformer::operator=(Transformer&&) noexcept = default;

Transformer::State& Transformer::state() const {
    if (!state_)
        throw Error("transformer: this model was moved from; use the object that it was moved to");
    return *state_;
}

const TransformerConfig& Transformer::config() const { return state().config; }
int Transformer::threads() const { return state().options.threads; }

std::int64_t Transformer::weight_bytes() const { return state().weight_bytes(); }

std::span<const float> Transformer::forward(KvCache& cache, std::span<const int> tokens) {
    const Step step{&cache, tokens, false};
    return forward({&step, 1}).values;
}

Logits Transformer::forward_all(KvCache& cache, std::span<const int> tokens) {
    const Step step{&cache, tokens, true};
    return forward({&step, 1});
}

void Transformer::watch(AttentionWatch* watch) {
    State& s = state();
    if (watch && (watch->layer < 0 || watch->layer >= s.config.n_layer || watch->head < 0 ||
                  watch->head >= s.config.n_head))
        throw Error("attention: there is no head " + std::to_string(watch->head) + " in layer " +
                    std::to_string(watch->layer) + "; layers go from 0 to " +
                    std::to_string(s.config.n_layer - 1) + ", heads from 0 to " +
                    std::to_string(s.config.n_head - 1));
    if (watch && s.options.processes)
        throw Error("attention: heads are watched in a model that one process runs alone");
    s.watch = watch;
}

void Transformer::watch_experts(ExpertWatch* watch) { state().expert_watch = watch; }

void Transformer::mask_ids_from(int count) {
    const int ids = config().vocab_size;
    if (count < 1 || count > ids)
        throw Error("transformer: " + std::to_string(count) + " ids with a text, expected 1 to " +
                    std::to_string(ids));
    state().text_ids = count;
}

Logits Transformer::forward(std::span<const Step> steps) {
    State& s = state();
    s.prepare(steps);
    s.announce_pass();
    run_team(s.options.threads, [&](const Worker& worker) { s.run(worker); });
    for (const SequenceRows& sequence : s.pass.sequences)
        if (sequence.parents.empty()) sequence.cache->advance(sequence.tokens);
    const auto rows = length_of(s.pass.logit_rows);
    const float *logits = s.pass.logits.get(0), *states = s.pass.normed.get(0);
    return {{logits, index(rows * s.outputs)}, rows, {states, index(rows * s.config.n_embd)}};
}

}  // namespace tbt
