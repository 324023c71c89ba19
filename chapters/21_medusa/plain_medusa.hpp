// Three acceptance rules for a tree of guesses, in plain code. Two keep the target's distribution,
// one does not.
//
// `chance` is the randomness, as in chapter 12's drafts.hpp: draw(distribution) returns a token,
// accept(p) is true with probability p. Each rule returns the text with the tokens of one round.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "chapters/12_speculative/plain_speculative.hpp"
#include "chapters/21_medusa/plain_tree.hpp"

namespace tbt {

struct GuessTree {
    std::vector<int> tokens, parents;
    int child(int after, int token) const {
        for (int i = after + 1; i < count(tokens); ++i)
            if (parents[index(i)] == after && tokens[index(i)] == token) return i;
        return -1;
    }
};

// Following: draws from the target and continues with the guess that is the drawn token, if there
// is one. Every token is the target's own draw, so the text is that of plain decoding (chapter 12).
template <class Chance>
std::vector<int> follow_tree(const DistributionAfter& target, std::vector<int> text,
                             const GuessTree& tree, Chance& chance) {
    int at = -1;
    do {
        text.push_back(chance.draw(target(text)));
        at = tree.child(at, text.back());
    } while (at >= 0);
    return text;
}

inline Distribution normalised(Distribution p) {
    double sum = 0;
    for (const double x : p) sum += x;
    for (double& x : p) x = sum > 0 ? x / sum : 0;
    return p;
}

// Rejection, for guesses that were drawn from q. It tests the children of a node one after the
// other, each against the residual of p that the rejected ones left [SpecInfer, Miao et al. 2024].
// No child is drawn twice, so rejected children are removed from q, too [Sequoia, Chen et al.
// 2024].
template <class Chance>
std::vector<int> judge_tree(const DistributionAfter& target, const DistributionAfter& draft,
                            std::vector<int> text, const GuessTree& tree, Chance& chance) {
    for (int at = -1, next = -1;; at = std::exchange(next, -1)) {
        Distribution p = target(text), q = draft(text);
        for (int i = at + 1; i < count(tree.tokens) && next < 0; ++i) {
            if (tree.parents[index(i)] != at) continue;
            const std::size_t x = checked_id("medusa", tree.tokens[index(i)], p.size());
            if (chance.accept(p[x] / q[x])) next = i;
            p = normalised(plain_residual(p, q));
            q[x] = 0;
            q = normalised(q);
        }
        text.push_back(next >= 0 ? tree.tokens[index(next)] : chance.draw(p));
        if (next < 0) return text;
    }
}

// Typical acceptance [Cai et al. 2024]: a guess is accepted if p(guess) > min(ε, δ·e^−H), where H
// is the entropy of p. It takes the longest branch of accepted guesses and draws one more token.
// This does not correct for the draft's preferences, so it is not the target's distribution.
template <class Chance>
std::vector<int> typical_tree(const DistributionAfter& target, const std::vector<int>& text,
                              const GuessTree& tree, double epsilon, double delta, Chance& chance) {
    std::vector<std::vector<int>> branches;  // empty: not typical
    std::vector<int> longest = text;
    for (std::size_t i = 0; i < tree.tokens.size(); ++i) {
        const int parent = tree.parents[i];
        std::vector<int> branch = parent < 0 ? text : branches[index(parent)];
        if (branch.size() >= text.size()) {
            const Distribution p = target(branch);
            double entropy = 0;
            for (const double x : p) entropy -= x > 0 ? x * std::log(x) : 0;
            const double x = p[checked_id("medusa", tree.tokens[i], p.size())];
            if (x > std::min(epsilon, delta * std::exp(-entropy))) branch.push_back(tree.tokens[i]);
            else branch.clear();
        }
        if (branch.size() > longest.size()) longest = branch;
        branches.push_back(branch);
    }
    longest.push_back(chance.draw(target(longest)));
    return longest;
}

}  // namespace tbt
