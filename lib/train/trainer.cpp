#include "lib/train/trainer.hpp"

#include <algorithm>
#include <atomic>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/train/trainer_passes.hpp"

namespace tbt::train {
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

// A free thread takes the next part. The result does not depend on which thread that is.
void Trainer::for_each_part(std::int64_t B, const std::function<void(int, Range, int)>& work) {
    const int parts = to_int(std::min<std::int64_t>(parts_, B));
    std::atomic<int> next{0};
    run_team(std::min(threads_, parts), [&](const Worker& worker) {
        for (int part = next++; part < parts; part = next++) {
            work(part, {B * part / parts, B * (part + 1) / parts}, worker.rank);
        }
    });
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
    const auto parts = index(std::min<std::int64_t>(parts_, B));
    while (gradients_.size() < parts) gradients_.push_back(zeros(layout_.total));
    for (auto& workspace : workspaces_) workspace->reserve(shape_, T);
    if (teacher_) {
        for (auto& workspace : teacher_->workspaces_) workspace->reserve(teacher_->shape_, T);
    }
    for_each_part(B, [&](int part, Range sequences, int rank) {
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
    run_team(threads_, [&](const Worker& worker) {
        const Range mine = worker.share(layout_.total, 16);
        for (std::size_t part = 1; part < parts; ++part) {
            const float* more = gradients_[part].get();
            for (std::int64_t i = mine.begin; i < mine.end; ++i) gradients_[0][index(i)] += more[i];
        }
    });
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
    for_each_part(B, [&](int, Range sequences, int rank) {
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

}  // namespace tbt::train
