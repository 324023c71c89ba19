#include "lib/grammar/schema/length_notes.hpp"

#include <algorithm>

#include "lib/grammar/recognizer/plus.hpp"
#include "lib/index.hpp"

namespace tbt {

int LengthNotes::add_nodes(Grammar& grammar, int index_of_this, Spelling spelling) {
    first_ = grammar.add_node();
    const int end = grammar.add_node();
    grammar.sequences(first_, spell(CodePointSet::all(), spelling), first_);
    for (Grammar::ByteEdge& e : grammar.node(first_).bytes) e.noted = true;
    grammar.edge(first_, '"', '"', end);
    grammar.node(end).final = true;
    inside_.assign(index(grammar.nodes() - first_), Grammar::never);
    inside_[0] = 0;
    inside_[index(end - first_)] = -1;
    for (int id = first_; id < grammar.nodes(); ++id) grammar.node(id).notebook = index_of_this;
    for (bool nearer = true; nearer;) {
        nearer = false;
        for (int id = grammar.nodes() - 1; id > end; --id) {
            for (const Grammar::ByteEdge& e : grammar.node(id).bytes) {
                const int behind = inside_[index(e.to - first_)];
                int& here = inside_[index(id - first_)];
                if (behind < Grammar::never && behind + 1 < here) here = behind + 1, nearer = true;
            }
        }
    }
    return first_;
}

// A character begins.
int LengthNotes::read(int note, std::uint8_t) {
    const long long last = most_ >= 0 ? most_ + 1 : least_;
    return to_int(std::min<long long>(characters(note) + 1, last)) + 1;
}

// fewest(n) = 1 + the least fewest(n − length) over all lengths: after one of these words it is
// one less. Of very many letters, words of the longest kind come first.
int LengthNotes::words(const Measure& measure, long long letters) {
    constexpr long long most = 4096;
    if (!measure.in_tokens()) return to_int(std::min<long long>(letters, Grammar::never));
    if (version_ != measure.version()) {
        lengths_ = measure.lengths_of_words(), fewest_.assign(1, 0);
        version_ = measure.version();
    }
    long long first = 0;
    if (letters > most) {
        const int longest = lengths_.back();
        first = (letters - most + longest - 1) / longest;
        letters -= first * longest;
    }
    while (fewest_.size() <= static_cast<std::size_t>(letters)) {
        int least = Grammar::never;
        for (const int length : lengths_)
            if (index(length) <= fewest_.size())
                least = std::min(least, 1 + fewest_[fewest_.size() - index(length)]);
        fewest_.push_back(least);
    }
    return to_int(first) + fewest_[static_cast<std::size_t>(letters)];
}

int LengthNotes::cost(const Measure& measure, int node, int note) {
    const long long now = characters(note), missing = std::max(0LL, least_ - now);
    const int inside = inside_[index(node - first_)];
    if (most_ >= 0 && now > most_) return Grammar::never;
    if (inside < 0) return missing == 0 ? 0 : Grammar::never;
    return plus(inside + 1, words(measure, missing));
}

}  // namespace tbt
