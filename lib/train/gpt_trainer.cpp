#include "lib/train/gpt_trainer.hpp"

#include <algorithm>
#include <atomic>

#include "lib/check.hpp"
#include "lib/error.hpp"
#include "lib/index.hpp"
#include "lib/train/gpt_trainer_passes.hpp"

namespace tbt::train {
namespace {

AlignedFloats zeros(std::int64_t n) {
    AlignedFloats block = allocate_floats(n);
    std::fill_n(block.get(), n, 0.0f);
    return block;
}

}  // namespace

GptTrainer::GptTrainer(const GptConfig& shape, int threads, int parts, Precision precision,
                       bool fills_masks)
    : shape_(shape),
      layout_(shape),
      fills_masks_(fills_masks),
      outputs_(shape.vocab_size - (fills_masks ? 1 : 0)),
      threads_(threads),
      parts_(parts),
      parameters_(zeros(layout_.total)),
      precision_(precision) {
    check_at_least("train: threads", threads, 1);
    check_at_least("train: parts", parts, 1);
    check_at_least("train: tokens beside the mask", outputs_, 1);
    gradients_.push_back(zeros(layout_.total));
    for (int t = 0; t < threads; ++t) workspaces_.push_back(std::make_unique<Workspace>(precision));
    const std::int64_t C = shape.n_embd;
    const auto at = [this](const std::string& name) { return layout_[name].offset; };
    for (std::int64_t l = 0; l < shape.n_layer; ++l) {
        const std::string h = "h." + std::to_string(l) + ".";
        const auto linear = [&](const std::string& name) {
            const ParameterInfo& weight = layout_[h + name + ".weight"];
            return Linear(weight.offset, at(h + name + ".bias"), weight.shape[0], weight.shape[1],
                          precision);
        };
        blocks_.push_back({at(h + "ln_1.weight"), at(h + "ln_1.bias"), at(h + "ln_2.weight"),
                           at(h + "ln_2.bias"), linear("attn.c_attn"), linear("attn.c_proj"),
                           linear("mlp.c_fc"), linear("mlp.c_proj")});
    }
    wte_ = at("wte.weight");
    wpe_ = at("wpe.weight");
    ln_f_gain_ = at("ln_f.weight");
    ln_f_bias_ = at("ln_f.bias");
    table_.reserve(C, outputs_, precision);
    table_transposed_.reserve(outputs_, C, precision);
}

GptTrainer::~GptTrainer() = default;

void GptTrainer::parameters_changed() {
    const MatrixView wte = MatrixView::of(parameters_.get() + wte_, outputs_, shape_.n_embd);
    run_team(threads_, [&](const Worker& worker) {
        for (Block& block : blocks_) {
            for (Linear* linear :
                 {&block.qkv, &block.attention_projection, &block.fc, &block.projection}) {
                linear->pack(parameters_.get(), worker);
            }
        }
        table_.pack(wte.transposed(), worker);
        table_transposed_.pack(wte, worker);
    });
}

void GptTrainer::learn_from(GptTrainer* teacher) {
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

void GptTrainer::Workspace::reserve(const GptConfig& shape, std::int64_t T) {
    if (T <= capacity) return;
    const std::int64_t C = shape.n_embd;
    layers.resize(index(shape.n_layer));
    for (Layer& l : layers) {
        for (AlignedFloats* rows : {&l.x, &l.ln_1, &l.attention, &l.x_middle, &l.ln_2})
            *rows = zeros(T * C);
        l.qkv = zeros(T * 3 * C);
        l.fc = zeros(T * 4 * C);
        l.gelu = zeros(T * 4 * C);
        l.attention_stats = zeros(T * shape.n_head * 2);
        l.ln_1_stats = zeros(T * 2);
        l.ln_2_stats = zeros(T * 2);
    }
    for (AlignedFloats* rows : {&x_last, &ln_f, &d_x, &d_ln, &d_attention}) *rows = zeros(T * C);
    ln_f_stats = zeros(T * 2);
    d_wide = zeros(T * 4 * C);
    logits = zeros(std::min(T, head_rows) * shape.vocab_size);
    losses.resize(index(head_rows));
    capacity = T;
}

void GptTrainer::check(std::span<const std::int32_t> ids, std::span<const std::int32_t> targets,
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

BatchShape GptTrainer::attention_shape(std::int64_t T) const {
    return {1, T, shape_.n_head, shape_.n_embd / shape_.n_head, !fills_masks_};
}

// Whoever is free takes the next part; nothing depends on who that is.
void GptTrainer::for_each_part(std::int64_t B, const std::function<void(int, Range, int)>& work) {
    const int parts = to_int(std::min<std::int64_t>(parts_, B));
    std::atomic<int> next{0};
    run_team(std::min(threads_, parts), [&](const Worker& worker) {
        for (int part = next++; part < parts; part = next++) {
            work(part, {B * part / parts, B * (part + 1) / parts}, worker.rank);
        }
    });
}

double GptTrainer::gradient(std::span<const std::int32_t> ids,
                            std::span<const std::int32_t> targets, std::int64_t B, std::int64_t T) {
    check(ids, targets, B, T);
    const auto count_of = [](std::span<const std::int32_t> some) {
        return std::max<std::int64_t>(
            1, std::ranges::count_if(some, [](std::int32_t id) { return id >= 0; }));
    };
    const std::int64_t counted = count_of(targets);
    // What a target of sequence b weighs: all the same, or all of a sequence together 1/B.
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

std::vector<double> GptTrainer::losses(std::span<const std::int32_t> ids,
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

double GptTrainer::flops_per_token(std::int64_t T) const {
    const auto L = static_cast<double>(shape_.n_layer), C = static_cast<double>(shape_.n_embd);
    const double weights = L * 12 * C * C + static_cast<double>(outputs_) * C;
    // A query meets (T + 1) / 2 keys, or all: q·k and p·v forward, 2 · 2 products backward,
    // 2C operations a key each.
    const auto keys = static_cast<double>(fills_masks_ ? 2 * T : T + 1) / 2;
    const double attention = L * 6 * 2 * C * keys;
    return 6 * weights + attention;
}

Profile GptTrainer::profile() const {
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
