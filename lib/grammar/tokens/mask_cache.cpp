#include "lib/grammar/tokens/mask_cache.hpp"

#include <algorithm>
#include <span>

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
    // An identifier may contain digits but not begin with one: then the run is over the wider set.
    const ByteSet next = link(first.next).bytes;
    const bool narrow = next != bytes && (bytes & ~next).none();
    run_.without = narrow ? next & ~bytes : ByteSet();
    if (narrow) bytes = next;
    if (!follow(state, bytes) || run_.length() < 2) return nullptr;
    run_.words = trie_->words(node, bytes);
    run_.tokens = &run_.words->tokens;
    if (narrow) leave_out(node);
    return &run_;
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
                if (token >= 0) visit({there, token, run.tokens, depth + n, depth + above});
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
    if (r.words == nullptr && draft.mask == nullptr && draft.tokens.size() < few)
        return draft.tokens.push_back(r.token);
    if (draft.mask == nullptr) draft.mask = &masks_.emplace_back(trie_->vocabulary());
    for (const int token : draft.tokens) draft.mask->set(token);
    draft.tokens.clear();
    if (r.words == nullptr) draft.mask->set(r.token);
    else
        draft.mask->add_common_but(*r.words, trie_->up_to_length(r.bytes),
                                   trie_->up_to_length(r.above));
}

const TokenReach::Groups& TokenReach::groups(State state) {
    const State abstracted = recognizer_->abstraction(state);
    const int fresh = count(groups_), found = group_index_.find_or_add(abstracted, fresh);
    if (found != fresh) return groups_[index(found)];
    drafted_ = 0, draft_index_.reset();
    each(abstracted, [this](const Reached& r) { add_to_drafts(r); });
    Groups& made = groups_.emplace_back();
    const std::span drafts = std::span(drafts_).first(drafted_);
    for (const Draft& d : drafts)
        made.listed.insert(made.listed.end(), d.tokens.begin(), d.tokens.end());
    made.groups.reserve(drafted_), made.exits = exits_;
    for (std::size_t first = 0; const Draft& d : drafts) {
        made.groups.push_back(
            {d.state, std::span(made.listed).subspan(first, d.tokens.size()), d.mask});
        first += d.tokens.size();
    }
    groups_memory_ +=
        sizeof made + drafted_ * sizeof(Group) + 4 * (made.listed.capacity() + made.exits.size());
    return made;
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
            o.mask.add_common(*run.tokens, trie_->up_to_length(trie_->depth(node) + run.length()));
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
    trie_->add_duplicates(o.mask);
    return o;
}

MaskCache::PartialMask& MaskCache::copy_for_state(const PartialMask& like) {
    if (used_ == state_masks_.size()) state_masks_.emplace_back();
    PartialMask& own = state_masks_[used_++];
    own.mask = like.mask, own.max_to_end = like.max_to_end;
    return own;
}

MaskCache::Entry MaskCache::of(State state) {
    if (const int place = entries_.find(state); place >= 0) return cached_[index(place)];
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
    if (own != nullptr) trie_->add_duplicates(own->mask);
    const PartialMask& mask = own == nullptr ? known : *own;
    entries_.set(state, count(cached_));
    cached_.push_back({mask.mask, mask.max_to_end + hidden(state)});
    return cached_.back();
}

}  // namespace tbt
