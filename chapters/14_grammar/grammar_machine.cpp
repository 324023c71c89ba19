#include "chapters/14_grammar/grammar_machine.hpp"

#include <algorithm>
#include <functional>

#include "lib/error.hpp"

namespace tbt {

namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

template <class Places>
void sort_unique(Places& places) {
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
}

}  // namespace

GrammarMachine::GrammarMachine(Grammar grammar)
    : grammar_(std::move(grammar)),
      continuations_(2),
      callers_(static_cast<std::size_t>(grammar_.rules())) {
    const int root = grammar_.root();
    if (grammar_.rule(root).cost >= Grammar::never) {
        start_ = dead;  // no text at all
        return;
    }
    accepts_ = grammar_.rule(root).cost == 0;
    begin(root, whole_text);
    begin_rules();
    start_ = collect();
}

// Reading a byte: every derivation moves along its edges, returns where its rule may end,
// and calls where rules are called.
ByteMachine::State GrammarMachine::step(State state, unsigned char byte) {
    const std::size_t first = states_[state].first, size = states_[state].size;
    for (std::size_t i = first; i < first + size; ++i) {
        const Place place = places_[i];
        for (const Grammar::ByteEdge& e : grammar_.node(place.node).bytes) {
            if (byte >= e.low && byte <= e.high) arrive({e.to, place.behind});
        }
    }
    for (std::size_t i = 0; i < arrived_.size(); ++i) {
        const Place place = arrived_[i];
        grammar_.expand(place.node);
        const Grammar::Node& node = grammar_.node(place.node);
        if (node.final) leave(place.behind);
        if (!node.bytes.empty()) kept_.push_back(place);
        follow_calls(grammar_.node(place.node), place.behind);
    }
    begin_rules();
    const State reached = collect();
    remember(state, byte, reached);
    return reached;
}

// All bytes between the ends of edges that lie around this one take the same edges.
void GrammarMachine::remember(State state, unsigned char byte, State reached) {
    int low = 0, high = 255;
    const StateInfo& info = states_[state];
    for (std::size_t i = info.first; i < info.first + info.size; ++i) {
        for (const Grammar::ByteEdge& e : grammar_.node(places_[i].node).bytes) {
            if (e.low > byte) high = std::min(high, e.low - 1);
            else low = std::max<int>(low, e.low);
            if (e.high < byte) low = std::max(low, e.high + 1);
            else high = std::min<int>(high, e.high);
        }
    }
    const std::int32_t known = reached == dead ? dead_step : static_cast<std::int32_t>(reached);
    for (int b = low; b <= high; ++b) {
        std::int32_t& block = states_[state].next[static_cast<std::size_t>(b >> 4)];
        if (block < 0) {
            block = static_cast<std::int32_t>(blocks_.size());
            blocks_.emplace_back().fill(unknown_step);
        }
        blocks_[static_cast<std::size_t>(block)][static_cast<std::size_t>(b & 15)] = known;
    }
}

// Places from which the text cannot be completed are dropped at once: what stays is alive.
void GrammarMachine::arrive(Place place) {
    if (grammar_.node(place.node).cost >= Grammar::never) return;
    // Mostly a node has one continuation: the last place with this node says whether it is
    // there already.
    const auto node = static_cast<std::size_t>(place.node);
    if (last_arrival_.size() <= node)
        last_arrival_.resize(static_cast<std::size_t>(grammar_.nodes()));
    std::size_t& last = last_arrival_[node];
    if (last < arrived_.size() && arrived_[last].node == place.node &&
        (arrived_[last] == place ||
         std::find(arrived_.begin(), arrived_.end(), place) != arrived_.end()))
        return;
    last = arrived_.size();
    arrived_.push_back(place);
}

void GrammarMachine::leave(int continuation) {
    if (continuation == whole_text) accepts_ = true;
    if (continuation == forgotten) escaped_ = true;
    for (const Place& place : continuations_[static_cast<std::size_t>(continuation)].places)
        arrive(place);
}

void GrammarMachine::follow_calls(const Grammar::Node& node, int behind) {
    for (const Grammar::CallEdge& e : node.calls) {
        const Grammar::Rule& rule = grammar_.rule(e.rule);
        if (rule.cost >= Grammar::never || grammar_.node(e.to).cost >= Grammar::never) continue;
        std::vector<Place>& callers = callers_[static_cast<std::size_t>(e.rule)];
        if (callers.empty()) {
            called_.emplace_back(rule.rank, e.rule);
            std::push_heap(called_.begin(), called_.end(), std::greater<>());
        }
        // A call that ends its own rule returns to where that one returns to:
        // right recursion needs no stack.
        if (grammar_.is_end(e.to) && behind > forgotten) {
            const std::vector<Place>& outer =
                continuations_[static_cast<std::size_t>(behind)].places;
            callers.insert(callers.end(), outer.begin(), outer.end());
        } else {
            callers.push_back({e.to, behind});
        }
        if (rule.cost == 0) arrive({e.to, behind});  // it may be empty
    }
}

// In the order of ranks, so that all callers of a rule are known when it begins.
// Rules that begin add no arrivals of their own: an empty text of theirs was taken into
// account by their callers.
void GrammarMachine::begin_rules() {
    while (!called_.empty()) {
        std::pop_heap(called_.begin(), called_.end(), std::greater<>());
        const int rule = called_.back().second;
        called_.pop_back();
        std::vector<Place>& callers = callers_[static_cast<std::size_t>(rule)];
        const int behind = continuation_of(callers);
        callers.clear();
        begin(rule, behind);
    }
}

void GrammarMachine::begin(int rule, int behind) {
    begun_.assign(1, {grammar_.rule(rule).start, behind});
    for (std::size_t i = 0; i < begun_.size(); ++i) {
        const Place place = begun_[i];
        grammar_.expand(place.node);
        const Grammar::Node& node = grammar_.node(place.node);
        if (node.cost >= Grammar::never) continue;
        if (!node.bytes.empty()) kept_.push_back(place);
        const std::size_t before = arrived_.size();
        follow_calls(node, behind);
        // An empty call inside a rule that has only begun leads to another beginning.
        for (std::size_t j = before; j < arrived_.size(); ++j) {
            if (std::find(begun_.begin(), begun_.end(), arrived_[j]) == begun_.end())
                begun_.push_back(arrived_[j]);
        }
        arrived_.resize(before);
    }
}

ByteMachine::State GrammarMachine::collect() {
    sort_unique(kept_);
    const State state =
        kept_.empty() && !accepts_ && !escaped_ ? dead : state_of(kept_, accepts_, escaped_);
    arrived_.clear();
    kept_.clear();
    accepts_ = escaped_ = false;
    return state;
}

int GrammarMachine::continuation_of(std::vector<Place>& places) {
    sort_unique(places);
    std::uint64_t hash = 1;
    for (const Place& p : places)
        hash = mix(mix(hash, static_cast<std::uint64_t>(p.node)),
                   static_cast<std::uint64_t>(p.behind));
    for (auto [at, end] = continuation_index_.equal_range(hash); at != end; ++at) {
        if (continuations_[static_cast<std::size_t>(at->second)].places == places)
            return at->second;
    }
    const int id = static_cast<int>(continuations_.size());
    int cost = Grammar::never;
    for (const Place& p : places)
        cost = std::min(cost, grammar_.node(p.node).cost +
                                  continuations_[static_cast<std::size_t>(p.behind)].cost);
    continuations_.push_back({places, cost});
    continuation_index_.emplace(hash, id);
    return id;
}

ByteMachine::State GrammarMachine::state_of(std::vector<Place>& places, bool accepts,
                                            bool escaped) {
    std::uint64_t hash = 2u + accepts + 2u * escaped;
    for (const Place& p : places)
        hash = mix(mix(hash, static_cast<std::uint64_t>(p.node)),
                   static_cast<std::uint64_t>(p.behind));
    for (auto [at, end] = state_index_.equal_range(hash); at != end; ++at) {
        const StateInfo& s = states_[static_cast<std::size_t>(at->second)];
        if (s.size == places.size() && s.accepts == accepts && s.escaped == escaped &&
            std::equal(places.begin(), places.end(), places_.begin() + s.first)) {
            return static_cast<State>(at->second);
        }
    }
    StateInfo info;
    info.next.fill(-1);
    info.first = static_cast<std::uint32_t>(places_.size());
    info.size = static_cast<std::uint32_t>(places.size());
    info.accepts = accepts;
    info.escaped = escaped;
    info.cost = accepts ? 0 : Grammar::never;
    for (const Place& p : places) {
        const int behind = continuations_[static_cast<std::size_t>(p.behind)].cost;
        info.cost = std::min(info.cost, grammar_.node(p.node).cost + behind);
        info.hidden = std::max(info.hidden, behind);
    }
    if (places.empty()) info.cost = 0;
    places_.insert(places_.end(), places.begin(), places.end());
    state_index_.emplace(hash, static_cast<int>(states_.size()));
    states_.push_back(info);
    return states_.size() - 1;
}

// The rules that are being read, without what called them.
ByteMachine::State GrammarMachine::outline(State state) {
    if (!known(state)) return dead;
    if (!known(state)) return dead;
    if (states_[state].outline >= 0) return static_cast<State>(states_[state].outline);
    std::vector<Place> places(places_.begin() + states_[state].first,
                              places_.begin() + states_[state].first + states_[state].size);
    for (Place& p : places) {
        if (p.behind != whole_text) p.behind = forgotten;
    }
    sort_unique(places);
    const State outlined = state_of(places, false, false);
    states_[state].outline = static_cast<std::int32_t>(outlined);
    return outlined;
}

}  // namespace tbt
