// The sources of drafts: a small model, or the text itself.
//
// A draft has one function:
//     propose(chain, ids, prompt_length, length, ends, chance) → the drafted tokens
// The tokens are valid until the next call. length may be 0, and fewer tokens may be returned.
// Nothing is drafted after an end-of-text token.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/06_combining/chain.hpp"
#include "chapters/06_combining/trace.hpp"
#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

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
