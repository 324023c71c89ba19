// The watermark of plain_watermark.hpp on candidates, by a key, and its detector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "chapters/06_combining/chain_step.hpp"
#include "chapters/08_penalties/plain_watermark.hpp"

namespace tbt {

// Bits that look like coins to everybody who does not know the key.
Watermark watermark_of(std::uint64_t key);

// After temperature and cuts: p ← the tournament's, where the last tokens are fresh.
void mark(Candidates& c, const TextSoFar& text, const Watermark& watermark);

// What a text says about a key. It need not know the model, or the prompt.
struct Evidence {
    std::size_t tokens = 0;  // that were drawn after fresh ones
    double favoured = 0.5;   // share of bits that are 1, the first layers' counting most
    double z = 0;            // (favoured − ½) in standard deviations of a text without the mark
    // How often a text without the mark gets so much: ½·erfc(z/√2).
    double by_chance = 0.5;
};
Evidence evidence_of(std::span<const int> text, const Watermark& watermark);

}  // namespace tbt
