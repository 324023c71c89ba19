#include "lib/corpus/text_probability.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/corpus/derivation.hpp"
#include "lib/corpus/rows.hpp"

namespace tbt {

using namespace grammar;

namespace {

// Computes which variables a rule or a choice may set. Rules use each other, so the sets grow until
// nothing is added.
class Written {
public:
    explicit Written(const Tree& tree)
        : tree_(tree), rules_(tree.rules.size()), choices_(tree.choices.size()) {
        for (bool grows = true; grows;) {
            grows = false;
            // The choices inside a choice come before it, so these need no other round.
            for (std::size_t c = 0; c < choices_.size(); ++c) add(tree.choices[c], choices_[c]);
            for (std::size_t r = 0; r < rules_.size(); ++r)
                grows = add(tree.rules[r].choice, rules_[r]) || grows;
        }
    }

    std::vector<std::vector<int>> of_choices() const {
        std::vector<std::vector<int>> result;
        for (const auto& slots : choices_) result.emplace_back(slots.begin(), slots.end());
        return result;
    }

private:
    using Slots = std::set<int>;

    static std::size_t at(int i) { return index(i); }

    bool add(const Choice& choice, Slots& slots) const {
        const std::size_t before = slots.size();
        for (const Sequence& piece : choice.pieces)
            for (const Node& node : piece) add(node, slots);
        return slots.size() > before;
    }

    void add(const Node& n, Slots& slots) const {
        const auto all = [&](const Slots& more) { slots.insert(more.begin(), more.end()); };
        if (n.kind == Kind::draw || n.kind == Kind::integer || n.kind == Kind::calc ||
            n.kind == Kind::keep)
            slots.insert(n.slot);
        if (n.kind == Kind::choice || n.kind == Kind::keep || n.kind == Kind::change)
            all(choices_[at(n.index)]);
        if (n.kind == Kind::rule || n.kind == Kind::repeat) all(rules_[at(n.index)]);
        if (n.kind != Kind::indirect) return;
        for (const Table& table : tree_.tables) {
            const int column = table.column_of_name[at(n.column_name)];
            for (std::size_t row = 0; column >= 0 && row < table.rows.size(); ++row)
                if (const int rule = tree_.rule_of_string[at(table.rows[row][at(column)])];
                    rule >= 0)
                    all(rules_[at(rule)]);
        }
    }

    const Tree& tree_;
    std::vector<Slots> rules_, choices_;
};

}  // namespace

std::vector<std::vector<int>> written_slots(const Tree& tree) { return Written(tree).of_choices(); }

Recogniser::Recogniser(const Corpus& corpus, std::uint64_t max_steps)
    : corpus_(corpus), max_steps_(max_steps), written_(written_slots(corpus.tree())) {}

Recogniser::Answer Recogniser::ask(const std::string& text, int genre, bool prefix) const {
    Answer answer = Answer::no;
    for (int g = 0; g < count(corpus_.genres); ++g) {
        if (genre >= 0 && g != genre) continue;
        try {
            Derivation derivation(corpus_.tree(), written_, text, prefix, max_steps_);
            if (derivation.from(corpus_.tree().genres[index(g)])) return Answer::yes;
        } catch (const Derivation::TooLong&) {
            answer = Answer::undecided;
        }
    }
    return answer;
}

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

}  // namespace tbt
