// Drafting with heads: makes a tree of guesses after a text, from the target's state there.
//
// The shape of the tree is chosen beforehand, from the rates at which the guess of each rank was
// right. Its tokens are computed depth by depth, all nodes of a depth in one matrix product.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chapters/06_combining/chain.hpp"
#include "chapters/10_generate/batch.hpp"
#include "chapters/10_generate/generate.hpp"
#include "chapters/12_speculative/coupling.hpp"
#include "chapters/12_speculative/drafts.hpp"
#include "chapters/12_speculative/speculative.hpp"
#include "chapters/21_medusa/heads.hpp"
#include "chapters/21_medusa/plain_medusa.hpp"
#include "chapters/21_medusa/plain_tree.hpp"

namespace tbt {

// A function with the target's state after the last of these ids; empty if it is not known.
using StateBehind = std::function<std::span<const float>(std::span<const int> ids)>;

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

// ---- decoding with heads: each pass checks a tree of guesses, by following or by rejection ------

// The prompts of all measurements of this chapter.
inline const std::vector<std::string> measured_prompts = {
    "Once upon a time", "The weather today is",
    "Explain photosynthesis:", "User: What is gravity?\nAssistant:"};

// The number of nodes per tree: all of `tree`, or (adaptive) the number that is fastest by measured
// times, which is none if guessing makes decoding slower.
DraftLength tree_size(const TreeShape& tree, bool adaptive);

// What chapter 12's guess_with() asks of heads. The text is that of plain decoding, bit for bit, in
// fewer passes: coupling by seed, with a tree instead of a chain.
inline Guesses guesses_of(HeadsDraft& heads, const Chain& chain, const TextSoFar& text,
                          const Rng& random, int wanted, int room, const EndsText& ends) {
    return heads.guess(chain, text, random, wanted, room, ends);
}
inline void learn_from(const HeadsDraft& heads, DraftLength& size, int wanted, int /*guessed*/,
                       int right) {
    size.learn_of(heads.tree().tokens(wanted) - 1, right);
}

// Makes the drafts for the texts of a batch, from the states of its model.
std::function<HeadsDraft(std::size_t)> drafts_for(CachedBatch& batch, Heads& heads,
                                                  const TreeShape& tree);

// Merges two trees; a guess of both is in the result once.
Guesses both_trees(const Guesses& one, const Guesses& other);

// A function with the target's logits after a text and after each guess, computed in one pass.
using TreeLogits = std::function<std::vector<std::span<const float>>(std::span<const int> ids,
                                                                     const Guesses& guesses)>;

// A draft for chapter 12's rejection loop.
struct TreeDraft {
    HeadsDraft heads;
    TreeLogits target;
};

// Chapter 12's round for a tree: tests the children of a node one after the other, as judge_tree()
// in plain_medusa.hpp. The type of the draft makes speculate() call this overload.
template <class Chance>
Round speculate_once(const LastLogits&, TreeDraft& draft, const SpeculativeRules& rules,
                     std::span<const int> ids, std::size_t prompt_length, int length,
                     Chance& chance, Candidates& distribution) {
    const auto is_end = [&rules](int id) {
        return std::find(rules.eos.begin(), rules.eos.end(), id) != rules.eos.end();
    };
    const HeadsDraft::Drawn drawn =
        draft.heads.draw(rules.chain, {ids, prompt_length}, length, length, chance, is_end);
    const Guesses& guesses = drawn.guesses;
    const std::vector<std::span<const float>> rows = draft.target(ids, guesses);
    check_size("medusa: the target's rows", rows.size(), guesses.ids.size() + 1);
    Round round;
    round.drafted = guesses.ids;
    std::vector<int> text(ids.begin(), ids.end());
    for (int at = -1, next = -1;; at = std::exchange(next, -1)) {
        distribution.reset(rows[index(at + 1)]);
        rules.chain.apply(distribution, {text, prompt_length});
        Distribution p = distribution.probabilities(), q = drawn.distributions[index(at + 1)];
        bool rejected = false;
        for (int i = at + 1; i < count(guesses.ids) && next < 0; ++i) {
            if (guesses.parent(i) != at) continue;
            const auto x = index(guesses.ids[index(i)]);
            const double p_x = p[x], q_x = q[x];
            const bool accepted = chance.accept(p_x / q_x);
            round.judged.push_back({guesses.ids[index(i)], p_x, q_x, chance.u(), accepted});
            if (accepted) {
                next = i;
                break;
            }
            rejected = true;
            p = normalised(plain_residual(p, q));
            q[x] = 0;
            q = normalised(q);
        }
        round.bonus = next < 0 && !rejected;
        round.tokens.push_back(next >= 0  ? guesses.ids[index(next)]
                               : rejected ? chance.draw(std::span<const double>(p))
                                          : chance.draw(distribution));
        text.push_back(round.tokens.back());
        if (next < 0 || is_end(text.back())) return round;
    }
}

}  // namespace tbt
