#include "lib/text/tokenizer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "lib/error.hpp"
#include "lib/text/byte_alphabet.hpp"
#include "lib/text/pretokenizer.hpp"

namespace tbt {

namespace {

std::uint64_t pair_key(int left, int right) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
           static_cast<std::uint32_t>(right);
}

// Fibonacci hashing: the high bits of a product with 2^64 / golden ratio depend on
// all bits of the key.
std::size_t hash_key(std::uint64_t key, int shift) {
    return (key ^ key >> 29) * 0x9e3779b97f4a7c15u >> shift;
}

}  // namespace

// ---- one piece of text -----------------------------------------------------------------------------------
class Tokenizer::Encoder {
public:
    void encode(const Tokenizer& tokenizer, std::string_view text, std::vector<int>& ids) {
        for_each_pretoken(text,
                          [&](std::string_view piece) { encode_piece(tokenizer, piece, ids); });
    }

private:
    // A natural text repeats its words: a piece of up to 30 bytes that became up to 8 tokens is
    // remembered until another one needs its slot. The key is the zero-padded piece with its length
    // in the last byte; a free slot's is 0.
    static constexpr std::size_t longest_word = 30, most_ids = 8;
    static constexpr int cache_bits = 14;
    using Key = std::array<std::uint64_t, 4>;
    struct CachedWord {
        Key key{};
        std::array<int, most_ids> ids{};  // −1 behind the last
    };

    struct Symbol {
        int id;  // −1: joined to its left neighbour
        int previous, next;
    };
    struct Candidate {
        const MergeSlot* merge;
        int position;
        // The heap keeps its greatest element on top: the lowest rank, of equals the leftmost.
        bool operator<(const Candidate& other) const {
            return merge->rank != other.merge->rank ? merge->rank > other.merge->rank
                                                    : position > other.position;
        }
    };

    void encode_piece(const Tokenizer& tokenizer, std::string_view piece, std::vector<int>& ids) {
        if (piece.size() > longest_word) {
            merge_piece(tokenizer, piece, ids);
            return;
        }
        Key key{};
        std::memcpy(key.data(), piece.data(), piece.size());
        key[3] |= static_cast<std::uint64_t>(piece.size())
                  << (std::endian::native == std::endian::little ? 56 : 0);
        std::uint64_t mixed = 0;
        for (const std::uint64_t word : key)
            mixed = (std::rotl(mixed, 23) ^ word) * 0xff51afd7ed558ccdu;
        CachedWord& slot = cache_[hash_key(mixed, 64 - cache_bits)];
        if (slot.key != key) {
            const std::size_t before = ids.size();
            merge_piece(tokenizer, piece, ids);
            const std::size_t count = ids.size() - before;
            if (count > most_ids) return;
            slot.key = key;
            slot.ids.fill(-1);
            std::copy_n(ids.end() - static_cast<std::ptrdiff_t>(count), count, slot.ids.begin());
            return;
        }
        for (std::size_t i = 0; i < most_ids && slot.ids[i] >= 0; ++i) ids.push_back(slot.ids[i]);
    }

    // Byte-pair encoding with a linked list of symbols and a heap of candidate merges:
    // n log n for n bytes.
    void merge_piece(const Tokenizer& tokenizer, std::string_view piece, std::vector<int>& ids) {
        if (piece.size() > static_cast<std::size_t>(std::numeric_limits<int>::max() / 2)) {
            tokenizer.fail("a word of " + std::to_string(piece.size()) +
                           " bytes is too long, expected at most 2^30");
        }
        const int n = static_cast<int>(piece.size());
        symbols_.clear();
        heap_.clear();
        for (int i = 0; i < n; ++i) {
            const auto byte = static_cast<unsigned char>(piece[static_cast<std::size_t>(i)]);
            symbols_.push_back({tokenizer.byte_ids_[byte], i - 1, i + 1 < n ? i + 1 : -1});
        }
        for (int i = 0; i + 1 < n; ++i) push_candidate(tokenizer, i);
        while (!heap_.empty()) {
            const Candidate best = heap_.front();
            std::pop_heap(heap_.begin(), heap_.end());
            heap_.pop_back();
            join(tokenizer, best);
        }
        for (int i = 0; i >= 0; i = symbols_[static_cast<std::size_t>(i)].next) {
            ids.push_back(symbols_[static_cast<std::size_t>(i)].id);
        }
        if (symbols_.capacity() > std::size_t{1} << 20)
            symbols_ = {}, heap_ = {};  // no megabytes kept for one long word
    }

    void push_candidate(const Tokenizer& tokenizer, int position) {
        const Symbol& left = symbols_[static_cast<std::size_t>(position)];
        const Symbol& right = symbols_[static_cast<std::size_t>(left.next)];
        if (const MergeSlot* merge = tokenizer.find_merge(left.id, right.id)) {
            heap_.push_back({merge, position});
            std::push_heap(heap_.begin(), heap_.end());
        }
    }

    void join(const Tokenizer& tokenizer, const Candidate& candidate) {
        // Out of date when one of the two symbols has been joined to another since.
        Symbol& left = symbols_[static_cast<std::size_t>(candidate.position)];
        if (left.id != candidate.merge->left || left.next < 0) return;
        Symbol& right = symbols_[static_cast<std::size_t>(left.next)];
        if (right.id != candidate.merge->right) return;
        left.id = candidate.merge->merged;
        left.next = right.next;
        right.id = -1;
        if (left.next >= 0) {
            symbols_[static_cast<std::size_t>(left.next)].previous = candidate.position;
            push_candidate(tokenizer, candidate.position);
        }
        if (left.previous >= 0) push_candidate(tokenizer, left.previous);
    }

    std::vector<CachedWord> cache_{std::size_t{1} << cache_bits};
    std::vector<Symbol> symbols_;
    std::vector<Candidate> heap_;
};

// ---- construction ----------------------------------------------------------------------------------------
Tokenizer::Tokenizer(Vocabulary vocabulary, std::string name)
    : name_(std::move(name)),
      vocabulary_(std::move(vocabulary)),
      pool_(std::make_unique<EncoderPool>()) {
    check_vocabulary();
    index_merges();
}

Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

void Tokenizer::fail(const std::string& what) const { throw Error(name_ + ": " + what); }

void Tokenizer::check_vocabulary() {
    const auto in_range = [&](int id) { return id >= 0 && id < vocab_size(); };
    for (const Vocabulary::AddedToken& token : vocabulary_.added) {
        if (!in_range(token.id))
            fail("added token " + std::to_string(token.id) + " is not in the vocabulary");
        const std::string& bytes = vocabulary_.tokens[static_cast<std::size_t>(token.id)];
        if (!added_ids_.emplace(bytes, token.id).second)
            fail("added token \"" + visible_bytes(bytes) + "\" appears twice");
    }
    for (int id = 0; id < vocab_size(); ++id) {
        const std::string& bytes = vocabulary_.tokens[static_cast<std::size_t>(id)];
        if (bytes.empty()) fail("token " + std::to_string(id) + " is empty");
        if (const auto added = added_ids_.find(bytes);
            added != added_ids_.end() && added->second == id)
            continue;
        const auto [entry, is_new] = ids_.emplace(bytes, id);
        if (!is_new) {
            fail("tokens " + std::to_string(entry->second) + " and " + std::to_string(id) +
                 " are both \"" + visible_bytes(bytes) + "\"");
        }
    }
    for (int b = 0; b < 256; ++b) {
        const char byte = static_cast<char>(b);
        const auto entry = ids_.find(std::string_view(&byte, 1));
        if (entry == ids_.end()) {
            fail("the vocabulary lacks the byte " + std::to_string(b) + " (\"" +
                 visible_bytes({&byte, 1}) + "\"), expected a token for each of the 256 bytes");
        }
        byte_ids_.push_back(entry->second);
    }
    for (const auto& id : {vocabulary_.bos_id, vocabulary_.eos_id}) {
        if (id && !in_range(*id))
            fail("bos or eos token " + std::to_string(*id) + " is not in the vocabulary");
    }
}

void Tokenizer::index_merges() {
    const std::size_t size = std::bit_ceil(2 * vocabulary_.merges.size() + 2);
    merge_slots_.resize(size);
    merge_shift_ = 64 - std::countr_zero(size);
    int rank = 0;
    for (const auto& [left, right] : vocabulary_.merges) {
        const std::string where = "merge " + std::to_string(rank + 1) + " ";
        if (left < 0 || right < 0 || left >= vocab_size() || right >= vocab_size()) {
            fail(where + "joins tokens " + std::to_string(left) + " and " + std::to_string(right) +
                 ", expected ids below " + std::to_string(vocab_size()));
        }
        const std::string joined = std::string(token_bytes(left)) + std::string(token_bytes(right));
        const auto merged = ids_.find(joined);
        if (merged == ids_.end())
            fail(where + "makes \"" + visible_bytes(joined) + "\", which is not in the vocabulary");
        if (find_merge(left, right)) {
            fail(where + "(\"" + visible_bytes(token_bytes(left)) + "\" and \"" +
                 visible_bytes(token_bytes(right)) + "\") appears twice");
        }
        std::size_t slot = hash_key(pair_key(left, right), merge_shift_);
        while (merge_slots_[slot].left >= 0) slot = (slot + 1) & (size - 1);
        merge_slots_[slot] = {left, right, rank, merged->second};
        ++rank;
    }
}

const Tokenizer::MergeSlot* Tokenizer::find_merge(int left, int right) const {
    std::size_t slot = hash_key(pair_key(left, right), merge_shift_);
    while (merge_slots_[slot].left >= 0) {
        if (merge_slots_[slot].left == left && merge_slots_[slot].right == right)
            return &merge_slots_[slot];
        slot = (slot + 1) & (merge_slots_.size() - 1);
    }
    return nullptr;
}

// ---- text to ids and back --------------------------------------------------------------------------------
std::unique_ptr<Tokenizer::Encoder> Tokenizer::borrow_encoder() const {
    const std::lock_guard lock(pool_->mutex);
    if (pool_->free.empty()) return std::make_unique<Encoder>();
    auto encoder = std::move(pool_->free.back());
    pool_->free.pop_back();
    return encoder;
}

std::vector<int> Tokenizer::encode(std::string_view text, SpecialTokens special) const {
    // Where each added token appears next; the text between them is encoded piece by piece.
    struct Next {
        std::size_t position;
        std::string_view bytes;
        int id;
    };
    std::vector<Next> next;
    for (const Vocabulary::AddedToken& token : vocabulary_.added) {
        if (token.special && special == SpecialTokens::as_text) continue;
        const std::string_view bytes = token_bytes(token.id);
        next.push_back({text.find(bytes), bytes, token.id});
    }
    std::vector<int> ids;
    ids.reserve(text.size() / 3 + 8);
    auto encoder = borrow_encoder();
    std::size_t begin = 0;
    for (;;) {
        const Next* first = nullptr;  // the leftmost, of several at one place the longest
        for (Next& n : next) {
            if (n.position < begin) n.position = text.find(n.bytes, begin);
            if (n.position == std::string_view::npos) continue;
            if (!first || n.position < first->position ||
                (n.position == first->position && n.bytes.size() > first->bytes.size())) {
                first = &n;
            }
        }
        encoder->encode(
            *this, text.substr(begin, first ? first->position - begin : std::string_view::npos),
            ids);
        if (!first) break;
        ids.push_back(first->id);
        begin = first->position + first->bytes.size();
    }
    const std::lock_guard lock(pool_->mutex);
    pool_->free.push_back(std::move(encoder));
    return ids;
}

std::string Tokenizer::decode(std::span<const int> ids) const {
    std::string text;
    for (const int id : ids) text += token_bytes(id);
    return text;
}

std::string_view Tokenizer::token_bytes(int id) const {
    if (id < 0 || id >= vocab_size()) {
        fail("there is no token " + std::to_string(id) + ", expected 0 to " +
             std::to_string(vocab_size() - 1));
    }
    return vocabulary_.tokens[static_cast<std::size_t>(id)];
}

bool Tokenizer::is_special(int id) const {
    return std::any_of(
        vocabulary_.added.begin(), vocabulary_.added.end(),
        [&](const Vocabulary::AddedToken& token) { return token.id == id && token.special; });
}

std::optional<int> Tokenizer::id_of(std::string_view bytes) const {
    if (const auto added = added_ids_.find(bytes); added != added_ids_.end()) return added->second;
    if (const auto entry = ids_.find(bytes); entry != ids_.end()) return entry->second;
    return std::nullopt;
}

int Tokenizer::eos_id() const {
    if (!vocabulary_.eos_id)
        fail("there is no end-of-text token, expected \"<|endoftext|>\" or an eos_token");
    return *vocabulary_.eos_id;
}

}  // namespace tbt
