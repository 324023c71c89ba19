#include "chapters/14_grammar/act_orders.hpp"

#include <algorithm>

#include "chapters/14_grammar/plus.hpp"
#include "lib/index.hpp"

namespace tbt {

// Behind each act that may come next.
bool ActOrders::find(const TokenStep& from, TokenExits& exits) {
    std::vector<int> next;
    Notebook::Choice all;
    if (!notes_->any_order(*grammar_, from.node, from.note, next, all)) return false;
    if (!learnt_) learn();
    if (int tokens = 0; !too_many_ && ask(all, tokens)) rests_.expect();
    for (const int act : next) {
        const Notebook::Choice left = without(all, act);
        const int note = notes_->on_stretch(from.node, act, from.note);
        for (const TokenExit& e : of_step_({from.node, note, from.trie}, act))
            if (!add_rest(left, e, true, exits)) return false;
    }
    if (all.more > 0)
        for (const int other : all.others) exact_ = exact_ && never_better(other, all);
    cutter_->cut(exits);
    return true;
}

Notebook::Choice ActOrders::without(Notebook::Choice all, int act) {
    if (std::erase(all.must, act) == 0) std::erase(all.may, act), --all.more;
    if (all.more <= 0) all.may.clear();
    return all;
}

// Adds what follows an exit. A node that was not learnt is looked at for one stretch: `further`.
bool ActOrders::add_rest(const Notebook::Choice& left, const TokenExit& from, bool further,
                         TokenExits& exits) {
    const auto add = [&](ActRests::Rest behind, int tokens) {
        for (const TokenExit& x : behind)
            add_exit(exits, x.node, plus(plus(from.tokens, tokens), x.tokens));
    };
    if (left.must.empty() && left.more <= 0) {
        add(stretch(Notebook::the_end, from.node), 0);
        return true;
    }
    if (too_many_ || places_.empty()) return false;
    if (places_.count(from.node) != 0) {
        int tokens = 0;
        ActRests::Rest rest;
        const bool known = rest_of(left, from.node, tokens, rest);
        if (known) add(rest, tokens);
        return known;
    }
    for (const auto* acts : {&left.must, &left.may}) {
        for (const int act : *acts) {
            if (!further) {
                exact_ = exact_ && stretch(act, from.node).empty();
                continue;
            }
            const Notebook::Choice then = without(left, act);
            for (const TokenExit& e : stretch(act, from.node))
                if (!add_rest(then, {e.node, plus(from.tokens, e.tokens)}, false, exits))
                    return false;
        }
    }
    return true;
}

// Are there enough acts that take its place wherever it could stand, for no more tokens?
bool ActOrders::never_better(int other, const Notebook::Choice& left) {
    const std::vector<bool> good = nodes_with_an_end();
    const auto as_good = [&](int act) {
        for (const int node : nodes_) {
            const auto mine = stretch(act, node);
            for (const TokenExit& e : stretch(other, node)) {
                const auto place = places_.find(e.node);
                if (place != places_.end() && !good[index(place->second)]) continue;
                if (std::none_of(mine.begin(), mine.end(), [&](const TokenExit& m) {
                        return m.node == e.node && m.tokens <= e.tokens;
                    }))
                    return false;
            }
        }
        return true;
    };
    return std::count_if(left.may.begin(), left.may.end(), as_good) >= left.more;
}

// What an object may need from its beginning on, and all nodes that stretches lead to from the root
// of the tree. Once and for all: what was promised must stay true.
void ActOrders::learn() {
    std::vector<int> next;
    Notebook::Choice all;
    learnt_ = true;
    if (!notes_->any_order(*grammar_, notes_->entry(), notes_->first_note(), next, all)) return;
    if (too_many_ = all.must.size() + all.may.size() > most_acts; too_many_) return;
    for (const auto* acts : {&all.must, &all.may})
        for (const int act : *acts) acts_.try_emplace(act);
    nodes_ = {TokenExit::root}, places_ = {{TokenExit::root, 0}};
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        for (const auto& [act, kind] : acts_) {
            for (const TokenExit& e : stretch(act, nodes_[i]))
                if (places_.try_emplace(e.node, count(nodes_)).second) nodes_.push_back(e.node);
        }
        if (too_many_ = nodes_.size() > most_nodes; too_many_) return;
    }
    find_kinds();
}

// The nodes from which something leads on.
std::vector<bool> ActOrders::nodes_with_an_end() {
    std::vector<bool> good(nodes_.size());
    for (bool more = true; more;) {
        more = false;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (good[i]) continue;
            good[i] = !stretch(Notebook::the_end, nodes_[i]).empty();
            for (const auto& [act, kind] : acts_) {
                for (const TokenExit& e : stretch(act, nodes_[i]))
                    good[i] = good[i] || good[index(places_.at(e.node))];
            }
            more = more || good[i];
        }
    }
    return good;
}

// The exits of an act from a node, or of the end, by the classes of the nodes that they lead to.
ActOrders::Row ActOrders::row(int act, std::size_t node, const std::vector<bool>& good) {
    std::map<int, int> fewest;
    for (const TokenExit& e : stretch(act, nodes_[node])) {
        const auto place = act == Notebook::the_end ? 0 : index(places_.at(e.node));
        const bool end = act == Notebook::the_end;
        if (!end && !good[place]) continue;
        const int to = end ? e.node : class_[place].number,
                  tokens = plus(e.tokens, end ? 0 : class_[place].tokens) - class_[node].tokens;
        const auto [known, added] = fewest.try_emplace(to, tokens);
        if (!added) known->second = std::min(known->second, tokens);
    }
    return {fewest.begin(), fewest.end()};
}

// Nodes are of one class if whatever follows takes as many tokens from each, or always so many
// more. They are taken for alike until something tells them apart.
void ActOrders::find_classes(const std::vector<bool>& good) {
    class_.assign(nodes_.size(), {});
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        int fewest = Grammar::never;
        for (const TokenExit& e : stretch(Notebook::the_end, nodes_[i]))
            fewest = std::min(fewest, e.tokens);
        class_[i].tokens = fewest < Grammar::never ? fewest : 0;
    }
    for (int known = 0;;) {
        std::map<std::vector<Row>, int> found;
        std::vector<NodeClass> next = class_;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            std::vector<Row> rows{{{class_[i].number, 0}}, row(Notebook::the_end, i, good)};
            for (const auto& [act, kind] : acts_) rows.push_back(row(act, i, good));
            next[i].number = found.try_emplace(std::move(rows), count(found)).first->second;
        }
        class_.swap(next);
        if (count(found) == known) return;
        known = count(found);
    }
}

void ActOrders::find_kinds() {
    const std::vector<bool> good = nodes_with_an_end();
    find_classes(good);
    std::vector<std::size_t> of_class;  // a node of each
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        if (class_[i].number == count(of_class)) of_class.push_back(i);
    const auto exits_of = [](const Row& row) {
        TokenExits exits;
        for (const auto& [to, tokens] : row) exits.push_back({to, tokens});
        return exits;
    };
    std::vector<TokenExits> end;
    std::vector<ActKind> kinds;
    for (const std::size_t node : of_class)
        end.push_back(exits_of(row(Notebook::the_end, node, good)));
    std::map<std::vector<Row>, int> known;
    for (auto& [act, kind] : acts_) {
        std::vector<Row> rows;
        int fewest = Grammar::never;
        for (const std::size_t node : of_class) {
            rows.push_back(row(act, node, good));
            for (const auto& [to, tokens] : rows.back()) fewest = std::min(fewest, tokens);
        }
        for (Row& r : rows)
            for (auto& [to, tokens] : r) tokens -= fewest;
        const auto [place, added] = known.try_emplace(rows, count(kinds));
        kind = {place->second, fewest};
        if (!added) continue;
        kinds.emplace_back();
        for (const Row& r : rows) kinds.back().from.push_back(exits_of(r));
    }
    rests_.set(std::move(kinds), std::move(end));
}

// Asks about what is left, by kinds; tokens: those that each way takes beside that. false: there is
// an act of no kind that was learnt.
bool ActOrders::ask(const Notebook::Choice& choice, int& tokens) {
    ActRests::Left& left = rests_.nothing_left();
    left.more = choice.more;
    for (const int act : choice.must) {
        const auto known = acts_.find(act);
        if (known == acts_.end()) return false;
        ++at(left.must, known->second.kind);
        tokens += known->second.tokens;
    }
    for (const int act : choice.may) {
        const auto known = acts_.find(act);
        if (known == acts_.end()) return false;
        at(left.may, known->second.kind).push_back(known->second.tokens);
    }
    for (auto& may : left.may) {
        std::sort(may.begin(), may.end());
        may.resize(std::min(may.size(), index(std::max(0, choice.more))));
    }
    return true;
}

// Without so many tokens, which each way takes. false: there are too many kinds to tell.
bool ActOrders::rest_of(const Notebook::Choice& choice, int trie, int& tokens,
                        ActRests::Rest& found) {
    if (too_many_) return false;
    const NodeClass& from = class_[index(places_.at(trie))];
    tokens = from.tokens;
    return ask(choice, tokens) && rests_.find(from.number, found);
}

}  // namespace tbt
