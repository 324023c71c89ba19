#include "chapters/21_medusa/head_trainer.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>

#include "chapters/21_medusa/head_workspace.hpp"
#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "lib/model/kv_cache.hpp"
#include "lib/model/layers.hpp"
#include "lib/train/train_layers.hpp"

namespace tbt {

namespace {

using Text = HeadTrainer::Text;

}  // namespace

struct HeadTrainer::State {
    Transformer& target;
    const Tensor& embedding;
    HeadsShape shape;
    std::vector<int> drafted;
    int parts, threads;
    float state_unit, token_unit;
    AlignedFloats parameters;
    std::vector<AlignedFloats> gradients;
    std::vector<Head> heads;
    PackedMatrix table, table_transposed;  // (C, N), (N, C)
    std::vector<Workspace> workspaces;

    std::int64_t C() const { return shape.channels; }
    std::int64_t N() const { return length_of(drafted); }
    void forward(const Text& text, std::int64_t M, int k, Workspace& w);
    void learn(const Text& text, HeadScores& scores, std::int64_t M, float factor, Workspace& w,
               float* d);
    void compare(const Text& text, HeadScores& scores, std::int64_t M, int k, float factor,
                 bool judged, Workspace& w);
    void backward(std::int64_t M, int k, Workspace& w, float* d);
};

HeadTrainer::HeadTrainer(Transformer& target, const Tensor& embedding, const HeadsShape& shape,
                         std::vector<int> drafted, std::uint64_t seed, int parts, int threads) {
    if (shape.heads < 1 || shape.heads > 16 || shape.inner < 16 || shape.inner % 16 != 0 ||
        shape.channels != target.config().n_embd)
        throw Error("heads: " + std::to_string(shape.heads) + " of " +
                    std::to_string(shape.channels) + " channels and " +
                    std::to_string(shape.inner) + " inside, expected 1 to 16 of the target's " +
                    std::to_string(target.config().n_embd) + ", and a multiple of 16");
    check_shape("heads", "the embedding", embedding.shape(),
                {target.config().vocab_size, shape.channels});
    for (const int id : drafted) checked_id("heads", id, index(target.config().vocab_size));
    check_at_least("heads: drafted tokens", length_of(drafted), 1);
    check_at_least("heads: parts", parts, 1), check_at_least("heads: threads", threads, 1);
    for (const HeadsShape::Weight& w : shape.weights()) layout_.add(w.name, w.shape);
    state_ = std::make_unique<State>(State{target,
                                           embedding,
                                           shape,
                                           std::move(drafted),
                                           parts,
                                           threads,
                                           state_unit(target),
                                           size_of(embedding.values()),
                                           zeros(layout_.total),
                                           {},
                                           {},
                                           {},
                                           {},
                                           std::vector<Workspace>(index(threads))});
    State& s = *state_;
    const std::int64_t C = s.C();
    // W₁ is scaled so that its output has the size of its input; W₂ is 0.
    Rng rng(seed, 0x6865616473);
    for (int k = 0; k < shape.heads; ++k) {
        const std::string name = "heads." + std::to_string(k) + ".";
        const auto at = [&](const char* what) { return layout_[name + what].offset; };
        const train::ParameterInfo& in = layout_[name + "in.weight"];
        for (float& w : parameters().subspan(index(in.offset), index(in.size)))
            w = static_cast<float>(rng.normal() / std::sqrt(2.0 * static_cast<double>(C)));
        s.heads.push_back({Linear(at("in.weight"), at("in.bias"), 2 * C, shape.inner),
                           Linear(at("out.weight"), at("out.bias"), shape.inner, C)});
    }
    Tensor rows({s.N(), C});
    for (std::int64_t i = 0; i < s.N(); ++i)
        std::ranges::transform(embedding.row(s.drafted[index(i)]), rows.row(i).begin(),
                               [&](float e) { return e * s.state_unit; });
    const MatrixView view = MatrixView::of(rows.data(), s.N(), C);
    s.table.reserve(C, s.N()), s.table_transposed.reserve(s.N(), C);
    s.table.pack(view.transposed(), Worker{}), s.table_transposed.pack(view, Worker{});
    parameters_changed();
}

HeadTrainer::~HeadTrainer() = default;

std::span<float> HeadTrainer::parameters() {
    return {state_->parameters.get(), index(layout_.total)};
}
std::span<float> HeadTrainer::gradients() {
    return {state_->gradients.at(0).get(), index(layout_.total)};
}

std::vector<float> HeadTrainer::exported() const {
    const State& s = *state_;
    std::vector<float> all(s.parameters.get(), s.parameters.get() + layout_.total);
    for (const train::ParameterInfo& t : layout_.tensors) {
        const bool in = t.name.find(".in.") != std::string::npos, matrix = t.shape.size() == 2;
        const std::int64_t half = s.C() * s.shape.inner;
        for (std::int64_t i = 0; i < t.size; ++i) {
            float& w = all[index(t.offset + i)];
            if (!in) w *= s.state_unit;
            else if (matrix) w /= i < half ? s.state_unit : s.token_unit;
        }
    }
    return all;
}

void HeadTrainer::parameters_changed() {
    for (Head& head : state_->heads)
        for (Linear* linear : {&head.in, &head.out})
            linear->pack(state_->parameters.get(), Worker{});
}

// Distributions have only the drafted ids, so a row sums to at most 1.
Text HeadTrainer::read(std::span<const std::int32_t> ids) {
    State& s = *state_;
    check_at_least("heads: tokens of a text", length_of(ids), s.shape.heads + 2);
    KvCache cache(s.target.config());
    const Logits logits = s.target.forward_all(cache, ids);
    Text text{{ids.begin(), ids.end()}, {}, {}, {}};
    for (const float v : logits.states) text.states.push_back(v / s.state_unit);
    std::vector<float> p(index(s.target.config().vocab_size));
    for (std::int64_t t = 0; t < length_of(ids); ++t) {
        softmax(logits.row(t), p);
        float mass = 0;
        for (const int id : s.drafted)
            text.distribution.push_back(p[index(id)]), mass += text.distribution.back();
        text.mass.push_back(mass);
    }
    return text;
}

// Computes s_k of rows 0 … M − 1 from s_(k−1) and the token k places after each row.
void HeadTrainer::State::forward(const Text& text, std::int64_t M, int k, Workspace& w) {
    const std::int64_t c = C(), f = shape.inner;
    const auto at = index(k);
    const float* from = w.states[at].get();
    for (std::int64_t t = 0; t < M; ++t) {
        float* row = w.joined[at].get() + t * 2 * c;
        std::copy_n(from + t * c, c, row);
        std::ranges::transform(embedding.row(text.ids[index(t + k + 1)]), row + c,
                               [&](float e) { return e / token_unit; });
    }
    heads[at].in.forward(w.joined[at].get(), w.before[at].get(), M, parameters.get());
    train::gelu(w.before[at].get(), w.inner[at].get(), M * f);
    float* to = w.states[at + 1].get();
    heads[at].out.forward(w.inner[at].get(), to, M, parameters.get());
    for (std::int64_t i = 0; i < M * c; ++i) to[i] += from[i];
    matmul(MatrixView::of(to, M, c), table, w.logits.get(), N(), {}, Worker{});
}

// Replaces logits by their gradient (q·Σp − p) · factor. If `judged` is set, it adds the scores.
void HeadTrainer::State::compare(const Text& text, HeadScores& scores, std::int64_t M, int k,
                                 float factor, bool judged, Workspace& w) {
    const std::int64_t n = N();
    for (std::int64_t t = 0; t < M; ++t) {
        const std::span<float> q(w.logits.get() + t * n, index(n));
        const std::span<const float> p(text.distribution.data() + (t + k + 1) * n, index(n));
        softmax(q, q);
        for (std::size_t i = 0; i < q.size(); ++i)
            if (p[i] > 1e-4f)
                scores.loss -= double{p[i]} * std::log(double{std::max(q[i], 1e-30f)});
        if (judged) {
            const auto best = [](std::span<const float> row) {
                return std::ranges::max_element(row) - row.begin();
            };
            double overlap = 0;
            for (std::size_t i = 0; i < q.size(); ++i) overlap += double{std::min(p[i], q[i])};
            scores.overlap[index(k)] += overlap, scores.agree[index(k)] += best(p) == best(q);
            continue;
        }
        const float mass = text.mass[index(t + k + 1)];
        for (std::size_t i = 0; i < q.size(); ++i) q[i] = (q[i] * mass - p[i]) * factor;
    }
}

// Before the call d_next has the gradient of s_(k+1) from later heads, after it that of s_k.
void HeadTrainer::State::backward(std::int64_t M, int k, Workspace& w, float* d) {
    const std::int64_t c = C(), f = shape.inner;
    const auto at = index(k);
    for (std::int64_t i = 0; i < M * c; ++i) w.d_next[index(i)] += w.d_state[index(i)];
    heads[at].out.backward_input(w.d_next.get(), w.d_inner.get(), M);
    heads[at].out.backward_weights(w.inner[at].get(), w.d_next.get(), M, w.packed, d);
    train::gelu_backward(w.before[at].get(), w.d_inner.get(), M * f);
    heads[at].in.backward_weights(w.joined[at].get(), w.d_inner.get(), M, w.packed, d);
    if (k == 0) return;
    heads[at].in.backward_input(w.d_inner.get(), w.d_joined.get(), M);
    for (std::int64_t t = 0; t < M; ++t)
        for (std::int64_t i = 0; i < c; ++i)
            w.d_next[index(t * c + i)] += w.d_joined[index(t * 2 * c + i)];
}

// Runs all heads on one text. Gradients are added to d, unless that is null.
void HeadTrainer::State::learn(const Text& text, HeadScores& scores, std::int64_t M, float factor,
                               Workspace& w, float* d) {
    const std::int64_t c = C();
    std::copy_n(text.states.data(), M * c, w.states[0].get());
    std::vector<AlignedFloats> d_states(d ? index(shape.heads) : 0);
    for (int k = 0; k < shape.heads; ++k) {
        forward(text, M, k, w);
        compare(text, scores, M, k, factor, !d, w);
        if (!d) continue;
        d_states[index(k)] = allocate_floats(M * c);
        matmul(MatrixView::of(w.logits.get(), M, N()), table_transposed, d_states[index(k)].get(),
               c, {}, Worker{});
    }
    if (!d) return;
    std::fill_n(w.d_next.get(), M * c, 0.0f);
    for (int k = shape.heads; k-- > 0;) {
        std::copy_n(d_states[index(k)].get(), M * c, w.d_state.get());
        backward(M, k, w, d);
    }
}

HeadScores HeadTrainer::run(std::span<const Text* const> texts, bool backward) {
    State& s = *state_;
    const auto B = length_of(texts), K = std::int64_t{s.shape.heads};
    check_at_least("heads: texts of a batch", B, 1);
    const std::int64_t T = length_of(texts[0]->ids);
    for (const Text* text : texts)
        check_size("heads: tokens of a text", text->ids.size(), index(T));
    const std::int64_t M = T - 1 - K;  // rows for which all tokens and distributions exist
    const auto all = static_cast<double>(M * B * K);
    const int parts = to_int(std::min<std::int64_t>(s.parts, B));
    if (backward)
        while (count(s.gradients) < parts) s.gradients.push_back(zeros(layout_.total));
    for (Workspace& w : s.workspaces) w.reserve(s.shape, M, s.N());
    const HeadScores none{std::vector<double>(index(K)), std::vector<double>(index(K))};
    std::vector<HeadScores> of_parts(index(parts), none);
    std::atomic<int> next{0};
    run_team(std::min(s.threads, parts), [&](const Worker& worker) {
        for (int part = next++; part < parts; part = next++) {
            float* d = backward ? s.gradients[index(part)].get() : nullptr;
            if (d) std::fill_n(d, layout_.total, 0.0f);
            for (std::int64_t b = B * part / parts; b < B * (part + 1) / parts; ++b)
                s.learn(*texts[index(b)], of_parts[index(part)], M, static_cast<float>(1 / all),
                        s.workspaces[index(worker.rank)], d);
        }
    });
    for (int part = 1; backward && part < parts; ++part)
        for (std::int64_t i = 0; i < layout_.total; ++i)
            s.gradients[0][index(i)] += s.gradients[index(part)][index(i)];
    HeadScores scores = none;
    for (const HeadScores& part : of_parts) {
        scores.loss += part.loss / all;
        for (std::size_t k = 0; k < part.overlap.size(); ++k) {
            scores.overlap[k] += part.overlap[k] / static_cast<double>(M * B);
            scores.agree[k] += part.agree[k] / static_cast<double>(M * B);
        }
    }
    return scores;
}

HeadScores HeadTrainer::gradient(std::span<const Text* const> texts) { return run(texts, true); }
HeadScores HeadTrainer::score(std::span<const Text* const> texts) { return run(texts, false); }

}  // namespace tbt
