#include "chapters/19_training/canvas/canvases.hpp"

#include <algorithm>
#include <numeric>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

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
