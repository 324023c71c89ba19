// Where drafts come from: a small model, or the text itself.
//
// A draft has one function:
//     propose(chain, ids, prompt_length, length, ends, chance) → the drafted tokens
// They are valid until the next call. length may be 0; fewer tokens than asked for are always
// right. Nothing is drafted after an end.
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
#include "lib/check.hpp"
#include "lib/error.hpp"
#include "lib/index.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

struct DraftedToken {
    int id = 0;
    Candidates* distribution =
        nullptr;  // it was drawn from; null: it was the only possibility, q(id) = 1
};

// A model drafts token after token, each drawn from its own distribution,
// with the same chain as the target's: where the target may not go, a draft would only be rejected.
class ModelDraft {
public:
    // context: the tokens it can read; after them it proposes nothing.
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
            q.weights();  // now: the row is the model's and gone after its next pass
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

// Prompt lookup [Saxena 2023]: what followed when the last few tokens stood here before,
// follows again. No second model; pays where texts repeat themselves or their prompt:
// summaries, edits, code.
class PromptLookup {
public:
    // longest: tokens at the end that must have been there before; shorter ones, to 1,
    // are tried where it fails.
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
    // After the latest earlier occurrence of the longest n-gram that the text ends with;
    // the text's length: nowhere.
    std::size_t follower(std::span<const int> ids) const;

    int longest_;
    std::vector<DraftedToken> drafted_;
};

// Draft and target must mean the same by every id. Throws Error that says where they differ first.
void check_same_vocabulary(const Tokenizer& target, const Tokenizer& draft);

}  // namespace tbt
