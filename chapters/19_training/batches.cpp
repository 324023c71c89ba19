#include "chapters/19_training/batches.hpp"

#include "lib/core/error.hpp"
#include "lib/core/rng.hpp"

namespace tbt {

void Batches::check_batch(std::int64_t B, std::int64_t T) {
    constexpr std::int64_t most = std::int64_t{1} << 30;
    if (B < 1 || T < 1 || T > most || B > most / T)
        throw Error("train: a batch of " + std::to_string(B) + " rows of " + std::to_string(T) +
                    " tokens, expected 1 or more of both, and at most 2^30 tokens");
}

BatchSource::BatchSource(const DocumentSource& documents, const Tokenizer& tokenizer,
                         std::uint64_t seed)
    : documents_(documents), tokenizer_(tokenizer), seed_(seed) {
    for (int id = 0; id < tokenizer.vocab_size(); ++id) {
        token_bytes_.push_back(id == tokenizer.eos_id()
                                   ? 0
                                   : static_cast<std::int64_t>(tokenizer.token_bytes(id).size()));
    }
}

std::vector<int> BatchSource::next_document() {
    for (int tries = 0; tries < 100'000; ++tries) {
        const Document document = documents_.document(seed_, position_++);
        if (!document.held_out && !document.text.empty()) return tokenizer_.encode(document.text);
    }
    throw Error(
        "train: 100000 documents in a row are held out or empty; is there anything to train on?");
}

void BatchSource::fill_row(std::int64_t b, Batch& batch) {
    std::vector<int> row;
    // This depends only on the seed and on the row's first document, as everything else.
    if (Rng(seed_, position_).uniform() < 0.5) row.push_back(tokenizer_.eos_id());
    while (static_cast<std::int64_t>(row.size()) < batch.T + 1) {
        const std::vector<int> document = next_document();
        row.insert(row.end(), document.begin(), document.end());
        row.push_back(tokenizer_.eos_id());
    }
    for (std::int64_t t = 0; t < batch.T; ++t) {
        const std::int32_t target = row[static_cast<std::size_t>(t + 1)];
        batch.ids[static_cast<std::size_t>(b * batch.T + t)] = row[static_cast<std::size_t>(t)];
        batch.targets[static_cast<std::size_t>(b * batch.T + t)] = target;
        batch.bytes += token_bytes_[static_cast<std::size_t>(target)];
    }
}

Batch BatchSource::next(std::int64_t B, std::int64_t T) {
    check_batch(B, T);
    Batch batch{B, T, {}, {}, 0};
    batch.ids.resize(static_cast<std::size_t>(B * T));
    batch.targets.resize(static_cast<std::size_t>(B * T));
    for (std::int64_t b = 0; b < B; ++b) fill_row(b, batch);
    return batch;
}

}  // namespace tbt
