#include "lib/grammar/tokens/token_runs.hpp"

#include <algorithm>

#include "lib/core/index.hpp"

namespace tbt {

const TokenRuns::Link& TokenRuns::link(State state) {
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
bool TokenRuns::follow(State state, const ByteSet& bytes) {
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

const ByteRun* TokenRuns::run(int node, State state) {
    if (trie_->depth(node) + ByteRun::longest > TokenTrie::max_mask_length) return nullptr;
    const Link first = link(state);
    ByteSet bytes = first.bytes;
    if (bytes.count() < 8) return nullptr;  // walking costs less
    const ByteSet next = link(first.next).bytes;
    const bool narrow = next != bytes && (bytes & ~next).none();
    run_.without = narrow ? next & ~bytes : ByteSet();
    if (narrow) bytes = next;
    if (!follow(state, bytes) || run_.length() < 2) return nullptr;
    run_.words = &words(node, bytes);
    run_.tokens = &run_.words->tokens;
    if (narrow) leave_out(node);
    return next == bytes || worthwhile(node, next) ? &run_ : nullptr;
}

// Removes the tokens whose first byte leads elsewhere.
void TokenRuns::leave_out(int node) {
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

int TokenRuns::one_of(const ByteRun& run, int node, int above, int to) const {
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
bool TokenRuns::worthwhile(int node, const ByteSet& wider) const {
    int lost = 0;
    for (const int exit : run_.words->exits) {
        const TokenTrie::Node& n = trie_->nodes()[index(exit)];
        if (wider[n.byte] && n.depth > trie_->depth(node) + 1) lost += n.end - exit;
    }
    return lost < (trie_->end(node) - node) / 8;
}

const TokenWords& TokenRuns::words(int node, const ByteSet& bytes) {
    if (words_kept_ >= max_words) words_.clear(), words_kept_ = 0;
    std::shared_ptr<const TokenWords>& known = words_[bytes][node];
    if (!known) {
        ++words_kept_;
        known = trie_->words().of(*trie_, node, bytes);
    }
    return *known;
}

}  // namespace tbt
