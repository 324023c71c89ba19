// Decoding with heads: each pass checks a tree of guesses, by following or by rejection.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "chapters/12_speculative/coupling.hpp"
#include "chapters/12_speculative/speculative.hpp"
#include "chapters/21_medusa/heads_draft.hpp"
#include "chapters/21_medusa/plain_medusa.hpp"

namespace tbt {

// The number of nodes per tree: all of `tree`, or (adaptive) the number that is fastest by measured
// times, which is none if guessing makes decoding slower.
inline DraftLength tree_size(const TreeShape& tree, bool adaptive) {
    const int most = std::max(1, count(tree.parents));
    if (!adaptive) return DraftLength::fixed(most);
    return DraftLength::timed(
        most, [tree](double right, int n) { return 1 + right * (tree.tokens(n) - 1); }, 1);
}

// Adds heads to a request. The text is that of plain decoding, bit for bit, in fewer passes
// (chapter 12's coupling by seed, with a tree instead of a chain). draft_for(i) makes the draft of
// text i.
inline void guess_with_heads(GenerateRequest& request,
                             std::function<HeadsDraft(std::size_t)> draft_for,
                             const DraftLength& size,
                             const std::shared_ptr<GuessCount>& count = {}) {
    struct OfText {
        HeadsDraft draft;
        DraftLength size;
        RoundClock clock = {};
        double expected = 0;
    };
    const auto texts = std::make_shared<std::map<std::size_t, OfText>>();
    const auto of = [texts, draft_for = std::move(draft_for), size](std::size_t i) -> OfText& {
        const auto at = texts->find(i);
        return at != texts->end() ? at->second
                                  : texts->emplace(i, OfText{draft_for(i), size}).first->second;
    };
    request.foresight.guess =
        [of, chain = request.chain,
         ends = EndsText([stop = request.stop](int id) { return stop.is_eos(id); })](
            std::size_t i, const TextSoFar& text, const Rng& random, int room) {
            OfText& own = of(i);
            own.clock.round_begins(own.size, tbt::count(text.generated()));
            const int nodes = own.size.next();
            Guesses guesses = own.draft.guess(chain, text, random, nodes, room, ends);
            own.expected = own.draft.tree().tokens(nodes) - 1;
            own.clock.guessed = tbt::count(guesses.ids);
            return guesses;
        };
    request.foresight.judged = [of, count](std::size_t i, int guessed, int right) {
        of(i).size.learn_of(of(i).expected, right);
        if (count) count->guessed += guessed, count->right += right;
    };
}

// Merges two trees; a guess of both is in the result once.
inline Guesses both_trees(const Guesses& one, const Guesses& other) {
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
