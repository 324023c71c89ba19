// Masks logits with one bit for each: where the bit is 0, the logit becomes −∞. Grammars use this
// to forbid tokens.
#pragma once

#include <cstdint>
#include <span>

namespace tbt {

// Bit i % 64 of bits[i / 64] belongs to logits[i]. There must be exactly 64 logits for each word.
void mask_logits(std::span<float> logits, std::span<const std::uint64_t> bits);

}  // namespace tbt
