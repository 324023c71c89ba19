#include "lib/grammar/tokens/token_reach.hpp"

#include <unordered_set>

#include "lib/core/index.hpp"

namespace tbt {

void TokenReach::each(State state, const std::function<void(const Reached&)>& visit) {
    open_.assign(1, {-1, state});
    exits_.clear();
    const auto arrive = [&](int node, State reached) {
        const int token = trie_->nodes()[index(node)].token;
        if (token >= 0) visit({reached, token});
    };
    while (!open_.empty()) {
        const Place now = open_.back();
        open_.pop_back();
        const int end = trie_->end(now.node);
        if (const ByteRun* run =
                end - now.node > small_ ? runs_->run(now.node, now.state) : nullptr) {
            const int depth = trie_->depth(now.node);
            for (int above = 0, n = 1; n <= run->length(); above = n++) {
                const State there = run->states[index(n)];
                while (n < run->length() && run->states[index(n) + 1] == there) ++n;
                const int token = runs_->one_of(*run, now.node, above, n);
                if (token >= 0)
                    visit({there, token, run->tokens, depth + n, depth + above,
                           run->without.none() ? run->words->between(above, n)
                                               : std::span<const std::int32_t>()});
            }
            runs_->for_each_exit(*run, now.node, [&](int exit, State there) {
                if (recognizer_->escaped(there)) return exits_.push_back(exit);
                arrive(exit, there);
                open_.push_back({exit, there});
            });
        } else {
            trie_->walk(*recognizer_, now.state, now.node + 1, end, states_,
                        [&](int i, const TokenTrie::Node& node, State reached) {
                            if (recognizer_->escaped(reached)) return exits_.push_back(i), node.end;
                            arrive(i, reached);
                            if (node.end - i <= small_) return i + 1;
                            open_.push_back({i, reached});
                            return node.end;
                        });
        }
    }
}

void TokenReach::add_to_drafts(const Reached& r) {
    constexpr std::size_t few = 32;
    const std::size_t place = index(draft_index_.find_or_add(r.state, to_int(drafted_)));
    if (place == drafted_) {
        if (drafted_++ == drafts_.size()) drafts_.emplace_back();
        drafts_[place].state = r.state, drafts_[place].mask = nullptr;
        drafts_[place].tokens.clear();
    }
    Draft& draft = drafts_[place];
    const std::span<const std::int32_t> listed =
        r.words == nullptr ? std::span<const std::int32_t>(&r.token, 1) : r.listed;
    if (listed.empty() || draft.tokens.size() + listed.size() > few) {
        if (draft.mask == nullptr) draft.mask = &masks_.emplace_back(trie_->vocabulary());
        for (const int token : draft.tokens) draft.mask->set(token);
        draft.tokens.clear();
    }
    if (listed.empty())
        draft.mask->add_common_but(*r.words, trie_->up_to_length(r.bytes),
                                   trie_->up_to_length(r.above));
    else if (draft.mask != nullptr)
        for (const int token : listed) draft.mask->set(token);
    else draft.tokens.insert(draft.tokens.end(), listed.begin(), listed.end());
}

TokenReach::Groups TokenReach::groups(State state) {
    const State abstracted = recognizer_->abstraction(state);
    const int fresh = count(groups_), found = group_index_.find_or_add(abstracted, fresh);
    if (found != fresh) return groups_[index(found)];
    drafted_ = 0, draft_index_.reset(), made_.clear();
    each(abstracted, [this](const Reached& r) { add_to_drafts(r); });
    for (std::size_t i = 0; i < drafted_; ++i)
        made_.push_back({drafts_[i].state, lists_.keep(drafts_[i].tokens), drafts_[i].mask});
    groups_.push_back({lists_.keep(made_), lists_.keep(exits_)});
    return groups_.back();
}

void TokenReach::below(int node, State state, const std::function<void(int, State)>& visit) {
    trie_->walk(*recognizer_, state, node + 1, trie_->end(node), states_,
                [&](int i, const TokenTrie::Node& n, State reached) {
                    if (n.token >= 0) visit(n.token, reached);
                    return i + 1;
                });
}

std::vector<TokenReach::Step> TokenReach::steps(State state) {
    std::vector<Step> steps;
    std::unordered_set<State> seen;
    State last = Recognizer::dead;  // neighbours in the trie mostly lead to the same state
    each(state, [&](const Reached& r) {
        if (r.state == last) return;
        last = r.state;
        if (seen.insert(r.state).second) steps.push_back({r.state, r.token});
    });
    return steps;
}

}  // namespace tbt
