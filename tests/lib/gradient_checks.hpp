// What passes forward and back give, beside their definitions in double.
#pragma once

#include <algorithm>
#include <cmath>

#include "tests/support/gradients.hpp"

namespace tbt::train::test {

// How far a value may be from what is expected; relative: times 1 and the value's size.
inline void check_values(const Floats& got, const Doubles& expected, double bound,
                         bool relative = false) {
    for (std::size_t i = 0; i < got.size(); ++i)
        REQUIRE(std::abs(static_cast<double>(got[i]) - expected[i]) <=
                bound * (relative ? 1 + std::abs(expected[i]) : 1));
}

inline void check_attention(const BatchShape& shape, double tolerance, std::size_t every) {
    const auto n = static_cast<std::size_t>(shape.B * shape.T * shape.H * shape.D),
               all = static_cast<std::size_t>(shape.B * shape.T * shape.row());
    const Floats qkv = random_floats(all, 1), d_out = random_floats(n, 2);
    Floats out(n), stats(static_cast<std::size_t>(2 * shape.B * shape.T * shape.H)),
        d_qkv(all, 99.0f);
    AttentionScratch scratch;
    attention_forward(qkv.data(), out.data(), stats.data(), shape, scratch);
    attention_backward(qkv.data(), out.data(), stats.data(), d_out.data(), d_qkv.data(), shape,
                       scratch);
    check_values(out, attention_of(widened(qkv), shape), 5e-6);  // of up to 67 terms, about 1
    check_gradient(
        "qkv", d_qkv, qkv,
        [&](const Doubles& v) { return weighted_sum(attention_of(v, shape), d_out); }, tolerance,
        every);
}

// The loss of a whole model and three entries of each tensor's gradient.
template <class Loss>
void check_model(Trainer& model, const Example& e, const Loss& loss_of) {
    lively(model);
    const double loss = model.gradient(e.ids, e.targets, e.B, e.T);
    const Doubles at = widened(model.parameters());
    // Relative to the loss of about 4: some hundred float roundings, most of which cancel.
    REQUIRE(std::abs(loss - loss_of(at, model.layout(), e)) <= 2e-5);
    for (const ParameterInfo& t : model.layout().tensors) {
        const auto size = static_cast<std::size_t>(t.size);
        const auto f = [&](const Doubles& v) {
            Doubles block = at;
            std::copy(v.begin(), v.end(), block.begin() + t.offset);
            return loss_of(block, model.layout(), e);
        };
        // Float errors grow through two layers of forward and backward passes:
        // 1e-4 of the tensor's largest gradient.
        check_gradient(t.name.c_str(),
                       model.gradients().subspan(static_cast<std::size_t>(t.offset), size),
                       model.of(t), f, 1e-4, size / 3 + 1);
    }
}

}  // namespace tbt::train::test
