// Drafting with heads: makes a tree of guesses after a text, from the target's state there.
//
// The shape of the tree is chosen beforehand, from the rates at which the guess of each rank was
// right. Its tokens are computed depth by depth, all nodes of a depth in one matrix product.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "chapters/06_combining/chain.hpp"
#include "chapters/10_generate/generate.hpp"
#include "chapters/12_speculative/drafts.hpp"
#include "chapters/21_medusa/heads.hpp"
#include "chapters/21_medusa/plain_tree.hpp"

namespace tbt {

// A function with the target's state after the last of these ids; empty if it is not known.
using StateBehind = std::function<std::span<const float>(std::span<const int> ids)>;

// Does this token end a text? Nothing is guessed after such a token: a grammar has no mask there.
using EndsText = std::function<bool(int id)>;

class HeadsDraft {
public:
    // Throws Error if the tree is deeper than the number of heads.
    HeadsDraft(Heads& heads, TreeShape tree, StateBehind state);

    // Guesses coupled by seed (chapter 12). The target will draw with a random number u that
    // belongs to the position. The guess of rank 0 is what the head's distribution gives for the
    // same u; the others are what it gives for numbers near u. If the chain leaves only one token,
    // the others are the most probable ones. Returns the first `nodes` nodes of the tree, at most
    // `room` deep; none if the state is not known.
    Guesses guess(const Chain& chain, const TextSoFar& text, Rng random, int nodes, int room,
                  const EndsText& ends = {});

    // Guesses for rejection: the children of a node are drawn from the head's distribution without
    // replacement.
    struct Drawn {
        Guesses guesses;
        std::vector<std::vector<double>> distributions;  // after the text, then after guess 0, 1, …
    };
    template <class Chance>
    Drawn draw(const Chain& chain, const TextSoFar& text, int nodes, int room, Chance& chance,
               const EndsText& ends = {}) {
        Drawn drawn;
        drawn.distributions.resize(index(nodes) + 1);
        drawn.guesses = grow(chain, text, nodes, room, ends, [&](const Place& place, int wanted) {
            std::vector<double>& q = drawn.distributions[index(place.parent + 1)];
            q = place.distribution->probabilities();
            std::vector<double> left = q;
            std::vector<int> ids;
            const auto open = [&] {
                return std::any_of(left.begin(), left.end(), [](double p) { return p > 0; });
            };
            while (count(ids) < wanted && open()) {
                ids.push_back(chance.draw(std::span<const double>(left)));
                left[index(ids.back())] = 0;
            }
            return ids;
        });
        return drawn;
    }

    const TreeShape& tree() const { return tree_; }
    bool knows(std::span<const int> ids) const {
        return !state_(ids.first(ids.size() - 1)).empty();
    }

private:
    // A position for which tokens are guessed: after guess `parent` (−1: the text), at depth
    // `depth`.
    struct Place {
        int parent = -1, depth = 0;
        Candidates* distribution = nullptr;  // the head's distribution after the chain
        std::span<const float> row;          // its logits (V) before the chain
        TextSoFar text;
    };
    // choose(place, wanted) returns at most `wanted` tokens in the order of their ranks.
    using Choose = std::function<std::vector<int>(const Place& place, int wanted)>;
    Guesses grow(const Chain& chain, const TextSoFar& text, int nodes, int room,
                 const EndsText& ends, const Choose& choose);
    void spread(std::span<const float> logits);
    bool apply(const Chain& chain, const TextSoFar& text);

    Heads* heads_;
    TreeShape tree_;
    StateBehind state_;
    std::vector<float> row_;  // (V), −∞ for ids that are not drafted
    Candidates distribution_;
};

// The steps of a chain that ban or penalise tokens, without temperature and truncation.
Chain without_cuts(const Chain& chain);

}  // namespace tbt
