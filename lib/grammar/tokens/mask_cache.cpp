#include "lib/grammar/tokens/mask_cache.hpp"

#include <algorithm>
#include <span>
#include <unordered_set>

#include "lib/core/index.hpp"

namespace tbt {

const TokenWalk::Link& TokenWalk::link(State state) {
    const int fresh = count(links_), found = link_index_.find_or_add(state, fresh);
    if (found != fresh) return links_[index(found)];
    Link& most = links_.emplace_back();
    found_.clear();  // one link for each next state
    for (int byte = 0, last = 0; byte < 256; byte = last + 1) {
        const State next = recognizer_->next(state, static_cast<unsigned char>(byte));
        last = recognizer_->last_equivalent(state, byte);
        if (next == Recognizer::dead || recognizer_->escaped(next)) continue;
        auto same = std::find_if(found_.rbegin(), found_.rend(),
                                 [&](const Link& l) { return l.next == next; });
        if (same == found_.rend()) {
            found_.push_back({{}, next});
            same = found_.rbegin();
        }
        for (; byte <= last; ++byte) same->bytes.set(index(byte));
    }
    for (const Link& l : found_) {
        if (l.bytes.count() > most.bytes.count()) most = l;
    }
    return most;
}

// Follows the run from a state. Returns false if the bytes lead to different states before all of
// them are refused.
bool TokenWalk::follow(State state, const ByteSet& bytes) {
    run_.states.assign(1, state);
    const ByteSet first = bytes & ~run_.without;
    for (const Link* now = &link(state);
         (now->bytes & bytes) == (run_.states.size() == 1 ? first : bytes);
         now = &link(now->next)) {
        if (run_.length() == ByteRun::longest) return true;
        run_.states.push_back(now->next);
    }
    for (std::size_t byte = 0; byte < 256; ++byte) {
        const State next = recognizer_->next(run_.states.back(), static_cast<unsigned char>(byte));
        if (bytes[byte] && next != Recognizer::dead) return false;
    }
    return true;
}

const ByteRun* TokenWalk::run(int node, State state) {
    if (trie_->depth(node) + ByteRun::longest > TokenTrie::max_mask_length) return nullptr;
    const Link first = link(state);
    ByteSet bytes = first.bytes;
    if (bytes.count() < 8) return nullptr;  // walking costs less
    const ByteSet next = link(first.next).bytes;
    const bool narrow = next != bytes && (bytes & ~next).none();
    run_.without = narrow ? next & ~bytes : ByteSet();
    if (narrow) bytes = next;
    if (!follow(state, bytes) || run_.length() < 2) return nullptr;
    run_.words = trie_->words(node, bytes);
    run_.tokens = &run_.words->tokens;
    if (narrow) leave_out(node);
    return next == bytes || worthwhile(node, next) ? &run_ : nullptr;
}

// Removes the tokens whose first byte leads elsewhere.
void TokenWalk::leave_out(int node) {
    fewer_ = run_.words->tokens;
    run_.tokens = &fewer_;
    for (int i = node + 1; i < trie_->end(node); i = trie_->end(i)) {
        const unsigned char byte = trie_->nodes()[index(i)].byte;
        if (!run_.without[byte]) continue;
        if (node < 0) fewer_.remove(trie_->beginning_with(byte));
        else
            for (const int token : trie_->tokens(i, trie_->end(i))) fewer_.reset(token);
    }
}

int TokenWalk::one_of(const ByteRun& run, int node, int above, int to) const {
    if (run.without.any()) {
        const int depth = trie_->depth(node);
        return run.tokens->first_of(trie_->up_to_length(depth + to),
                                    trie_->up_to_length(depth + above));
    }
    int token = -1;
    for (int n = above + 1; n <= to && token < 0; ++n) token = run.words->of_length[index(n)];
    return token;
}

// An identifier may contain digits but not begin with one: its first byte allows a narrower set
// than the next. Does a run over the narrow set still decide most of the tokens?
bool TokenWalk::worthwhile(int node, const ByteSet& wider) const {
    int lost = 0;
    for (const int exit : run_.words->exits) {
        const TokenTrie::Node& n = trie_->nodes()[index(exit)];
        if (wider[n.byte] && n.depth > trie_->depth(node) + 1) lost += n.end - exit;
    }
    return lost < (trie_->end(node) - node) / 8;
}

void TokenReach::each(State state, const std::function<void(const Reached&)>& visit) {
    exits_.clear();
    walk_->below(
        {-1, state},
        [&](const ByteRun& run, int node) {
            const int depth = trie_->depth(node);
            for (int above = 0, n = 1; n <= run.length(); above = n++) {
                const State there = run.states[index(n)];
                while (n < run.length() && run.states[index(n) + 1] == there) ++n;
                const int token = walk_->one_of(run, node, above, n);
                if (token >= 0)
                    visit({there, token, run.tokens, depth + n, depth + above,
                           run.without.none() ? run.words->between(above, n)
                                              : std::span<const std::int32_t>()});
            }
        },
        [&](int node, State there) {
            if (recognizer_->escaped(there)) return exits_.push_back(node), false;
            const int token = trie_->nodes()[index(node)].token;
            if (token >= 0) visit({there, token});
            return true;
        });
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

// Decides the token at a node from the state after it. Returns false if that state is escaped: then
// neither this token nor those below it can be decided here.
bool MaskCache::decide(Place place, PartialMask& o) {
    if (place.state != last_.state) {  // neighbours in the trie mostly lead to the same state
        last_.state = place.state;
        last_.escaped = recognizer_->escaped(place.state);
        if (!last_.escaped) last_.to_end = to_end(place.state);
    }
    if (last_.escaped) {
        o.exits.push_back(place.node);
        return false;
    }
    o.max_to_end = std::max(o.max_to_end, last_.to_end);
    const int token = trie_->nodes()[index(place.node)].token;
    if (token >= 0) o.mask.set(token);
    return true;
}

// Decides every token below a place.
void MaskCache::decide_below(Place place, PartialMask& o) {
    walk_.below(
        place,
        [&](const ByteRun& run, int node) {
            const auto listed = run.words->between(0, run.length());
            if (!listed.empty() && run.without.none())
                for (const int token : listed) o.mask.set(token);
            else
                o.mask.add_common(*run.tokens,
                                  trie_->up_to_length(trie_->depth(node) + run.length()));
            for (const State state : std::span(run.states).subspan(1))
                o.max_to_end = std::max(o.max_to_end, to_end(state));
        },
        [&](int node, State state) {
            return decide({node, state}, o);
        });
}

const MaskCache::PartialMask& MaskCache::abstraction(State abstracted) {
    const int fresh = count(partial_masks_), found = partial_index_.find_or_add(abstracted, fresh);
    if (found != fresh) return partial_masks_[index(found)];
    PartialMask& o = partial_masks_.emplace_back();
    o.mask = TokenMask(trie_->vocabulary());
    decide_below({-1, abstracted}, o);
    finish(o);
    return o;
}

// Completes a mask: adds tokens with the same bytes as one in it, and finds the only token.
void MaskCache::finish(PartialMask& o) {
    for (const auto& [first, twin] : trie_->duplicates()) {
        if (o.mask.test(first)) o.mask.set(twin);
    }
    o.only = o.mask.only();
}

MaskCache::PartialMask& MaskCache::copy_for_state(const PartialMask& like) {
    if (used_ == state_masks_.size()) state_masks_.emplace_back();
    PartialMask& own = state_masks_[used_++];
    own.mask = like.mask, own.max_to_end = like.max_to_end;
    return own;
}

MaskCache::Entry MaskCache::of(State state) {
    const auto entry = [&](const CachedEntry& k) {
        return Entry{k.mask->mask, k.max_to_end, k.mask->only};
    };
    if (const int place = entries_.find(state); place >= 0) return entry(cached_[index(place)]);
    if (cached_.size() >= max_entries) entries_.clear(), cached_.clear(), used_ = 0;
    const PartialMask& known = abstraction(recognizer_->abstraction(state));
    PartialMask* own = nullptr;
    for (const int exit : known.exits) {
        const State there = read_bytes(*recognizer_, state, trie_->path(exit));
        if (there == Recognizer::dead) continue;
        if (own == nullptr) own = &copy_for_state(known);
        if (decide({exit, there}, *own)) decide_below({exit, there}, *own);
    }
    const bool end = trie_->eos() >= 0 && recognizer_->accepts(state);
    if (end && own == nullptr) own = &copy_for_state(known);
    if (end) own->mask.set(trie_->eos());
    if (own != nullptr) finish(*own);
    const PartialMask& mask = own == nullptr ? known : *own;
    entries_.set(state, count(cached_));
    cached_.push_back({&mask, mask.max_to_end + hidden(state)});
    return entry(cached_.back());
}

}  // namespace tbt
