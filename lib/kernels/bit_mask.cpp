#include "lib/kernels/bit_mask.hpp"

#include <limits>

#include "lib/core/error.hpp"
#include "lib/core/simd.hpp"

namespace tbt {

void mask_logits(std::span<float> logits, std::span<const std::uint64_t> bits) {
    using simd::Batch;
    if (logits.size() != bits.size() * 64)
        throw Error("mask: " + std::to_string(logits.size()) + " logits, expected 64 for each of " +
                    std::to_string(bits.size()) + " words");
    // Lane i tests bit i.
    using Bits = xsimd::batch<std::int32_t>;
    alignas(64) std::int32_t own[simd::batch_size];
    for (int i = 0; i < simd::batch_size; ++i) own[i] = std::int32_t{1} << i;
    const Bits lane_bit = Bits::load_aligned(own);
    const Batch zero(0.0f), masked(-std::numeric_limits<float>::infinity());
    float* s = logits.data();
    for (std::uint64_t word : bits) {
        for (int i = 0; i < 64;
             i += simd::batch_size, s += simd::batch_size, word >>= simd::batch_size) {
            const Bits mine = Bits(static_cast<std::int32_t>(word & 0xffff)) & lane_bit;
            xsimd::select(xsimd::to_float(mine) != zero, Batch::load_unaligned(s), masked)
                .store_unaligned(s);
        }
    }
}

}  // namespace tbt
