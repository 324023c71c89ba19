#include "chapters/13_json_grammar/closing.hpp"

#include <algorithm>
#include <unordered_set>

#include "lib/index.hpp"

namespace tbt {

namespace {

// Without all bytes in the vocabulary: states that are tried before the answer is "none found".
constexpr int most_tried = 4000;

}  // namespace

std::string Closing::shortest(State state) {
    ByteMachine& machine = masks_->machine();
    std::string text;
    for (int left = machine.closing_bytes(state); left > 0; --left) {
        int byte = 0;
        State next = ByteMachine::dead;
        for (; byte < 256; ++byte) {
            next = machine.next(state, static_cast<unsigned char>(byte));
            if (next != ByteMachine::dead && machine.closing_bytes(next) == left - 1) break;
        }
        if (byte == 256)
            throw Error("closing: the machine promises an end in " + std::to_string(left) +
                        " bytes, but no byte leads there");
        text += static_cast<char>(byte);
        state = next;
    }
    return text;
}

bool Closing::fits(State state, int tokens_left) {
    ByteMachine& machine = masks_->machine();
    if (state == ByteMachine::dead) return false;
    if (machine.accepts(state)) return tokens_left >= 0;
    if (tokens_left <= 0) return false;
    if (!spells_every_byte()) return try_everything(state, tokens_left) <= tokens_left;
    if (masks_->to_end(state) <= tokens_left) return true;
    const int bytes = machine.closing_bytes(state), longest = std::max(1, masks_->trie().longest());
    if ((bytes + longest - 1) / longest > tokens_left) return false;
    return tokens(state) <= tokens_left;
}

Closing::Minimum Closing::minimum(State state) {
    if (state == ByteMachine::dead) return {never, true};
    if (masks_->machine().accepts(state)) return {0, true};
    if (spells_every_byte()) {
        const int least = tokens(state);
        return {least, masks_->costs() == nullptr || masks_->costs()->exact()};
    }
    const int least = try_everything(state, never);
    return {least < 0 ? never : least, least >= 0};
}

int Closing::tokens(State state) {
    if (masks_->machine().accepts(state)) return 0;
    if (TokenCosts* costs = masks_->costs()) return costs->tokens(state);
    const Vertex from{state, 0};
    if (const auto known = tokens_.find(from); known != tokens_.end()) return known->second;
    settle(from);
    return tokens_.at(from);
}

// Everything that can be reached this way and is not known yet; then from the ends backwards.
void Closing::settle(const Vertex& from) {
    std::vector<Vertex> found{from};
    std::unordered_map<Vertex, int, Hash> place{{from, 0}};
    std::vector<std::vector<int>> before(1), at_distance;
    const auto put = [&](int vertex, int distance) {
        if (at_distance.size() <= index(distance)) at_distance.resize(index(distance) + 1);
        at_distance[index(distance)].push_back(vertex);
    };
    for (std::size_t i = 0; i < found.size(); ++i) {
        collect_steps(found[i]);
        for (const Vertex& to : steps_) {
            if (masks_->machine().accepts(to.state)) {
                put(to_int(i), 1);
            } else if (const auto known = tokens_.find(to); known != tokens_.end()) {
                if (known->second != never) put(to_int(i), known->second + 1);
            } else {
                const auto [at, added] = place.try_emplace(to, to_int(found.size()));
                if (added) found.push_back(to), before.emplace_back();
                before[index(at->second)].push_back(to_int(i));
            }
        }
    }
    std::vector<int> distance(found.size(), never);
    for (std::size_t d = 1; d < at_distance.size(); ++d) {
        for (std::size_t k = 0; k < at_distance[d].size(); ++k) {
            const auto vertex = index(at_distance[d][k]);
            if (distance[vertex] <= to_int(d)) continue;
            distance[vertex] = to_int(d);
            for (const int b : before[vertex]) put(b, to_int(d) + 1);
        }
    }
    for (std::size_t i = 0; i < found.size(); ++i) tokens_.emplace(found[i], distance[i]);
}

// One byte on, if it is one of those that are singled out.
bool Closing::approach(Vertex& at, unsigned char byte) {
    ByteMachine& machine = masks_->machine();
    const State next = machine.next(at.state, byte);
    if (next == ByteMachine::dead) return false;
    const int before = machine.closing_bytes(at.state), after = machine.closing_bytes(next);
    if (after > before) return false;
    if (after == before) {
        // One letter more in a string is never nearer to its end.
        if (at.idle == most_idle) return false;
        const ByteSet& alike = masks_->runs().alike(at.state);
        if (alike.count() >= wide && alike[byte]) return false;
    }
    at = {next, after == before ? at.idle + 1 : 0};
    return true;
}

// The vertices behind one token. Words over a class of bytes, of which a string must still take
// some, are taken by their lengths.
void Closing::collect_steps(const Vertex& from) {
    steps_.clear();
    ByteMachine& machine = masks_->machine();
    const TokenTrie& trie = masks_->trie();
    const ByteRun* run = masks_->runs().run(-1, from.state);
    ByteSet without;
    if (run != nullptr && run->without.none() &&
        machine.closing_bytes(run->states[1]) < machine.closing_bytes(from.state)) {
        without = masks_->runs().alike(from.state);
        std::size_t length = 1;
        while (length + 1 < run->states.size() && machine.closing_bytes(run->states[length + 1]) <
                                                      machine.closing_bytes(run->states[length]))
            ++length;
        const std::vector<State> states(
            run->states.begin(), run->states.begin() + static_cast<std::ptrdiff_t>(length) + 1);
        const TokenWords& words = *run->words;
        for (std::size_t n = 1; n <= length; ++n) {
            if (words.of_length[n] >= 0) steps_.push_back({states[n], 0});
        }
        for (const int exit : words.exits) {
            const TokenTrie::Node& node = trie.nodes()[index(exit)];
            const auto taken = index(node.depth) - 1;
            if (taken == 0 || taken > length) continue;
            Vertex at{states[taken], 0};
            if (!approach(at, node.byte)) continue;
            if (node.token >= 0) steps_.push_back(at);
            walk_below(exit, exit + 1, node.end, at, nullptr);
        }
    }
    walk_below(-1, 0, trie.end(-1), from, &without);
    std::sort(steps_.begin(), steps_.end(), [](const Vertex& a, const Vertex& b) {
        return a.state != b.state ? a.state < b.state : a.idle < b.idle;
    });
    steps_.erase(std::unique(steps_.begin(), steps_.end(),
                             [](const Vertex& a, const Vertex& b) { return a.state == b.state; }),
                 steps_.end());
}

void Closing::walk_below(int node, int first, int last, const Vertex& from,
                         const ByteSet* without) {
    const TokenTrie& trie = masks_->trie();
    const auto base = index(trie.depth(node));
    on_the_way_.resize(index(trie.longest()) + 2);
    on_the_way_[base] = from;
    for (int i = first; i < last;) {
        const TokenTrie::Node& n = trie.nodes()[index(i)];
        Vertex at = on_the_way_[n.depth - std::size_t{1}];
        if ((without != nullptr && n.depth == 1 && (*without)[n.byte]) || !approach(at, n.byte)) {
            i = n.end;
            continue;
        }
        on_the_way_[n.depth] = at;
        if (n.token >= 0) steps_.push_back(at);
        ++i;
    }
}

// For vocabularies that lack bytes, as small ones made up for a lesson do: breadth first through
// all that k tokens reach, for k = 0, 1, … The path that is found stays known, so that what was
// promised at its beginning holds at each of its states.
int Closing::try_everything(State state, int most) {
    if (masks_->machine().accepts(state)) return 0;
    if (const auto known = enough_.find(state); known != enough_.end()) return known->second;
    struct Found {
        State state;
        int before, tokens;
    };
    std::vector<Found> found{{state, -1, 0}};
    std::unordered_set<State> seen{state};
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i].tokens >= most) break;
        if (i >= most_tried) return -1;
        for (const TokenReach::Step& step : masks_->reached().steps(found[i].state)) {
            if (!seen.insert(step.state).second) continue;
            if (masks_->machine().accepts(step.state)) {
                int left = 1;
                for (int at = to_int(i); at >= 0; at = found[index(at)].before)
                    enough_.emplace(found[index(at)].state, left++);
                return found[i].tokens + 1;
            }
            found.push_back({step.state, to_int(i), found[i].tokens + 1});
        }
    }
    return never;
}

}  // namespace tbt
