#include "chapters/14_grammar/token_walk.hpp"

#include <algorithm>

#include "lib/index.hpp"

namespace tbt {

TokenWalk::TokenWalk(Grammar& grammar, const TokenTrie& trie, AllTrieWords& words,
                     ByteGroups& groups, Memory& memory, Step from)
    : grammar_(&grammar), trie_(&trie), words_(&words), groups_(&groups), memory_(&memory) {
    memory_->reached.reset();
    for (auto& steps : memory_->at_tokens) steps.clear();
    put(from, 0);
}

void TokenWalk::arrive(const Step& step, int tokens) {
    if (tokens >= Grammar::never) return;
    // No token goes on behind a leaf: it ends here.
    const bool leaf = step.trie >= 0 && trie_->end(step.trie) == step.trie + 1;
    if (leaf) put({step.node, step.note, -1}, tokens + 1);
    else put(step, tokens);
}

void TokenWalk::put(const Step& step, int tokens) {
    // Blanks that end a token are good for nothing where it could have ended before them.
    if (const int like = grammar_->node(step.node).like; like >= 0 && step.trie < 0) {
        const int shorter = memory_->reached.find({like, step.note, step.trie});
        if (shorter >= 0 && shorter <= tokens) return;
    }
    auto& [reached, at_tokens] = *memory_;
    const int before = reached.find(step);
    if (before >= 0 && before <= tokens) return;
    reached.set(step, tokens);
    if (at_tokens.size() <= index(tokens)) at_tokens.resize(index(tokens) + 1);
    at_tokens[index(tokens)].push_back(step);
}

bool TokenWalk::next(Step& at, int best) {
    while (index(tokens_) < memory_->at_tokens.size() && tokens_ <= best + 1) {
        const std::vector<Step>& now = memory_->at_tokens[index(tokens_)];
        if (taken_ == now.size()) {
            ++tokens_;
            taken_ = 0;
            continue;
        }
        at = now[taken_++];
        if (memory_->reached.find(at) == tokens_) return true;
    }
    return false;
}

int TokenWalk::cost(int node, int note) {
    const Grammar::Node& n = grammar_->node(node);
    if (n.notebook < 0) return n.cost;
    return notebook_ < 0
               ? 0
               : grammar_->notebook(n.notebook).stretch_bytes(*grammar_, node, act_, note);
}

// The note behind a byte; false: the edge leads nowhere, or off the stretch.
bool TokenWalk::move(const Step& at, int to, bool noted, int byte, int& note) {
    const int from = grammar_->node(at.node).notebook, into = grammar_->node(to).notebook;
    note = 0;
    if (into < 0) return grammar_->node(to).cost < Grammar::never;
    Notebook& notes = grammar_->notebook(into);
    if (from != into) {
        note = notes.first_note();
        return notes.cost(*grammar_, to, note) < Grammar::never;
    }
    note = noted ? notes.read(at.note, static_cast<std::uint8_t>(byte)) : at.note;
    note = notes.on_stretch(to, act_, note);
    return notes.on_the_way(to, act_, note);
}

void TokenWalk::follow_bytes(const Step& at, int notebook, int act) {
    notebook_ = notebook, act_ = act;
    if (at.trie >= 0 && trie_->nodes()[index(at.trie)].token >= 0)
        arrive({at.node, at.note, -1}, tokens_ + 1);
    std::size_t bytes = 0;
    for (const Grammar::ByteEdge& e : grammar_->node(at.node).bytes)
        bytes += index(e.high - e.low + 1);
    if (bytes < wide) return take_edges(at);
    const std::vector<Group>& groups = groups_->of(at.node);
    const auto on_the_way = [&](const Group& g) {
        return notebook_ < 0 ||
               grammar_->notebook(notebook_).on_the_way(g.to, act_, Notebook::forgotten);
    };
    const bool classes = std::any_of(groups.begin(), groups.end(), [&](const Group& g) {
        return g.count >= wide && on_the_way(g);
    });
    here_ = classes ? cost(at.node, at.note) : 0;
    const bool large = trie_->end(at.trie) - at.trie > small;
    for (const Group& group : groups) {
        if (!on_the_way(group)) continue;
        if (group.count < wide) take(at, group, classes);
        else if (group.noted && at.note != 0 && !(large && counting())) take(at, group, true);
        else if (large) take_words(at, group);
        else take_below(at, group);
    }
}

// So few bytes are no class.
void TokenWalk::take_edges(const Step& at) {
    if (trie_->end(at.trie) == at.trie + 1) return;  // no token goes on
    for (const Grammar::ByteEdge& e : grammar_->node(at.node).bytes) {
        if (notebook_ >= 0 &&
            !grammar_->notebook(notebook_).on_the_way(e.to, act_, Notebook::forgotten))
            continue;
        for (int byte = e.low; byte <= e.high; ++byte) {
            const int node = trie_->child(at.trie, static_cast<unsigned char>(byte));
            int note = 0;
            if (node >= 0 && move(at, e.to, e.noted, byte, note))
                arrive({e.to, note, node}, tokens_);
        }
    }
}

// Byte by byte. nearer: only where the end is nearer behind it.
void TokenWalk::take(const Step& at, const Group& group, bool nearer) {
    if (trie_->end(at.trie) == at.trie + 1) return;  // no token goes on
    for (int byte = group.low; byte <= group.high; ++byte) {
        if (!group.bytes[index(byte)]) continue;
        const int node = trie_->child(at.trie, static_cast<unsigned char>(byte));
        int note = 0;
        if (node < 0 || !move(at, group.to, group.noted, byte, note)) continue;
        if (nearer && cost(group.to, note) >= here_) continue;
        arrive({group.to, note, node}, tokens_);
    }
}

// The same where there are few nodes below, and many bytes.
void TokenWalk::take_below(const Step& at, const Group& group) {
    const std::vector<TokenTrie::Node>& nodes = trie_->nodes();
    for (int i = at.trie + 1; i < trie_->end(at.trie); i = nodes[index(i)].end) {
        const int byte = nodes[index(i)].byte;
        int note = 0;
        if (group.bytes[index(byte)] && move(at, group.to, group.noted, byte, note))
            arrive({group.to, note, i}, tokens_);
    }
}

// The group of a node that reads the same bytes; null: there is none.
const ByteGroup* TokenWalk::same_class(int node, const Group& group) {
    for (const Group& g : groups_->of(node))
        if (g.bytes == group.bytes) return &g;
    return nullptr;
}

// All words over a class: those that end in it by their lengths, as long as it brings the end
// nearer, and where tokens leave it. Where notes count, each of their bytes must bring it nearer.
void TokenWalk::take_words(const Step& at, const Group& group) {
    const bool counted = group.noted && counting();
    const bool one = (group.to != at.node || counted) && same_class(group.to, group) == nullptr;
    const TrieWords& words = words_->of(at.trie, group.bytes, one);
    const int longest = counted ? TrieWords::longest_counted : TrieWords::longest;
    const int here = here_;
    int node = at.node, to = group.to, note = 0, before = at.note;
    for (int length = 1; length <= longest; ++length) {
        if (!move({node, before, at.trie}, to, group.noted, 0, note)) break;
        const bool loop = to == node && !counted;
        node = to;
        const bool nearer = cost(node, note) < here_;
        if (counted && !nearer) break;
        if (words.lengths[index(length)] && nearer) arrive({node, note, -1}, tokens_ + 1);
        if (counted) before = note, here_ = cost(node, note);
        leave_words({node, note, at.trie}, node, group, words, length, loop);
        if (loop) return;
        const Group* const on = same_class(node, group);
        if (on == nullptr) break;
        to = on->to;
    }
    here_ = here;
}

void TokenWalk::leave_words(const Step& at, int node, const Group& inside, const TrieWords& words,
                            int before, bool or_more) {
    for (const Group& group : groups_->of(node)) {
        if (group.bytes == inside.bytes) continue;
        bool asked = false, good = false;  // the same for all bytes, but where they are noted
        int note = 0;
        for (int byte = group.low; byte <= group.high; ++byte) {
            if (!group.bytes[index(byte)] || words.exits[index(byte)].empty()) continue;
            if (!asked || group.noted)
                good = move(at, group.to, group.noted, byte, note) && cost(group.to, note) < here_;
            asked = true;
            if (!good) continue;
            for (const TrieWords::Exit& e : words.exits[index(byte)]) {
                if (or_more ? e.any && e.before >= before : e.before == before)
                    arrive({group.to, note, e.node}, tokens_);
            }
        }
    }
}

}  // namespace tbt
