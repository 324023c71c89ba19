#include <algorithm>

#include "../error.hpp"
#include "gpt_trainer_parts.hpp"

namespace tbt::train {
namespace {

AlignedFloats zeros(std::int64_t n) {
    AlignedFloats block = allocate_floats(n);
    std::fill_n(block.get(), n, 0.0f);
    return block;
}

}  // namespace

GptTrainer::GptTrainer(const ModelShape& shape, int threads, std::int64_t micro_rows)
    : shape_(shape),
      layout_(shape),
      threads_(threads),
      micro_rows_(micro_rows),
      parameters_(zeros(layout_.total)),
      gradients_(zeros(layout_.total)),
      a_(std::make_unique<Activations>()),
      scratch_(static_cast<std::size_t>(threads)) {
    const std::int64_t C = shape.channels;
    const auto p = [this](const std::string& name) { return parameters_.get() + layout_[name].offset; };
    const auto g = [this](const std::string& name) { return gradients_.get() + layout_[name].offset; };
    const auto linear = [&](const std::string& name, std::int64_t in, std::int64_t out) {
        return Linear(p(name + ".weight"), p(name + ".bias"), g(name + ".weight"), g(name + ".bias"), in,
                      out);
    };
    for (std::int64_t l = 0; l < shape.layers; ++l) {
        const std::string h = "h." + std::to_string(l) + ".";
        Block block{};
        block.ln_1_gain = p(h + "ln_1.weight");
        block.ln_1_bias = p(h + "ln_1.bias");
        block.ln_2_gain = p(h + "ln_2.weight");
        block.ln_2_bias = p(h + "ln_2.bias");
        block.d_ln_1_gain = g(h + "ln_1.weight");
        block.d_ln_1_bias = g(h + "ln_1.bias");
        block.d_ln_2_gain = g(h + "ln_2.weight");
        block.d_ln_2_bias = g(h + "ln_2.bias");
        block.qkv = linear(h + "attn.c_attn", C, 3 * C);
        block.attention_projection = linear(h + "attn.c_proj", C, C);
        block.fc = linear(h + "mlp.c_fc", C, 4 * C);
        block.projection = linear(h + "mlp.c_proj", 4 * C, C);
        blocks_.push_back(std::move(block));
    }
    table_.reserve(C, shape.vocabulary);
    table_transposed_.reserve(shape.vocabulary, C);
}

GptTrainer::~GptTrainer() = default;

void GptTrainer::parameters_changed() {
    const MatrixView wte =
        MatrixView::of(parameters_.get() + layout_["wte.weight"].offset, shape_.vocabulary, shape_.channels);
    run_team(threads_, [&](const Worker& worker) {
        const Timer timer(profile.pack, worker);
        for (Block& block : blocks_) {
            for (Linear* linear : {&block.qkv, &block.attention_projection, &block.fc, &block.projection})
                linear->pack(worker);
        }
        table_.pack(wte.transposed(), worker);
        table_transposed_.pack(wte, worker);
    });
}

void GptTrainer::reserve(std::int64_t B, std::int64_t T) {
    Activations& a = *a_;
    const std::int64_t M = B * T, C = shape_.channels;
    if (M > a.M) {
        for (Block& b : blocks_) {
            for (AlignedFloats* rows : {&b.x, &b.ln_1, &b.attention_out, &b.x_middle, &b.ln_2})
                *rows = zeros(M * C);
            b.qkv_out = zeros(M * 3 * C);
            b.fc_out = zeros(M * 4 * C);
            b.gelu_out = zeros(M * 4 * C);
            b.attention_stats = zeros(M * shape_.heads * 2);
            b.ln_1_stats = zeros(M * 2);
            b.ln_2_stats = zeros(M * 2);
        }
        for (AlignedFloats* rows : {&a.x_last, &a.ln_f, &a.d_x, &a.d_ln, &a.d_attention})
            *rows = zeros(M * C);
        a.ln_f_stats = zeros(M * 2);
        a.d_wide = zeros(M * 4 * C);
        a.logits = zeros(std::min(M, head_rows) * shape_.vocabulary);
        a.M = M;
    }
    a.B = B;
    a.T = T;
    a.packed_c.reserve(M, C);
    a.packed_3c.reserve(M, 3 * C);
    a.packed_4c.reserve(M, 4 * C);
    if (M >= head_rows) a.packed_ln_f.reserve(head_rows, C);
    a.packed_ln_f_rest.reserve(M % head_rows, C);
}

std::int64_t GptTrainer::micro_batch(std::int64_t B, std::int64_t T) const {
    return std::clamp<std::int64_t>(micro_rows_ / T, 1, B);
}

void GptTrainer::check(std::span<const std::int32_t> ids, std::span<const std::int32_t> targets,
                       std::int64_t B, std::int64_t T) const {
    const auto n = static_cast<std::size_t>(B * T);
    if (B < 1 || T < 1 || T > shape_.context || ids.size() != n || targets.size() != n) {
        throw Error("train: a batch of " + std::to_string(B) + " sequences of " + std::to_string(T) +
                    " tokens with " + std::to_string(ids.size()) + " ids and " +
                    std::to_string(targets.size()) + " targets, expected B·T of both and T up to " +
                    std::to_string(shape_.context));
    }
    const auto valid = [&](std::int32_t id, std::int32_t lowest) {
        return id >= lowest && id < shape_.vocabulary;
    };
    if (!std::ranges::all_of(ids, [&](std::int32_t id) { return valid(id, 0); }) ||
        !std::ranges::all_of(targets, [&](std::int32_t id) { return valid(id, -1); })) {
        throw Error("train: a token id is outside the vocabulary of " + std::to_string(shape_.vocabulary));
    }
}

double GptTrainer::gradient(std::span<const std::int32_t> ids, std::span<const std::int32_t> targets,
                            std::int64_t B, std::int64_t T) {
    check(ids, targets, B, T);
    const auto counted = std::ranges::count_if(targets, [](std::int32_t id) { return id >= 0; });
    const float factor = 1.0f / static_cast<float>(std::max<std::int64_t>(1, counted));
    std::vector<double> losses(ids.size());
    const std::int64_t step = micro_batch(B, T);
    reserve(step, T);
    run_team(threads_, [&](const Worker& worker) {
        const Range mine = worker.share(layout_.total, 16);
        std::fill(gradients_.get() + mine.begin, gradients_.get() + mine.end, 0.0f);
        for (std::int64_t b = 0; b < B; b += step) {
            const std::int64_t n = std::min(step, B - b);
            if (worker.rank == 0) reserve(n, T);
            worker.sync();
            forward(ids.data() + b * T, n, T, worker);
            head(targets.data() + b * T, losses.data() + b * T, n * T, factor, true, worker);
            backward(ids.data() + b * T, n, T, worker);
            worker.sync();
        }
    });
    double sum = 0;
    for (const double loss : losses) sum += loss;
    return sum / static_cast<double>(std::max<std::int64_t>(1, counted));
}

std::vector<double> GptTrainer::losses(std::span<const std::int32_t> ids,
                                       std::span<const std::int32_t> targets, std::int64_t B,
                                       std::int64_t T) {
    check(ids, targets, B, T);
    std::vector<double> losses(ids.size());
    const std::int64_t step = micro_batch(B, T);
    reserve(step, T);
    run_team(threads_, [&](const Worker& worker) {
        for (std::int64_t b = 0; b < B; b += step) {
            const std::int64_t n = std::min(step, B - b);
            if (worker.rank == 0) reserve(n, T);
            worker.sync();
            forward(ids.data() + b * T, n, T, worker);
            head(targets.data() + b * T, losses.data() + b * T, n * T, 1.0f, false, worker);
            worker.sync();
        }
    });
    return losses;
}

void GptTrainer::forward(const std::int32_t* ids, std::int64_t B, std::int64_t T, const Worker& worker) {
    const std::int64_t M = B * T, C = shape_.channels;
    const Range rows = worker.share(M, 16);
    Activations& a = *a_;
    AttentionScratch& scratch = scratch_[static_cast<std::size_t>(worker.rank)];
    embedding_rows(ids, parameters_.get() + layout_["wte.weight"].offset,
                   parameters_.get() + layout_["wpe.weight"].offset, blocks_[0].x.get(), T, C, rows);
    for (std::size_t l = 0; l < blocks_.size(); ++l) {
        Block& b = blocks_[l];
        float* next = l + 1 < blocks_.size() ? blocks_[l + 1].x.get() : a.x_last.get();
        {
            const Timer timer(profile.forward, worker);
            layer_norm_rows(b.x.get(), b.ln_1_gain, b.ln_1_bias, b.ln_1.get(), b.ln_1_stats.get(), C, rows);
            b.qkv.forward_rows(b.ln_1.get(), b.qkv_out.get(), rows);
        }
        worker.sync();
        {
            const Timer timer(profile.attention, worker);
            attention_forward(b.qkv_out.get(), b.attention_out.get(), b.attention_stats.get(),
                              {B, T, shape_.heads, C / shape_.heads}, scratch, worker);
            worker.sync();
        }
        const Timer timer(profile.forward, worker);
        b.attention_projection.forward_rows(b.attention_out.get(), b.x_middle.get(), rows);
        for (std::int64_t i = rows.begin * C; i < rows.end * C; ++i)
            b.x_middle[static_cast<std::size_t>(i)] += b.x[static_cast<std::size_t>(i)];
        layer_norm_rows(b.x_middle.get(), b.ln_2_gain, b.ln_2_bias, b.ln_2.get(), b.ln_2_stats.get(), C,
                        rows);
        b.fc.forward_rows(b.ln_2.get(), b.fc_out.get(), rows);
        gelu(b.fc_out.get() + rows.begin * 4 * C, b.gelu_out.get() + rows.begin * 4 * C,
             (rows.end - rows.begin) * 4 * C);
        b.projection.forward_rows(b.gelu_out.get(), next, rows);
        for (std::int64_t i = rows.begin * C; i < rows.end * C; ++i)
            next[i] += b.x_middle[static_cast<std::size_t>(i)];
    }
    layer_norm_rows(a.x_last.get(), parameters_.get() + layout_["ln_f.weight"].offset,
                    parameters_.get() + layout_["ln_f.bias"].offset, a.ln_f.get(), a.ln_f_stats.get(), C,
                    rows);
    worker.sync();
}

double GptTrainer::flops_per_token(std::int64_t T) const {
    const auto L = static_cast<double>(shape_.layers), C = static_cast<double>(shape_.channels),
               V = static_cast<double>(shape_.vocabulary);
    const double weights = L * 12 * C * C + V * C;
    // A query meets (T + 1) / 2 keys: q·k and p·v forward, 2 · 2 products backward, 2C operations a key each.
    const double attention = L * 6 * 2 * C * (static_cast<double>(T) + 1) / 2;
    return 6 * weights + attention;
}

}  // namespace tbt::train
