#include "lib/train/factor.hpp"

#include "lib/core/error.hpp"

namespace tbt::train {

Precision precision_of(const std::string& name) {
    if (name == "f32") return Precision::f32;
    if (name == "bf16") return Precision::bf16;
    throw Error("train: the precision is \"" + name + "\", expected f32 or bf16");
}

std::string name_of(Precision precision) { return precision == Precision::f32 ? "f32" : "bf16"; }

void Factor::reserve(std::int64_t k, std::int64_t n, Precision precision) {
    precision_ = precision;
    if (precision == Precision::f32) exact_.reserve(k, n);
    else rounded_.reserve(k, n);
}

void Factor::pack(const MatrixView& w, const Worker& worker) {
    if (precision_ == Precision::f32) exact_.pack(w, worker);
    else rounded_.pack(w, worker);
}

void Factor::multiply(const MatrixView& x, float* y, std::int64_t y_stride, Bf16Left& scratch,
                      const MatmulOptions& options) const {
    if (precision_ == Precision::f32) return matmul(x, exact_, y, y_stride, options, Worker{});
    scratch.pack(x);
    bf16_matmul(scratch, rounded_, y, y_stride, options);
}

}  // namespace tbt::train
