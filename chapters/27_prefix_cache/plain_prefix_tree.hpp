// Which pages hold which beginnings of texts.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "chapters/27_prefix_cache/plain_page_table.hpp"

namespace tbt {

using Tokens = std::vector<int>;
// The longest known beginning of a text: so many tokens, in these pages. The last may go on in
// another way than the text, which then copies it (plain_page_table.hpp).
struct PlainPrefix {
    std::vector<PlainPage*> pages;
    std::size_t tokens = 0;
};

// A node for each page. It is found by its tokens and by all tokens before it, which are the path
// from the root. Only a full page has children. The tree is one owner of each of its pages.
class PlainPrefixTree {
public:
    explicit PlainPrefixTree(std::size_t page_tokens) : page_tokens_(page_tokens) {}

    PlainPrefix find(const Tokens& ids) {
        PlainPrefix known;
        ++clock_;
        for (Node* node = &root_; node;) {
            const Tokens rest = chunk(ids, known.tokens);
            Node* best = nullptr;
            std::size_t most = 0;
            for (auto& [tokens, child] : node->children)
                if (alike(tokens, rest) > most) best = &child, most = alike(tokens, rest);
            if (best) known.pages.push_back(best->page), best->used = clock_;
            known.tokens += most;
            node = most == page_tokens_ ? best : nullptr;
        }
        return known;
    }
    // A text's pages become known. A page that has these tokens already stays; one that has only
    // the first of them gives way.
    void put(const Tokens& ids, const std::vector<PlainPage*>& table) {
        Node* node = &root_;
        ++clock_;
        for (std::size_t p = 0; p < table.size(); ++p, node->used = clock_)
            node = &child_for(*node, chunk(ids, p * page_tokens_), table[p]);
    }
    // Forgets the least recently used leaf, of those that no text uses if there are any.
    bool forget_one() {
        Node *leaf = nullptr, *parent = nullptr;
        look_for(leaf, parent, root_);
        return leaf && remove(*parent, leaf);
    }

private:
    struct Node {
        PlainPage* page = nullptr;
        long used = 0;
        std::map<Tokens, Node> children = {};
    };
    Tokens chunk(const Tokens& ids, std::size_t first) const {
        Tokens tokens;
        const std::size_t end = std::min(ids.size(), first + page_tokens_);
        for (std::size_t i = first; i < end; ++i) tokens.push_back(ids[i]);
        return tokens;
    }
    static std::size_t alike(const Tokens& a, const Tokens& b) {
        std::size_t n = 0;
        while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
        return n;
    }
    Node& child_for(Node& node, const Tokens& tokens, PlainPage* page) {
        Node* shorter = nullptr;
        for (auto& [known, child] : node.children) {
            if (alike(known, tokens) == tokens.size()) return child;
            if (alike(known, tokens) == known.size()) shorter = &child;
        }
        ++page->owners;
        if (shorter) remove(node, shorter);
        return node.children[tokens] = Node{page};
    }
    static auto age(const Node& n) { return std::pair(n.page->owners > 1, n.used); }
    static void look_for(Node*& leaf, Node*& parent, Node& node) {
        for (auto& [tokens, child] : node.children)
            if (!child.children.empty()) look_for(leaf, parent, child);
            else if (!leaf || age(child) < age(*leaf)) leaf = &child, parent = &node;
    }
    static bool remove(Node& parent, Node* leaf) {
        --leaf->page->owners;
        return std::erase_if(parent.children, [&](auto& c) { return &c.second == leaf; }) > 0;
    }
    std::size_t page_tokens_;
    Node root_;
    long clock_ = 0;
};

}  // namespace tbt
