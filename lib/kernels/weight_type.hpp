// How weights are kept, in memory and in files: 32 bits, or one of the two kinds of 16
// (see half.hpp). F16 and BF16 are widened to float in registers: half the bytes to read.
// int8 and int4 are rounded when a model is loaded, with exact integer sums
// (see int8_matrix.hpp, int4_matrix.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tbt {

enum class WeightType { f32, f16, bf16, int8, int4 };

// Of one number; one of 4 bits has half a byte, but none by itself.
constexpr std::int64_t bytes_of(WeightType type) {
    return type == WeightType::f32                               ? 4
           : type == WeightType::f16 || type == WeightType::bf16 ? 2
                                                                 : 1;
}

// Three names for the same: of our options, of safetensors files, of transformers' config.json;
// empty where there is none.
struct WeightTypeNames {
    WeightType type;
    std::string_view option, dtype, torch_dtype;
};
inline constexpr WeightTypeNames weight_types[] = {{WeightType::f32, "f32", "F32", "float32"},
                                                   {WeightType::f16, "f16", "F16", "float16"},
                                                   {WeightType::bf16, "bf16", "BF16", "bfloat16"},
                                                   {WeightType::int8, "int8", "", ""},
                                                   {WeightType::int4, "int4", "", ""}};

constexpr const WeightTypeNames& names_of(WeightType type) {
    return weight_types[static_cast<int>(type)];
}

// By any of its three names.
constexpr std::optional<WeightType> weight_type_named(std::string_view name) {
    if (name.empty()) return std::nullopt;
    for (const WeightTypeNames& t : weight_types) {
        if (name == t.option || name == t.dtype || name == t.torch_dtype) return t.type;
    }
    return std::nullopt;
}

}  // namespace tbt
