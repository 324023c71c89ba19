// One bit for each logit: those whose bit is not set become −∞.
#pragma once

#include <cstdint>
#include <span>

namespace tbt {

// bits: a whole number of words of 64, logits 64 times as many.
// Each logit is written once and read once.
void mask_logits(std::span<float> logits, std::span<const std::uint64_t> bits);

}  // namespace tbt
