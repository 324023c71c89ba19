// Makes the training batches on the fly: documents, tokenized and arranged in rows, or canvases.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/core/rng.hpp"
#include "lib/corpus/documents.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

struct Batch {
    std::int64_t B = 0, T = 0;
    std::vector<std::int32_t> ids, targets;  // (B, T); targets[t] is the token after ids[t]
    std::int64_t bytes = 0;                  // bytes of text in the targets; a separator has none
};

// Makes the batches of a training run, one after the other. They depend only on the seed and on the
// number of the next document, which is the only state.
class Batches {
public:
    virtual ~Batches() = default;
    virtual Batch next(std::int64_t B, std::int64_t T) = 0;

    std::uint64_t position() const { return position_; }
    void seek(std::uint64_t position) { position_ = position; }

protected:
    // Throws Error for sizes that are not allowed.
    static void check_batch(std::int64_t B, std::int64_t T);
    std::uint64_t position_ = 0;
};

// A row begins at the beginning of a document, so that the model learns what is at position 0: the
// beginning of a prompt. Half of the rows have a separator before the first document. Further
// documents follow, each after a separator; the last one is truncated.
//
//     row 0:  Once upon a time … the end.<|endoftext|>{"name": …}<|endoftext|>User: …
//     row 1:  <|endoftext|>The weather today is …
//
// A document of the corpus is used once; a document of a folder of texts is used once per epoch.
class BatchSource : public Batches {
public:
    BatchSource(const DocumentSource& documents, const Tokenizer& tokenizer, std::uint64_t seed);

    Batch next(std::int64_t B, std::int64_t T) override;

private:
    void fill_row(std::int64_t b, Batch& batch);
    // The next document that is not held out.
    std::vector<int> next_document();

    const DocumentSource& documents_;
    const Tokenizer& tokenizer_;
    std::uint64_t seed_;
    std::vector<std::int64_t> token_bytes_;
};

// ---- canvases: the batches of a masked model (chapter 22), each row one document ----------------

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
