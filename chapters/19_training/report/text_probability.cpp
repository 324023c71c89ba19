#include "chapters/19_training/report/text_probability.hpp"

#include <cmath>
#include <limits>

#include "chapters/19_training/report/derivation.hpp"
#include "chapters/19_training/report/rows_probability.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// log2(2^a + 2^b)
double log2_sum(double a, double b) {
    if (a < b) std::swap(a, b);
    return b == -infinite ? a : a + std::log2(1 + std::exp2(b - a));
}

// Adds up the probabilities of all derivations instead of stopping at the first.
class Inside final : public Derivation {
public:
    using Derivation::Derivation;

    double log2_probability = -infinite;
    int derivations = 0;
    std::vector<TextProbability::Alternative> alternatives;
    std::uint64_t steps() const { return steps_; }

private:
    bool finish() override {
        const double p = probability(rows_, drawn_numbers());
        if (p == 0) return false;
        log2_probability = log2_sum(log2_probability, std::log2(p) - bits_);
        if (derivations++ == 0)
            for (const Frame& frame : frames_)
                if (frame.kind == Frame::Kind::sequence && frame.index == 0)
                    alternatives.push_back({frame.sequence, frame.depth});
        return false;
    }

    // The drawn numbers whose value is known; the others sum to 1.
    std::vector<DrawnNumber> drawn_numbers() const {
        std::vector<DrawnNumber> drawn;
        for (const Number& n : numbers_)
            if (n.known && n.op == 0) drawn.push_back({n.value, bound(n.left), bound(n.right)});
        return drawn;
    }

    DrawnNumber::Bound bound(const Value& v) const {
        if (v.kind == Value::Kind::constant) return {v.constant};
        if (v.kind == Value::Kind::number) return {numbers_[index(v.id)].value};
        return {0, v.id, v.column};
    }
};

}  // namespace

TextProbability::TextProbability(const Corpus& corpus, std::uint64_t max_steps)
    : corpus_(corpus), max_steps_(max_steps), written_(written_slots(corpus.tree())) {}

TextProbability::Result TextProbability::ask(const std::string& text, int genre,
                                             bool prefix) const {
    const grammar::Tree& tree = corpus_.tree();
    if (genre < 0 || genre >= count(tree.genres))
        throw Error("TextProbability: genre is " + std::to_string(genre) + ", expected 0 to " +
                    std::to_string(count(tree.genres) - 1));
    Inside inside(tree, written_, text, prefix, max_steps_);
    Result result;
    try {
        inside.from(tree.genres[index(genre)]);
    } catch (const Derivation::TooLong&) {
        result.decided = false;
    }
    result.bits = -inside.log2_probability;
    result.derivations = inside.derivations;
    result.steps = inside.steps();
    result.alternatives = std::move(inside.alternatives);
    return result;
}

TextProbability::Result TextProbability::whole(const std::string& text, int genre) const {
    return ask(text, genre, false);
}

TextProbability::Result TextProbability::beginning(const std::string& text, int genre) const {
    return ask(text, genre, true);
}

}  // namespace tbt
