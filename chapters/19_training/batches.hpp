// What the model is trained on, made on the fly: documents, tokenized and laid out in rows.
#pragma once

#include <cstdint>
#include <vector>

#include "chapters/19_training/documents.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

struct Batch {
    std::int64_t B = 0, T = 0;
    std::vector<std::int32_t> ids, targets;  // (B, T); targets[t] is the token after ids[t]
    std::int64_t bytes = 0;                  // of text in the targets; the separator has none
};

// Makes the batches of a training, one after the other. Everything follows from the seed and the
// number of the next document, the only state.
class Batches {
public:
    virtual ~Batches() = default;
    virtual Batch next(std::int64_t B, std::int64_t T) = 0;

    std::uint64_t position() const { return position_; }
    void seek(std::uint64_t position) { position_ = position; }

protected:
    // Throws Error for sizes that make no sense.
    static void check_batch(std::int64_t B, std::int64_t T);
    std::uint64_t position_ = 0;
};

// A row begins where a document begins, so that the model learns what stands at position 0:
// a prompt. In half of the rows a separator stands before the document. Further documents follow,
// each after a separator; the last is cut off.
//
//     row 0:  Once upon a time … the end.<|endoftext|>{"name": …}<|endoftext|>User: …
//     row 1:  <|endoftext|>The weather today is …
//
// A document of the corpus is used once, one of a folder of texts once an epoch.
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

}  // namespace tbt
