// Tensor: an array of floats with a shape, row-major, aligned to 64 bytes. It owns its memory.
//
// Kernels work on plain pointers and spans. Functions that take a Tensor can check its shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/core/index.hpp"

namespace tbt {

using Shape = std::vector<std::int64_t>;

// "(4, 3, 8)"
std::string to_string(const Shape& shape);

// The number of elements. Throws Error if a dimension is negative or the product overflows.
std::int64_t element_count(const Shape& shape);

struct AlignedDelete {
    std::size_t bytes = 0;
    bool mapped = false;
    std::shared_ptr<void> shared = {};  // the memory of several blocks
    void operator()(float* p) const;
};
using AlignedFloats = std::unique_ptr<float[], AlignedDelete>;
// Aligned, uninitialised memory for n floats. For large blocks it asks the system for huge pages.
AlignedFloats allocate_floats(std::int64_t n);
// The same, zeroed. The system provides each page when it is first touched.
AlignedFloats allocate_zeros(std::int64_t n);
// As allocate_floats(), for the matrices of a model, which are freed together: they share huge
// pages. The first touch of 512 small pages takes ten times as long as that of a huge one.
AlignedFloats allocate_weights(std::int64_t n);

class Tensor {
public:
    Tensor() = default;
    explicit Tensor(Shape shape);  // all zero
    Tensor(Shape shape, std::span<const float> values);
    Tensor(const Tensor& other);
    Tensor& operator=(const Tensor& other);
    Tensor(Tensor&& other) noexcept;  // leaves `other` empty
    Tensor& operator=(Tensor&& other) noexcept;

    const Shape& shape() const { return shape_; }
    std::int64_t dim(std::size_t axis) const;
    std::int64_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

    float* data() { return data_.get(); }
    const float* data() const { return data_.get(); }
    std::span<float> values() { return {data(), index(size_)}; }
    std::span<const float> values() const { return {data(), index(size_)}; }
    // Row r of a tensor with two or more dimensions: all elements with index r on the first axis.
    std::span<float> row(std::int64_t r);
    std::span<const float> row(std::int64_t r) const;

    void fill(float value);

private:
    Shape shape_;
    std::int64_t size_ = 0;
    AlignedFloats data_;
};

// The bytes that tensors and the functions above hold at this moment, and their maximum so far.
// reset_peak_tensor_bytes() starts the maximum again.
std::int64_t tensor_bytes();
std::int64_t peak_tensor_bytes();
void reset_peak_tensor_bytes();

// Throws Error "WHO: NAME has shape (4, 8), expected (4, 3, 8)" unless the shapes are equal.
void check_shape(const char* who, const char* name, const Shape& got, const Shape& expected);

}  // namespace tbt
