#include "chapters/13_json_grammar/token_runs.hpp"

#include <algorithm>

#include "lib/index.hpp"

namespace tbt {

const TokenRuns::Link& TokenRuns::link(State state) {
    const auto [place, added] = links_.try_emplace(state);
    if (!added) return place->second;
    std::vector<Link> found;  // one for each next state
    for (int byte = 0; byte < 256; ++byte) {
        const State next = machine_->next(state, static_cast<unsigned char>(byte));
        if (next == ByteMachine::dead || machine_->escaped(next)) continue;
        auto same = std::find_if(found.rbegin(), found.rend(),
                                 [&](const Link& l) { return l.next == next; });
        if (same == found.rend()) {
            found.push_back({{}, next});
            same = found.rbegin();
        }
        same->bytes.set(index(byte));
    }
    for (const Link& l : found) {
        if (l.bytes.count() > place->second.bytes.count()) place->second = l;
    }
    return place->second;
}

// False: the states part before the bytes are refused.
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
        const State next = machine_->next(run_.states.back(), static_cast<unsigned char>(byte));
        if (bytes[byte] && next != ByteMachine::dead) return false;
    }
    return true;
}

const ByteRun* TokenRuns::run(int node, State state) {
    if (trie_->depth(node) + ByteRun::longest > TokenTrie::lengths) return nullptr;
    const Link first = link(state);
    ByteSet bytes = first.bytes;
    if (bytes.count() < 2) return nullptr;
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

// Without the tokens that begin with a byte that leads elsewhere.
void TokenRuns::leave_out(int node) {
    fewer_ = run_.words->tokens;
    for (int i = node + 1; i < trie_->end(node); i = trie_->end(i)) {
        if (!run_.without[trie_->nodes()[index(i)].byte]) continue;
        for (const int token : trie_->tokens(i, trie_->end(i))) fewer_.reset(token);
    }
    run_.tokens = &fewer_;
}

int TokenRuns::of_length(const ByteRun& run, int node, int bytes) const {
    if (run.without.none()) return run.words->of_length[index(bytes)];
    const int length = trie_->depth(node) + bytes;
    return run.tokens->first_of(trie_->at_most(length), trie_->at_most(length - 1));
}

// An identifier goes on with digits, which it may not begin with.
// Does the narrow set decide most of what the wider one would, one byte later?
bool TokenRuns::worthwhile(int node, const ByteSet& wider) const {
    int lost = 0;
    for (const int exit : run_.words->exits) {
        const TokenTrie::Node& n = trie_->nodes()[index(exit)];
        if (wider[n.byte] && n.depth > trie_->depth(node) + 1) lost += n.end - exit;
    }
    return lost < (trie_->end(node) - node) / 8;
}

const TokenWords& TokenRuns::words(int node, const ByteSet& bytes) {
    if (words_kept_ >= most_words) words_.clear(), words_kept_ = 0;
    const auto [place, added] = words_[bytes].try_emplace(node);
    TokenWords& w = place->second;
    if (!added) return w;
    ++words_kept_;
    w.tokens = TokenMask(trie_->vocabulary());
    w.of_length.assign(ByteRun::longest + 1, -1);
    const int depth = trie_->depth(node), deepest = depth + ByteRun::longest;
    const auto add = [&](int first, int last) {
        for (const int token : trie_->tokens(first, last)) {
            w.tokens.set(token);
            w.of_length[trie_->bytes(token).size() - index(depth)] = token;
        }
    };
    int inside = node + 1;  // from here on all nodes are words
    for (int i = inside; i < trie_->end(node);) {
        const TokenTrie::Node& n = trie_->nodes()[index(i)];
        if (bytes[n.byte] && n.depth <= deepest) {
            ++i;
            continue;
        }
        add(inside, i);
        w.exits.push_back(i);
        inside = i = n.end;
    }
    add(inside, trie_->end(node));
    return w;
}

}  // namespace tbt
