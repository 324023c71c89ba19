#include "lib/grammar/schema/arrays.hpp"

#include <algorithm>

namespace tbt {

namespace {

using Meets = ArrayShape::Meets;

// The highest count that matters.
int highest(const ArrayShape::Counter& c) { return c.most >= 0 ? c.most : c.least; }

}  // namespace

int add_blanks(Grammar& grammar, int from, int most) {
    const auto blank = [&](int before, int after) {
        grammar.edge(before, ' ', ' ', after);
        grammar.edge(before, '\t', '\n', after);
        grammar.edge(before, '\r', '\r', after);
    };
    const int out = grammar.add_node();
    if (most < 0) {
        const int loop = grammar.add_node();
        grammar.skip(from, loop);
        blank(loop, loop);
        grammar.skip(loop, out);
        return out;
    }
    grammar.skip(from, out);
    for (int i = 1; i < most; ++i) {
        const int next = grammar.add_node();
        blank(from, next);
        grammar.skip(from = next, out);
    }
    if (most > 0) blank(from, out);
    return out;
}

// ---- what both kinds have in common ----

int ArrayNodes::first_node(Grammar& grammar, int index) {
    source_ = index;
    return node_of(grammar, {Where::first, start_});
}

// The node of the key. If it is new, it is added to the grammar; this source will expand it.
int ArrayNodes::node_of(Grammar& grammar, const Key& key) {
    const auto [place, added] = nodes_.try_emplace(key, 0);
    if (added) {
        place->second = grammar.add_node();
        grammar.node(place->second).source = source_;
        keys_[place->second] = key;
    }
    return place->second;
}

void ArrayNodes::expand(Grammar& grammar, int node) {
    const auto [where, state] = key(node);
    const int inner = grammar.add_node();
    grammar.skip(node, inner);
    const int free = blanks_.free ? add_blanks(grammar, inner, blanks_.most) : inner;
    const auto fixed = [&](const std::string& text) {
        return blanks_.free ? free : grammar.bytes(free, text);
    };
    if (where != Where::item && complete(state)) {
        const int end = grammar.add_node();
        grammar.edge(where == Where::first ? free : fixed(blanks_.close), ']', ']', end);
        grammar.node(end).final = true;
    }
    if (full(state)) return;
    if (where == Where::after) {
        const std::string text = "," + (blanks_.free ? std::string() : blanks_.comma);
        const int last = grammar.bytes(free, text.substr(0, text.size() - 1));
        const auto byte = static_cast<std::uint8_t>(text.back());
        return grammar.edge(last, byte, byte, node_of(grammar, {Where::item, state}));
    }
    const int at = where == Where::first ? fixed(blanks_.open) : free;
    for (const Item& item : items(grammar, state))
        grammar.call(at, item.rule, node_of(grammar, {Where::after, item.after}));
}

// ---- arrays with counters ----

int ArrayShape::last_index() const {
    int last = std::max(static_cast<int>(rules.size()) - 1, least);
    for (const Counter& c : counters) last = std::max(last, c.from);
    return most >= 0 ? most : last;
}

double ArrayShape::count_states() const {
    double states = last_index() + 1.0;
    for (const Counter& c : counters) states *= highest(c) + 1.0;
    return states;
}

// If a counter has an upper limit, each item must either meet or fail its schema. Without one it is
// enough to count the items that are written to meet it.
std::vector<ArrayShape::Choice> ArrayShape::choices(int index) const {
    std::vector<Choice> all{{}};
    for (const Counter& c : counters) {
        std::vector<Choice> longer;
        for (const Choice& choice : all) {
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
    : ArrayNodes({0, std::vector<int>(shape.counters.size())}, std::move(blanks)),
      shape_(std::move(shape)),
      last_(shape_.last_index()) {
    for (const ArrayShape::Counter& c : shape_.counters)
        states_ *= static_cast<std::size_t>(highest(c)) + 1;
}

bool ArraySource::complete(const State& state) const {
    for (std::size_t c = 0; c < state.written.size(); ++c)
        if (state.written[c] < shape_.counters[c].least) return false;
    return state.index >= shape_.least;
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

std::vector<ArrayNodes::Item> ArraySource::items(const Grammar&, const State& state) const {
    std::vector<Item> all;
    const int next = shape_.most < 0 ? std::min(state.index + 1, last_) : state.index + 1;
    for (const auto& [choice, rule] :
         shape_.rules[std::min(index(state.index), shape_.rules.size() - 1)]) {
        State after{next, state.written};
        if (count_item(after.written, choice)) all.push_back({rule, std::move(after)});
    }
    return all;
}

std::size_t ArraySource::place(const State& state) const {
    std::size_t at = 0;
    for (std::size_t c = 0; c < state.written.size(); ++c)
        at = at * (index(highest(shape_.counters[c])) + 1) + index(state.written[c]);
    return index(state.index) * states_ + at;
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
    t.rest.assign((index(last_) + 1) * states_, Grammar::never);
    State now{0, std::vector<int>(shape_.counters.size())};
    for (now.index = last_; now.index >= 0; --now.index) {
        for (std::size_t state = states_; state-- > 0;) {
            std::size_t left = state;
            for (std::size_t c = now.written.size(); c-- > 0;) {
                const std::size_t values = index(highest(shape_.counters[c])) + 1;
                now.written[c] = static_cast<int>(left % values);
                left /= values;
            }
            t.rest[place(now)] = complete(now) ? 0 : cheapest(measure, t, now);
        }
    }
    return t;
}

// The least cost of one more item and everything after it.
int ArraySource::cheapest(const Measure& measure, const Table& t, const State& state) const {
    int best = Grammar::never;
    if (full(state)) return best;
    for (const auto& [rule, after] : items(measure.grammar(), state))
        if (after != state || complete(state))
            best = std::min(best, saturating_add(t.comma, saturating_add(measure.rule(rule),
                                                                         t.rest[place(after)])));
    return best;
}

int ArraySource::cost(const Measure& measure, int node) const {
    const Table& t = table(measure);
    const auto& [where, state] = key(node);
    const int rest = where == Where::item ? cheapest(measure, t, state) : t.rest[place(state)];
    if (rest >= Grammar::never) return Grammar::never;
    // The table counts a comma for each item, but the next item here has none before it.
    if (where == Where::after) return rest + t.close;
    if (rest == 0 && where == Where::first) return 1;
    return rest - t.comma + t.close + (where == Where::first ? t.open : 0);
}

std::vector<int> ArraySource::rules() const {
    std::vector<int> all;
    for (const auto& choices : shape_.rules)
        for (const auto& [choice, rule] : choices) all.push_back(rule);
    return all;
}

// ---- arrays of different items ----

DistinctItems::DistinctItems(std::vector<int> values, int least, int most, Blanks blanks)
    : ArrayNodes({}, std::move(blanks)),
      values_(std::move(values)),
      least_(least),
      most_(most < 0 ? count(values_) : std::min(most, count(values_))) {}

std::vector<ArrayNodes::Item> DistinctItems::items(const Grammar& grammar,
                                                   const State& state) const {
    std::vector<Item> all;
    for (int i = 0; i < count(values_); ++i) {
        const auto place = std::lower_bound(state.written.begin(), state.written.end(), i);
        if (place != state.written.end() && *place == i) continue;
        if (grammar.rule(values_[index(i)]).cost >= Grammar::never) continue;
        State after{state.index + 1, state.written};
        after.written.insert(after.written.begin() + (place - state.written.begin()), i);
        all.push_back({values_[index(i)], std::move(after)});
    }
    return all;
}

// The cost of the cheapest remaining items and the text between them. After a comma at least one
// item must come.
int DistinctItems::cost(const Measure& measure, int node) const {
    const auto& [where, state] = key(node);
    const int items = std::max(where == Where::item ? 1 : 0, least_ - state.index);
    if (where == Where::first && items == 0) return 1;  // the closing bracket
    std::vector<int> left;
    for (int i = 0; i < count(values_); ++i)
        if (!std::binary_search(state.written.begin(), state.written.end(), i))
            left.push_back(measure.rule(values_[index(i)]));
    if (items > count(left) || state.index + items > most_) return Grammar::never;
    std::partial_sort(left.begin(), left.begin() + items, left.end());
    int all = measure.of(blanks_.close + "]");
    for (int i = 0; i < items; ++i) all = saturating_add(all, left[index(i)]);
    // A comma before each item, except before the first of the array and after a comma.
    const int commas = where == Where::after ? items : items - 1;
    if (where == Where::first) all += measure.of(blanks_.open);
    return saturating_add(all, measure.of("," + blanks_.comma) * commas);
}

}  // namespace tbt
