// The sources of drafts: a small model, or the text itself; and of random decisions.
//
// A draft has one function:
//     propose(chain, ids, prompt_length, length, ends, chance) → the drafted tokens
// The tokens are valid until the next call. length may be 0, and fewer tokens may be returned.
// Nothing is drafted after an end-of-text token.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/06_combining/chain.hpp"
#include "chapters/06_combining/draw.hpp"
#include "chapters/06_combining/trace.hpp"
#include "chapters/12_speculative/plain_speculative.hpp"
#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

// Random decisions by random numbers. A procedure that asks an object `chance` for them can be run
// with this, or with AllOutcomes.
class RandomChance {
public:
    explicit RandomChance(Rng rng) : rng_(rng) {}

    // True with this probability; always true for 1 and more.
    bool accept(double probability) { return (u_ = rng_.uniform()) < probability; }
    int draw(Candidates& distribution) { return tbt::draw(distribution, u_ = rng_.uniform()); }
    int draw(std::span<const double> weights) { return plain_draw(weights, u_ = rng_.uniform()); }
    double u() const { return u_; }  // the last number

private:
    Rng rng_;
    double u_ = 0;
};

// Every outcome of the random decisions in turn, depth first. It gives the distribution of a
// procedure exactly, if there are few enough outcomes: no statistics, and no error but rounding.
// The procedure must ask the same questions if it gets the same answers.
//
//     AllOutcomes chance;
//     do { distribution[procedure(chance)] += chance.probability(); } while (chance.next());
class AllOutcomes {
public:
    bool accept(double probability);
    int draw(Candidates& distribution);
    int draw(std::span<const double> weights);
    double u() const { return 0; }

    double probability() const { return probability_; }  // of the current outcome
    // Goes on to the next outcome; false after the last.
    bool next();

private:
    struct Way {
        int index;
        double probability;
    };
    struct Question {
        std::vector<Way> ways;  // the possible answers
        std::size_t at = 0;
    };

    int choose(std::span<const double> probabilities);

    std::vector<Question> path_;
    std::size_t depth_ = 0;
    double probability_ = 1;
};

struct DraftedToken {
    int id = 0;
    Candidates* distribution = nullptr;  // the distribution it was drawn from; null: q(id) = 1
};

// A model that drafts token after token, each drawn from its own distribution. It uses the target's
// chain, since a token that the target's chain removes would only be rejected.
class ModelDraft {
public:
    // context: the most tokens that the model can read; beyond that it proposes nothing.
    ModelDraft(NextLogits model, int context);

    template <class Ends, class Chance>
    const std::vector<DraftedToken>& propose(const Chain& chain, std::span<const int> ids,
                                             std::size_t prompt_length, int length, Ends&& ends,
                                             Chance& chance) {
        drafted_.clear();
        while (distributions_.size() < index(std::max(length, 0))) distributions_.emplace_back();
        std::vector<int> text(ids.begin(), ids.end());
        for (int i = 0; i < length && text.size() <= context_; ++i) {
            Candidates& q = distributions_[index(i)];
            q.reset(model_(text));
            chain.apply(q, {text, prompt_length});
            q.weights();  // computed now, since the model's next pass overwrites its row
            const int id = chance.draw(q);
            drafted_.push_back({id, &q});
            text.push_back(id);
            if (ends(id)) break;
        }
        return drafted_;
    }

private:
    NextLogits model_;
    std::size_t context_;
    std::vector<Candidates> distributions_;
    std::vector<DraftedToken> drafted_;
};

// Prompt lookup [Saxena 2023]: finds an earlier occurrence of the text's last tokens and drafts the
// tokens that followed it. Needs no second model. It helps if texts repeat themselves or their
// prompt: summaries, edits, code.
class PromptLookup {
public:
    // longest: how many last tokens are searched first; if they do not occur before, fewer are
    // searched, down to 1.
    explicit PromptLookup(int longest = 3);

    template <class Ends, class Chance>
    const std::vector<DraftedToken>& propose(const Chain&, std::span<const int> ids, std::size_t,
                                             int length, Ends&& ends, Chance&) {
        drafted_.clear();
        for (std::size_t at = follower(ids); at < ids.size() && count(drafted_) < length; ++at) {
            drafted_.push_back({ids[at], nullptr});
            if (ends(ids[at])) break;
        }
        return drafted_;
    }

private:
    // The position after the latest earlier occurrence of the longest n-gram at the text's end; the
    // text's length if there is none.
    std::size_t follower(std::span<const int> ids) const;

    int longest_;
    std::vector<DraftedToken> drafted_;
};

// Checks that every id is the same token for draft and target. Throws Error with the first
// difference.
void check_same_vocabulary(const Tokenizer& target, const Tokenizer& draft);

}  // namespace tbt
