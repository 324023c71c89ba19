// The types of weights, in memory and in files: floats of 32 bits, floats of 16 bits in two formats
// (lib/core/math.hpp), and integers of 8 or 4 bits (lib/quantized/integer_matrix.hpp). F16 and BF16
// are converted to float in registers, so half as many bytes are read. int8 and int4 weights are
// quantised when a model is loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tbt {

// blocks: the quantised matrices of a GGUF file, each in its own type
// (lib/quantized/block_matrix.hpp).
enum class WeightType { f32, f16, bf16, int8, int4, blocks };

// Bytes of one number. For int4 and blocks this is 1, although two numbers may share a byte.
constexpr std::int64_t bytes_of(WeightType type) {
    return type == WeightType::f32                               ? 4
           : type == WeightType::f16 || type == WeightType::bf16 ? 2
                                                                 : 1;
}

// The names of a type in our options, in safetensors files and in transformers' config.json; empty
// if it has no name there.
struct WeightTypeNames {
    WeightType type;
    std::string_view option, dtype, torch_dtype;
};
inline constexpr WeightTypeNames weight_types[] = {{WeightType::f32, "f32", "F32", "float32"},
                                                   {WeightType::f16, "f16", "F16", "float16"},
                                                   {WeightType::bf16, "bf16", "BF16", "bfloat16"},
                                                   {WeightType::int8, "int8", "", ""},
                                                   {WeightType::int4, "int4", "", ""},
                                                   {WeightType::blocks, "", "", ""}};

constexpr const WeightTypeNames& names_of(WeightType type) {
    return weight_types[static_cast<int>(type)];
}

// The type with this name, which may be any of the three.
constexpr std::optional<WeightType> weight_type_named(std::string_view name) {
    if (name.empty()) return std::nullopt;
    for (const WeightTypeNames& t : weight_types) {
        if (name == t.option || name == t.dtype || name == t.torch_dtype) return t.type;
    }
    return std::nullopt;
}

}  // namespace tbt
