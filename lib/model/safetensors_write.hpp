// Writes safetensors files.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "lib/kernels/tensor.hpp"
#include "lib/kernels/weight_type.hpp"

namespace tbt {

struct TensorToWrite {
    std::string name;
    Shape shape;
    std::span<const float> values;
    WeightType type = WeightType::f32;
    // Instead of values, where memory for all of them is not wanted:
    // gives numbers first … first + values.size() − 1.
    std::function<void(std::int64_t first, std::span<float> values)> fill = {};
    // Instead of values: whole numbers 0 … 255, stored as U8 as they are.
    std::span<const std::uint8_t> bytes = {};
};

// Writes a file, atomically. 16-bit types are rounded to the nearest, ties to even;
// a finite number that is too large for f16 is an Error, not infinity. int8 takes whole numbers
// from −127 to 127 only: their scales are a tensor of their own (int8_file.hpp).
void write_safetensors(const std::string& path, std::vector<TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata = {{"format", "pt"}});

}  // namespace tbt
