// The product of a row with weights in the blocks of a GGUF file (lib/quantized/gguf_blocks.hpp).
//
// A number of a block is d · scale · (value − offset) − m · minimum, with a small integer scale for
// each group of 16 or 32. The row is rounded to 8 bits with a scale of its own for each block, so
// that what a block adds is two sums of integers, each multiplied once by floats:
//
//   y = Σ_blocks float(Σ_groups scale · Σ_k q[k] · (value[k] − offset)) · (d · s)
//                − float(Σ_groups minimum · Σ_k q[k]) · (m · s)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "chapters/20_quantization/plain_quantize.hpp"

namespace tbt {

// Σ_k x[k] · w[k], w in blocks of this type. take_apart(block) gives a block's d, m, scales, minima
// and codes.
template <class Type, class TakeApart>
float plain_block_product(std::span<const float> x, const Type& type, const std::byte* w,
                          TakeApart take_apart) {
    const auto numbers = static_cast<std::size_t>(type.numbers);
    const auto group = static_cast<std::size_t>(type.group);
    if (x.size() % numbers != 0)
        throw Error("blocks: x has " + std::to_string(x.size()) + " numbers, expected blocks of " +
                    std::to_string(numbers));
    float y = 0;
    for (std::size_t first = 0; first < x.size(); first += numbers, w += type.bytes) {
        const std::span<const float> part = x.subspan(first, numbers);
        const QuantizedRow row = quantize({part.begin(), part.end()});
        const auto parts = take_apart(w);
        std::int32_t total = 0, least = 0;
        for (std::size_t k = 0; k < numbers; ++k) {
            const int code = parts.codes[k], value = type.values ? type.values[code] : code;
            total += parts.scales[k / group] * row.q[k] * (value - type.offset);
            if (type.has_minima) least += parts.minima[k / group] * row.q[k];
        }
        y += static_cast<float>(total) * (parts.d * row.scale);
        if (type.has_minima) y -= static_cast<float>(least) * (parts.m * row.scale);
    }
    return y;
}

}  // namespace tbt
