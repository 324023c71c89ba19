// The vocabulary as a trie: a tree in which each node is a byte. Tokens with a common prefix share
// its nodes, so that a recognizer reads the prefix once.
//
// If the recognizer refuses a byte, all tokens below that node are refused in one step.
// The nodes lie in one array in depth-first order. `end` of a node is the index to go on with if
// everything below the node is refused.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/check.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"
#include "lib/grammar/tokens/token_mask.hpp"
#include "lib/grammar/tokens/token_words.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

class TokenTrie {
public:
    struct Node {
        std::int32_t end;     // the first node that is not below this one
        std::int32_t token;   // the token that ends here; −1 if none does
        std::uint16_t depth;  // bytes from the root, at least 1
        std::uint8_t byte;
    };

    // tokens: the bytes of each token; empty for special tokens, which are never part of a text.
    // eos: the id of the end-of-text token, or −1. Throws Error for a token of more than 60,000
    // bytes and for an eos out of range.
    TokenTrie(std::vector<std::string> tokens, int eos);
    explicit TokenTrie(const Tokenizer& tokenizer);

    int vocabulary() const { return static_cast<int>(tokens_.size()); }
    int eos() const { return eos_; }
    const std::string& bytes(int token) const {
        return tokens_[checked_id("token trie", token, tokens_.size())];
    }
    const std::vector<Node>& nodes() const { return nodes_; }
    int longest() const { return longest_; }  // bytes of the longest token
    // Is every byte a token?
    bool has_all_byte_tokens() const { return has_all_byte_tokens_; }
    // The first node that is not below this one; −1 is the root.
    int end(int node) const {
        return node < 0 ? static_cast<int>(nodes_.size()) : nodes_[place(node)].end;
    }
    int depth(int node) const { return node < 0 ? 0 : nodes_[place(node)].depth; }
    // The tokens at the nodes first … last−1, in depth-first order.
    std::span<const std::int32_t> tokens(int first, int last) const {
        check_nodes(first, last);
        const std::int32_t from = first_token_[static_cast<std::size_t>(first)],
                           to = first_token_[static_cast<std::size_t>(last)];
        return std::span(order_).subspan(static_cast<std::size_t>(from),
                                         static_cast<std::size_t>(to - from));
    }
    // The tokens of at most this many bytes. More than max_mask_length bytes count as that many.
    static constexpr int max_mask_length = 48;
    const TokenMask& up_to_length(int bytes) const {
        return up_to_length_[std::min(static_cast<std::size_t>(bytes), up_to_length_.size() - 1)];
    }
    // The tokens that begin with a byte.
    const TokenMask& beginning_with(unsigned char byte) const { return beginning_with_[byte]; }
    // The bytes from the root to a node.
    std::string_view path(int node) const;
    // Pairs (token, later token with the same bytes). Only the first of them is in the trie.
    const std::vector<std::pair<int, int>>& duplicates() const { return duplicates_; }
    // The child of a node (−1: the root) for a byte; −1 if there is none.
    int child(int node, unsigned char byte) const;

    // Words over sets of bytes, shared by all masks over this vocabulary.
    TokenWordStore& words() const { return *words_; }

    // Walks the nodes first … last−1, all below one node; `state` is the state at that node.
    // Calls visit(index, node, state) for each node whose bytes are legal. visit returns the index
    // to go on with: index + 1, or node.end to skip everything below. states: scratch memory.
    template <class Visit>
    void walk(Recognizer& recognizer, Recognizer::State state, int first, int last,
              std::vector<Recognizer::State>& states, Visit&& visit) const {
        if (first >= last) return;
        check_nodes(first, last);
        const std::size_t base = nodes_[static_cast<std::size_t>(first)].depth;
        states.resize(static_cast<std::size_t>(longest_) + 2);
        states[base - 1] = state;
        for (int i = first; i < last;) {
            const Node& node = nodes_[static_cast<std::size_t>(i)];
            const Recognizer::State reached =
                recognizer.next(states[node.depth - std::size_t{1}], node.byte);
            if (reached == Recognizer::dead) {
                i = node.end;
                continue;
            }
            states[node.depth] = reached;
            i = visit(i, node, reached);
        }
    }

private:
    std::size_t place(int node) const {
        if (static_cast<std::size_t>(node) >= nodes_.size()) throw_no_node(node);
        return static_cast<std::size_t>(node);
    }
    void check_nodes(int first, int last) const {
        if (first < 0 || first > last || static_cast<std::size_t>(last) > nodes_.size())
            throw_no_node(first < 0 ? first : last);
    }
    [[noreturn]] void throw_no_node(int node) const;
    struct Entry {
        std::uint64_t key;
        std::int32_t token;
    };
    void build();
    void build_masks();
    void list_children();
    void sort_entries(std::vector<Entry>& entries) const;

    std::vector<std::string> tokens_;
    int eos_ = -1, longest_ = 0;
    bool has_all_byte_tokens_ = true;
    std::vector<Node> nodes_;
    // The tokens in depth-first order; by node: how many tokens come before it in that order.
    std::vector<std::int32_t> order_, first_token_;
    // The children of each node, sorted by byte: those of the root first, then those of node 0, …
    std::vector<std::int32_t> children_, first_child_;
    std::vector<TokenMask> up_to_length_, beginning_with_;
    std::vector<std::pair<int, int>> duplicates_;
    std::shared_ptr<TokenWordStore> words_ = std::make_shared<TokenWordStore>();
};

}  // namespace tbt
