// How good is a model? Bits per byte on documents whose combination it has never seen,
// beside the entropy floor.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "chapters/19_training/documents.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

// One genre, or all documents as the corpus draws them.
struct GenreResult {
    std::string genre;
    std::int64_t documents = 0, bytes = 0;
    double bits = 0;        // of the model
    double floor_bits = 0;  // of the generator that wrote them; not a number: nobody knows them

    double bits_per_byte() const { return bits / static_cast<double>(bytes); }
    double floor() const { return floor_bits / static_cast<double>(bytes); }
};

// −ln p of each target, for (B, T) ids and targets; a target of −1 is not wanted.
// What a trainer or a finished model offers.
using LossFunction = std::function<std::vector<double>(const std::vector<std::int32_t>& ids,
                                                       const std::vector<std::int32_t>& targets,
                                                       std::int64_t B, std::int64_t T)>;

// The documents that every training and evaluation uses: another stream than those of small seeds.
inline constexpr std::uint64_t validation_seed = 0x76616c6964617465u;

// Reads held-out documents with a model. What is counted, each kind of model has its way.
class Validator {
public:
    virtual ~Validator() = default;

    // One result a genre; context: the longest sequence.
    virtual std::vector<GenreResult> run(const LossFunction& loss, std::int64_t context) const = 0;

    // Genres weighted as they are drawn, that is by their share of the documents.
    GenreResult total(const std::vector<GenreResult>& results) const;

protected:
    explicit Validator(const std::vector<std::string>& genres)
        : genres_(genres), shares_(genres.size()) {}

    std::vector<std::string> genres_;
    std::vector<double> shares_;
};

// What is counted. A document is what stands between two separators. Given the first of them,
// the model's bits are
//     −Σ log2 p(token | separator, tokens before)
// over the tokens of the text and the separator that ends it.
// The generator's bits are −log2 of the probability with which it draws this genre
// and then writes this text; that its text ends there is part of that probability.
// So both sides are codes for the same thing, "which document",
// and no model's average can be lower than the generator's on documents as drawn.
// Both are divided by the bytes of the text (the separator has none).
class Validation : public Validator {
public:
    // The first `documents` held-out documents of each genre (as drawn with the seed).
    // Throws Error where there are none.
    Validation(const DocumentSource& source, const Tokenizer& tokenizer, std::uint64_t seed,
               std::int64_t documents);

    // Longer documents than the context are read in overlapping windows.
    std::vector<GenreResult> run(const LossFunction& loss, std::int64_t context) const override;

private:
    struct Sample {
        int genre;
        std::vector<std::int32_t> ids;  // the text's tokens between two separators
        std::int64_t bytes;
        double bits;
    };
    // Positions [start, start + length) of a sample; the first `seen` predictions were counted
    // before.
    struct Window {
        const Sample* sample;
        std::int64_t start, length, seen;
    };
    std::vector<Window> windows(std::int64_t context) const;

    std::vector<Sample> samples_;
};

// "story  0.123 (floor 0.110)" … as a table, and a last line with the total.
std::string validation_table(const std::vector<GenreResult>& results, const GenreResult& total);

}  // namespace tbt
