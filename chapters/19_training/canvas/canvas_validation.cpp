#include "chapters/19_training/canvas/canvas_validation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "chapters/19_training/canvas/canvases.hpp"
#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {
namespace {

constexpr std::int64_t maskings = 8;  // random masks per document, and rows of a batch

}  // namespace

CanvasValidation::CanvasValidation(const DocumentSource& source, const Tokenizer& tokenizer,
                                   std::uint64_t seed, std::int64_t documents, std::int64_t T)
    : Validator(source.genres), fitting_(source.genres.size()), mask_(tokenizer.vocab_size()) {
    if (documents < 1 || documents > 1000000)
        throw Error("validation: " + std::to_string(documents) +
                    " documents of each genre, expected 1 to a million");
    std::vector<std::int64_t> found(genres_.size()), seen(genres_.size());
    const auto missing = [&] {
        return std::ranges::any_of(found, [&](std::int64_t n) { return n < documents; });
    };
    const std::uint64_t most = 8000 * static_cast<std::uint64_t>(documents) + 10'000;
    for (std::uint64_t i = 0; i < most && missing(); ++i) {
        const Document document = source.document(seed, i);
        const auto genre = index(document.genre);
        if (document.held_out && found[genre] < documents) ++seen[genre];
        else if (document.held_out) continue;
        const auto canvas = canvas_of(document, tokenizer, T);
        if (!canvas) continue;
        shares_[genre] += 1;
        if (!document.held_out) continue;
        ++found[genre];
        samples_.push_back(
            {genre, *canvas, static_cast<std::int64_t>(document.text.size()), document.bits});
    }
    if (samples_.empty())
        throw Error("train: no held-out documents fit into " + std::to_string(T) +
                    " tokens, so there is nothing to validate on");
    double all = 0;
    for (const double share : shares_) all += share;
    for (double& share : shares_) share /= all;
    for (std::size_t g = 0; g < genres_.size(); ++g)
        fitting_[g] =
            seen[g] > 0 ? static_cast<double>(found[g]) / static_cast<double>(seen[g]) : 1;
}

std::vector<GenreResult> CanvasValidation::run(const LossFunction& loss, std::int64_t) const {
    std::vector<GenreResult> results(genres_.size());
    for (std::size_t g = 0; g < genres_.size(); ++g) results[g].genre = genres_[g];
    for (std::size_t s = 0; s < samples_.size(); ++s) {
        const Sample& sample = samples_[s];
        const std::size_t T = sample.canvas.size();
        std::vector<std::int32_t> ids, targets(index(maskings) * T);
        Rng rng(validation_seed, s);
        const double start = rng.uniform();
        for (std::int64_t m = 0; m < maskings; ++m) {
            const double way = (static_cast<double>(m) + start) / maskings;
            const auto k = 1 + static_cast<std::int64_t>(way * static_cast<double>(T));
            ids.insert(ids.end(), sample.canvas.begin(), sample.canvas.end());
            hide(k, mask_, rng, std::span(ids).last(T),
                 std::span(targets).subspan(index(m) * T, T));
        }
        const std::vector<double> losses =
            loss(ids, targets, maskings, static_cast<std::int64_t>(T));
        check_size("validation: losses", losses.size(), ids.size());
        double mean = 0;  // over the masks, of the mean over the hidden tokens
        for (std::size_t m = 0; m < index(maskings); ++m) {
            double nats = 0, hidden = 0;
            for (std::size_t i = m * T; i < (m + 1) * T; ++i)
                if (targets[i] >= 0) nats += losses[i], hidden += 1;
            mean += nats / hidden / maskings;
        }
        GenreResult& r = results[sample.genre];
        ++r.documents;
        r.bytes += sample.bytes;
        r.bits += static_cast<double>(T) * mean / std::numbers::ln2;
        // Given that a document fits, its probability is higher by the factor 1 / fitting_.
        r.floor_bits += sample.bits + std::log2(fitting_[sample.genre]);
    }
    return results;
}

}  // namespace tbt
