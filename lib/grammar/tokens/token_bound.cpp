#include "lib/grammar/tokens/token_bound.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include "lib/grammar/tokens/token_trie.hpp"

namespace tbt {

namespace {

std::atomic<unsigned> made = 1;

}  // namespace

// Computes the rules with the lowest cost in bytes first, because a shortest path only calls rules
// that cost at most as much as its own. If the costs are equal, the call comes before any byte, and
// the rule called has the higher rank. So rules of equal cost are sorted by rank, highest first.
TokenBound::TokenBound(GrammarRecognizer& recognizer, const TokenTrie& trie)
    : recognizer_(&recognizer),
      trie_(&trie),
      version_(++made),
      id_(++made),
      rules_(index(recognizer.grammar().rules()), Grammar::never) {
    std::vector<int> order(rules_.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int a, int b) {
        const Grammar::Rule &x = grammar().rule(a), &y = grammar().rule(b);
        return x.cost != y.cost ? x.cost < y.cost : x.rank > y.rank;
    });
    bool forget = false;
    for (int i = 0; i < grammar().annotation_tables(); ++i)
        forget |= grammar().annotations(i).tokens_have_at_most(trie.longest());
    if (forget) recognizer.forget();
    for (const int r : order) rules_[index(r)] = at(grammar().rule(r).start), version_ = ++made;
}

void TokenBound::of_suffixes(std::string_view text, const std::vector<bool>& cut,
                             std::span<int> tokens) const {
    if (!cut.empty()) check_size("places where a text may be cut", cut.size(), text.size());
    check_size("tokens of suffixes", tokens.size(), text.size() + 1);
    tokens[text.size()] = 0;
    const auto may_cut = [&](std::size_t i) { return cut.empty() || i == text.size() || cut[i]; };
    for (std::size_t i = text.size(); i-- > 0;) {
        tokens[i] = 1 + tokens[i + 1];
        if (!may_cut(i)) continue;
        int node = -1;
        for (std::size_t end = i; end < text.size();) {
            node = trie_->child(node, static_cast<unsigned char>(text[end]));
            if (node < 0) break;
            ++end;
            if (trie_->nodes()[index(node)].token >= 0)
                tokens[i] = std::min(tokens[i], 1 + tokens[end]);
        }
    }
}

std::vector<int> TokenBound::lengths_of_words() const {
    ByteSet plain;
    for (std::size_t c = 0x20; c < 0x7f; ++c) plain.set(c, c != '"' && c != '\\');
    const std::vector<int> words = trie_->words(-1, plain)->of_length;
    std::vector<int> lengths;
    for (int n = 1; n < count(words); ++n)
        if (words[index(n)] >= 0) lengths.push_back(n);
    return lengths;
}

// Does the path end here? Node sources and annotations compute the rest themselves.
bool TokenBound::ends_path(int node) const {
    const Grammar::Node& n = grammar().node(node);
    return n.source >= 0 || n.annotations >= 0 || n.cost == 0 || n.cost >= Grammar::never;
}

// The longest token made of bytes that lead from n to `to`. −1 if there is none, or if fewer than
// `many` different bytes lead there.
int TokenBound::word(const Grammar::Node& n, int to) const {
    constexpr std::size_t many = 10;
    ByteSet bytes;
    for (const Grammar::ByteEdge& e : n.bytes)
        for (int b = e.low; b <= e.high && e.to == to; ++b) bytes.set(index(b));
    if (bytes.count() < many) return -1;
    const auto words = trie_->words(-1, bytes);
    const auto longest = std::find_if(words->of_length.rbegin(), words->of_length.rend(),
                                      [](int token) { return token >= 0; });
    return longest == words->of_length.rend() ? -1 : *longest;
}

// The first step of a shortest path. A call of a rule that may be empty is skipped: the steps after
// the call are possible here too.
TokenBound::Move TokenBound::move(int node, bool words) {
    like_.assign(1, node);
    for (std::size_t i = 0; i < like_.size(); ++i) {
        const Grammar::Node& n = grammar().node(like_[i]);
        for (const Grammar::ByteEdge& e : n.bytes)
            if (saturating_add(1, grammar().node(e.to).cost) == n.cost)
                return {e.low, words ? word(n, e.to) : -1, -1, e.to};
        for (const Grammar::CallEdge& e : n.calls) {
            const int rule = grammar().rule(e.rule).cost;
            if (saturating_add(rule, grammar().node(e.to).cost) != n.cost) continue;
            if (rule > 0) return {-1, -1, e.rule, e.to};
            if (ends_path(e.to)) return {-1, -1, e.rule, e.to};
            if (std::find(like_.begin(), like_.end(), e.to) == like_.end()) like_.push_back(e.to);
        }
    }
    throw Error("grammar: a node costs " + std::to_string(grammar().node(node).cost) +
                " bytes, but no path of so many leads from it");
}

int TokenBound::at(int node) {
    const Grammar::Node& n = grammar().node(node);
    if (n.cost >= Grammar::never) return Grammar::never;
    if (n.annotations >= 0)
        return grammar().annotations(n.annotations).cost(*this, node, StateAnnotations::at_entry);
    if (n.source < 0 && n.cost == 0) return 0;
    nodes_.resize(index(grammar().nodes()), unknown);  // nodes may have been added
    int& known = nodes_[index(node)];
    if (known == unknown && n.source >= 0)
        known = recognizer_->grammar().source(n.source).cost(*this, node);
    if (known == unknown) settle(node);
    return known;
}

// Follows the shortest path to the end of the rule, or to a node whose bound is known. Then goes
// back along the path and adds up the tokens of each stretch of bytes and of each call.
void TokenBound::settle(int node) {
    constexpr int far = 16;
    const bool words = grammar().node(node).cost >= far;
    Path path = std::exchange(path_, {});  // at() below may call settle() again
    path.nodes.clear(), path.moves.clear();
    while (!ends_path(node) && nodes_[index(node)] == unknown) {
        path.nodes.push_back(node);
        path.moves.push_back(move(node, words));
        node = path.moves.back().to;
    }
    int rest = at(node);
    for (std::size_t end = path.nodes.size(); end > 0;) {
        std::size_t first = end;
        while (first > 0 && path.moves[first - 1].byte >= 0) --first;
        spell(path, first, end);
        path.tokens.resize(path.text.size() + 1);
        of_suffixes(path.text, {}, path.tokens);
        for (std::size_t i = first; i < end; ++i)
            nodes_[index(path.nodes[i])] = saturating_add(path.tokens[i - first], rest);
        if (first < end) rest = nodes_[index(path.nodes[first])];
        end = first;
        if (end == 0) break;
        --end;
        rest = nodes_[index(path.nodes[end])] = saturating_add(rule(path.moves[end].rule), rest);
    }
    path_ = std::move(path);
}

// Writes the bytes of the steps first … end−1. Consecutive steps with the same word repeat the word
// and end with its last byte; the first repetition may lack its beginning.
void TokenBound::spell(Path& path, std::size_t first, std::size_t end) const {
    path.text.resize(end - first);
    std::size_t left = 0;  // bytes of the current word up to this step
    for (std::size_t i = end; i-- > first; left = left == 0 ? 0 : left - 1) {
        const Move& move = path.moves[i];
        char& here = path.text[i - first];
        here = static_cast<char>(move.byte);
        if (move.word < 0) continue;
        const std::string& word = trie_->bytes(move.word);
        const bool goes_on = i + 1 < end && path.moves[i + 1].word == move.word;
        if (!goes_on || left == 0) left = word.size();
        here = word[left - 1];
    }
}

int TokenBound::here(const GrammarPlace& place) {
    const int annotations = grammar().node(place.node).annotations;
    return annotations < 0
               ? at(place.node)
               : grammar().annotations(annotations).cost(*this, place.node, place.annotation);
}

// A continuation returns to earlier ones only, so their bounds are already in after_.
int TokenBound::after(int continuation) {
    while (after_.size() <= index(continuation)) {
        const int next = count(after_);
        int least = next <= GrammarRecognizer::max_slots ? 0 : Grammar::never;
        for (const GrammarPlace& p : recognizer_->places_after(next))
            least = std::min(least, of(p));
        after_.push_back(least);
    }
    return after_[index(continuation)];
}

int TokenBound::of(State state) {
    if (state == Recognizer::dead) return Grammar::never;
    if (recognizer_->accepts(state)) return 0;
    const auto place = static_cast<std::size_t>(state);
    if (states_.size() <= place) states_.resize(place + 1, unknown);
    if (states_[place] == unknown) {
        int least = recognizer_->places(state).empty() ? 0 : Grammar::never;
        for (const GrammarPlace& p : recognizer_->places(state)) least = std::min(least, of(p));
        states_[place] = least;
    }
    return states_[place];
}

int TokenBound::hidden(State state) {
    int most = 0;
    for (const GrammarPlace& p : recognizer_->places(state))
        most = std::max(most, after(p.continuation));
    return most;
}

// Is this continuation a slot of an abstraction, or can it return to one?
bool TokenBound::reaches_forgotten(int continuation) {
    if (continuation <= GrammarRecognizer::max_slots) return continuation != 0;
    if (reaches_forgotten_.size() <= index(continuation))
        reaches_forgotten_.resize(index(continuation) + 1, -1);
    if (reaches_forgotten_[index(continuation)] < 0) {
        const auto places = recognizer_->places_after(continuation);
        const bool any = std::any_of(places.begin(), places.end(), [&](const GrammarPlace& p) {
            return reaches_forgotten(p.continuation);
        });
        reaches_forgotten_[index(continuation)] = any ? 1 : 0;
    }
    return reaches_forgotten_[index(continuation)] > 0;
}

// The bound from a place of an abstraction, with the real continuation where it has a slot.
int TokenBound::of_meant(GrammarPlace p, Slots slots) {
    if (GrammarRecognizer::is_forgotten(p.continuation))
        p.continuation = slots[index(p.continuation - 1)];
    if (!reaches_forgotten(p.continuation)) return of(p);
    int least = Grammar::never;
    for (const GrammarPlace& place : recognizer_->places_after(p.continuation))
        least = std::min(least, of_meant(place, slots));
    return saturating_add(least, here(p));
}

int TokenBound::of_reached(State state, State reached) {
    if (recognizer_->accepts(reached)) return 0;
    const Slots slots = recognizer_->slots(state);
    int least = Grammar::never;
    for (const GrammarPlace& p : recognizer_->places(reached)) {
        if (slots.empty() && reaches_forgotten(p.continuation)) return -1;
        least = std::min(least, of_meant(p, slots));
    }
    return least;
}

}  // namespace tbt
