// Measures how good a model is: bits per byte on held-out documents, whose combinations of parts it
// has never seen, beside the entropy floor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "lib/corpus/documents.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

struct Model;

// One genre, or all documents as the corpus draws them.
struct GenreResult {
    std::string genre;
    std::int64_t documents = 0, bytes = 0;
    double bits = 0;        // −log2 of the model's probability
    double floor_bits = 0;  // −log2 of the generator's probability; NaN: not known

    double bits_per_byte() const { return bits / static_cast<double>(bytes); }
    double floor() const { return floor_bits / static_cast<double>(bytes); }
};

// A function of a trainer or of a finished model: −ln p of each target, for (B, T) ids and targets.
// Targets of −1 are left out.
using LossFunction = std::function<std::vector<double>(const std::vector<std::int32_t>& ids,
                                                       const std::vector<std::int32_t>& targets,
                                                       std::int64_t B, std::int64_t T)>;

// The seed of the validation documents of every training and evaluation. Small seeds, which
// training uses, have other streams.
inline constexpr std::uint64_t validation_seed = 0x76616c6964617465u;

// Evaluates a model on held-out documents. Each kind of model has its own way of counting.
class Validator {
public:
    virtual ~Validator() = default;

    // One result for each genre. `context` is the maximum length of a sequence in tokens.
    virtual std::vector<GenreResult> run(const LossFunction& loss, std::int64_t context) const = 0;

    // The total, with genres weighted by their fraction of the documents.
    GenreResult total(const std::vector<GenreResult>& results) const;

protected:
    explicit Validator(const std::vector<std::string>& genres)
        : genres_(genres), shares_(genres.size()) {}

    std::vector<std::string> genres_;
    std::vector<double> shares_;
};

// What is counted: a document is the text between two separators. The model's bits are
//     −Σ log2 p(token | separator, tokens before)
// over the tokens of the text and the separator after it, given the separator before it. The
// generator's bits are −log2 of the probability that it draws this genre and then writes this text,
// which includes that the text ends there. So both are code lengths for the same document, and no
// model's average can be lower than the generator's on documents as drawn. Both are divided by the
// bytes of the text (the separators have none).
class Validation : public Validator {
public:
    // Uses the first `documents` held-out documents of each genre in the stream of this seed.
    // Throws Error if there are none.
    Validation(const DocumentSource& source, const Tokenizer& tokenizer, std::uint64_t seed,
               std::int64_t documents);

    // Documents longer than the context are read in overlapping windows.
    std::vector<GenreResult> run(const LossFunction& loss, std::int64_t context) const override;

private:
    struct Sample {
        int genre;
        std::vector<std::int32_t> ids;  // the text's tokens between two separators
        std::int64_t bytes;
        double bits;
    };
    // Positions [start, start + length) of a sample. Its first `seen` predictions belong to the
    // window before and are not counted again.
    struct Window {
        const Sample* sample;
        std::int64_t start, length, seen;
    };
    std::vector<Window> windows(std::int64_t context) const;

    std::vector<Sample> samples_;
};

// A table with lines such as "story  0.123 (floor 0.110)", and the total as the last line.
std::string validation_table(const std::vector<GenreResult>& results, const GenreResult& total);

// For a masked model (chapter 22): an upper bound of its bits per byte, beside the entropy floor.
// For a canvas of T tokens with k hidden places, k = 1 … T all equally likely:
//
//     −log2 p(text)  ≤  T · E_k[ mean of −log2 p(token) over the hidden ]
//
// The right side is estimated with a few random masks for each document, with k spread evenly over
// 1 … T. As in Validation, the generator's bits are those of its choices, here among documents that
// fit.
class CanvasValidation : public Validator {
public:
    // The first `documents` held-out documents of each genre that fit into T tokens.
    CanvasValidation(const DocumentSource& source, const Tokenizer& tokenizer, std::uint64_t seed,
                     std::int64_t documents, std::int64_t T);

    std::vector<GenreResult> run(const LossFunction& loss, std::int64_t context) const override;

private:
    struct Sample {
        std::size_t genre;
        std::vector<std::int32_t> canvas;
        std::int64_t bytes;
        double bits;
    };
    std::vector<double> fitting_;  // for each genre, the fraction of held-out documents that fits
    std::vector<Sample> samples_;
    int mask_;
};

// The result for a finished model, loaded from its directory.
struct Evaluation {
    std::vector<GenreResult> genres;
    GenreResult total;
};

// Evaluates on the documents that training validates on: the first `documents` held-out ones of
// each genre.
Evaluation evaluate_model(const DocumentSource& source, Model& model, std::int64_t documents);

// The table of bits per byte. Throws Error if the directory is not a model.
std::string evaluate_directory(const DocumentSource& source, const std::filesystem::path& directory,
                               int threads, std::int64_t documents);

}  // namespace tbt
