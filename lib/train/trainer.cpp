#include "lib/train/trainer.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/simd.hpp"
#include "lib/machine/threads.hpp"
#include "lib/train/train_attention.hpp"
#include "lib/train/train_layers.hpp"

namespace tbt::train {

namespace {

// The number of rows whose logits are in memory at a time: they are computed, replaced by their
// gradient and used before the next rows. That is 8 MB for V = 8192.
constexpr std::int64_t head_rows = 256;

// Adds the seconds of its lifetime to a counter.
class Timer {
public:
    explicit Timer(double& counter) : counter_(counter), start_(clock::now()) {}
    ~Timer() { counter_ += std::chrono::duration<double>(clock::now() - start_).count(); }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

private:
    using clock = std::chrono::steady_clock;
    double& counter_;
    clock::time_point start_;
};

// A family's names for the weights of a block. In Llama's layout, matrices with the same input are
// next to each other, so together they are one matrix (outputs, inputs).
struct BlockNames {
    std::string prefix, norm_1, norm_2;
    std::vector<std::string> qkv;
    std::string attention_projection;
    std::vector<std::string> up;
    std::string down;
    MatrixOrder order;
};

BlockNames block_names(const TransformerConfig& config, std::int64_t layer) {
    const std::string number = std::to_string(layer) + ".";
    if (config.architecture.is_gpt2())
        return {"h." + number, "ln_1",       "ln_2",       {"attn.c_attn"},
                "attn.c_proj", {"mlp.c_fc"}, "mlp.c_proj", MatrixOrder::inputs_outputs};
    return {"model.layers." + number,
            "input_layernorm",
            "post_attention_layernorm",
            {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"},
            "self_attn.o_proj",
            {"mlp.gate_proj", "mlp.up_proj"},
            "mlp.down_proj",
            MatrixOrder::outputs_inputs};
}

// Finds the weights of a model in the block of its parameters and makes linear layers of them.
// GPT-2 and Llama have different names for their weights; after this step the code is the same for
// both.
ModelWeights find_weights(const TransformerConfig& config, const ParameterLayout& layout) {
    const bool gpt2 = config.architecture.is_gpt2();
    const auto at = [&](const std::string& name) { return layout[name].offset; };
    const auto norm = [&](const std::string& name) {
        return NormOffsets{at(name + ".weight"), gpt2 ? at(name + ".bias") : Linear::no_bias};
    };
    ModelWeights weights;
    for (std::int64_t l = 0; l < config.n_layer; ++l) {
        const BlockNames names = block_names(config, l);
        const bool rows_are_outputs = names.order == MatrixOrder::outputs_inputs;
        const auto linear = [&](const std::vector<std::string>& parts) {
            const ParameterInfo& first = layout[names.prefix + parts[0] + ".weight"];
            const std::int64_t inputs = first.shape[rows_are_outputs ? 1 : 0];
            std::int64_t size = 0;
            for (const std::string& part : parts) {
                const ParameterInfo& weight = layout[names.prefix + part + ".weight"];
                if (weight.offset != first.offset + size)
                    throw Error("train: " + weight.name + " does not follow " + first.name);
                size += weight.size;
            }
            const std::int64_t bias =
                gpt2 ? at(names.prefix + parts[0] + ".bias") : Linear::no_bias;
            return Linear(first.offset, bias, inputs, size / inputs, names.order);
        };
        weights.blocks.push_back({norm(names.prefix + names.norm_1),
                                  norm(names.prefix + names.norm_2), linear(names.qkv),
                                  linear({names.attention_projection}), linear(names.up),
                                  linear({names.down})});
    }
    weights.embedding = at(gpt2 ? "wte.weight" : "model.embed_tokens.weight");
    weights.positions = gpt2 ? at("wpe.weight") : -1;
    weights.head = config.tie_word_embeddings ? weights.embedding : at("lm_head.weight");
    weights.last_norm = norm(gpt2 ? "ln_f" : "model.norm");
    return weights;
}

// y += x
void add(const float* x, float* y, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) y[i] += x[i];
}

}  // namespace

// ---- the memory for the forward and backward pass of one sequence ------------------------------

struct Trainer::Sequence {
    const std::int32_t* ids;      // (T)
    const std::int32_t* targets;  // (T)
    double* losses;               // (T)
    std::int64_t T;
};

struct Trainer::Workspace {
    // The activations of one layer that the backward pass needs. x (T, C) is the layer's input.
    struct Layer {
        AlignedFloats x, normed_1, stats_1, qkv, attention_stats, attention;
        AlignedFloats x_middle, normed_2, stats_2, up, inner;
    };
    std::vector<Layer> layers;
    AlignedFloats x_last, normed, stats, logits;
    std::vector<double> losses;                // (head_rows), the teacher's losses; not used
    AlignedFloats d_x, d_normed, d_attention;  // (T, C), (T, C), (T, Q)
    AlignedFloats d_wide, d_inner;             // (T, wider of qkv and up); if gated: (T, F)
    PackedMatrix packed;
    AttentionScratch scratch;
    Profile profile;
    std::int64_t capacity = 0;  // tokens

    void reserve(const TransformerConfig& shape, std::int64_t T);
};

// ---- the passes of one sequence -----------------------------------------------------------------

void Trainer::norm(const NormOffsets& n, const float* x, float* y, float* stats,
                   std::int64_t T) const {
    const float* p = parameters_.get();
    if (shape_.architecture.norm == Norm::rms)
        rms_norm(x, p + n.gain, shape_.layer_norm_epsilon, y, stats, T, shape_.n_embd);
    else layer_norm(x, p + n.gain, p + n.bias, y, stats, T, shape_.n_embd);
}

void Trainer::norm_backward(const NormOffsets& n, const float* x, const float* stats,
                            const float* d_y, float* d_x, float* gradients, std::int64_t T) const {
    const float* gain = parameters_.get() + n.gain;
    if (shape_.architecture.norm == Norm::rms)
        rms_norm_backward(x, stats, gain, d_y, d_x, gradients + n.gain, T, shape_.n_embd);
    else
        layer_norm_backward(x, stats, gain, d_y, d_x, gradients + n.gain, gradients + n.bias, T,
                            shape_.n_embd);
}

void Trainer::forward(const Sequence& sequence, Workspace& w) const {
    const std::int64_t T = sequence.T, C = shape_.n_embd, F = shape_.n_inner;
    const BatchShape attention = attention_shape(T);
    const float* p = parameters_.get();
    embed(sequence.ids, p + weights_.embedding,
          weights_.positions < 0 ? nullptr : p + weights_.positions, w.layers[0].x.get(), T, T, C);
    for (std::size_t l = 0; l < weights_.blocks.size(); ++l) {
        const BlockWeights& b = weights_.blocks[l];
        Workspace::Layer& a = w.layers[l];
        float* next = l + 1 < weights_.blocks.size() ? w.layers[l + 1].x.get() : w.x_last.get();
        {
            const Timer timer(w.profile.forward);
            norm(b.norm_1, a.x.get(), a.normed_1.get(), a.stats_1.get(), T);
            b.qkv.forward(a.normed_1.get(), a.qkv.get(), T, p);
        }
        {
            const Timer timer(w.profile.attention);
            rotary_.turn(a.qkv.get(), attention, false);
            attention_forward(a.qkv.get(), a.attention.get(), a.attention_stats.get(), attention,
                              w.scratch);
        }
        const Timer timer(w.profile.forward);
        b.attention_projection.forward(a.attention.get(), a.x_middle.get(), T, p);
        add(a.x.get(), a.x_middle.get(), T * C);
        norm(b.norm_2, a.x_middle.get(), a.normed_2.get(), a.stats_2.get(), T);
        b.up.forward(a.normed_2.get(), a.up.get(), T, p);
        if (shape_.architecture.gated) gate_silu(a.up.get(), a.inner.get(), T, F);
        else gelu(a.up.get(), a.inner.get(), T * F);
        b.down.forward(a.inner.get(), next, T, p);
        add(a.x_middle.get(), next, T * C);
    }
    norm(weights_.last_norm, w.x_last.get(), w.normed.get(), w.stats.get(), T);
}

void Trainer::logits(Workspace& w, std::int64_t t, std::int64_t n) const {
    const std::int64_t C = shape_.n_embd;
    matmul(MatrixView::of(w.normed.get() + t * C, n, C), head_, w.logits.get(), outputs_, {},
           Worker{});
}

// For head_rows rows at a time: logits = normed · headᵀ, in place ∂logits = (p − onehot) · factor,
// then ∂normed = ∂logits · head and ∂head += ∂logitsᵀ · normed. So the whole matrix of logits never
// exists. `gradients` may be null. With a teacher's distribution q, the gradient is
// p − q = (p − onehot) − (q − onehot).
void Trainer::head(const Sequence& sequence, Workspace& w, float factor, float* gradients,
                   Workspace* teacher) const {
    const Timer timer(w.profile.head);
    const std::int64_t C = shape_.n_embd, V = outputs_;
    for (std::int64_t t = 0; t < sequence.T; t += head_rows) {
        const std::int64_t n = std::min(head_rows, sequence.T - t);
        const MatrixView x = MatrixView::of(w.normed.get() + t * C, n, C);
        const MatrixView d_logits = MatrixView::of(w.logits.get(), n, V);
        logits(w, t, n);
        cross_entropy(w.logits.get(), sequence.targets + t, sequence.losses + t, n, V, factor,
                      gradients != nullptr);
        if (!gradients) continue;
        if (teacher) {
            teacher_->logits(*teacher, t, n);
            cross_entropy(teacher->logits.get(), sequence.targets + t, teacher->losses.data(), n, V,
                          factor, true);
            const float* theirs = teacher->logits.get();
            for (std::int64_t i = 0; i < n * V; ++i) w.logits.get()[i] -= theirs[i];
        }
        matmul(d_logits, head_transposed_, w.d_normed.get() + t * C, C, {}, Worker{});
        w.packed.reserve(n, C);
        w.packed.pack(x, Worker{});
        matmul(d_logits.transposed(), w.packed, gradients + weights_.head, C, {.accumulate = true},
               Worker{});
    }
}

// d_x is the gradient of the residual stream, from the last layer back to the embedding.
void Trainer::backward(const Sequence& sequence, Workspace& w, float* gradients) const {
    const std::int64_t T = sequence.T, C = shape_.n_embd;
    std::fill_n(w.d_x.get(), T * C, 0.0f);
    norm_backward(weights_.last_norm, w.x_last.get(), w.stats.get(), w.d_normed.get(), w.d_x.get(),
                  gradients, T);
    for (std::size_t l = weights_.blocks.size(); l-- > 0;) backward_block(l, T, w, gradients);
    embed_backward(sequence.ids, w.d_x.get(), gradients + weights_.embedding,
                   weights_.positions < 0 ? nullptr : gradients + weights_.positions, T, T, C);
}

// The steps of the forward pass in reverse order. A residual sum passes d_x on unchanged, and the
// gradient through the norm of its branch is added to it.
void Trainer::backward_block(std::size_t l, std::int64_t T, Workspace& w, float* gradients) const {
    const std::int64_t F = shape_.n_inner;
    const bool gated = shape_.architecture.gated;
    const BlockWeights& b = weights_.blocks[l];
    Workspace::Layer& a = w.layers[l];
    float *d_x = w.d_x.get(), *d_normed = w.d_normed.get(), *d_wide = w.d_wide.get(),
          *d_attention = w.d_attention.get();
    {
        const Timer timer(w.profile.backward);
        float* d_inner = gated ? w.d_inner.get() : d_wide;
        b.down.backward_input(d_x, d_inner, T);
        if (gated) gate_silu_backward(a.up.get(), d_inner, d_wide, T, F);
        else gelu_backward(a.up.get(), d_wide, T * F);
        b.up.backward_input(d_wide, d_normed, T);
    }
    {
        const Timer timer(w.profile.weights);
        b.down.backward_weights(a.inner.get(), d_x, T, w.packed, gradients);
        b.up.backward_weights(a.normed_2.get(), d_wide, T, w.packed, gradients);
    }
    {
        const Timer timer(w.profile.backward);
        norm_backward(b.norm_2, a.x_middle.get(), a.stats_2.get(), d_normed, d_x, gradients, T);
        b.attention_projection.backward_input(d_x, d_attention, T);
    }
    {
        const Timer timer(w.profile.attention_backward);
        const BatchShape attention = attention_shape(T);
        attention_backward(a.qkv.get(), a.attention.get(), a.attention_stats.get(), d_attention,
                           d_wide, attention, w.scratch);
        rotary_.turn(d_wide, attention, true);
    }
    {
        const Timer timer(w.profile.weights);
        b.attention_projection.backward_weights(a.attention.get(), d_x, T, w.packed, gradients);
        b.qkv.backward_weights(a.normed_1.get(), d_wide, T, w.packed, gradients);
    }
    const Timer timer(w.profile.backward);
    b.qkv.backward_input(d_wide, d_normed, T);
    norm_backward(b.norm_1, a.x.get(), a.stats_1.get(), d_normed, d_x, gradients, T);
}

namespace {

AlignedFloats zeros(std::int64_t n) {
    AlignedFloats block = allocate_floats(n);
    std::fill_n(block.get(), n, 0.0f);
    return block;
}

}  // namespace

Trainer::Trainer(const TransformerConfig& shape, int threads, int parts, bool fills_masks)
    : shape_(shape),
      layout_(shape),
      fills_masks_(fills_masks),
      outputs_(shape.vocab_size - (fills_masks ? 1 : 0)),
      threads_(threads),
      parts_(parts),
      parameters_(zeros(layout_.total)) {
    check_at_least("train: threads", threads, 1);
    check_at_least("train: parts", parts, 1);
    check_at_least("train: tokens beside the mask", outputs_, 1);
    gradients_.push_back(zeros(layout_.total));
    for (int t = 0; t < threads; ++t) workspaces_.push_back(std::make_unique<Workspace>());
    weights_ = find_weights(shape, layout_);
    head_.reserve(shape.n_embd, outputs_);
    head_transposed_.reserve(outputs_, shape.n_embd);
    const Architecture& a = shape.architecture;
    if (!a.rotaries.empty()) rotary_ = RotaryTable(a.rotaries[0], a.rotary_size, shape.n_positions);
}

Trainer::~Trainer() = default;

void Trainer::parameters_changed() {
    const MatrixView head =
        MatrixView::of(parameters_.get() + weights_.head, outputs_, shape_.n_embd);
    run_team(threads_, [&](const Worker& worker) {
        for (BlockWeights& block : weights_.blocks) {
            for (Linear* linear : {&block.qkv, &block.attention_projection, &block.up, &block.down})
                linear->pack(parameters_.get(), worker);
        }
        head_.pack(head.transposed(), worker);
        head_transposed_.pack(head, worker);
    });
}

void Trainer::learn_from(Trainer* teacher) {
    if (teacher &&
        (teacher->outputs_ != outputs_ || teacher->fills_masks_ != fills_masks_ ||
         teacher->shape_.n_positions < shape_.n_positions || teacher->threads_ < threads_)) {
        throw Error("train: a teacher of " + std::to_string(teacher->shape_.vocab_size) +
                    " tokens, context " + std::to_string(teacher->shape_.n_positions) + " and " +
                    std::to_string(teacher->threads_) + " threads, expected " +
                    std::to_string(shape_.vocab_size) + " tokens and at least " +
                    std::to_string(shape_.n_positions) + " and " + std::to_string(threads_));
    }
    teacher_ = teacher;
}

void Trainer::Workspace::reserve(const TransformerConfig& shape, std::int64_t T) {
    if (T <= capacity) return;
    const bool gated = shape.architecture.gated;
    const std::int64_t C = shape.n_embd, Q = shape.query_size(), N = Q + 2 * shape.kv_size(),
                       F = shape.n_inner, wide = gated ? 2 * F : F;
    layers.resize(index(shape.n_layer));
    for (Layer& l : layers) {
        for (AlignedFloats* rows : {&l.x, &l.normed_1, &l.x_middle, &l.normed_2})
            *rows = zeros(T * C);
        l.qkv = zeros(T * N);
        l.attention = zeros(T * Q);
        l.up = zeros(T * wide);
        l.inner = zeros(T * F);
        l.attention_stats = zeros(T * shape.n_head * 2);
        l.stats_1 = zeros(T * 2);
        l.stats_2 = zeros(T * 2);
    }
    for (AlignedFloats* rows : {&x_last, &normed, &d_x, &d_normed}) *rows = zeros(T * C);
    d_attention = zeros(T * Q);
    stats = zeros(T * 2);
    d_wide = zeros(T * std::max(N, wide));
    if (gated) d_inner = zeros(T * F);
    logits = zeros(std::min(T, head_rows) * shape.vocab_size);
    losses.resize(index(head_rows));
    capacity = T;
}

void Trainer::check(std::span<const std::int32_t> ids, std::span<const std::int32_t> targets,
                    std::int64_t B, std::int64_t T) const {
    const bool sizes = B >= 1 && B <= 1 << 24 && T >= 1 && T <= shape_.n_positions;
    const std::size_t n = sizes ? index(B * T) : 0;
    if (!sizes || ids.size() != n || targets.size() != n) {
        throw Error("train: a batch of " + std::to_string(B) + " sequences of " +
                    std::to_string(T) + " tokens with " + std::to_string(ids.size()) + " ids and " +
                    std::to_string(targets.size()) + " targets, expected B·T of both and T up to " +
                    std::to_string(shape_.n_positions));
    }
    const auto outside = [](std::span<const std::int32_t> all, std::int32_t lowest,
                            std::int64_t end) {
        return std::ranges::any_of(all, [&](std::int32_t id) { return id < lowest || id >= end; });
    };
    if (outside(ids, 0, shape_.vocab_size) || outside(targets, -1, outputs_)) {
        throw Error("train: a token id is outside the vocabulary of " +
                    std::to_string(shape_.vocab_size));
    }
}

BatchShape Trainer::attention_shape(std::int64_t T) const {
    return {1, T, shape_.n_head, shape_.head_size(), !fills_masks_, shape_.kv_heads()};
}

// Where the share of n of each process begins, and n.
std::vector<std::int64_t> Trainer::starts(std::int64_t n) const {
    const int size = processes_ ? processes_->size() : 1;
    std::vector<std::int64_t> starts;
    for (int i = 0; i <= size; ++i) starts.push_back(n * i / size);
    return starts;
}

// A free thread takes the next of these parts. The result does not depend on which thread that is.
void Trainer::for_each_part(std::int64_t B, Range of_parts,
                            const std::function<void(int, Range, int)>& work) {
    const std::int64_t parts = std::min<std::int64_t>(parts_, B);
    const int end = to_int(of_parts.end);
    std::atomic<int> next{to_int(of_parts.begin)};
    run_team(std::clamp(end - to_int(of_parts.begin), 1, threads_), [&](const Worker& worker) {
        for (int part = next++; part < end; part = next++) {
            work(part, {B * part / parts, B * (part + 1) / parts}, worker.rank);
        }
    });
}

Range Trainer::own(const std::vector<std::int64_t>& starts) const {
    const auto rank = index(processes_ ? processes_->rank() : 0);
    return {starts[rank], starts[rank + 1]};
}

// Each process gets its share of the numbers of each part's gradients, and all losses.
void Trainer::exchange(std::int64_t B, std::int64_t parts, std::span<double> losses) {
    const std::vector<std::int64_t> first_parts = starts(parts), numbers = starts(layout_.total);
    std::vector<std::int64_t> first_losses;
    for (std::size_t i = 0; i + 1 < first_parts.size(); ++i)
        for (std::int64_t part = first_parts[i]; part < first_parts[i + 1]; ++part)
            processes_->scatter(gradients_[index(part)].get(), numbers, to_int(i));
    // A loss is as long as two floats.
    const std::int64_t T = length_of(losses) / B;
    for (const std::int64_t part : first_parts) first_losses.push_back(B * part / parts * T * 2);
    processes_->gather(reinterpret_cast<float*>(losses.data()), 1, first_losses.back(),
                       first_losses);
}

double Trainer::gradient(std::span<const std::int32_t> ids, std::span<const std::int32_t> targets,
                         std::int64_t B, std::int64_t T) {
    check(ids, targets, B, T);
    const auto count_of = [](std::span<const std::int32_t> some) {
        return std::max<std::int64_t>(
            1, std::ranges::count_if(some, [](std::int32_t id) { return id >= 0; }));
    };
    const std::int64_t counted = count_of(targets);
    // The mean divides each target's loss by this number: all targets have the same weight, or,
    // with fills_masks_, each sequence has the weight 1/B.
    const auto weight = [&](std::int64_t b) {
        return fills_masks_ ? B * count_of(targets.subspan(index(b * T), index(T))) : counted;
    };
    std::vector<double> losses(ids.size());
    const std::int64_t parts = std::min<std::int64_t>(parts_, B);
    while (length_of(gradients_) < parts) gradients_.push_back(zeros(layout_.total));
    for (auto& workspace : workspaces_) workspace->reserve(shape_, T);
    if (teacher_) {
        for (auto& workspace : teacher_->workspaces_) workspace->reserve(teacher_->shape_, T);
    }
    for_each_part(B, own(starts(parts)), [&](int part, Range sequences, int rank) {
        Workspace& w = *workspaces_[index(rank)];
        Workspace* teacher = teacher_ ? teacher_->workspaces_[index(rank)].get() : nullptr;
        float* gradients = gradients_[index(part)].get();
        std::fill_n(gradients, layout_.total, 0.0f);
        for (std::int64_t b = sequences.begin; b < sequences.end; ++b) {
            const Sequence sequence{ids.data() + b * T, targets.data() + b * T,
                                    losses.data() + b * T, T};
            forward(sequence, w);
            if (teacher) teacher_->forward(sequence, *teacher);
            head(sequence, w, 1.0f / static_cast<float>(weight(b)), gradients, teacher);
            backward(sequence, w, gradients);
        }
    });
    if (processes_) exchange(B, parts, losses);
    const std::vector<std::int64_t> numbers = starts(layout_.total);
    const Range to_add = own(numbers);
    run_team(threads_, [&](const Worker& worker) {
        const Range mine = worker.share(to_add.end - to_add.begin, 16);
        float* const sum = gradients_[0].get() + to_add.begin;
        for (std::int64_t part = 1; part < parts; ++part) {
            const float* more = gradients_[index(part)].get() + to_add.begin;
            for (std::int64_t i = mine.begin; i < mine.end; ++i) sum[i] += more[i];
        }
    });
    if (processes_) processes_->gather(gradients_[0].get(), 1, layout_.total, numbers);
    double sum = 0;
    if (!fills_masks_) {
        for (const double loss : losses) sum += loss;
        return sum / static_cast<double>(counted);
    }
    for (std::size_t i = 0; i < losses.size(); ++i)
        sum += losses[i] / static_cast<double>(weight(static_cast<std::int64_t>(i) / T));
    return sum;
}

std::vector<double> Trainer::losses(std::span<const std::int32_t> ids,
                                    std::span<const std::int32_t> targets, std::int64_t B,
                                    std::int64_t T) {
    check(ids, targets, B, T);
    std::vector<double> losses(ids.size());
    for (auto& workspace : workspaces_) workspace->reserve(shape_, T);
    for_each_part(B, {0, std::min<std::int64_t>(parts_, B)}, [&](int, Range sequences, int rank) {
        Workspace& w = *workspaces_[index(rank)];
        for (std::int64_t b = sequences.begin; b < sequences.end; ++b) {
            const Sequence sequence{ids.data() + b * T, targets.data() + b * T,
                                    losses.data() + b * T, T};
            forward(sequence, w);
            head(sequence, w, 1.0f, nullptr, nullptr);
        }
    });
    return losses;
}

double Trainer::flops_per_token(std::int64_t T) const {
    const auto L = static_cast<double>(shape_.n_layer), C = static_cast<double>(shape_.n_embd),
               Q = static_cast<double>(shape_.query_size()),
               N = Q + 2 * static_cast<double>(shape_.kv_size()),
               F = static_cast<double>(shape_.n_inner);
    const double mlp = (shape_.architecture.gated ? 3 : 2) * C * F;
    const double weights = L * (C * N + Q * C + mlp) + static_cast<double>(outputs_) * C;
    // A query sees (T + 1) / 2 keys on average, or all T. There are two products forward (q·k and
    // p·v) and 2 · 2 backward, each with 2Q operations per key.
    const auto keys = static_cast<double>(fills_masks_ ? 2 * T : T + 1) / 2;
    const double attention = L * 6 * 2 * Q * keys;
    return 6 * weights + attention;
}

Profile Trainer::profile() const {
    Profile sum;
    for (const auto& w : workspaces_) {
        for (double Profile::*phase :
             {&Profile::forward, &Profile::attention, &Profile::head, &Profile::backward,
              &Profile::attention_backward, &Profile::weights}) {
            sum.*phase += w->profile.*phase;
        }
    }
    return sum;
}

double fma_peak(int threads, double seconds) {
    using clock = std::chrono::steady_clock;
    check_at_least("fma peak: threads", threads, 1);
    threads = std::min(threads, max_threads);
    if (!(seconds <= 60)) throw Error("fma peak: more than a minute, or no time at all");
    constexpr int chains =
        simd::batch_count == 1 ? 16 : 12;  // independent sums: enough to hide the latency of an FMA
    std::vector<double> rates(index(threads));
    std::vector<float> sink(index(threads));
    run_team(threads, [&](const Worker& worker) {
        simd::Batch sum[chains];
        for (int i = 0; i < chains; ++i) sum[i] = simd::Batch(static_cast<float>(i));
        const simd::Batch factor(0.999f), term(0.001f);
        worker.sync();
        const auto start = clock::now();
        double operations = 0, elapsed = 0;
        while (elapsed < seconds) {
            for (int repeat = 0; repeat < 20'000; ++repeat) {
                for (int i = 0; i < chains; ++i) sum[i] = simd::fma(sum[i], factor, term);
            }
            operations += 20'000.0 * chains * 2 * simd::batch_size;
            elapsed = std::chrono::duration<double>(clock::now() - start).count();
        }
        for (int i = 1; i < chains; ++i) sum[0] = sum[0] + sum[i];
        alignas(64) float values[simd::batch_size];
        sum[0].store_aligned(values);
        sink[index(worker.rank)] = values[0];  // a use, so the loop is not optimised away
        rates[index(worker.rank)] = operations / elapsed;
    });
    double total = 0;
    for (const double rate : rates) total += rate;
    return sink[0] < 1e30f ? total : 0;
}

}  // namespace tbt::train
