// Expands a grammar to a document: walks its tree with our own random numbers and adds up the bits
// of each choice.
//
// The part of the language with which a grammar simulates a world [Meehan 1977, TALE-SPIN]:
//
//     {if boat.owner=h.name}    this alternative is possible only if this is true
//     {boat.owner:={@h}}        an event changes the world
//     {@h}                      the pronoun of a person or thing if it is clear who is meant, else
//                               the name
//
// A rule is a task. Its alternatives are the ways to do it, each with its preconditions. So a story
// is what characters do in a world, and its bits are still those of its choices: an alternative
// that does not fit has probability 0, and the probabilities of the others are normalised.
// (Different choices may write the same text. Then the recorded bits are more than −log2 of the
// text's probability, so the floor of a simulated genre is an upper bound of its entropy.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/corpus/documents.hpp"
#include "lib/corpus/tree.hpp"

namespace tbt::grammar {

inline constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;

// SplitMix64 [Steele, Lea, Flood 2014]: a counter whose value is mixed.
inline std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

class Generator {
public:
    Generator(std::uint64_t seed, std::uint64_t stream, std::uint64_t index)
        : state_(mix(mix(mix(seed + golden) + stream + golden) + index + golden)) {}

    // An integer from 0 to n − 1, all equally likely [Lemire 2019]: the high half of x · n. The few
    // x that would make some results more likely are rejected.
    std::uint32_t below(std::uint32_t n) {
        std::uint64_t product = static_cast<std::uint64_t>(next()) * n;
        if (static_cast<std::uint32_t>(product) < n) {
            const std::uint32_t threshold = (0u - n) % n;
            while (static_cast<std::uint32_t>(product) < threshold)
                product = static_cast<std::uint64_t>(next()) * n;
        }
        return static_cast<std::uint32_t>(product >> 32);
    }

private:
    std::uint32_t next() { return static_cast<std::uint32_t>(mix(state_ += golden) >> 32); }
    std::uint64_t state_;
};

// The value of a variable.
struct Value {
    enum class Kind { none, row, text, number } kind = Kind::none;
    int table = 0;
    std::size_t row = 0;
    std::int64_t number = 0;
    std::string text;
    // The columns of the row that were changed: (id of the column's name, text).
    std::vector<std::pair<int, std::string>> changed;
};

class Expansion : public Choices {
public:
    Expansion(const Tree& tree, Generator& generator)
        : tree_(tree), generator_(generator), values_(tree.variables.size()) {
        out_.reserve(2048);
        if (tree.lexicon != nullptr) telling_.emplace(*tree.lexicon, *this);
    }

    std::size_t choose(const Weights& weights);
    Document document(int genre);

private:
    [[noreturn]] void fail(Place place, const std::string& message) const {
        throw Error(tree_.where(place) + message);
    }
    const std::string& variable_name(int slot) const { return tree_.variables[index(slot)]; }

    void rule(int index, Place place);
    void sequence(const Sequence& nodes);
    void node(const Node& n);
    const std::string& text_of(int string) const;
    int cell(int slot, int column_name, Place place) const;
    // The cell as text, with changes since the row was drawn.
    const std::string& text_at(int slot, int column_name, Place place) const;
    void indirect(const Node& n);
    void keep(const Node& n);
    void print(const Node& n);
    void column(const Node& n);
    // An index for which fits(i) is true, drawn by its weight; none if there is no such index.
    template <class Fits>
    std::optional<std::size_t> choose_among(const Weights& weights, Fits fits);
    // The simulated world.
    std::size_t choose_fitting(const Choice& choice, Place place);
    bool holds(const Node& guard) const;
    void change(const Node& n);
    void mention(const Node& n);
    void mentioned(int slot, const std::string& pronoun);
    void forget(int slot);
    std::size_t weighted(const std::vector<std::uint32_t>& weights) override;
    bool fits(const Node& n, const Table& table, std::size_t row) const;
    void draw(const Node& n);
    std::size_t draw_where(const Node& n, const Table& table);
    std::string conditions(const Node& n, const Table& table) const;
    std::int64_t value_of(const Operand& o, Place place) const;
    std::int64_t number(const std::string& text, Place place) const;
    void set_number(int slot, std::int64_t number);
    std::int64_t calculate(const Node& n) const;
    std::int64_t uniform(std::int64_t low, std::int64_t high, Place place);
    void integer(const Node& n);
    void repeat(const Node& n);
    // True for one in 32 combinations of the `hold` values, or if there are none, of what is told,
    // by a hash of the genre's name and the values.
    bool held_out(const Genre& genre) const;

    const Tree& tree_;
    Generator& generator_;
    std::vector<Value> values_;
    std::string out_;
    double bits_ = 0;
    int depth_ = 0;
    // Of choose_among: (index, sum of the weights up to it).
    std::vector<std::pair<std::size_t, std::uint32_t>> fitting_;
    struct Mentioned {
        std::string pronoun;
        int slot = -1;
        int in_a_row = 0;  // sentences that began with the pronoun
    };
    std::vector<Mentioned> mentioned_;
    std::optional<Telling> telling_;  // if there is a lexicon
};

// English spelling: does the word at `at` take "an"? "an hour", "a useful", "an 8", "a one-eyed".
bool takes_an(const std::string& text, std::size_t at);

// Capitalises the first letter at `at`, after any quotation marks; also the accented Latin letters
// U+00E0 to U+00FE.
void capitalise(std::string& text, std::size_t at);

}  // namespace tbt::grammar
