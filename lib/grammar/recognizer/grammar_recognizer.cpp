#include "lib/grammar/recognizer/grammar_recognizer.hpp"

#include <algorithm>
#include <functional>

#include "lib/grammar/tokens/token_bound.hpp"

namespace tbt {

GrammarRecognizer::GrammarRecognizer(Grammar grammar)
    : grammar_(std::move(grammar)), callers_(static_cast<std::size_t>(grammar_.rules())) {
    begin_anew();
}

void GrammarRecognizer::begin_anew() {
    continuations_.assign(max_slots + 1, {});
    const int root = grammar_.root();
    if (grammar_.rule(root).cost >= Grammar::never) {
        start_ = dead;  // the language is empty
        return;
    }
    accepts_ = grammar_.rule(root).cost == 0;
    begin(root, whole_text);
    begin_rules();
    start_ = collect();
}

std::unique_ptr<TokensToEnd> GrammarRecognizer::tokens_to_end(const TokenTrie& trie) {
    return std::make_unique<TokenBound>(*this, trie);
}

void GrammarRecognizer::forget() {
    states_.clear(), places_.clear(), blocks_.clear(), slots_.clear(), continuation_places_.clear();
    state_index_.clear(), continuation_index_.clear(), covers_.clear();
    for (int i = 0; i < grammar_.annotation_tables(); ++i) grammar_.annotations(i).forget();
    ++epoch_;
    begin_anew();
}

// Reads a byte: each derivation moves along its edges, returns if its rule may end, and enters the
// rules that are called.
Recognizer::State GrammarRecognizer::step(State state, unsigned char byte) {
    if (work_ > max_work_) throw_too_ambiguous(state);
    const std::size_t first = states_[state].first, size = states_[state].size;
    for (std::size_t i = first; i < first + size; ++i) {
        const Place place = places_[i];
        for (const Grammar::ByteEdge& e : grammar_.node(place.node).bytes) {
            if (byte >= e.low && byte <= e.high) move(place, e, byte);
        }
    }
    for (std::size_t i = 0; i < arrived_.size(); ++i) {
        const Place place = arrived_[i];
        grammar_.expand(place.node);
        const Grammar::Node& node = grammar_.node(place.node);
        if (node.final) leave(place.continuation);
        if (!node.bytes.empty()) kept_.push_back(place);
        follow_calls(place);
    }
    begin_rules();
    const State reached = collect();
    remember(state, byte, reached);
    return reached;
}

// Moves along an edge and computes the annotation of the place reached.
void GrammarRecognizer::move(const Place& place, const Grammar::ByteEdge& edge,
                             unsigned char byte) {
    const int from = grammar_.node(place.node).annotations, to = grammar_.node(edge.to).annotations;
    if (to < 0) return arrive({edge.to, place.continuation, 0});
    if (from != to) return arrive({edge.to, place.continuation, StateAnnotations::at_entry});
    StateAnnotations& annotations = grammar_.annotations(to);
    int annotation = edge.annotated ? annotations.read(place.annotation, byte) : place.annotation;
    if (annotation != StateAnnotations::forgotten)
        annotation = annotations.kept(edge.to, annotation);
    // Only an abstraction can know too little to go on.
    if (annotation == StateAnnotations::forgotten) escaped_ = true;
    else arrive({edge.to, place.continuation, annotation});
}

// Stores the step for all bytes low..high that take the same edges as this byte.
void GrammarRecognizer::remember(State state, unsigned char byte, State reached) {
    int low = 0, high = 255;
    const StateInfo& info = states_[state];
    for (std::size_t i = info.first; i < info.first + info.size; ++i) {
        for (const Grammar::ByteEdge& e : grammar_.node(places_[i].node).bytes) {
            if (e.low > byte) high = std::min(high, e.low - 1);
            else low = std::max<int>(low, e.low);
            if (e.high < byte) low = std::max(low, e.high + 1);
            else high = std::min<int>(high, e.high);
            if (e.annotated && e.low <= byte && byte <= e.high)
                grammar_.annotations(grammar_.node(places_[i].node).annotations)
                    .keep_like(places_[i].annotation, byte, low, high);
        }
    }
    const std::int32_t known = reached == dead ? dead_step : static_cast<std::int32_t>(reached);
    for (int first = low & ~15; first <= high; first += 16) {
        std::int32_t& next = states_[state].next[static_cast<std::size_t>(first >> 4)];
        if (low <= first && first + 15 <= high && next > first_block) {
            next = known;
            continue;
        }
        if (next > first_block) {
            blocks_.emplace_back().fill(next);
            next = first_block - static_cast<std::int32_t>(blocks_.size() - 1);
        }
        std::array<std::int32_t, 16>& steps = blocks_[static_cast<std::size_t>(first_block - next)];
        for (int b = std::max(low, first); b <= std::min(high, first + 15); ++b)
            steps[static_cast<std::size_t>(b & 15)] = known;
    }
}

// Adds a place that was reached, unless the text cannot be completed from it.
void GrammarRecognizer::arrive(Place place) {
    ++work_;
    if (!alive(place)) return;
    // Has this place arrived already? Most nodes have only one continuation, so compare it with the
    // last place of this node first.
    const auto node = static_cast<std::size_t>(place.node);
    if (last_arrival_.size() <= node)
        last_arrival_.resize(static_cast<std::size_t>(grammar_.nodes()));
    std::size_t& last = last_arrival_[node];
    if (last < arrived_.size() && arrived_[last].node == place.node &&
        (arrived_[last] == place || has_arrived(place) ||
         (arrived_[last].annotation == place.annotation &&
          covers(arrived_[last].continuation, place.continuation))))
        return;
    last = arrived_.size();
    arrived_.push_back(place);
}

// Compares a few places one by one; looks many up by hash (nested repetitions make many). begin()
// removes places again, so an index entry may be outdated and is compared. A place whose hash
// another one has may arrive twice; that costs work only, since collect() removes duplicates.
bool GrammarRecognizer::has_arrived(const Place& place) {
    if (arrived_.size() <= 32)
        return std::find(arrived_.begin(), arrived_.end(), place) != arrived_.end();
    for (; indexed_ < arrived_.size(); ++indexed_)
        arrived_index_.set(hash_of(1, std::span(&arrived_[indexed_], 1)),
                           static_cast<int>(indexed_));
    const int at = arrived_index_.find(hash_of(1, std::span(&place, 1)));
    return at >= 0 && static_cast<std::size_t>(at) < arrived_.size() &&
           arrived_[static_cast<std::size_t>(at)] == place;
}

void GrammarRecognizer::leave(int continuation) {
    if (continuation == whole_text) accepts_ = true;
    if (is_forgotten(continuation)) escaped_ = true;
    for (const Place& place : places_after(continuation)) arrive(place);
}

void GrammarRecognizer::follow_calls(const Place& place) {
    const Grammar::Node& node = grammar_.node(place.node);
    const int continuation = place.continuation;
    for (const Grammar::CallEdge& e : node.calls) {
        const Grammar::Rule& rule = grammar_.rule(e.rule);
        if (rule.cost >= Grammar::never) continue;
        Place back{e.to, continuation, 0};
        if (node.annotations >= 0)
            back.annotation =
                grammar_.annotations(node.annotations).called(place.annotation, e.label);
        if (!alive(back)) continue;
        std::vector<Place>& callers = callers_[static_cast<std::size_t>(e.rule)];
        if (callers.empty()) {
            called_.emplace_back(rule.rank, e.rule);
            std::push_heap(called_.begin(), called_.end(), std::greater<>());
        }
        // A tail call returns straight to the callers of its rule: right recursion needs no stack.
        // (Continuations up to max_slots are special and have no list of callers.)
        if (grammar_.is_end(e.to) && continuation > max_slots) {
            const std::span<const Place> outer = places_after(continuation);
            callers.insert(callers.end(), outer.begin(), outer.end());
        } else {
            callers.push_back(back);
        }
        if (rule.cost == 0) arrive(back);  // the rule may be empty
    }
}

// Begins the called rules in the order of their ranks: then all callers of a rule are known when it
// begins. No place arrives here: if a called rule may be empty, follow_calls() has already gone on
// after the call.
void GrammarRecognizer::begin_rules() {
    while (!called_.empty()) {
        std::pop_heap(called_.begin(), called_.end(), std::greater<>());
        const int rule = called_.back().second;
        called_.pop_back();
        std::vector<Place>& callers = callers_[static_cast<std::size_t>(rule)];
        const int continuation = continuation_of(callers);
        callers.clear();
        begin(rule, continuation);
    }
}

void GrammarRecognizer::begin(int rule, int continuation) {
    begun_.assign(1, {grammar_.rule(rule).start, continuation});
    for (std::size_t i = 0; i < begun_.size(); ++i) {
        const Place place = begun_[i];
        grammar_.expand(place.node);
        const Grammar::Node& node = grammar_.node(place.node);
        if (node.cost >= Grammar::never) continue;
        if (!node.bytes.empty()) kept_.push_back(place);
        const std::size_t before = arrived_.size();
        follow_calls(place);
        // If a rule called at the beginning may be empty, this rule also begins after that call.
        for (std::size_t j = before; j < arrived_.size(); ++j) {
            if (std::find(begun_.begin(), begun_.end(), arrived_[j]) == begun_.end())
                begun_.push_back(arrived_[j]);
        }
        arrived_.resize(before);
        indexed_ = std::min(indexed_, before);
    }
}

// Does every text after the continuation `less` also come after `more`? Yes, if for each place in
// `less` there is one at the same node in `more` whose own continuation covers that of the first.
// ("No" may be wrong: it costs work only.)
bool GrammarRecognizer::covers(int more, int less, int depth) {
    constexpr int deepest = 32;
    if (more == less) return true;
    if (more <= max_slots || less <= max_slots || depth == deepest) return false;
    const std::uint64_t pair = static_cast<std::uint64_t>(more) << 32 | static_cast<unsigned>(less);
    if (const int known = covers_.find(pair); known >= 0) return known == 1;
    const auto outer = places_after(more), inner = places_after(less);
    const bool yes = std::all_of(inner.begin(), inner.end(), [&](const Place& p) {
        return std::any_of(outer.begin(), outer.end(), [&](const Place& q) {
            ++work_;
            return q.node == p.node && q.annotation == p.annotation &&
                   covers(q.continuation, p.continuation, depth + 1);
        });
    });
    covers_.set(pair, yes ? 1 : 0);
    return yes;
}

// Sorts places, and drops those that others cover: newer ones first, so that of two that cover each
// other the older one stays.
void GrammarRecognizer::drop_covered(std::vector<Place>& places) {
    sort_unique(places);
    for (std::size_t i = places.size(); i-- > 0;) {
        const Place place = places[i];
        const auto same_node = [&](std::size_t j) {
            return j < places.size() && places[j].node == place.node;
        };
        const auto covers_it = [&](const Place& p) {
            return p.annotation == place.annotation && covers(p.continuation, place.continuation);
        };
        bool covered = false;
        for (std::size_t j = i - 1; !covered && same_node(j); --j) covered = covers_it(places[j]);
        for (std::size_t j = i + 1; !covered && same_node(j); ++j) covered = covers_it(places[j]);
        if (covered) places.erase(places.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

Recognizer::State GrammarRecognizer::collect() {
    drop_covered(kept_);
    const State state =
        kept_.empty() && !accepts_ && !escaped_ ? dead : state_of(kept_, accepts_, escaped_);
    arrived_.clear();
    if (indexed_ > 0) arrived_index_.reset(), indexed_ = 0;
    kept_.clear();
    accepts_ = escaped_ = false;
    return state;
}

int GrammarRecognizer::continuation_of(std::vector<Place>& places) {
    drop_covered(places);
    const std::uint64_t hash = hash_of(1, places);
    const int last = continuation_index_.find(hash);
    for (int c = last; c >= 0; c = continuations_[static_cast<std::size_t>(c)].same_hash) {
        const auto known = places_after(c);
        if (std::equal(known.begin(), known.end(), places.begin(), places.end())) return c;
    }
    const int id = static_cast<int>(continuations_.size());
    int least = Grammar::never;
    for (const Place& p : places) least = std::min(least, closing_bytes(p));
    continuations_.push_back({static_cast<std::uint32_t>(continuation_places_.size()),
                              static_cast<std::uint32_t>(places.size()), least, last});
    continuation_places_.insert(continuation_places_.end(), places.begin(), places.end());
    continuation_index_.set(hash, id);
    return id;
}

Recognizer::State GrammarRecognizer::state_of(std::vector<Place>& places, bool accepts,
                                              bool escaped) {
    const std::uint64_t hash = hash_of(2u + accepts + 2u * escaped, places);
    const int last = state_index_.find(hash);
    for (int id = last; id >= 0; id = states_[static_cast<std::size_t>(id)].same_hash) {
        const StateInfo& s = states_[static_cast<std::size_t>(id)];
        if (s.size == places.size() && s.accepts == accepts && s.escaped == escaped &&
            std::equal(places.begin(), places.end(), places_.data() + s.first))
            return static_cast<State>(id);
    }
    StateInfo info;
    info.next.fill(unknown_step);
    info.first = static_cast<std::uint32_t>(places_.size());
    info.size = static_cast<std::uint32_t>(places.size());
    info.accepts = accepts, info.escaped = escaped, info.same_hash = last;
    places_.insert(places_.end(), places.begin(), places.end());
    state_index_.set(hash, static_cast<int>(states_.size()));
    states_.push_back(info);
    return states_.size() - 1;
}

int GrammarRecognizer::cost_of(State state) const {
    const StateInfo& info = states_[state];
    if (info.cost != unknown_cost) return info.cost;
    info.cost = info.accepts || info.size == 0 ? 0 : Grammar::never;
    for (const Place& p : places(state)) info.cost = std::min(info.cost, closing_bytes(p));
    return info.cost;
}

// Keeps the places inside their rules and replaces their continuations by slots.
Recognizer::State GrammarRecognizer::abstraction(State state) {
    if (!known(state)) return dead;
    if (states_[state].abstraction >= 0) return static_cast<State>(states_[state].abstraction);
    const auto own = this->places(state);
    abstracted_.assign(own.begin(), own.end()), forgotten_.clear();
    for (Place& p : abstracted_) {
        const int annotations = grammar_.node(p.node).annotations;
        if (annotations >= 0 && p.annotation != StateAnnotations::forgotten)
            p.annotation = grammar_.annotations(annotations).abstracted(p.node, p.annotation);
        if (p.continuation == whole_text) continue;
        auto slot = std::find(forgotten_.begin(), forgotten_.end(), p.continuation);
        if (slot == forgotten_.end()) slot = forgotten_.insert(forgotten_.end(), p.continuation);
        p.continuation =
            1 + std::min<int>(max_slots - 1, static_cast<int>(slot - forgotten_.begin()));
    }
    if (forgotten_.size() > max_slots) forgotten_.clear();
    StateInfo& info = states_[state];
    info.first_slot = static_cast<std::uint32_t>(slots_.size());
    info.slots = static_cast<std::uint32_t>(forgotten_.size());
    slots_.insert(slots_.end(), forgotten_.begin(), forgotten_.end());
    sort_unique(abstracted_);
    const State result = state_of(abstracted_, false, false);
    return states_[state].abstraction = static_cast<std::int32_t>(result), result;
}

namespace {

constexpr std::size_t max_ways = 3, deepest = 12;

// The rule of each node; −1 if no rule reaches it.
std::vector<int> rules_of_nodes(const Grammar& grammar) {
    std::vector<int> rule_of(index(grammar.nodes()), -1), open;
    const auto reach = [&](int node, int rule) {
        if (node < 0 || rule_of[index(node)] >= 0) return;
        rule_of[index(node)] = rule;
        open.push_back(node);
    };
    for (int rule = 0; rule < grammar.rules(); ++rule) {
        reach(grammar.rule(rule).start, rule);
        while (!open.empty()) {
            const Grammar::Node& node = grammar.node(open.back());
            open.pop_back();
            for (const Grammar::ByteEdge& e : node.bytes) reach(e.to, rule);
            for (const Grammar::CallEdge& e : node.calls) reach(e.to, rule);
        }
    }
    return rule_of;
}

// Is this a name that the grammar's author gave? Those have no spaces.
bool is_own(const std::string& name) { return name.find(' ') == std::string::npos; }

}  // namespace

void GrammarRecognizer::throw_too_ambiguous(State state) const {
    const std::vector<int> rule_of = rules_of_nodes(grammar_);
    std::vector<int> derivations(index(grammar_.rules()));
    for (const Place& p : places(state))
        if (rule_of[index(p.node)] >= 0) ++derivations[index(rule_of[index(p.node)])];
    const auto most = std::max_element(derivations.begin(), derivations.end());
    throw TooAmbiguous(
        "grammar: the text can be read in so many ways that one token takes more than " +
        std::to_string(max_work_) + " steps, most of them in the rule '" +
        grammar_.rule(to_int(most - derivations.begin())).name +
        "'; write it so that each text can be read in one way");
}

std::string rule_words(const GrammarRecognizer& recognizer, Recognizer::State state) {
    if (state == Recognizer::dead) return "";
    const Grammar& grammar = recognizer.grammar();
    const std::vector<int> rule_of = rules_of_nodes(grammar);
    std::vector<std::string> ways;
    for (GrammarPlace place : recognizer.places(state)) {
        std::vector<std::string> names;  // innermost first
        while (names.size() < deepest) {
            const int rule = rule_of[index(place.node)];
            if (rule >= 0 && is_own(grammar.rule(rule).name))
                names.push_back(grammar.rule(rule).name);
            const auto after = recognizer.places_after(place.continuation);
            if (place.continuation == GrammarRecognizer::whole_text || after.empty()) break;
            place = after[0];
        }
        std::string way;
        for (std::size_t i = names.size(); i-- > 0;) way += (way.empty() ? "" : " › ") + names[i];
        if (std::find(ways.begin(), ways.end(), way) == ways.end()) ways.push_back(way);
    }
    if (ways.empty() || (ways.size() == 1 && ways[0].find(" › ") == std::string::npos)) return "";
    std::string words;
    for (std::size_t i = 0; i < std::min(ways.size(), max_ways); ++i)
        words += (i > 0 ? ", or " : "") + ways[i];
    return words + (ways.size() > max_ways ? ", or …" : "");
}

}  // namespace tbt
