#include "matmul.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include "error.hpp"

namespace tbt {
namespace {

constexpr std::int64_t panel = 16;  // columns of w that are stored side by side

std::int64_t panel_count(std::int64_t n) { return (n + panel - 1) / panel; }
std::int64_t element_bytes(WeightType type) { return type == WeightType::f32 ? 4 : 2; }

// ---- 16-bit floats: rounded to nearest, ties to even ----

std::uint16_t to_bf16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);  // NaN stays NaN
    return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

float from_bf16(std::uint16_t half) { return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16); }

std::uint16_t to_f16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
    if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // rounds beyond 65504
    if (magnitude < 0x38800000u) {
        // Subnormal: a multiple of 2^-24. Adding 0.5 (whose last bit is 2^-24) rounds to one.
        const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
        return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
    }
    const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
    return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

float from_f16(std::uint16_t half) {
    const std::uint32_t sign = (half & 0x8000u) << 16, exponent = half & 0x7c00u, rest = half & 0x7fffu;
    if (exponent == 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | ((half & 0x3ffu) << 13));
    if (exponent == 0) {
        const float magnitude = static_cast<float>(rest) * 0x1p-24f;
        return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
    }
    return std::bit_cast<float>(sign | ((rest << 13) + 0x38000000u));
}

std::string shape_text(std::int64_t rows, std::int64_t columns) {
    return "(" + std::to_string(rows) + ", " + std::to_string(columns) + ")";
}

}  // namespace

PackedMatrix::PackedMatrix(const MatrixView& w, WeightType type) {
    reserve(w.rows, w.columns, type);
    pack(w, Worker{});
}

void PackedMatrix::reserve(std::int64_t k, std::int64_t n, WeightType type) {
    if (k < 0 || n < 0) throw Error("matmul: weights have shape " + shape_text(k, n) + ", expected no negative dimension");
    k_ = k;
    n_ = n;
    type_ = type;
    const std::int64_t floats = (bytes() + 3) / 4;
    if (floats > capacity_) {
        data_ = allocate_floats(floats);
        capacity_ = floats;
    }
}

std::int64_t PackedMatrix::bytes() const { return panel_count(n_) * panel * k_ * element_bytes(type_); }

void PackedMatrix::pack(const MatrixView& w, const Worker& worker) {
    if (w.rows != k_ || w.columns != n_) {
        throw Error("matmul: weights to pack have shape " + shape_text(w.rows, w.columns) + ", expected " +
                    shape_text(k_, n_) + " as reserved");
    }
    const Range mine = worker.share(panel_count(n_));
    for (std::int64_t p = mine.begin; p < mine.end; ++p) {
        for (std::int64_t k = 0; k < k_; ++k) {
            for (std::int64_t j = 0; j < panel; ++j) {
                const std::int64_t n = p * panel + j, at = (p * k_ + k) * panel + j;
                const float value = n < n_ ? w.data[k * w.row_stride + n * w.column_stride] : 0.0f;
                if (type_ == WeightType::f32) data_[static_cast<std::size_t>(at)] = value;
                else {
                    const std::uint16_t half = type_ == WeightType::f16 ? to_f16(value) : to_bf16(value);
                    std::memcpy(reinterpret_cast<char*>(data_.get()) + 2 * at, &half, 2);
                }
            }
        }
    }
}

void matmul(const MatrixView& x, const PackedMatrix& w, float* y, std::int64_t y_stride, const MatmulOptions& options,
            const Worker& worker) {
    if (x.columns != w.k()) {
        throw Error("matmul: x has shape " + shape_text(x.rows, x.columns) + ", expected " + std::to_string(w.k()) +
                    " columns, as many as w has rows");
    }
    const Range mine = worker.share(panel_count(w.n()));
    std::vector<float> widened(static_cast<std::size_t>(panel * w.k()));
    for (std::int64_t p = mine.begin; p < mine.end; ++p) {
        const std::int64_t first = p * panel, width = w.n() - first < panel ? w.n() - first : panel;
        for (std::int64_t i = 0; i < panel * w.k(); ++i) {
            if (w.type() == WeightType::f32) widened[static_cast<std::size_t>(i)] = w.data()[p * w.k() * panel + i];
            else {
                std::uint16_t half;
                std::memcpy(&half, reinterpret_cast<const char*>(w.data()) + 2 * (p * w.k() * panel + i), 2);
                widened[static_cast<std::size_t>(i)] = w.type() == WeightType::f16 ? from_f16(half) : from_bf16(half);
            }
        }
        for (std::int64_t m = 0; m < x.rows; ++m) {
            float sum[panel] = {};
            for (std::int64_t j = 0; options.accumulate && j < width; ++j) sum[j] = y[m * y_stride + first + j];
            for (std::int64_t k = 0; k < w.k(); ++k) {
                const float a = x.data[m * x.row_stride + k * x.column_stride];
                for (std::int64_t j = 0; j < panel; ++j) sum[j] = std::fma(a, widened[static_cast<std::size_t>(k * panel + j)], sum[j]);
            }
            for (std::int64_t j = 0; j < width; ++j) y[m * y_stride + first + j] = options.bias ? sum[j] + options.bias[first + j] : sum[j];
        }
    }
}

void matmul(const Tensor& x, const PackedMatrix& w, Tensor& y, const MatmulOptions& options, int threads) {
    if (x.shape().size() != 2) throw Error("matmul: x has shape " + to_string(x.shape()) + ", expected two dimensions");
    check_shape("matmul", "x", x.shape(), {x.dim(0), w.k()});
    check_shape("matmul", "y", y.shape(), {x.dim(0), w.n()});
    run_team(threads, [&](const Worker& worker) {
        matmul(MatrixView::of(x.data(), x.dim(0), x.dim(1)), w, y.data(), w.n(), options, worker);
    });
}

void matmul_plain(const MatrixView& x, const MatrixView& w, float* y, std::int64_t y_stride, const MatmulOptions& options) {
    for (std::int64_t m = 0; m < x.rows; ++m) {
        for (std::int64_t n = 0; n < w.columns; ++n) {
            float sum = options.accumulate ? y[m * y_stride + n] : 0.0f;
            for (std::int64_t k = 0; k < w.rows; ++k) {
                sum = std::fma(x.data[m * x.row_stride + k * x.column_stride], w.data[k * w.row_stride + n * w.column_stride], sum);
            }
            y[m * y_stride + n] = options.bias ? sum + options.bias[n] : sum;
        }
    }
}

}  // namespace tbt
