#include "lib/train/muon.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/simd.hpp"
#include "lib/kernels/matmul.hpp"

namespace tbt::train {
namespace {

using simd::Lanes;

// y (M, N) = x (M, K) · w (K, N), on one thread.
void product(const MatrixView& x, const MatrixView& w, PackedMatrix& packed, float* y) {
    packed.reserve(w.rows, w.columns);
    packed.pack(w, Worker{});
    matmul(x, packed, y, w.columns, {}, Worker{});
}

// y ← a x + b y, for n numbers.
void combine(float a, const float* x, float b, float* y, std::int64_t n) {
    for (std::int64_t i = 0; i < n; i += simd::lane_count)
        fma(Lanes::all(a), Lanes::load(x + i), Lanes::all(b) * Lanes::load(y + i)).store(y + i);
}

}  // namespace

void orthogonalise(std::span<float> x, std::int64_t rows, std::int64_t columns,
                   MuonScratch& scratch) {
    if (rows < 1 || columns < 1 || rows % 16 != 0 || columns % 16 != 0)
        throw Error("muon: a matrix (" + std::to_string(rows) + ", " + std::to_string(columns) +
                    "), expected multiples of 16");
    check_size("muon: a matrix", x.size(), index(rows * columns));
    const std::int64_t n = rows * columns, small = std::min(rows, columns);
    double squares = 0;
    for (const float v : x) squares += static_cast<double>(v) * static_cast<double>(v);
    const auto scale = static_cast<float>(1 / (std::sqrt(squares) + 1e-30));
    for (float& v : x) v *= scale;
    scratch.square = allocate_floats(small * small);
    scratch.polynomial = allocate_floats(small * small);
    scratch.product = allocate_floats(n);
    float* const square = scratch.square.get();
    float* const polynomial = scratch.polynomial.get();
    const MatrixView whole = MatrixView::of(x.data(), rows, columns);
    for (int i = 0; i < 5; ++i) {
        // The smaller of x xᵀ and xᵀ x: (x xᵀ) x = x (xᵀ x).
        if (rows <= columns) product(whole, whole.transposed(), scratch.packed, square);
        else product(whole.transposed(), whole, scratch.packed, square);
        const MatrixView s = MatrixView::of(square, small, small);
        product(s, s, scratch.packed, polynomial);
        combine(-4.775f, square, 2.0315f, polynomial, small * small);
        const MatrixView p = MatrixView::of(polynomial, small, small);
        if (rows <= columns) product(p, whole, scratch.packed, scratch.product.get());
        else product(whole, p, scratch.packed, scratch.product.get());
        combine(1.0f, scratch.product.get(), 3.4445f, x.data(), n);
    }
}

}  // namespace tbt::train
