#include "lib/corpus/validation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rows.hpp"
#include "lib/corpus/batches.hpp"
#include "lib/files/model.hpp"

namespace tbt {

Validation::Validation(const DocumentSource& source, const Tokenizer& tokenizer, std::uint64_t seed,
                       std::int64_t documents)
    : Validator(source.genres) {
    if (documents < 1 || documents > 1000000)
        throw Error("validation: " + std::to_string(documents) +
                    " documents of each genre, expected 1 to a million");
    std::vector<std::int64_t> found(genres_.size());
    const auto missing = [&] {
        return std::ranges::any_of(found, [&](std::int64_t n) { return n < documents; });
    };
    // About one document in thirty-two is held out; a genre that holds out none stays empty.
    std::uint64_t most = 4000 * static_cast<std::uint64_t>(documents) + 10'000;
    if (source.count() > 0) most = std::min(most, source.count());  // each once
    std::uint64_t index = 0;
    for (; index < most && missing(); ++index) {
        const Document document = source.document(seed, index);
        const auto genre = static_cast<std::size_t>(document.genre);
        shares_[genre] += 1;
        if (!document.held_out || found[genre] >= documents) continue;
        ++found[genre];
        const std::vector<int> tokens = tokenizer.encode(document.text);
        Sample sample{document.genre,
                      {tokenizer.eos_id()},
                      static_cast<std::int64_t>(document.text.size()),
                      document.bits};
        sample.ids.insert(sample.ids.end(), tokens.begin(), tokens.end());
        sample.ids.push_back(tokenizer.eos_id());
        samples_.push_back(std::move(sample));
    }
    if (samples_.empty())
        throw Error(
            "train: no documents are held out, so there is nothing to validate on; "
            "the word hold in a grammar names what is (data/corpus/README.md)");
    for (double& share : shares_) share /= static_cast<double>(index);
    // Sort by length, so that batches need less padding.
    std::ranges::stable_sort(samples_, {}, [](const Sample& s) { return s.ids.size(); });
}

std::vector<Validation::Window> Validation::windows(std::int64_t context) const {
    std::vector<Window> all;
    for (const Sample& sample : samples_) {
        const auto predictions = static_cast<std::int64_t>(sample.ids.size()) - 1;
        std::int64_t counted = 0;
        while (counted < predictions) {
            const std::int64_t start =
                counted == 0 ? 0
                             : std::max<std::int64_t>(
                                   0, std::min(counted, predictions - context / 2) - context / 2);
            const std::int64_t length = std::min(context, predictions - start);
            all.push_back({&sample, start, length, counted - start});
            counted = start + length;
        }
    }
    return all;
}

std::vector<GenreResult> Validation::run(const LossFunction& loss, std::int64_t context) const {
    if (context < 1)
        throw Error("validation: a context of " + std::to_string(context) +
                    " tokens, expected 1 or more");
    std::vector<GenreResult> results(genres_.size());
    for (std::size_t g = 0; g < genres_.size(); ++g) results[g].genre = genres_[g];
    for (const Sample& sample : samples_) {
        GenreResult& r = results[static_cast<std::size_t>(sample.genre)];
        ++r.documents;
        r.bytes += sample.bytes;
        r.floor_bits += sample.bits;
    }
    const std::vector<Window> windows = this->windows(context);
    constexpr std::size_t batch = 8;
    for (std::size_t w = 0; w < windows.size(); w += batch) {
        const std::size_t end = std::min(windows.size(), w + batch);
        std::int64_t T = 0;
        for (std::size_t i = w; i < end; ++i) T = std::max(T, windows[i].length);
        const auto B = static_cast<std::int64_t>(end - w);
        std::vector<std::int32_t> ids(static_cast<std::size_t>(B * T), 0), targets(ids.size(), -1);
        for (std::size_t i = w; i < end; ++i) {
            const Window& window = windows[i];
            for (std::int64_t t = 0; t < window.length; ++t) {
                const auto at = (i - w) * static_cast<std::size_t>(T) + static_cast<std::size_t>(t);
                ids[at] = window.sample->ids[static_cast<std::size_t>(window.start + t)];
                if (t >= window.seen)
                    targets[at] =
                        window.sample->ids[static_cast<std::size_t>(window.start + t + 1)];
            }
        }
        const std::vector<double> losses = loss(ids, targets, B, T);
        check_size("validation: losses", losses.size(), ids.size());
        for (std::size_t i = w; i < end; ++i) {
            double nats = 0;
            for (std::int64_t t = 0; t < T; ++t)
                nats += losses[(i - w) * static_cast<std::size_t>(T) + static_cast<std::size_t>(t)];
            results[static_cast<std::size_t>(windows[i].sample->genre)].bits +=
                nats / std::numbers::ln2;
        }
    }
    return results;
}

GenreResult Validator::total(const std::vector<GenreResult>& results) const {
    // Mean bits per document over mean bytes per document, with genres weighted by their shares.
    check_size("validation: results", results.size(), shares_.size());
    double bits = 0, floor = 0, bytes = 0;
    GenreResult sum{"(as drawn)", 0, 0, 0, 0};
    for (std::size_t g = 0; g < results.size(); ++g) {
        const GenreResult& r = results[g];
        if (r.documents == 0) continue;
        const double weight = shares_[g] / static_cast<double>(r.documents);
        bits += weight * r.bits;
        floor += weight * r.floor_bits;
        bytes += weight * static_cast<double>(r.bytes);
        sum.documents += r.documents;
        sum.bytes += r.bytes;
    }
    sum.bits = bits / bytes * static_cast<double>(sum.bytes);
    sum.floor_bits = floor / bytes * static_cast<double>(sum.bytes);
    return sum;
}

std::string validation_table(const std::vector<GenreResult>& results, const GenreResult& total) {
    char line[160];
    std::snprintf(line, sizeof line, "%-18s %9s %9s %9s %9s\n", "genre", "documents", "bits/byte",
                  "floor", "gap");
    std::string table = line;
    std::vector<GenreResult> all = results;
    all.push_back(total);
    for (const GenreResult& r : all) {
        if (r.documents == 0) continue;
        if (std::isnan(r.floor()))
            std::snprintf(line, sizeof line, "%-18s %9lld %9.4f %9s %9s\n", r.genre.c_str(),
                          static_cast<long long>(r.documents), r.bits_per_byte(), "", "");
        else
            std::snprintf(line, sizeof line, "%-18s %9lld %9.4f %9.4f %9.4f\n", r.genre.c_str(),
                          static_cast<long long>(r.documents), r.bits_per_byte(), r.floor(),
                          r.bits_per_byte() - r.floor());
        table += line;
    }
    return table;
}

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

Evaluation evaluate_model(const DocumentSource& source, Model& model, std::int64_t documents) {
    const Validation validation(source, model.tokenizer, validation_seed, documents);
    const auto V = index(model.config().vocab_size);
    std::vector<float> log_p(V);
    KvCache cache(model.config());
    const LossFunction loss = [&](const auto& ids, const auto& targets, std::int64_t B,
                                  std::int64_t T) {
        std::vector<double> losses(ids.size());
        for (std::int64_t b = 0; b < B; ++b) {
            const auto first = index(b * T);
            cache.clear();
            const Logits logits =
                model.transformer.forward_all(cache, std::span(ids).subspan(first, index(T)));
            for (std::int64_t t = 0; t < T; ++t) {
                const std::int32_t target = targets[first + index(t)];
                if (target < 0) continue;
                log_softmax(logits.row(t), log_p);
                losses[first + index(t)] = -static_cast<double>(log_p[index(target)]);
            }
        }
        return losses;
    };
    const std::vector<GenreResult> results = validation.run(loss, model.config().n_positions);
    return {results, validation.total(results)};
}

std::string evaluate_directory(const DocumentSource& source, const std::filesystem::path& directory,
                               int threads, std::int64_t documents) {
    TransformerOptions options;
    options.threads = threads;
    Model model = load_model(directory, options);
    const Evaluation evaluation = evaluate_model(source, model, documents);
    return validation_table(evaluation.genres, evaluation.total);
}

}  // namespace tbt
