#include "lib/grammar/schema/array_source.hpp"

#include <algorithm>

#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

namespace {

using Meets = ArrayShape::Meets;

// The highest count that matters.
int highest(const ArrayShape::Counter& c) { return c.most >= 0 ? c.most : c.least; }

}  // namespace

int ArraySource::last_index(const ArrayShape& shape) {
    int last = std::max(static_cast<int>(shape.rules.size()) - 1, shape.least);
    for (const ArrayShape::Counter& c : shape.counters) last = std::max(last, c.from);
    return shape.most >= 0 ? shape.most : last;
}

double ArraySource::count_states(const ArrayShape& shape) {
    double states = last_index(shape) + 1.0;
    for (const ArrayShape::Counter& c : shape.counters) states *= highest(c) + 1.0;
    return states;
}

// If a counter has an upper limit, each item must either meet or fail its schema. Without one it is
// enough to count the items that are written to meet it.
std::vector<ArrayShape::Choice> ArraySource::choices(
    const std::vector<ArrayShape::Counter>& counters, int index) {
    std::vector<ArrayShape::Choice> all{{}};
    for (const ArrayShape::Counter& c : counters) {
        std::vector<ArrayShape::Choice> longer;
        for (const ArrayShape::Choice& choice : all) {
            const auto add = [&](Meets meets) {
                longer.push_back(choice), longer.back().push_back(meets);
            };
            if (index >= c.from) add(Meets::yes);
            if (index < c.from || c.most < 0) add(Meets::either);
            else add(Meets::no);
        }
        all.swap(longer);
    }
    return all;
}

ArraySource::ArraySource(ArrayShape shape, Blanks blanks)
    : shape_(std::move(shape)), blanks_(std::move(blanks)), last_(last_index(shape_)) {
    for (const ArrayShape::Counter& c : shape_.counters)
        states_ *= static_cast<std::size_t>(highest(c)) + 1;
}

int ArraySource::first_node(Grammar& grammar, int index) {
    index_ = index;
    return nodes_.at(grammar, index_, {Where::first, 0, std::vector<int>(shape_.counters.size())});
}

const std::map<ArrayShape::Choice, int>& ArraySource::rules_at(int index) const {
    return shape_.rules[std::min(static_cast<std::size_t>(index), shape_.rules.size() - 1)];
}

bool ArraySource::complete(int index, const std::vector<int>& counts) const {
    for (std::size_t c = 0; c < counts.size(); ++c) {
        if (counts[c] < shape_.counters[c].least) return false;
    }
    return index >= shape_.least;
}

// Updates the counts for one more item; false if a count would exceed its limit.
bool ArraySource::count_item(std::vector<int>& counts, const ArrayShape::Choice& choice) const {
    for (std::size_t c = 0; c < counts.size(); ++c) {
        if (choice[c] != Meets::yes) continue;
        const ArrayShape::Counter& counter = shape_.counters[c];
        if (counter.most >= 0 && counts[c] == counter.most) return false;
        counts[c] = std::min(counts[c] + 1, highest(counter));
    }
    return true;
}

std::size_t ArraySource::place(int index, const std::vector<int>& counts) const {
    std::size_t at = 0;
    for (std::size_t c = 0; c < counts.size(); ++c)
        at = at * (static_cast<std::size_t>(highest(shape_.counters[c])) + 1) +
             static_cast<std::size_t>(counts[c]);
    return static_cast<std::size_t>(index) * states_ + at;
}

// rest(i, n) = 0 if the array may end, else the minimum of comma + item + rest(i', n') over the
// choices for item i. Computed backwards, since counts only grow. At the last index, items that
// raise no count are skipped: they bring the end no nearer.
const ArraySource::Table& ArraySource::table(const Measure& measure) const {
    Table& t = tables_[measure.in_tokens()];
    if (t.version == measure.version()) return t;
    t.version = measure.version();
    t.comma = measure.of("," + blanks_.comma), t.close = measure.of(blanks_.close + "]");
    t.open = measure.of(blanks_.open);
    t.rest.assign((static_cast<std::size_t>(last_) + 1) * states_, Grammar::never);
    std::vector<int> counts(shape_.counters.size());
    for (int index = last_; index >= 0; --index) {
        for (std::size_t state = states_; state-- > 0;) {
            std::size_t left = state;
            for (std::size_t c = counts.size(); c-- > 0;) {
                const auto values = static_cast<std::size_t>(highest(shape_.counters[c])) + 1;
                counts[c] = static_cast<int>(left % values);
                left /= values;
            }
            t.rest[place(index, counts)] =
                complete(index, counts) ? 0 : cheapest(measure, t, index, counts);
        }
    }
    return t;
}

// The least cost of one more item and everything after it.
int ArraySource::cheapest(const Measure& measure, const Table& t, int index,
                          const std::vector<int>& counts) const {
    int best = Grammar::never;
    if (shape_.most >= 0 && index >= shape_.most) return best;
    for (const auto& [choice, rule] : rules_at(index)) {
        std::vector<int> then = counts;
        if (!count_item(then, choice)) continue;
        const int next = next_index(index);
        if (next == index && then == counts && !complete(index, counts)) continue;
        best = std::min(best, saturating_add(t.comma, saturating_add(measure.rule(rule),
                                                                     t.rest[place(next, then)])));
    }
    return best;
}

int ArraySource::cost(const Measure& measure, int node) const {
    const Table& t = table(measure);
    const Key& key = nodes_.of(node);
    const int rest = key.where == Where::item ? cheapest(measure, t, key.index, key.counts)
                                              : t.rest[place(key.index, key.counts)];
    if (rest >= Grammar::never) return Grammar::never;
    // The table counts a comma for each item, but the next item here has none before it.
    if (key.where == Where::after) return rest + t.close;
    if (rest == 0 && key.where == Where::first) return 1;
    return rest - t.comma + t.close + (key.where == Where::first ? t.open : 0);
}

std::vector<int> ArraySource::rules() const {
    std::vector<int> all;
    for (const auto& choices : shape_.rules) {
        for (const auto& [choice, rule] : choices) all.push_back(rule);
    }
    return all;
}

void ArraySource::expand(Grammar& grammar, int node) {
    const Key key = nodes_.of(node);
    const int inner = grammar.add_node();
    grammar.skip(node, inner);
    int at = blanks_.free ? add_blanks(grammar, inner, blanks_.most) : inner;
    const auto fixed = [&](const std::string& text) {
        return blanks_.free ? at : grammar.bytes(at, text);
    };
    if (key.where != Where::item && complete(key.index, key.counts)) {
        const int end = grammar.add_node(),
                  last = key.where == Where::first ? at : fixed(blanks_.close);
        grammar.edge(last, ']', ']', end);
        grammar.node(end).final = true;
    }
    if (shape_.most >= 0 && key.index >= shape_.most) return;
    if (key.where == Where::after) {
        std::string text = ",";
        if (!blanks_.free) text += blanks_.comma;
        const int last = grammar.bytes(at, text.substr(0, text.size() - 1));
        const auto byte = static_cast<std::uint8_t>(text.back());
        grammar.edge(last, byte, byte,
                     nodes_.at(grammar, index_, {Where::item, key.index, key.counts}));
        return;
    }
    if (key.where == Where::first) at = fixed(blanks_.open);
    for (const auto& [choice, rule] : rules_at(key.index)) {
        std::vector<int> then = key.counts;
        if (!count_item(then, choice)) continue;
        grammar.call(at, rule,
                     nodes_.at(grammar, index_, {Where::after, next_index(key.index), then}));
    }
}

}  // namespace tbt
