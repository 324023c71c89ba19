// Heads as a draft: a tree of guesses after a text, from the state that the target left there.
//
// The shape of the tree is chosen beforehand, from how often the guess of each rank was right; its
// tokens are found one depth after the other, all places of a depth in one product.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "chapters/06_combining/chain.hpp"
#include "chapters/10_generate/text_writer.hpp"
#include "chapters/12_speculative/outcomes.hpp"
#include "chapters/21_medusa/heads.hpp"
#include "chapters/21_medusa/plain_tree.hpp"

namespace tbt {

// The target's state after the last of these ids; empty: it is not known.
using StateBehind = std::function<std::span<const float>(std::span<const int> ids)>;

// Does this token end a text? Nothing is guessed after it: a guide has no mask there.
using EndsText = std::function<bool(int id)>;

class HeadsDraft {
public:
    // tree: no deeper than there are heads, or Error.
    HeadsDraft(Heads& heads, TreeShape tree, StateBehind state);

    // Coupled by seed. u belongs to the place, so the guess of rank 0 is what the head's
    // distribution gives for the very u of the target, and the next ones are what it gives for
    // numbers beside u. Where the chain leaves one token only, the next ones are the most probable.
    // The first `nodes` of the tree, no deeper than `room`; nothing where the state is not known.
    Guesses guess(const Chain& chain, const TextSoFar& text, Rng luck, int nodes, int room,
                  const EndsText& ends = {});

    // For rejection: the children of a place are drawn from the head's distribution, none twice.
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
    // A place that is guessed for: after guess `parent` (−1: the text), `depth` guesses deep.
    struct Place {
        int parent = -1, depth = 0;
        Candidates* distribution = nullptr;  // after the chain
        std::span<const float> row;          // the logits (V) before it
        TextSoFar text;
    };
    // choose(place, wanted) → at most so many tokens, by rank.
    using Choose = std::function<std::vector<int>(const Place& place, int wanted)>;
    Guesses grow(const Chain& chain, const TextSoFar& text, int nodes, int room,
                 const EndsText& ends, const Choose& choose);
    void spread(std::span<const float> logits);
    bool apply(const Chain& chain, const TextSoFar& text);

    Heads* heads_;
    TreeShape tree_;
    StateBehind state_;
    std::vector<float> row_;  // (V): −∞ for what is not drafted
    Candidates distribution_;
};

// The steps of a chain that ban or penalise tokens, without those that only sharpen or cut.
Chain without_cuts(const Chain& chain);

}  // namespace tbt
