// The watermark of plain_watermark.hpp on candidates, made from a key, and its detector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "chapters/06_combining/chain.hpp"
#include "chapters/08_penalties/plain_watermark.hpp"

namespace tbt {

// The watermark of a key. Without the key, its bits look like fair coin tosses.
Watermark watermark_of(std::uint64_t key);

// Replaces p by the tournament's distribution if the context is fresh. Applied after temperature
// and truncation.
void mark(Candidates& c, const TextSoFar& text, const Watermark& watermark);

// The evidence in a text that it was marked with a key. Needs neither the model nor the prompt.
struct Evidence {
    std::size_t tokens = 0;  // number of tokens with a fresh context
    double favoured = 0.5;   // weighted share of bits that are 1; early layers weigh most
    double z = 0;            // (favoured − ½) in standard deviations of a text without the mark
    // The probability that a text without the mark reaches this z: ½·erfc(z/√2).
    double by_chance = 0.5;
};
Evidence evidence_of(std::span<const int> text, const Watermark& watermark);

}  // namespace tbt
