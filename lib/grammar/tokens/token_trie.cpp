#include "lib/grammar/tokens/token_trie.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <unordered_map>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

namespace {

std::vector<std::string> ordinary_tokens(const Tokenizer& tokenizer) {
    std::vector<std::string> tokens(static_cast<std::size_t>(tokenizer.vocab_size()));
    for (int id = 0; id < tokenizer.vocab_size(); ++id) {
        if (!tokenizer.is_special(id))
            tokens[static_cast<std::size_t>(id)] = tokenizer.token_bytes(id);
    }
    return tokens;
}

// The first eight bytes as a number that sorts as they do: mostly enough to compare two tokens.
std::uint64_t sort_key(const std::string& bytes) {
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < 8; ++i)
        key = key << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u);
    return key;
}

}  // namespace

struct TokenTrie::WordStore {
    static constexpr std::size_t most = 1024;  // 6 KB each at V = 50,257; beyond, all are dropped

    std::mutex mutex;
    std::unordered_map<ByteSet, std::map<int, std::shared_ptr<const TokenWords>>> words;
    std::size_t kept = 0;
};

TokenTrie::TokenTrie(std::vector<std::string> tokens, int eos)
    : tokens_(std::move(tokens)), eos_(eos), words_(std::make_shared<WordStore>()) {
    if (eos_ < -1 || eos_ >= vocabulary()) {
        throw Error("token trie: end-of-text token " + std::to_string(eos_) +
                    ", expected an id below " + std::to_string(vocabulary()) + " or -1");
    }
    if (eos_ >= 0)
        tokens_[static_cast<std::size_t>(eos_)].clear();  // the end-of-text token writes no bytes
    build();
}

TokenTrie::TokenTrie(const Tokenizer& tokenizer)
    : TokenTrie(ordinary_tokens(tokenizer),
                tokenizer.vocabulary().eos_id ? *tokenizer.vocabulary().eos_id : -1) {}

void TokenTrie::throw_no_node(int node) const {
    throw Error("token trie: there is no node " + std::to_string(node) + ", expected up to " +
                std::to_string(nodes_.size()));
}

void TokenTrie::build() {
    struct Entry {
        std::uint64_t key;
        std::int32_t token;
    };
    std::vector<Entry> order;
    std::size_t total = 0;
    for (int id = 0; id < vocabulary(); ++id) {
        const std::string& bytes = tokens_[static_cast<std::size_t>(id)];
        if (bytes.size() > 60000)
            throw Error("token trie: token " + std::to_string(id) + " has " +
                        std::to_string(bytes.size()) + " bytes, expected at most 60000");
        if (bytes.empty()) continue;
        order.push_back({sort_key(bytes), id});
        longest_ = std::max(longest_, static_cast<int>(bytes.size()));
        total += bytes.size();
    }
    std::sort(order.begin(), order.end(), [&](const Entry& a, const Entry& b) {
        if (a.key != b.key) return a.key < b.key;
        // std::string compares its bytes as unsigned.
        const int c = bytes(a.token).compare(bytes(b.token));
        return c != 0 ? c < 0 : a.token < b.token;
    });

    nodes_.reserve(total / 2);
    std::vector<int> open;  // the nodes on the path to the previous token
    const auto close_from = [&](std::size_t depth) {
        for (; open.size() > depth; open.pop_back())
            nodes_[static_cast<std::size_t>(open.back())].end =
                static_cast<std::int32_t>(nodes_.size());
    };
    std::string_view last;
    for (const Entry& entry : order) {
        const std::string_view now = bytes(entry.token);
        std::size_t common = 0;
        while (common < std::min(last.size(), now.size()) && last[common] == now[common]) ++common;
        if (common == now.size() && common == last.size() && !open.empty()) {
            duplicates_.emplace_back(nodes_[static_cast<std::size_t>(open.back())].token,
                                     entry.token);
            continue;
        }
        close_from(common);
        for (std::size_t i = common; i < now.size(); ++i) {
            open.push_back(static_cast<int>(nodes_.size()));
            nodes_.push_back(
                {0, -1, static_cast<std::uint16_t>(i + 1), static_cast<std::uint8_t>(now[i])});
            first_token_.push_back(static_cast<std::int32_t>(order_.size()));
        }
        nodes_.back().token = entry.token;
        order_.push_back(entry.token);
        last = now;
    }
    close_from(0);
    first_token_.push_back(static_cast<std::int32_t>(order_.size()));
    build_masks();
    list_children();
}

void TokenTrie::list_children() {
    children_.reserve(nodes_.size());
    first_child_.reserve(nodes_.size() + 2);
    const auto size = static_cast<int>(nodes_.size());
    for (int node = -1; node < size; ++node) {
        first_child_.push_back(static_cast<std::int32_t>(children_.size()));
        for (int i = node + 1; i < end(node); i = nodes_[static_cast<std::size_t>(i)].end)
            children_.push_back(i);
    }
    first_child_.push_back(static_cast<std::int32_t>(children_.size()));
    for (int byte = 0; byte < 256; ++byte) {
        const int node = child(-1, static_cast<unsigned char>(byte));
        has_all_byte_tokens_ =
            has_all_byte_tokens_ && node >= 0 && nodes_[static_cast<std::size_t>(node)].token >= 0;
    }
}

void TokenTrie::build_masks() {
    up_to_length_.assign(static_cast<std::size_t>(std::min(longest_, max_mask_length)) + 1,
                         TokenMask(vocabulary()));
    for (const std::int32_t token : order_) {
        const std::size_t length = bytes(token).size();
        if (length < up_to_length_.size()) up_to_length_[length].set(token);
    }
    for (std::size_t n = 1; n < up_to_length_.size(); ++n) up_to_length_[n] |= up_to_length_[n - 1];
    beginning_with_.assign(256, TokenMask(vocabulary()));
    for (const std::int32_t token : order_)
        beginning_with_[static_cast<unsigned char>(bytes(token)[0])].set(token);
}

void TokenTrie::add_duplicates(TokenMask& mask) const {
    for (const auto& [first, twin] : duplicates_)
        if (mask.test(first)) mask.set(twin);
}

std::string_view TokenTrie::path(int node) const {
    const std::size_t i = place(node);
    return std::string_view(bytes(order_[static_cast<std::size_t>(first_token_[i])]))
        .substr(0, nodes_[i].depth);
}

int TokenTrie::child(int node, unsigned char byte) const {
    const std::size_t at = node < 0 ? 0 : place(node) + 1;
    const auto first = children_.begin() + first_child_[at],
               last = children_.begin() + first_child_[at + 1];
    const auto found = std::lower_bound(first, last, byte, [&](std::int32_t i, unsigned char b) {
        return nodes_[static_cast<std::size_t>(i)].byte < b;
    });
    return found != last && nodes_[static_cast<std::size_t>(*found)].byte == byte ? *found : -1;
}

TokenWords::TokenWords(const TokenTrie& trie, int node, const ByteSet& bytes)
    : tokens(trie.vocabulary()), of_length(longest + 1, -1) {
    const int depth = trie.depth(node), deepest = depth + longest;
    const auto add = [&](int first, int last) {
        for (const int token : trie.tokens(first, last)) {
            tokens.set(token);
            of_length[trie.bytes(token).size() - index(depth)] = token;
        }
    };
    int inside = node + 1;  // the nodes from here to i stay within the set
    for (int i = inside; i < trie.end(node);) {
        const TokenTrie::Node& n = trie.nodes()[index(i)];
        if (bytes[n.byte] && n.depth <= deepest) {
            ++i;
            continue;
        }
        add(inside, i);
        exits.push_back(i);
        inside = i = n.end;
    }
    add(inside, trie.end(node));
}

std::shared_ptr<const TokenWords> TokenTrie::words(int node, const ByteSet& bytes) const {
    const std::lock_guard lock(words_->mutex);
    if (words_->kept >= WordStore::most) words_->words.clear(), words_->kept = 0;
    std::shared_ptr<const TokenWords>& known = words_->words[bytes][node];
    if (!known) {
        ++words_->kept;
        known = std::make_shared<const TokenWords>(*this, node, bytes);
    }
    return known;
}

}  // namespace tbt
