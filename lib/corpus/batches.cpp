#include "lib/corpus/batches.hpp"

#include <algorithm>
#include <numeric>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
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

std::optional<std::vector<std::int32_t>> canvas_of(const Document& document,
                                                   const Tokenizer& tokenizer, std::int64_t T) {
    const std::vector<int> tokens = tokenizer.encode(document.text);
    if (length_of(tokens) >= T) return std::nullopt;
    std::vector<std::int32_t> canvas(tokens.begin(), tokens.end());
    canvas.resize(index(T), tokenizer.eos_id());
    return canvas;
}

void hide(std::int64_t k, int mask, Rng& rng, std::span<std::int32_t> canvas,
          std::span<std::int32_t> targets) {
    check_size("canvas: targets", targets.size(), canvas.size());
    if (k < 1 || k > length_of(canvas))
        throw Error("canvas: " + std::to_string(k) + " places to hide, expected 1 to " +
                    std::to_string(canvas.size()));
    std::vector<std::size_t> places(canvas.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::fill(targets.begin(), targets.end(), -1);
    // A partial Fisher–Yates shuffle: the first k elements are a random choice.
    for (std::size_t i = 0; i < index(k); ++i) {
        std::swap(places[i], places[i + rng.below(places.size() - i)]);
        targets[places[i]] = std::exchange(canvas[places[i]], mask);
    }
}

Batch CanvasSource::next(std::int64_t B, std::int64_t T) {
    check_batch(B, T);
    Batch batch{B, T, {}, {}, 0};
    batch.targets.resize(index(B * T));
    const double start = Rng(seed_, position_).uniform();
    int tries = 0;
    while (length_of(batch.ids) < B * T) {
        if (++tries > 100'000)
            throw Error("train: 100000 documents, and none of them new and short enough for " +
                        std::to_string(T) + " tokens");
        const std::uint64_t number = position_++;
        const Document document = documents_.document(seed_, number);
        if (document.held_out || document.text.empty()) continue;
        const auto canvas = canvas_of(document, tokenizer_, T);
        if (!canvas) continue;
        tries = 0;
        const std::size_t first = batch.ids.size();
        batch.ids.insert(batch.ids.end(), canvas->begin(), canvas->end());
        batch.bytes += static_cast<std::int64_t>(document.text.size());
        // Where this canvas is between k = 1 (way = 0) and k = T (way = 1).
        double way = start + static_cast<double>(first) / static_cast<double>(B * T);
        if (way >= 1) way -= 1;
        const auto k = std::min(T, 1 + static_cast<std::int64_t>(way * static_cast<double>(T)));
        Rng rng(seed_ + 1, number);
        hide(k, tokenizer_.vocab_size(), rng, std::span(batch.ids).subspan(first),
             std::span(batch.targets).subspan(first, index(T)));
    }
    return batch;
}

}  // namespace tbt
