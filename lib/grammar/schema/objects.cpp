#include "lib/grammar/schema/objects.hpp"

#include <algorithm>

#include "lib/core/index.hpp"
#include "lib/grammar/recognizer/compile.hpp"

namespace tbt {

// ---- the nodes ----

ObjectGraph::ObjectGraph(const ObjectShape& shape, const Blanks& blanks)
    : shape_(&shape), blanks_(&blanks) {
    for (const ObjectShape::Member& m : shape.members) {
        points_.push_back(code_points_of(m.name, "key"));
        order_.push_back(count(order_));
    }
    std::sort(order_.begin(), order_.end(),
              [&](int a, int b) { return tbt::at(points_, a) < tbt::at(points_, b); });
}

// Gives this position to all nodes that were added since the last call.
void ObjectGraph::mark(Grammar& grammar, Position position) {
    for (int id = base_ + count(positions_); id < grammar.nodes(); ++id) {
        grammar.node(id).annotations = annotations_;
        positions_.push_back(position);
    }
}

// Adds a text. `after` is the position of its last node; the nodes before get a larger `extra`.
int ObjectGraph::add_text(Grammar& grammar, int from, const std::string& text, Position after) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        from = grammar.bytes(from, text.substr(i, 1));
        Position here = after;
        here.extra += count(text) - to_int(i) - 1;
        mark(grammar, here);
    }
    return from;
}

int ObjectGraph::add_layout(Grammar& grammar, int from, const std::string& fixed, Position after) {
    if (!blanks_->free) return add_text(grammar, from, fixed, after);
    const int out = add_blanks(grammar, from, blanks_->most);
    mark(grammar, after);
    return out;
}

int ObjectGraph::begin(Grammar& grammar, int annotations) {
    annotations_ = annotations;
    base_ = first_ = grammar.add_node();
    mark(grammar, {Where::first});
    return first_;
}

void ObjectGraph::build(Grammar& grammar) {
    base_ = grammar.nodes() - 1;  // the first position is that of first_
    after_ = grammar.add_node();
    mark(grammar, {Where::after});
    tree_ = grammar.add_node();
    mark(grammar, {Where::tree, 0});
    add_ends(grammar, tree_);
    branches_.push_back({0, count(order_), 0});
    add_tree(grammar, tree_);
    for (int c = 0; c < count(shape_->classes); ++c) add_class(grammar, c, tree_);
    positions_.shrink_to_fit();  // there may be thousands of objects
}

std::size_t ObjectGraph::nodes_of_members() const {
    constexpr std::size_t around = 8, of_member = 4;
    std::size_t nodes = around;
    const std::vector<std::int32_t>* last = nullptr;
    for (const int m : order_) {
        const std::vector<std::int32_t>& name = tbt::at(points_, m);
        nodes += name.size() + of_member;
        if (last != nullptr)  // a common beginning has the same nodes
            nodes -=
                index(std::mismatch(name.begin(), name.end(), last->begin(), last->end()).first -
                      name.begin());
        last = &name;
    }
    return nodes;
}

void ObjectGraph::add_ends(Grammar& grammar, int key) {
    const int end = grammar.add_node();
    grammar.node(end).final = true;
    mark(grammar, {Where::end});
    const auto quote = [&](int from) { grammar.edge(from, '"', '"', key); };
    const auto close = [&](int from) { grammar.edge(from, '}', '}', end); };
    if (blanks_->free) {
        const int first = add_layout(grammar, first_, "", {Where::first});
        quote(first), close(first);
        const int after = add_layout(grammar, after_, "", {Where::after});
        close(after);
        const int comma = grammar.bytes(after, ",");
        mark(grammar, {Where::key});
        quote(add_layout(grammar, comma, "", {Where::key}));
        return;
    }
    close(first_);
    quote(add_text(grammar, first_, blanks_->open, {Where::key}));
    close(add_text(grammar, after_, blanks_->close, {Where::closing, 0, 1}));
    std::string comma = ",";
    comma += blanks_->comma;
    quote(add_text(grammar, after_, comma, {Where::key}));
}

// Adds all keys as a tree: keys with a common prefix share its nodes. A stack of open branches
// replaces recursion, since a key may have a hundred thousand letters.
void ObjectGraph::add_tree(Grammar& grammar, int key) {
    std::vector<Open> open{{0, 0, key}};
    while (!open.empty()) {
        const Open now = open.back();
        open.pop_back();
        int low = tbt::at(branches_, now.branch).low;
        const int high = tbt::at(branches_, now.branch).high;
        const auto points = [&](int i) -> const auto& { return tbt::at(points_, member(i)); };
        if (low < high && count(points(low)) == now.depth) {
            const int m = member(low++);
            add_value(grammar, now.node, {Where::colon, m}, tbt::at(shape_->members, m).rule,
                      m + 1);
        }
        while (low < high) {
            int end = low + 1;
            while (end < high && tbt::at(points(end), now.depth) == tbt::at(points(low), now.depth))
                ++end;
            const int node = add_branch(grammar, now, low, end);
            open.push_back({count(branches_) - 1, now.depth + 1, node});
            low = end;
        }
    }
}

int ObjectGraph::add_branch(Grammar& grammar, const Open& from, int low, int high) {
    const std::int32_t c = tbt::at(tbt::at(points_, member(low)), from.depth);
    const std::string letter = shortest_spelling(c, Spelling::json);
    branches_.push_back({low, high, tbt::at(branches_, from.branch).bytes + count(letter)});
    return add_text(grammar, from.node, letter, {Where::tree, count(branches_) - 1});
}

void ObjectGraph::add_value(Grammar& grammar, int after_key, Position colon, int rule, int label) {
    const int fixed = count(blanks_->colon);
    Position quoted = colon;
    quoted.extra = 1 + fixed;
    int at = grammar.bytes(after_key, "\"");
    mark(grammar, quoted);
    at = add_layout(grammar, at, "", quoted);
    at = grammar.bytes(at, ":");
    colon.extra = fixed;
    mark(grammar, colon);
    colon.extra = 0;
    at = add_layout(grammar, at, blanks_->colon, colon);
    grammar.node(at).calls.push_back({rule, after_, label});
}

void ObjectGraph::add_class(Grammar& grammar, int c, int key) {
    const int first = grammar.nodes();
    const int start = grammar.add_node();
    grammar.skip(key, start);
    const std::size_t first_epsilon = grammar.epsilon_edges().size();
    const int out = add_dfa(grammar, tbt::at(shape_->classes, c).keys, start, Spelling::json);
    const int end = grammar.nodes();
    mark(grammar, {Where::of_class, c});
    measure_class(grammar, first, first_epsilon, out);
    for (int id = first; id < end; ++id)
        for (Grammar::ByteEdge& e : grammar.node(id).bytes) e.annotated = true;
    class_starts_.push_back(start);
    add_value(grammar, out, {Where::class_colon, c}, tbt::at(shape_->classes, c).rule,
              count(shape_->members) + c + 1);
}

// Finds the fewest bytes from each node to the end, going backwards from the end. Also finds the
// nodes that lead to a loop: those left after nodes without successors are removed repeatedly.
void ObjectGraph::measure_class(const Grammar& grammar, int first, std::size_t first_epsilon,
                                int out) {
    const int size = grammar.nodes() - first;
    std::vector<std::vector<std::pair<int, int>>> before(index(size));
    std::vector<int> ways(index(size)), open;
    const auto add = [&](int from, int to, int bytes) {
        before[index(to - first)].emplace_back(from, bytes);
        ++ways[index(from - first)];
    };
    for (const Grammar::EpsilonEdge& e : grammar.epsilon_edges().subspan(first_epsilon))
        add(e.from, e.to, 0);
    for (int id = first; id < grammar.nodes(); ++id) {
        for (const Grammar::ByteEdge& e : grammar.node(id).bytes) add(id, e.to, 1);
        positions_[index(id - base_)].to_end = Grammar::never;
        positions_[index(id - base_)].endless = true;
    }
    for (int id = first; id < grammar.nodes(); ++id)
        if (ways[index(id - first)] == 0) open.push_back(id);
    while (!open.empty()) {
        const int id = open.back();
        open.pop_back();
        positions_[index(id - base_)].endless = false;
        for (const auto& [b, bytes] : before[index(id - first)])
            if (--ways[index(b - first)] == 0) open.push_back(b);
    }
    positions_[index(out - base_)].to_end = 0;
    std::vector<int> layer{out}, next;
    for (int distance = 0; !layer.empty(); ++distance, layer.swap(next), next.clear()) {
        for (std::size_t i = 0; i < layer.size(); ++i) {
            for (const auto& [b, bytes] : before[index(layer[i] - first)]) {
                int& known = positions_[index(b - base_)].to_end;
                if (distance + bytes >= known) continue;
                known = distance + bytes;
                (bytes == 0 ? layer : next).push_back(b);
            }
        }
    }
}

// Tokens may end and begin between the letters of a key, but not inside an escaped letter.
std::string ObjectGraph::written_key(int member, std::vector<bool>& cuts) const {
    std::string text;
    for (const std::int32_t c : tbt::at(points_, member)) {
        cuts.push_back(true);
        text += shortest_spelling(c, Spelling::json);
        cuts.resize(text.size());
    }
    text += "\":" + blanks_->colon;
    cuts.resize(text.size(), true);
    return text;
}

int ObjectGraph::bytes_to_end(const Grammar& grammar, int node, const TextSets& keys, int written,
                              int text) const {
    // Does a written key begin with this text?
    const auto risky = [&](int t) { return t >= 0 && keys.has_prefix(written, t); };
    if (!risky(text)) return at(node).to_end;
    const std::vector<Grammar::ByteEdge>& edges = grammar.node(node).bytes;
    const auto risky_after = [&](int byte) {
        const int next = keys.find(text, static_cast<std::uint8_t>(byte));
        return risky(next) ? next : TextSets::nowhere;
    };
    int least = Grammar::never;
    for (const Grammar::ByteEdge& e : edges) {
        if (!e.annotated && !keys.contains(written, text)) return 0;
        if (!e.annotated || 1 + at(e.to).to_end >= least) continue;
        for (int byte = e.low; byte <= e.high; ++byte) {
            if (risky_after(byte) >= 0) continue;
            least = 1 + at(e.to).to_end;
            break;
        }
    }
    // Is it shorter to follow a written key for one more byte and to differ from it later?
    for (const Grammar::ByteEdge& e : edges) {
        for (int byte = e.low; e.annotated && byte <= e.high; ++byte) {
            if (1 + at(e.to).to_end >= least) break;
            if (const int next = risky_after(byte); next >= 0)
                least = std::min(least, 1 + bytes_to_end(grammar, e.to, keys, written, next));
        }
    }
    return least;
}

ObjectAnnotations::ObjectAnnotations(ObjectShape shape, Blanks blanks)
    : shape_(std::move(shape)),
      blanks_(std::move(blanks)),
      graph_(shape_, blanks_),
      last_(shape_.members.size() + 1, members()) {
    for (int m = members(); m-- > 0;)
        last_[index(m)] = shape_.members[index(m)].required ? m : last(m + 1);
    forget();
}

class ObjectAnnotations::Later : public Grammar::NodeSource {
public:
    explicit Later(ObjectAnnotations& object) : object_(&object) {}
    int cost(const Measure& measure, int node) const override {
        return object_->cost(measure, node, at_entry);
    }
    std::vector<int> rules() const override { return object_->rules(); }
    void expand(Grammar& grammar, int) override { object_->graph_.build(grammar); }

private:
    ObjectAnnotations* object_;
};

int ObjectAnnotations::add_nodes(Grammar& grammar, int index) {
    const int first = graph_.begin(grammar, index);
    if (shape_.classes.empty()) {
        const int source = grammar.add_source(std::make_unique<Later>(*this));
        grammar.node(first).source = source;
        return first;
    }
    graph_.build(grammar);
    for (int c = 0; c < count(shape_.classes); ++c) {
        shape_.classes[tbt::index(c)].keys = {};  // the graph has them
        class_bytes_.push_back(graph_.at(graph_.class_start(c)).to_end);
    }
    return first;
}

int ObjectAnnotations::rule_of(int label) const {
    return label <= members() ? tbt::at(shape_.members, label - 1).rule
                              : tbt::at(shape_.classes, label - 1 - members()).rule;
}

std::vector<int> ObjectAnnotations::rules() const {
    std::vector<int> rules;
    for (int label = 1; label <= members() + count(shape_.classes); ++label)
        rules.push_back(rule_of(label));
    return rules;
}

// Keeps only the first annotation, that of an object of which nothing was written.
void ObjectAnnotations::forget() {
    all_.assign(1, {}), numbers_.clear(), keys_.forget();  // 0 is `forgotten`
    number_of({});
}

std::size_t ObjectAnnotations::memory() const {
    return all_.capacity() * sizeof(Annotation) + numbers_.memory() + keys_.memory() +
           costs_[0].counted.memory() + costs_[1].counted.memory();
}

// ---- the annotation, byte by byte and member by member ----

int ObjectAnnotations::read(int number, std::uint8_t byte) {
    Annotation a = at(number);
    if (a.text == stale) return forgotten;
    if (!a.brief) {
        a.text = keys_.read(std::max(a.text, 0), byte);
    } else if (a.text != a_new_one) {
        const int next = keys_.find(std::max(a.text, 0), byte);
        a.text = risky(a.others, next) ? next : a_new_one;
    }
    return number_of(a);
}

// Different bytes lead to different annotations. Exception: a brief annotation distinguishes only
// bytes with which a written key goes on.
void ObjectAnnotations::keep_like(int number, int byte, int& low, int& high) const {
    const Annotation& a = at(number);
    const auto alone = [&](int b) {
        if (b == byte) low = high = byte;
        else if (b < byte) low = std::max(low, b + 1);
        else high = std::min(high, b - 1);
    };
    if (!a.brief) return alone(byte);
    if (a.text == a_new_one || a.text == stale) return;
    keys_.each_next(std::max(a.text, 0), [&](std::uint8_t b, int text) {
        if (risky(a.others, text)) alone(b);
    });
}

int ObjectAnnotations::called(int number, int label) {
    Annotation a = after(at(number), label);
    const bool unnamed = label > members();
    if (unnamed && !a.brief) a.others = keys_.add(a.others, std::max(a.text, 0));
    a.text = (unnamed && a.brief) || a.text == stale ? stale : nowhere;
    return number_of(a);
}

// If the current key is not a prefix of a written key, it does not matter which keys were written.
int ObjectAnnotations::abstracted(int node, int number) {
    if (shape_.classes.empty()) return number;
    Annotation a = at(number);
    const ObjectGraph::Position& p = graph_.at(node);
    if (p.where == Where::of_class && p.endless && !risky(a.others, a.text))
        a.others = 0, a.text = a_new_one;
    a.brief = true;
    return number_of(a);
}

// Where a new key may begin, an abstraction would have to know the previous unnamed key.
int ObjectAnnotations::kept(int node, int number) {
    if (at(number).text != stale) return number;
    const Where where = graph_.at(node).where;
    return where == Where::after || where == Where::closing || where == Where::end ? number
                                                                                   : forgotten;
}

// ---- costs ----

ObjectAnnotations::Costs& ObjectAnnotations::costs(const Measure& measure) {
    Costs& c = costs_[measure.in_tokens()];
    if (c.version == measure.version()) return c;
    c.version = measure.version();
    c.counted.clear();
    if (c.id != measure.id()) add_texts(measure, c);
    c.required.assign(index(members()) + 1, 0);
    c.any.assign(index(members()) + 1, Grammar::never);
    for (int k = 0; k < count(shape_.classes); ++k)
        c.any.back() = std::min(c.any.back(), member_cost(measure, members() + k + 1));
    for (int m = members(); m-- > 0;) {
        const int one = member_cost(measure, m + 1);
        const bool required = tbt::at(shape_.members, m).required;
        c.any[index(m)] = std::min(c.any[index(m) + 1], one);
        c.required[index(m)] = saturating_add(c.required[index(m) + 1], required ? one : 0);
    }
    return c;
}

void ObjectAnnotations::add_texts(const Measure& measure, Costs& c) const {
    c.id = measure.id();
    c.before_key = measure.of_suffixes("," + blanks_.comma + "\"");
    c.colon = measure.of_suffixes("\":" + blanks_.colon);
    c.close = measure.of_suffixes(blanks_.close + "}");
    c.keys.assign(shape_.members.size(), {});
    // The nodes inside the white space do not know whether a brace or a comma came before.
    c.open = blanks_.open == blanks_.comma ? before_key(c, count(blanks_.open))
                                           : 1 + count(blanks_.open);
}

// The cost up to and including the opening quote of a key, from `left` bytes before the quote.
int ObjectAnnotations::before_key(const Costs& c, int left) const {
    const std::size_t size = c.before_key.size();
    return index(left) + 2 > size ? left + 1 : c.before_key[size - 2 - index(left)];
}

// The costs of the rest of a key, by the bytes already read. Inside an escaped letter a node does
// not know the letter; so tokens may end and begin only between letters.
const std::vector<int>& ObjectAnnotations::key(const Measure& measure, int member) {
    std::vector<int>& key = tbt::at(costs_[measure.in_tokens()].keys, member);
    if (!key.empty()) return key;
    std::vector<bool> cuts;
    const std::string text = graph_.written_key(member, cuts);
    key.resize(text.size() + 1);
    measure.of_suffixes(text, cuts, key);
    return key;
}

// The cost of a member, with the comma before it.
int ObjectAnnotations::member_cost(const Measure& measure, int label) {
    const Costs& c = costs_[measure.in_tokens()];
    const int name = label <= members()
                         ? key(measure, label - 1)[0]
                         : saturating_add(class_bytes_[index(label - 1 - members())], c.colon[0]);
    return saturating_add(c.before_key[0], saturating_add(name, measure.rule(rule_of(label))));
}

// The cost of all members that must still come, each with its comma. some: at least one must come.
int ObjectAnnotations::rest(const Measure& measure, const Annotation& now, bool some) {
    Costs& c = costs(measure);
    if (simple()) {
        const bool one = some || now.written < shape_.least;
        return last(now.next) < members() || !one ? c.required[index(now.next)]
                                                  : c.any[index(now.next)];
    }
    const std::uint64_t place = static_cast<std::uint64_t>(now.next) << 32 |
                                static_cast<std::uint64_t>(2 * now.written + (some ? 1 : 0));
    if (const int known = c.counted.find(place); known >= 0) return known;
    const int cost = rest_counted(measure, now, std::max(shape_.least - now.written, some ? 1 : 0));
    costs(measure).counted.set(place, cost);
    return cost;
}

// The required members, then the cheapest others until there are enough. Each unnamed key is
// counted with the length that `least` different keys need.
int ObjectAnnotations::rest_counted(const Measure& measure, const Annotation& now, int least) {
    int required = 0, others = Grammar::never;
    std::vector<int> optional;
    for (int m = now.next; m < members(); ++m) {
        if (tbt::at(shape_.members, m).required) ++required;
        else optional.push_back(member_cost(measure, m + 1));
    }
    const int missing = std::max(0, least - required);
    if (shape_.most >= 0 && now.written + required + missing > shape_.most) return Grammar::never;
    for (int k = 0; k < count(shape_.classes); ++k) {
        const int longest = tbt::at(shape_.classes, k).longest;
        const int more = longest < 0 ? Grammar::never : longest - class_bytes_[index(k)];
        others = std::min(others, saturating_add(more, member_cost(measure, members() + k + 1)));
    }
    std::sort(optional.begin(), optional.end());
    int sum = costs(measure).required[index(now.next)];
    for (int i = 0; i < missing; ++i)
        sum = saturating_add(sum,
                             i < count(optional) ? std::min(tbt::at(optional, i), others) : others);
    return sum;
}

// The cost of a member's value and everything after it, without the closing brace.
int ObjectAnnotations::value_and_rest(const Measure& measure, const Annotation& now, int label) {
    if (!possible(now, label)) return Grammar::never;
    const int value = measure.rule(rule_of(label));
    return value >= Grammar::never ? value
                                   : saturating_add(value, rest(measure, after(now, label), false));
}

// The least cost from a branch of the tree of keys.
int ObjectAnnotations::in_tree(const Measure& measure, const ObjectGraph::Position& p,
                               const Annotation& now) {
    const ObjectGraph::Branch& b = graph_.branch(p.index);
    int least = Grammar::never;
    for (int i = b.low; i < b.high; ++i) {
        const int m = graph_.member(i);
        if (m < now.next || m > last(now.next)) continue;
        const int name = key(measure, m)[index(b.bytes)];
        if (name < least)
            least = std::min(least, saturating_add(name, value_and_rest(measure, now, m + 1)));
    }
    for (int c = 0; p.index == 0 && c < count(shape_.classes); ++c)
        least = std::min(
            least, saturating_add(
                       saturating_add(graph_.bytes_to_end(measure.grammar(), graph_.class_start(c),
                                                          keys_, now.others, 0),
                                      costs(measure).colon[0]),
                       value_and_rest(measure, now, members() + c + 1)));
    return saturating_add(least, p.extra);
}

// The cost from inside or just after a key to the end of the object, without the closing brace.
int ObjectAnnotations::in_key(const Measure& measure, int node, const Annotation& now) {
    const ObjectGraph::Position& p = graph_.at(node);
    const std::vector<int>& colon = costs(measure).colon;
    const auto with_value = [&](int before, int label) {
        return saturating_add(before, value_and_rest(measure, now, label));
    };
    if (p.where == Where::tree)
        return p.extra >= Grammar::never ? p.extra : in_tree(measure, p, now);
    if (p.where == Where::of_class)
        return with_value(saturating_add(graph_.bytes_to_end(measure.grammar(), node, keys_,
                                                             now.others, now.text),
                                         colon[0]),
                          members() + p.index + 1);
    const int left = colon[colon.size() - 1 - index(p.extra)];
    if (p.where == Where::colon) return with_value(left, p.index + 1);
    return known(now.others, now.text) ? Grammar::never : with_value(left, members() + p.index + 1);
}

int ObjectAnnotations::cost(const Measure& measure, int node, int number) {
    if (number == forgotten) return 0;
    const ObjectGraph::Position& p = graph_.at(node);
    const Annotation now = at(number);
    const Costs& c = costs(measure);
    const int close = c.close[0];
    const auto from_comma = [&](int members, int before) {
        return members >= Grammar::never ? members : members - c.before_key[0] + before + close;
    };
    switch (p.where) {
        case Where::first:
            if (complete(now)) return 1;
            return from_comma(rest(measure, now, false), c.open);
        case Where::after:
            return saturating_add(rest(measure, now, false), close);
        case Where::key:
            if (now.others != 0)
                return saturating_add(before_key(c, p.extra),
                                      saturating_add(in_key(measure, graph_.tree(), now), close));
            return from_comma(rest(measure, now, true), before_key(c, p.extra));
        case Where::closing:
        case Where::end:
            return complete(now) ? c.close[c.close.size() - 1 - index(p.extra)] : Grammar::never;
        default:
            return saturating_add(in_key(measure, node, now), close);
    }
}

// In a key, one possible member below the branch is enough; it need not be the cheapest.
bool ObjectAnnotations::alive(const Measure& bytes, int node, int number) {
    const ObjectGraph::Position& p = graph_.at(node);
    if (p.where != Where::tree || p.index == 0 || !simple() || number == forgotten)
        return cost(bytes, node, number) < Grammar::never;
    const ObjectGraph::Branch& b = graph_.branch(p.index);
    for (int i = b.low; i < b.high; ++i)
        if (value_and_rest(bytes, at(number), graph_.member(i) + 1) < Grammar::never)
            return p.extra < Grammar::never;
    return false;
}

}  // namespace tbt
