// The training batches of a masked model (chapter 22): canvases, each with one document.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "chapters/19_training/batches.hpp"
#include "lib/core/rng.hpp"

namespace tbt {

// The document's tokens, padded with end-of-text tokens to T. So the canvas also has the length of
// the text, which the model must learn. None if the document and one end-of-text token do not fit.
//
//     The ·weather ·today ·is ·sunny . <|endoftext|> <|endoftext|> <|endoftext|>
std::optional<std::vector<std::int32_t>> canvas_of(const Document& document,
                                                   const Tokenizer& tokenizer, std::int64_t T);

// Replaces k random places of the canvas by the mask; their tokens become the targets. All other
// targets are −1, which does not count.
void hide(std::int64_t k, int mask, Rng& rng, std::span<std::int32_t> canvas,
          std::span<std::int32_t> targets);

// Makes canvases of T tokens with k hidden ones, k = 1 … T all equally likely. In a batch the
// values of k are spread evenly, which changes no probability and makes gradients less noisy.
class CanvasSource : public Batches {
public:
    CanvasSource(const DocumentSource& documents, const Tokenizer& tokenizer, std::uint64_t seed)
        : documents_(documents), tokenizer_(tokenizer), seed_(seed) {}

    // The mask is the id after the tokenizer's last id. Batch::bytes counts all text, hidden or
    // not.
    Batch next(std::int64_t B, std::int64_t T) override;

private:
    const DocumentSource& documents_;
    const Tokenizer& tokenizer_;
    std::uint64_t seed_;
};

}  // namespace tbt
