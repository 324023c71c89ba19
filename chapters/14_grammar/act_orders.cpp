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
    for (const int act : next) {
        Notebook::Choice left = all;
        if (std::erase(left.must, act) == 0) std::erase(left.may, act), --left.more;
        const int note = notes_->on_stretch(from.node, act, from.note);
        for (const TokenExit& e : of_step_({from.node, note, from.trie}, act)) {
            const TokenExits* behind = rest(left, e.node);
            if (behind == nullptr) return false;
            for (const TokenExit& x : *behind) add_exit(exits, x.node, plus(e.tokens, x.tokens));
        }
    }
    if (all.more > 0)
        for (const int other : all.others) exact_ = exact_ && never_better(other, all);
    cutter_->cut(exits);
    return true;
}

// Are there enough acts that take its place wherever it could stand, for no more tokens?
bool ActOrders::never_better(int other, const Notebook::Choice& left) {
    const std::vector<bool> good = nodes_with_an_end();
    const auto as_good = [&](int act) {
        for (const int node : nodes_) {
            const TokenExits& mine = stretch(act, node);
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

// Acts and nodes that were not seen before: kinds may fall apart, and what is known of them.
bool ActOrders::learn(const Notebook::Choice& left, int trie) {
    bool fresh = places_.try_emplace(trie, count(nodes_)).second;
    if (fresh) nodes_.push_back(trie);
    for (const auto* acts : {&left.must, &left.may})
        for (const int act : *acts) fresh = acts_.try_emplace(act).second || fresh;
    if (!fresh) return true;
    known_.clear();
    if (acts_.size() > most_acts || !follow_exits()) return false;
    find_kinds();
    return true;
}

// All nodes that stretches lead to.
bool ActOrders::follow_exits() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        for (const auto& [act, kind] : acts_) {
            for (const TokenExit& e : stretch(act, nodes_[i])) {
                if (!places_.try_emplace(e.node, count(nodes_)).second) continue;
                nodes_.push_back(e.node);
                if (nodes_.size() > most_nodes) return false;
            }
        }
    }
    return true;
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

void ActOrders::find_kinds() {
    const std::vector<bool> good = nodes_with_an_end();
    end_.clear(), kinds_.clear();
    for (const int node : nodes_) end_.push_back(stretch(Notebook::the_end, node));
    using Row = std::vector<std::vector<std::pair<int, int>>>;  // by node: places and tokens
    std::map<Row, int> rows;
    for (auto& [act, kind] : acts_) {
        Row row(nodes_.size());
        int fewest = Grammar::never;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            for (const TokenExit& e : stretch(act, nodes_[i])) {
                const int to = places_.at(e.node);
                if (!good[index(to)]) continue;
                row[i].emplace_back(to, e.tokens);
                fewest = std::min(fewest, e.tokens);
            }
            std::sort(row[i].begin(), row[i].end());
        }
        for (auto& exits : row)
            for (auto& [to, tokens] : exits) tokens -= fewest;
        const auto [place, added] = rows.try_emplace(row, count(kinds_));
        kind = {place->second, fewest};
        if (!added) continue;
        kinds_.emplace_back();
        for (const auto& exits : row) {
            kinds_.back().from.emplace_back();
            for (const auto& [to, tokens] : exits)
                kinds_.back().from.back().push_back({to, tokens});
        }
    }
}

// How many states may there be?
bool ActOrders::small(const Left& left) const {
    double states = static_cast<double>(nodes_.size());
    for (const int n : left.must) states *= n + 1;
    for (const auto& may : left.may) states *= count(may) + 1;
    return states <= most_states;
}

const TokenExits* ActOrders::rest(const Notebook::Choice& choice, int trie) {
    if (too_many_ = too_many_ || !learn(choice, trie); too_many_) return nullptr;
    Left left{std::vector<int>(kinds_.size()), std::vector<std::vector<int>>(kinds_.size()),
              choice.more, places_.at(trie)};
    int tokens = 0;
    for (const int act : choice.must) {
        ++at(left.must, acts_.at(act).kind);
        tokens += acts_.at(act).tokens;
    }
    for (const int act : choice.may)
        at(left.may, acts_.at(act).kind).push_back(acts_.at(act).tokens);
    for (auto& may : left.may) {
        std::sort(may.begin(), may.end());
        may.resize(std::min(may.size(), index(std::max(0, choice.more))));
    }
    if (!small(left)) return nullptr;
    sum_ = rest(left);
    for (TokenExit& e : sum_) e.tokens = plus(e.tokens, tokens);
    return &sum_;
}

const TokenExits& ActOrders::rest(const Left& left) {
    if (const auto found = known_.find(left); found != known_.end()) return found->second;
    TokenExits exits;
    bool ends = left.more <= 0;
    const auto take = [&](const Left& then, std::size_t kind, int tokens) {
        Left next = then;
        for (const TokenExit& e : kinds_[kind].from[index(left.place)]) {
            next.place = e.node;
            for (const TokenExit& x : rest(next))
                add_exit(exits, x.node, plus(plus(tokens, e.tokens), x.tokens));
        }
    };
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
        if (left.must[k] > 0) {
            Left then = left;
            --then.must[k];
            take(then, k, 0);
            ends = false;
        }
        if (left.more > 0 && !left.may[k].empty()) {
            Left then = left;
            const int tokens = then.may[k].front();
            then.may[k].erase(then.may[k].begin());
            --then.more;
            for (auto& may : then.may) may.resize(std::min(may.size(), index(then.more)));
            take(then, k, tokens);
        }
    }
    if (ends) exits = at(end_, left.place);
    cutter_->cut(exits);
    return known_.emplace(left, std::move(exits)).first->second;
}

}  // namespace tbt
