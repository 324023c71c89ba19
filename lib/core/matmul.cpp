#include "lib/core/matmul.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/simd.hpp"

namespace tbt {

using simd::lane_count;
using simd::Lanes;

namespace {

constexpr int panel_lanes = 2, panel = panel_lanes * lane_count;  // columns
// The rows whose sums fit the registers together with a row of the panel: AVX-512 and NEON have 32,
// AVX2 has 16.
constexpr int tile_rows = simd::batch_count == 1 ? 8 : simd::batch_count == 2 ? 2 : 3;

// sum[r] = Σ_k x[r, k] · w[k, ·] for R rows of x and one panel; the sums start as they are.
template <int R, class Element>
void add_products(const float* x, std::int64_t K, const Element* w, Lanes (&sum)[R][panel_lanes]) {
    for (std::int64_t k = 0; k < K; ++k, w += panel) {
        Lanes row[panel_lanes];
        for (int i = 0; i < panel_lanes; ++i) row[i] = simd::load_lanes(w + i * lane_count);
        for (int r = 0; r < R; ++r) {
            const Lanes a = Lanes::all(x[r * K + k]);
            for (int i = 0; i < panel_lanes; ++i) sum[r][i] = fma(a, row[i], sum[r][i]);
        }
    }
}

// R rows of y, `width` columns of which are in this panel.
template <int R, class Element>
void multiply(const float* x, std::int64_t K, const Element* w, float* y, std::int64_t N, int width,
              const float* bias, const MatmulSteps& steps) {
    const auto load = [&](const float* p, int i) {
        const int n = std::clamp(width - i * lane_count, 0, lane_count);
        return simd::load_up_to(p + i * lane_count, n);
    };
    Lanes sum[R][panel_lanes];
    for (int r = 0; r < R; ++r)
        for (int i = 0; i < panel_lanes; ++i)
            sum[r][i] = steps.accumulate ? load(y + r * N, i) : Lanes::zero();
    add_products(x, K, w, sum);
    for (int r = 0; r < R; ++r) {
        for (int i = 0; i < panel_lanes; ++i) {
            if (bias) sum[r][i] = sum[r][i] + load(bias, i);
            sum[r][i].store_first(y + r * N + i * lane_count,
                                  std::clamp(width - i * lane_count, 0, lane_count));
        }
        if (steps.activation) steps.activation(y + r * N, width);
    }
}

template <class Element>
void multiply_all(const float* x, std::int64_t rows, const WeightMatrix& w, const Element* packed,
                  float* y, const MatmulSteps& steps, int threads) {
    const std::int64_t K = w.k(), N = w.n(), panels = (N + panel - 1) / panel;
    // Starting threads takes as long as some hundred thousand multiplications.
    [[maybe_unused]] const bool divided = threads > 1 && rows * K * N > 1 << 20;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(threads) if (divided)
#endif
    for (std::int64_t p = 0; p < panels; ++p) {
        const std::int64_t column = p * panel;
        const int width = to_int(std::min<std::int64_t>(panel, N - column));
        const float* const bias = steps.bias ? steps.bias + column : nullptr;
        const Element* const weights = packed + column * K;
        std::int64_t r = 0;
        for (; r + tile_rows <= rows; r += tile_rows)
            multiply<tile_rows>(x + r * K, K, weights, y + r * N + column, N, width, bias, steps);
        for (; r < rows; ++r)
            multiply<1>(x + r * K, K, weights, y + r * N + column, N, width, bias, steps);
    }
}

}  // namespace

WeightMatrix::WeightMatrix(const Tensor& w, bool in_16_bits, bool transposed)
    : in_16_bits_(in_16_bits) {
    if (w.shape().size() != 2)
        throw Error("matrix: w has shape " + to_string(w.shape()) + ", expected two dimensions");
    k_ = w.dim(transposed ? 1 : 0), n_ = w.dim(transposed ? 0 : 1);
    const std::int64_t panels = (n_ + panel - 1) / panel;
    if (in_16_bits) halves_.resize(index(panels * k_ * panel));
    else floats_ = Tensor({panels, k_, panel});
    for (std::int64_t p = 0; p < panels; ++p) {
        const int width = to_int(std::min<std::int64_t>(panel, n_ - p * panel));
        for (std::int64_t k = 0; k < k_; ++k) {
            float row[panel] = {};
            for (int i = 0; i < width; ++i) {
                const std::int64_t n = p * panel + i;
                row[i] = w.data()[transposed ? n * k_ + k : k * n_ + n];
            }
            const std::int64_t at = (p * k_ + k) * panel;
            if (!in_16_bits) {
                std::copy_n(row, panel, floats_.data() + at);
                continue;
            }
            for (const float x : row)
                if (std::fabs(x) >= 65520)
                    throw Error("matrix: a weight is " + std::to_string(x) +
                                ", which is infinite as a 16-bit float; use f32");
            simd::copy(row, panel, reinterpret_cast<simd::F16*>(halves_.data() + at));
        }
    }
}

void matmul(const float* x, std::int64_t rows, const WeightMatrix& w, float* y,
            const MatmulSteps& steps, int threads) {
    if (w.in_16_bits())
        multiply_all(x, rows, w, reinterpret_cast<const simd::F16*>(w.halves()), y, steps, threads);
    else multiply_all(x, rows, w, w.floats(), y, steps, threads);
}

}  // namespace tbt
