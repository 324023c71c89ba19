#include "lib/grammar/recognizer/grammar.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/grammar/cancellation.hpp"

namespace tbt {

namespace {

// The edges of a grammar, reversed: for each node numbered `first` or higher, the nodes with an
// edge to it. Only edges that start at such nodes count, and at nodes without annotations: those
// know their cost without their edges. All are in one list, since there may be millions.
class Predecessors {
public:
    Predecessors(const Grammar& grammar, int first) : first_(first) {
        ends_.resize(static_cast<std::size_t>(grammar.nodes() - first) + 1);
        each_edge(grammar, [&](int, std::size_t to) { ++ends_[to + 1]; });
        for (std::size_t i = 1; i < ends_.size(); ++i) ends_[i] += ends_[i - 1];
        ids_.resize(ends_.back());
        // ends_[i + 1] is the start of list i here, and its end once the list is filled.
        each_edge(grammar, [&](int from, std::size_t to) { ids_[ends_[to]++] = from; });
    }
    std::span<const int> of(int id) const {
        const auto i = static_cast<std::size_t>(id - first_);
        const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
        return std::span(ids_).subspan(begin, ends_[i] - begin);
    }

private:
    template <class Visit>
    void each_edge(const Grammar& grammar, Visit&& visit) const {
        const auto see = [&](int from, int to) {
            if (to >= first_) visit(from, static_cast<std::size_t>(to - first_));
        };
        for (int id = first_; id < grammar.nodes(); ++id) {
            const Grammar::Node& n = grammar.node(id);
            if (n.annotations >= 0) continue;
            for (const Grammar::ByteEdge& e : n.bytes) see(id, e.to);
            for (const Grammar::CallEdge& e : n.calls) see(id, e.to);
        }
    }

    int first_;
    std::vector<std::uint32_t> ends_;
    std::vector<int> ids_;
};

}  // namespace

int ByteMeasure::rule(int r) const { return grammar_->rule(r).cost; }
unsigned ByteMeasure::version() const { return grammar_->version(); }
void ByteMeasure::of_suffixes(std::string_view text, const std::vector<bool>&,
                              std::span<int> left) const {
    for (std::size_t i = 0; i <= text.size(); ++i) left[i] = to_int(text.size() - i);
}

bool StateAnnotations::alive(const Measure& bytes, int node, int annotation) {
    return cost(bytes, node, annotation) < Grammar::never;
}

int Grammar::add_rule(std::string name) {
    rules_.push_back({std::move(name), -1, never, 0});
    return rules() - 1;
}

int Grammar::add_node() {
    Cancellation::point();
    if (nodes() >= max_nodes_)
        throw TooLarge("the grammar takes more than " + std::to_string(max_nodes_) +
                       " nodes; ask for fewer or smaller repetitions, members or alternatives");
    nodes_.emplace_back();
    return nodes() - 1;
}

int Grammar::add_source(std::unique_ptr<NodeSource> source) {
    if (!source) throw Error("grammar: there is no source");
    sources_.push_back(std::move(source));
    return static_cast<int>(sources_.size()) - 1;
}

int Grammar::add_annotations(std::unique_ptr<StateAnnotations> annotations) {
    if (!annotations) throw Error("grammar: there are no annotations");
    annotations_.push_back(std::move(annotations));
    return tbt::count(annotations_) - 1;
}

int Grammar::bytes(int from, std::string_view text) {
    for (const char c : text) {
        const int to = add_node();
        edge(from, static_cast<std::uint8_t>(c), static_cast<std::uint8_t>(c), to);
        from = to;
    }
    return from;
}

int Grammar::sequences(int from, std::span<const ByteSequence> sorted, int to) {
    std::map<std::vector<ByteEdge>, int> known;
    for (const ByteEdge& e : spread(sorted, 0, to, known)) node(from).bytes.push_back(e);
    return to;
}

// The edges that follow the first `depth` bytes of sorted alternatives; no alternative is a prefix
// of another. Alternatives with a common prefix share nodes, and so do those with a common suffix:
// `known` maps sets of edges to their node.
std::vector<Grammar::ByteEdge> Grammar::spread(std::span<const ByteSequence> sorted,
                                               std::size_t depth, int to,
                                               std::map<std::vector<ByteEdge>, int>& known) {
    std::vector<ByteEdge> edges;
    while (!sorted.empty()) {
        const ByteChoice& first = sorted[0][depth];
        std::size_t alike = 1;
        while (alike < sorted.size() && sorted[alike][depth] == first) ++alike;
        int next = to;
        if (depth + 1 < sorted[0].size()) {
            std::vector<ByteEdge> rest = spread(sorted.first(alike), depth + 1, to, known);
            const auto [place, added] = known.try_emplace(rest, nodes());
            if (added) node(add_node()).bytes = std::move(rest);
            next = place->second;
        }
        for (const ByteRange& range : first) edges.push_back({range.low, range.high, next});
        sorted = sorted.subspan(alike);
    }
    return edges;
}

int Grammar::call(int from, int rule) {
    const int to = add_node();
    node(from).calls.push_back({rule, to});
    return to;
}

void Grammar::finish(int root) {
    rule(root);  // throws if there is no such rule
    root_ = root, max_nodes_ = max_nodes;
    for (const Rule& r : rules_) {
        if (r.start < 0)
            throw UsageError("grammar: the rule '" + r.name + "' is used but not defined");
    }
    close_epsilon_edges(0);
    settle_costs(0);
    rank_rules();
}

void Grammar::expand(int id) {
    if (!is_open(id)) return;
    const int which = node(id).source;
    node(id).expanded = true;
    const int first = nodes();
    source(which).expand(*this, id);
    // Copies to the node the edges of the nodes that its ε-edges lead to.
    std::vector<int> open;
    for (const EpsilonEdge& e : epsilon_edges_)
        if (e.from == id) open.push_back(e.to);
    close_epsilon_edges(first);
    for (const int other : open) {
        const Node& n = node(other);
        node(id).bytes.insert(node(id).bytes.end(), n.bytes.begin(), n.bytes.end());
        node(id).calls.insert(node(id).calls.end(), n.calls.begin(), n.calls.end());
        node(id).final = node(id).final || n.final;
    }
    settle_costs(first);
}

// ε-elimination: a node gets a copy of the edges of every node that it reaches by ε-edges.
void Grammar::close_epsilon_edges(int first) {
    // Those of a node that is finished already are expand()'s.
    std::erase_if(epsilon_edges_, [&](const EpsilonEdge& e) { return e.from < first; });
    std::stable_sort(epsilon_edges_.begin(), epsilon_edges_.end(),
                     [](const auto& a, const auto& b) { return a.from < b.from; });
    const std::vector<EpsilonEdge> edges = std::exchange(epsilon_edges_, {});
    const auto local = [&](int id) { return static_cast<std::size_t>(id - first); };
    std::vector<std::size_t> begin(local(nodes()) + 1);  // of a node's ε-edges
    for (const EpsilonEdge& e : edges) ++begin[local(e.from) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    // What a node has before it gets copies: only nodes with ε-edges get some.
    struct Own {
        std::ptrdiff_t bytes, calls;
        bool final;
    };
    const auto own = [&](int id) {
        const Node& n = node(id);
        return Own{std::ssize(n.bytes), std::ssize(n.calls), n.final};
    };
    std::vector<Own> before;  // by ε-edge: of the node that it starts from
    for (const EpsilonEdge& e : edges) before.push_back(own(e.from));
    std::vector<int> stamp(local(nodes()), -1), open;
    std::ptrdiff_t copies = 0;
    for (std::size_t e = 0; e < edges.size(); e = begin[local(edges[e].from) + 1]) {
        const int id = edges[e].from;
        stamp[local(id)] = id;
        for (open = {id}; !open.empty();) {
            const int at = open.back();
            open.pop_back();
            for (std::size_t k = begin[local(at)]; k < begin[local(at) + 1]; ++k) {
                const int other = edges[k].to;
                if (other < first)
                    throw Error("grammar: an ε-edge to a node that was finished before");
                if (std::exchange(stamp[local(other)], id) == id) continue;
                if (is_open(other))
                    throw Error("grammar: an ε-edge to a node that is not expanded yet");
                open.push_back(other);
                Cancellation::point();
                Node& n = node(id);
                const Node& o = node(other);
                const std::size_t its = begin[local(other)];
                const Own has = its < begin[local(other) + 1] ? before[its] : own(other);
                n.bytes.insert(n.bytes.end(), o.bytes.begin(), o.bytes.begin() + has.bytes);
                n.calls.insert(n.calls.end(), o.calls.begin(), o.calls.begin() + has.calls);
                n.final = n.final || has.final;
                if ((copies += has.bytes + has.calls) > max_copies)
                    throw TooLarge("the grammar has more than " + std::to_string(max_copies) +
                                   " ways to leave parts out; let fewer of them be optional");
            }
        }
    }
}

// The rules whose costs cost_of(id) uses.
std::vector<int> Grammar::rules_for_cost(int id) {
    const Node& n = node(id);
    if (n.annotations >= 0) return annotations(n.annotations).rules();
    std::vector<int> used = is_open(id) ? source(n.source).rules() : std::vector<int>();
    for (const CallEdge& e : n.calls) used.push_back(e.rule);
    return used;
}

// A node's cost as far as those of its neighbours are known.
int Grammar::cost_of(int id, const Measure& bytes) {
    const Node& n = node(id);
    if (n.annotations >= 0)
        return annotations(n.annotations).cost(bytes, id, StateAnnotations::at_entry);
    int cost = n.final ? 0 : never;
    for (const ByteEdge& e : n.bytes) cost = std::min(cost, saturating_add(1, node(e.to).cost));
    for (const CallEdge& e : n.calls)
        cost = std::min(cost, saturating_add(rule(e.rule).cost, node(e.to).cost));
    return is_open(id) ? std::min(cost, source(n.source).cost(bytes, id)) : cost;
}

// cost(node) = 0 if final, else the minimum of 1 + cost(to) over byte edges and cost(rule) +
// cost(to) over calls [Knuth 1977]. Lowers costs until none can be lowered. With first > 0 only
// nodes from `first` on are computed: the costs of rules are final by then. Of the nodes with
// annotations only the entry has a cost.
void Grammar::settle_costs(int first) {
    const auto local = [&](int id) { return static_cast<std::size_t>(id - first); };
    const std::size_t rules_in_play = first == 0 ? rules_.size() : 0;
    std::vector<std::vector<int>> callers(rules_in_play);
    // By node: the last rule that starts there. By rule: the previous rule with the same start.
    std::vector<int> starts(first == 0 ? nodes_.size() : 0, -1), earlier(rules_in_play, -1);
    std::deque<int> open;
    std::vector<char> waiting(local(nodes()));
    for (int id = first; id < nodes(); ++id) {
        const Node& n = node(id);
        if (n.annotations >= 0 && annotations(n.annotations).entry() != id) continue;
        open.push_front(id);  // last nodes first: they are mostly nearest to the end
        waiting[local(id)] = 1;
        if (first > 0) continue;
        for (const int r : rules_for_cost(id)) callers[static_cast<std::size_t>(r)].push_back(id);
    }
    if (open.empty()) return;
    const Predecessors before(*this, first);
    const ByteMeasure bytes(*this);
    if (first == 0) {
        for (int r = 0; r < rules(); ++r)
            earlier[static_cast<std::size_t>(r)] =
                std::exchange(starts[static_cast<std::size_t>(rule(r).start)], r);
    }
    const auto look_again = [&](std::span<const int> ids) {
        for (const int id : ids) {
            if (!waiting[local(id)]) waiting[local(id)] = 1, open.push_back(id);
        }
    };
    while (!open.empty()) {
        const int id = open.front();
        open.pop_front();
        Cancellation::point();
        waiting[local(id)] = 0;
        const int cost = cost_of(id, bytes);
        if (cost >= node(id).cost) continue;
        node(id).cost = cost;
        look_again(before.of(id));
        if (first > 0) continue;
        for (int r = starts[static_cast<std::size_t>(id)]; r >= 0;
             r = earlier[static_cast<std::size_t>(r)]) {
            rule(r).cost = cost, ++version_;
            look_again(callers[static_cast<std::size_t>(r)]);
        }
    }
}

// Ranks the rules so that a rule has a lower rank than every rule it may call before it has read a
// byte. Such an order exists unless there is left recursion: a rule that can call itself before it
// has read a byte. A recognizer that reads from left to right would follow these calls for ever.
void Grammar::rank_rules() {
    std::vector<std::vector<int>> first_calls(rules_.size());
    std::vector<int> seen(nodes_.size(), -1);  // by node: the last rule that came here
    for (int r = 0; r < rules(); ++r) {
        std::vector<int> open{rule(r).start};
        while (!open.empty()) {
            const int id = open.back();
            open.pop_back();
            if (std::exchange(seen[static_cast<std::size_t>(id)], r) == r) continue;
            Cancellation::point();
            for (const CallEdge& e : node(id).calls) {
                first_calls[static_cast<std::size_t>(r)].push_back(e.rule);
                if (rule(e.rule).cost == 0) open.push_back(e.to);
            }
        }
    }
    std::vector<char> mark(rules_.size());  // 1: on the path, 2: done
    std::vector<int> path;
    std::vector<std::size_t> place;
    int rank = rules();
    for (int r = 0; r < rules(); ++r) {
        if (mark[static_cast<std::size_t>(r)] != 0) continue;
        path = {r};
        place = {0};
        mark[static_cast<std::size_t>(r)] = 1;
        while (!path.empty()) {
            const auto now = static_cast<std::size_t>(path.back());
            if (place.back() == first_calls[now].size()) {
                rules_[now].rank = --rank;
                mark[now] = 2;
                path.pop_back();
                place.pop_back();
                continue;
            }
            const int next = first_calls[now][place.back()++];
            if (mark[static_cast<std::size_t>(next)] == 2) continue;
            if (mark[static_cast<std::size_t>(next)] == 1) {
                const auto begin = std::find(path.begin(), path.end(), next);
                std::string loop;
                for (auto at = begin; at != path.end(); ++at)
                    loop += "'" + rule(*at).name + "' -> ";
                throw LeftRecursion(
                    "left recursion: " + loop + "'" + rule(next).name +
                        "'; let each rule match a character before it refers to itself",
                    *std::min_element(begin, path.end()));
            }
            mark[static_cast<std::size_t>(next)] = 1;
            path.push_back(next);
            place.push_back(0);
        }
    }
}

}  // namespace tbt
