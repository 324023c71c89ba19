#include "chapters/21_medusa/medusa.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

namespace {

constexpr float not_drafted = -std::numeric_limits<float>::infinity();
constexpr double beside = 0.05;  // the distance of the numbers near u

void add(std::vector<int>& ids, int id) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
}

// Adds the tokens that the distribution gives for u and for numbers near u, without duplicates.
void add_beside(std::vector<int>& ids, Candidates& distribution, double u, int wanted) {
    add(ids, draw(distribution, u));
    for (int step = 1; count(ids) < wanted && step <= 4; ++step)
        for (const double v : {u + step * beside, u - step * beside})
            if (v >= 0 && v < 1 && count(ids) < wanted) add(ids, draw(distribution, v));
}

// Adds the most probable tokens that are not in `ids` yet.
void add_best(std::vector<int>& ids, Candidates& distribution, int wanted) {
    while (count(ids) < wanted) {
        int best = -1;
        float largest = not_drafted;
        const std::span<const float> logits = distribution.logits();
        for (std::size_t i = 0; i < distribution.size(); ++i)
            if (logits[i] > largest &&
                std::find(ids.begin(), ids.end(), distribution.id(i)) == ids.end())
                best = distribution.id(i), largest = logits[i];
        if (best < 0) return;
        ids.push_back(best);
    }
}

// The steps of a chain that ban or penalise tokens, without temperature and truncation.
Chain without_cuts(const Chain& chain) {
    constexpr std::array<std::string_view, 11> cuts = {
        "temperature", "dynamic-temperature", "top-k", "top-p",    "min-p", "typical",
        "epsilon",     "top-n-sigma",         "xtc",   "mirostat", "eta"};
    std::vector<ChainStep> steps;
    for (const ChainStep& step : chain.steps())
        if (std::find(cuts.begin(), cuts.end(), step.name) == cuts.end()) steps.push_back(step);
    return Chain(std::move(steps));
}

}  // namespace

HeadsDraft::HeadsDraft(Heads& heads, TreeShape tree, StateBehind state)
    : heads_(&heads), tree_(std::move(tree)), state_(std::move(state)) {
    if (!state_) throw Error("medusa: no function that gives the target's states was given");
    const std::vector<int> depths = tree_depths(tree_.parents);
    const int deepest = depths.empty() ? 0 : 1 + *std::max_element(depths.begin(), depths.end());
    if (deepest > heads.count())
        throw Error("medusa: a tree of depth " + std::to_string(deepest) + ", and there are " +
                    std::to_string(heads.count()) +
                    " heads; one head is needed for each depth of the tree");
    if (depths != tree_.depths || tree_.ranks.size() != depths.size())
        throw Error("medusa: the depths and ranks of a tree do not fit its parents");
}

// Copies the logits of the drafted ids to row_, a row of the whole vocabulary.
void HeadsDraft::spread(std::span<const float> logits) {
    row_.assign(index(heads_->vocab_size()), not_drafted);
    const std::vector<int>& ids = heads_->config().drafted;
    for (std::size_t i = 0; i < ids.size(); ++i) row_[index(ids[i])] = logits[i];
}

// Applies the chain. Returns false if a step leaves no token, because none that it allows is
// drafted.
bool HeadsDraft::apply(const Chain& chain, const TextSoFar& text) {
    distribution_.reset(row_);
    for (const ChainStep& step : chain.steps()) {
        if (step.name == "mirostat") continue;  // needs the target's probability of each token
        step.apply(distribution_, text);
        if (distribution_.count() == 0) return false;
    }
    return true;
}

Guesses HeadsDraft::grow(const Chain& chain, const TextSoFar& text, int nodes, int room,
                         const EndsText& ends, const Choose& choose) {
    Guesses guesses;
    const std::span<const float> state = state_(text.ids.first(text.ids.size() - 1));
    nodes = std::min(nodes, count(tree_.parents));
    if (state.empty() || nodes < 1) return guesses;
    // tokens: the token of each node; −1 if there is none for its rank. of: the index of each node
    // among the guesses.
    std::vector<int> tokens(index(nodes), -1), of(index(nodes), -1);
    std::vector<int> places = {-1};  // the parents of this depth's guesses; −1: the text
    std::vector<float> states(state.begin(), state.end());
    for (int depth = 0; depth < std::min(heads_->count(), room) && !places.empty(); ++depth) {
        std::vector<int> last;
        for (const int at : places) last.push_back(at < 0 ? text.ids.back() : tokens[index(at)]);
        const Heads::Answer answer = heads_->read(depth, states, last);
        const std::size_t C = index(heads_->channels()), N = heads_->config().drafted.size();
        std::vector<int> next;
        std::vector<float> next_states;
        for (std::size_t r = 0; r < places.size(); ++r) {
            int wanted = 0;
            bool goes_on = false;
            for (int i = 0; i < nodes; ++i) {
                if (tree_.parents[index(i)] == places[r])
                    wanted = std::max(wanted, tree_.ranks[index(i)] + 1);
            }
            if (wanted == 0) continue;
            std::vector<int> ids(text.ids.begin(), text.ids.end());
            for (int at = places[r]; at >= 0; at = tree_.parents[index(at)])
                ids.insert(ids.begin() + length_of(text.ids), tokens[index(at)]);
            spread(answer.logits.subspan(r * N, N));
            const TextSoFar so_far{ids, text.prompt_length};
            if (!apply(chain, so_far)) continue;
            const int parent = places[r] < 0 ? -1 : of[index(places[r])];
            const std::vector<int> chosen =
                choose({parent, depth, &distribution_, row_, so_far}, wanted);
            for (int i = 0; i < nodes; ++i) {
                const auto rank = index(tree_.ranks[index(i)]);
                if (tree_.parents[index(i)] != places[r] || rank >= chosen.size()) continue;
                tokens[index(i)] = chosen[rank], of[index(i)] = count(guesses.ids);
                guesses.ids.push_back(chosen[rank]), guesses.parents.push_back(parent);
                goes_on = std::find(tree_.parents.begin(), tree_.parents.begin() + nodes, i) !=
                          tree_.parents.begin() + nodes;
                if (!goes_on || (ends && ends(chosen[rank]))) continue;
                next.push_back(i);
                const auto own = answer.states.subspan(r * C, C);
                next_states.insert(next_states.end(), own.begin(), own.end());
            }
        }
        places = std::move(next), states = std::move(next_states);
    }
    return guesses;
}

Guesses HeadsDraft::guess(const Chain& chain, const TextSoFar& text, Rng random, int nodes,
                          int room, const EndsText& ends) {
    std::vector<double> u;
    for (int k = 0; k < heads_->count(); ++k) u.push_back(random.uniform());
    Candidates ranking;
    const Chain bans = without_cuts(chain);
    return grow(chain, text, nodes, room, ends, [&](const Place& place, int wanted) {
        std::vector<int> ids;
        add_beside(ids, *place.distribution, u[index(place.depth)], wanted);
        if (count(ids) == wanted) return ids;
        ranking.reset(place.row);
        bans.apply(ranking, place.text);
        add_best(ids, ranking, wanted);
        return ids;
    });
}

DraftLength tree_size(const TreeShape& tree, bool adaptive) {
    const int most = std::max(1, count(tree.parents));
    if (!adaptive) return DraftLength::fixed(most);
    return DraftLength::timed(
        most, [tree](double right, int n) { return 1 + right * (tree.tokens(n) - 1); }, 1);
}

std::function<HeadsDraft(std::size_t)> drafts_for(CachedBatch& batch, Heads& heads,
                                                  const TreeShape& tree) {
    return [&batch, &heads, tree](std::size_t slot) {
        return HeadsDraft(heads, tree, [&batch, slot](std::span<const int> ids) {
            return batch.state(slot, ids);
        });
    };
}

Guesses both_trees(const Guesses& one, const Guesses& other) {
    Guesses tree;
    for (const Guesses* guesses : {&one, &other}) {
        std::vector<int> places;  // the index in `tree` of each guess
        for (int i = 0; i < count(guesses->ids); ++i) {
            const int parent = guesses->parent(i), after = parent < 0 ? -1 : places[index(parent)];
            const int id = guesses->ids[index(i)];
            // An empty tree has no parents, so child() would treat it as a chain.
            int place = tree.empty() ? -1 : tree.child(after, id);
            if (place < 0) {
                place = count(tree.ids);
                tree.ids.push_back(id), tree.parents.push_back(after);
            }
            places.push_back(place);
        }
    }
    return tree;
}

}  // namespace tbt
