// An owning, 64-byte aligned, row-major array of floats with a shape.
//
// Kernels work on plain pointers and spans; a Tensor owns the memory and knows its shape,
// so that the functions of the library can check what comes in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/index.hpp"

namespace tbt {

using Shape = std::vector<std::int64_t>;

// "(4, 3, 8)"
std::string to_string(const Shape& shape);

// The number of elements; throws Error on a negative dimension or a product that overflows.
std::int64_t element_count(const Shape& shape);

// Aligned memory for n floats; large blocks ask the system for huge pages. Not initialised.
struct AlignedDelete {
    std::size_t bytes = 0;
    bool mapped = false;
    void operator()(float* p) const;
};
using AlignedFloats = std::unique_ptr<float[], AlignedDelete>;
AlignedFloats allocate_floats(std::int64_t n);
// All zero. Straight from the system, which hands out each page when it is first touched.
AlignedFloats allocate_zeros(std::int64_t n);

class Tensor {
public:
    Tensor() = default;
    explicit Tensor(Shape shape);  // all zero
    Tensor(Shape shape, std::span<const float> values);
    Tensor(const Tensor& other);
    Tensor& operator=(const Tensor& other);
    Tensor(Tensor&& other) noexcept;  // what is moved from is empty
    Tensor& operator=(Tensor&& other) noexcept;

    const Shape& shape() const { return shape_; }
    std::int64_t dim(std::size_t axis) const;
    std::int64_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

    float* data() { return data_.get(); }
    const float* data() const { return data_.get(); }
    std::span<float> values() { return {data(), index(size_)}; }
    std::span<const float> values() const { return {data(), index(size_)}; }
    // Row r of a tensor of two or more dimensions: everything after the first axis.
    std::span<float> row(std::int64_t r);
    std::span<const float> row(std::int64_t r) const;

    void fill(float value);

private:
    Shape shape_;
    std::int64_t size_ = 0;
    AlignedFloats data_;
};

// Throws Error "WHO: NAME has shape (4, 8), expected (4, 3, 8)" unless they agree.
void check_shape(const char* who, const char* name, const Shape& got, const Shape& expected);

}  // namespace tbt
