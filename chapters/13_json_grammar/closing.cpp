#include "chapters/13_json_grammar/closing.hpp"

#include <algorithm>
#include <unordered_set>

namespace tbt {

namespace {

// Limits of a search, in expanded states: a question asked for one token among many,
// and the one question before the first token.
constexpr int search_work = 400;
constexpr int minimum_work = 4000;

int plus(int a, int b) {
    return a == Closing::never || b == Closing::never ? Closing::never : a + b;
}

}  // namespace

Closing::Closing(MaskCache& masks) : masks_(&masks) {
    for (int byte = 0; byte < 256; ++byte) {
        const int node = masks.trie().child(-1, static_cast<unsigned char>(byte));
        spells_every_byte_ = spells_every_byte_ && node >= 0 &&
                             masks.trie().nodes()[static_cast<std::size_t>(node)].token >= 0;
    }
}

unsigned char Closing::shortest_byte(State state) {
    const auto [place, added] = shortest_.try_emplace(state);
    if (!added) return place->second;
    ByteMachine& machine = masks_->machine();
    const int wanted = machine.closing_bytes(state) - 1;
    for (int byte = 0; byte < 256; ++byte) {
        const State next = machine.next(state, static_cast<unsigned char>(byte));
        if (next != ByteMachine::dead && machine.closing_bytes(next) == wanted)
            return place->second = static_cast<unsigned char>(byte);
    }
    throw Error("closing: the machine promises an end in " + std::to_string(wanted + 1) +
                " bytes, but no byte leads there");
}

std::string Closing::shortest(State state) {
    std::string text;
    while (masks_->machine().closing_bytes(state) > 0) {
        const unsigned char byte = shortest_byte(state);
        text += static_cast<char>(byte);
        state = masks_->machine().next(state, byte);
    }
    return text;
}

// No token is longer than the longest.
int Closing::least(State state) const {
    const int longest = std::max(1, masks_->trie().longest());
    return (masks_->machine().closing_bytes(state) + longest - 1) / longest;
}

// A first bound: the shortest completion in bytes, cut into as few tokens as possible.
// All its ends are shortest completions of the states on the way, so one pass from the back serves
// them all, up to those that are known: n(i) = 1 + min over tokens at i of n(i + length).
Closing::Known& Closing::known(State state) {
    if (const auto found = known_.find(state); found != known_.end()) return found->second;
    const std::string text = shortest(state);
    std::vector<State> states{state};
    for (const char c : text)
        states.push_back(masks_->machine().next(states.back(), static_cast<unsigned char>(c)));
    const TokenTrie& trie = masks_->trie();
    std::vector<int> tokens(text.size() + 1, never);
    tokens[text.size()] = 0;
    for (std::size_t i = text.size(); i-- > 0;) {
        if (const auto found = known_.find(states[i]); found != known_.end()) {
            tokens[i] = found->second.enough;
            continue;
        }
        int node = -1;
        for (std::size_t j = i; j < text.size(); ++j) {
            node = trie.child(node, static_cast<unsigned char>(text[j]));
            if (node < 0) break;
            if (trie.nodes()[static_cast<std::size_t>(node)].token >= 0)
                tokens[i] = std::min(tokens[i], plus(tokens[j + 1], 1));
        }
    }
    for (std::size_t i = 0; i < states.size(); ++i)
        known_.try_emplace(states[i], Known{tokens[i], least(states[i])});
    return known_.at(state);
}

const std::vector<MaskCache::Step>& Closing::steps(State state) {
    const auto [place, added] = steps_.try_emplace(state);
    if (added) {
        place->second = masks_->steps(state);
        const ByteMachine& machine = masks_->machine();
        std::stable_sort(place->second.begin(), place->second.end(),
                         [&](const auto& a, const auto& b) {
                             return machine.closing_bytes(a.state) < machine.closing_bytes(b.state);
                         });
    }
    return place->second;
}

bool Closing::fits(State state, int tokens) {
    int work = search_work;
    return search(state, tokens, work);
}

bool Closing::search(State state, int tokens, int& work) {
    if (masks_->machine().accepts(state)) return tokens >= 0;
    if (tokens <= 0) return false;
    if (spells_every_byte_ && masks_->machine().closing_bytes(state) <= tokens) return true;
    const Known now = known(state);
    if (tokens >= now.enough) return true;
    if (tokens < now.needed || --work < 0) return false;
    for (const MaskCache::Step& step : steps(state)) {
        if (!search(step.state, tokens - 1, work)) continue;
        known_.at(state).enough = std::min(known_.at(state).enough, tokens);
        return true;
    }
    if (work >= 0) known_.at(state).needed = tokens + 1;
    return false;
}

// Breadth first: all states that k tokens reach, for k = 0, 1, …
Closing::Minimum Closing::minimum(State state) {
    int best = masks_->machine().accepts(state) ? 0 : known(state).enough, work = minimum_work;
    std::unordered_set<State> seen{state};
    std::vector<State> reached{state}, next;
    for (int k = 0; k + 1 < best && !reached.empty(); ++k) {
        next.clear();
        for (const State from : reached) {
            if (plus(k, std::max(1, least(from))) >= best) continue;
            if (--work < 0) return {best, false};
            for (const MaskCache::Step& step : steps(from)) {
                if (!seen.insert(step.state).second) continue;
                if (masks_->machine().accepts(step.state)) return {k + 1, true};
                best = std::min(best, plus(k + 1, known(step.state).enough));
                next.push_back(step.state);
            }
        }
        reached.swap(next);
    }
    return {best, true};
}

}  // namespace tbt
