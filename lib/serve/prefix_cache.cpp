#include "lib/serve/prefix_cache.hpp"

#include <algorithm>
#include <string>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

static int alike(std::span<const int> a, std::span<const int> b) {
    return to_int(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

PrefixTree::PrefixTree(std::shared_ptr<KvPool> pool, int page_tokens)
    : pool_(std::move(pool)), page_tokens_(page_tokens) {
    if (!pool_) throw Error("prefix tree: there is no pool");
    check_at_least("prefix tree: tokens of a page", page_tokens, 1);
}

PrefixTree::~PrefixTree() { forget_all(); }

// Sets the time of a node's last use. For a leaf this time is part of its key in leaves_.
void PrefixTree::touch(Node& node, std::uint64_t now) {
    const auto leaf = leaves_.find({node.used, &node});
    if (leaf != leaves_.end()) {
        leaves_.erase(leaf);
        leaves_.emplace(now, &node);
    }
    node.used = now;
}

KnownPrefix PrefixTree::find(std::span<const int> ids) {
    KnownPrefix known;
    const std::uint64_t now = ++clock_;
    for (Node* node = &root_; !ids.empty();) {
        const std::span<const int> chunk = ids.first(std::min(ids.size(), index(page_tokens_)));
        const std::vector<int> key(chunk.begin(), chunk.end());
        // Children are sorted by their tokens, so the one with the longest common prefix is next to
        // the chunk's position.
        const auto after = node->children.lower_bound(key);
        int best = after != node->children.end() ? alike(after->first, chunk) : 0;
        if (after != node->children.begin())
            best = std::max(best, alike(std::prev(after)->first, chunk));
        if (best == 0) break;
        const auto child = node->children.lower_bound({key.begin(), key.begin() + best});
        known.pages.push_back(child->second.page);
        known.tokens += best;
        touch(child->second, now);
        if (best < page_tokens_) break;
        ids = ids.subspan(index(best));
        node = &child->second;
    }
    return known;
}

void PrefixTree::put(std::span<const int> ids, std::span<const int> pages) {
    const auto size = index(page_tokens_);
    check_size("prefix tree: the pages of a text", pages.size(), (ids.size() + size - 1) / size);
    const std::uint64_t now = ++clock_;
    Node* node = &root_;
    for (const int page : pages) {
        const std::span<const int> chunk = ids.first(std::min(ids.size(), size));
        node = &child_for(*node, chunk, page);
        touch(*node, now);
        ids = ids.subspan(chunk.size());
    }
}

// The child whose page has the chunk, added if there is none. It replaces a child that has only a
// prefix of the chunk.
PrefixTree::Node& PrefixTree::child_for(Node& node, std::span<const int> chunk, int page) {
    const std::vector<int> key(chunk.begin(), chunk.end());
    const auto after = node.children.lower_bound(key);
    if (after != node.children.end() && alike(after->first, chunk) == count(chunk))
        return after->second;
    pool_->share(page);
    if (after != node.children.begin()) {
        const auto before = std::prev(after);
        if (alike(before->first, chunk) == count(before->first)) drop(before->second);
    }
    if (node.parent && node.children.empty()) leaves_.erase({node.used, &node});
    const auto added = node.children.emplace(key, Node{}).first;
    Node& child = added->second;
    child.page = page, child.parent = &node, child.place = added;
    leaves_.emplace(child.used, &child);
    ++pages_;
    return child;
}

// Removes a leaf; its parent may then become a leaf.
void PrefixTree::drop(Node& leaf) {
    Node& parent = *leaf.parent;
    pool_->release(leaf.page);
    leaves_.erase({leaf.used, &leaf});
    parent.children.erase(leaf.place);
    if (parent.children.empty() && parent.parent) leaves_.emplace(parent.used, &parent);
    --pages_;
}

bool PrefixTree::forget_one() {
    if (leaves_.empty()) return false;
    const auto idle = std::find_if(leaves_.begin(), leaves_.end(),
                                   [&](const auto& leaf) { return is_idle(*leaf.second); });
    drop(*(idle == leaves_.end() ? leaves_.begin() : idle)->second);
    return true;
}

void PrefixTree::forget_all() {
    while (forget_one()) {
    }
}

int PrefixTree::idle() const {
    int pages = 0;
    const auto visit = [&](const auto& self, const Node& node) -> void {
        for (const auto& [tokens, child] : node.children) {
            pages += is_idle(child);
            self(self, child);
        }
    };
    visit(visit, root_);
    return pages;
}

PrefixCache::PrefixCache(Transformer& model, int pages, bool remembers)
    : model_(&model),
      pool_(std::make_shared<KvPool>(model.config(), pages)),
      tree_(pool_, page_tokens),
      remembers_(remembers) {
    pool_->when_full([this] { return tree_.forget_one(); });
}

// Sequences may outlive this object and keep the pool alive, so the callback is removed.
PrefixCache::~PrefixCache() { pool_->when_full({}); }

int PrefixCache::pages_in(std::int64_t bytes, const TransformerConfig& config) {
    const std::int64_t page = KvPool(config).block_bytes();
    if (bytes < page)
        throw Error("prefix cache: " + std::to_string(bytes) + " bytes, expected " +
                    std::to_string(page) + " or more: a page of " + std::to_string(page_tokens) +
                    " tokens");
    return to_int(std::min<std::int64_t>(bytes / page, 1 << 30));
}

std::vector<int> PrefixCache::key_of(std::span<const int> ids, int capacity) const {
    std::vector<int> key(ids.begin(), ids.end());
    if (capacity > 0 && capacity <= short_context(model_->config()))
        for (int& id : key) id = -1 - id;
    return key;
}

KnownPrefix PrefixCache::find(std::span<const int> ids, int capacity) {
    if (!remembers_ || ids.empty()) return {};
    const std::size_t most = std::min(ids.size() - 1, index(model_->config().n_positions));
    return tree_.find(key_of(ids.first(most), capacity));
}

KvCache PrefixCache::start(std::span<const int> ids, int capacity) {
    KvCache cache(pool_, model_->config(), capacity);
    const KnownPrefix prefix = find(ids, capacity);
    cache.begin_with(prefix.pages, prefix.tokens);
    return cache;
}

int PrefixCache::known(std::span<const int> ids, int capacity) {
    return find(ids, capacity).tokens;
}

void PrefixCache::remember(std::span<const int> ids, const KvCache& cache) {
    if (!cache.shares(*pool_) || count(ids) < cache.length())
        throw Error("prefix cache: " + std::to_string(ids.size()) + " tokens and a cache of " +
                    std::to_string(cache.length()) +
                    ", expected one that start() gave, with no more tokens than these");
    if (remembers_)
        tree_.put(key_of(ids.first(index(cache.length())), cache.capacity()),
                  cache.block_numbers());
}

bool PrefixCache::has_room(int pages) const {
    const int free = limit() - used();
    return limit() == 0 || pages <= free || pages <= free + tree_.idle();
}

}  // namespace tbt
