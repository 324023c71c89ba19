#include "lib/grammar/schema/object_graph.hpp"

#include <algorithm>

#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/grammar/recognizer/compile.hpp"

namespace tbt {

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

void ObjectGraph::build(Grammar& grammar, int annotations) {
    annotations_ = annotations;
    base_ = grammar.nodes();
    first_ = grammar.add_node();
    mark(grammar, {Where::first});
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
    const std::string& name = tbt::at(shape_->members, member).name;
    std::string text;
    for (std::size_t i = 0; i < name.size();) {
        const CodePoint c = decode_utf8(name, i);
        cuts.push_back(true);
        text += shortest_spelling(c.value, Spelling::json);
        cuts.resize(text.size());
        i += index(c.length);
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

}  // namespace tbt
