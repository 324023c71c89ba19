// Writes safetensors files (the format is described in safetensors.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "lib/core/tensor.hpp"
#include "lib/kernels/weight_type.hpp"

namespace tbt {

struct TensorToWrite {
    std::string name;
    Shape shape;
    std::span<const float> values;
    WeightType type = WeightType::f32;
    // Instead of `values`, to save memory: a function that writes the tensor's numbers
    // first … first + values.size() − 1 to `values`.
    std::function<void(std::int64_t first, std::span<float> values)> fill = {};
    // Instead of `values`: integers 0 … 255, which are stored as U8.
    std::span<const std::uint8_t> bytes = {};
};

// Writes a file, atomically. Numbers are rounded to 16-bit types to the nearest, ties to even.
// Throws Error for a finite number that is too large for f16. The values of an int8 tensor must be
// integers from −127 to 127; their scales are a separate tensor (stored_integers.hpp).
void write_safetensors(const std::string& path, std::vector<TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata = {{"format", "pt"}});

}  // namespace tbt
