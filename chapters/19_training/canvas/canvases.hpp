// What a model that fills masks is trained on (chapter 22): canvases, one document each.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "chapters/19_training/batches.hpp"
#include "lib/kernels/rng.hpp"

namespace tbt {

// The document's tokens, and after them ends of text up to T: how long a text is stands in the
// canvas, and has to be learned. None where the document and one end do not fit.
//
//     The ·weather ·today ·is ·sunny . <|endoftext|> <|endoftext|> <|endoftext|>
std::optional<std::vector<std::int32_t>> canvas_of(const Document& document,
                                                   const Tokenizer& tokenizer, std::int64_t T);

// Replaces k of the canvas's places, any k with the same probability, by the mask; what stood
// there becomes the target. Other targets are −1: they do not count.
void hide(std::int64_t k, int mask, Rng& rng, std::span<std::int32_t> canvas,
          std::span<std::int32_t> targets);

// Of T tokens k are hidden, k from 1 to T, all equally likely; over a batch they are spread evenly,
// which changes no probability and makes gradients less noisy.
class CanvasSource : public Batches {
public:
    CanvasSource(const DocumentSource& documents, const Tokenizer& tokenizer, std::uint64_t seed)
        : documents_(documents), tokenizer_(tokenizer), seed_(seed) {}

    // The mask is the id after the tokenizer's last. bytes: of all text, hidden or not.
    Batch next(std::int64_t B, std::int64_t T) override;

private:
    const DocumentSource& documents_;
    const Tokenizer& tokenizer_;
    std::uint64_t seed_;
};

}  // namespace tbt
