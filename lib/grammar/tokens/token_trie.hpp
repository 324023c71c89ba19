// The vocabulary as a trie: a tree in which each node is a byte. Tokens with a common prefix share
// its nodes, so that a recognizer reads the prefix once.
//
// If the recognizer refuses a byte, all tokens below that node are refused in one step.
// The nodes lie in one array in depth-first order. `end` of a node is the index to go on with if
// everything below the node is refused.
//
// Besides: sets of tokens (TokenMask), and the tokens made of a set of bytes (TokenWords).
#pragma once

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"
#include "lib/kernels/bit_mask.hpp"

namespace tbt {

// A set of tokens with one bit for each token of the vocabulary, and its application to logits.
class TokenMask {
public:
    TokenMask() = default;
    explicit TokenMask(int vocabulary) : size_(vocabulary) {
        check_at_least("mask: vocabulary", vocabulary, 0);
        words_.resize((static_cast<std::size_t>(vocabulary) + 63) / 64);
    }

    int size() const { return size_; }
    void set(int id) {
        checked_id("mask", id, static_cast<std::size_t>(size_));
        words_[word(id)] |= bit(id);
    }
    void reset(int id) {
        checked_id("mask", id, static_cast<std::size_t>(size_));
        words_[word(id)] &= ~bit(id);
    }
    void clear() { std::fill(words_.begin(), words_.end(), 0); }
    // Calls visit(token) for each token of the set, in ascending order.
    template <class Visit>
    void each(Visit&& visit) const {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            for (std::uint64_t w = words_[i]; w != 0; w &= w - 1)
                visit(static_cast<int>(i * 64) + std::countr_zero(w));
        }
    }
    bool test(int id) const { return id >= 0 && id < size_ && (words_[word(id)] & bit(id)) != 0; }

    int count() const {
        int n = 0;
        for (const std::uint64_t w : words_) n += std::popcount(w);
        return n;
    }
    // The only token in the set; −1 if there are none or several.
    int only() const {
        int found = -1;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            if (words_[i] == 0) continue;
            if (found >= 0 || !std::has_single_bit(words_[i])) return -1;
            found = static_cast<int>(i * 64) + std::countr_zero(words_[i]);
        }
        return found;
    }
    // Adds the tokens of the other set. Throws Error if the sizes of the two sets differ, as the
    // next four functions do.
    TokenMask& operator|=(const TokenMask& other) {
        check_like(other);
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
        return *this;
    }
    // Adds the tokens that are both in a and in b.
    void add_common(const TokenMask& a, const TokenMask& b) {
        check_like(a), check_like(b);
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= a.words_[i] & b.words_[i];
    }
    // Removes the tokens that are in the other set.
    void remove(const TokenMask& other) {
        check_like(other);
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
    }
    // Adds the tokens that are in a and in b but not in c.
    void add_common_but(const TokenMask& a, const TokenMask& b, const TokenMask& c) {
        check_like(a), check_like(b), check_like(c);
        for (std::size_t i = 0; i < words_.size(); ++i)
            words_[i] |= a.words_[i] & b.words_[i] & ~c.words_[i];
    }
    // The first token of this set that is in b but not in c; −1 if there is none.
    int first_of(const TokenMask& b, const TokenMask& c) const {
        check_like(b), check_like(c);
        for (std::size_t i = 0; i < words_.size(); ++i) {
            if (const std::uint64_t w = words_[i] & b.words_[i] & ~c.words_[i]; w != 0)
                return static_cast<int>(i * 64) + std::countr_zero(w);
        }
        return -1;
    }
    bool operator==(const TokenMask&) const = default;

    // Sets the logit of every token that is not in the set to −∞. Logits beyond the tokenizer's
    // vocabulary (some models pad theirs) are masked too. Throws Error if there are fewer logits
    // than tokens.
    void apply(std::span<float> logits) const {
        if (logits.size() < static_cast<std::size_t>(size_)) {
            throw Error("mask: " + std::to_string(logits.size()) +
                        " logits, expected at least one for each of " + std::to_string(size_) +
                        " tokens");
        }
        const std::size_t whole = static_cast<std::size_t>(size_) / 64;
        mask_logits(logits.first(whole * 64), std::span(words_).first(whole));
        for (std::size_t id = whole * 64; id < logits.size(); ++id) {
            if (!test(static_cast<int>(id))) logits[id] = -std::numeric_limits<float>::infinity();
        }
    }

private:
    void check_like(const TokenMask& other) const {
        check_size("mask: another", other.words_.size(), words_.size());
    }
    static std::size_t word(int id) { return static_cast<std::size_t>(id) / 64; }
    static std::uint64_t bit(int id) {
        return std::uint64_t{1} << (static_cast<unsigned>(id) % 64);
    }

    int size_ = 0;
    std::vector<std::uint64_t> words_;
};

class Tokenizer;
class TokenTrie;

using ByteSet = std::bitset<256>;

// Words over a set of bytes: the tokens below a trie node whose further bytes are all in the set,
// for example in the bytes that a string may contain. Also the nodes at which tokens leave the set.
//
// Words depend on the vocabulary only, so all languages over it share them.
struct TokenWords {
    static constexpr int longest = 24;  // 25 tokens of GPT-2's 50,257 are longer

    TokenMask tokens;  // the words
    // The nodes at which a token leaves the set or exceeds `longest` bytes after the node.
    std::vector<std::int32_t> exits;
    // of_length[n]: one of the words with n bytes after the node; −1 if there is none.
    std::vector<int> of_length;

    TokenWords(const TokenTrie& trie, int node, const ByteSet& bytes);
};

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
    // Adds to a mask the tokens that have the same bytes as one in it.
    void add_duplicates(TokenMask& mask) const;
    // The child of a node (−1: the root) for a byte; −1 if there is none.
    int child(int node, unsigned char byte) const;

    // The words over a set of bytes below a node. All masks over this vocabulary share them, also
    // those of other threads.
    std::shared_ptr<const TokenWords> words(int node, const ByteSet& bytes) const;

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
    void build();
    void build_masks();
    void list_children();

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
    struct WordStore;
    std::shared_ptr<WordStore> words_;
};

}  // namespace tbt
