#include "lib/text/tokenizer.hpp"

#include <algorithm>

#include "lib/error.hpp"
#include "lib/index.hpp"
#include "lib/text/byte_alphabet.hpp"
#include "lib/text/piece_encoder.hpp"
#include "lib/text/tokenizer_load.hpp"

namespace tbt {

// ---- construction -------------------------------------------------------------------------------
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
    special_.assign(vocabulary_.tokens.size(), false);
    for (const Vocabulary::AddedToken& token : vocabulary_.added) {
        if (!in_range(token.id))
            fail("added token " + std::to_string(token.id) + " is not in the vocabulary");
        if (token.special) special_[index(token.id)] = true;
        const std::string& bytes = at(vocabulary_.tokens, token.id);
        if (!added_ids_.emplace(bytes, token.id).second)
            fail("added token \"" + visible_bytes(bytes) + "\" appears twice");
    }
    ids_.reserve(vocabulary_.tokens.size());
    for (int id = 0; id < vocab_size(); ++id) {
        const std::string& bytes = at(vocabulary_.tokens, id);
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
    merges_.reset(vocabulary_.merges.size());
    int rank = 0;
    std::string joined;
    for (const auto& [left, right] : vocabulary_.merges) {
        const auto where = [&] { return "merge " + std::to_string(rank + 1) + " "; };
        if (left < 0 || right < 0 || left >= vocab_size() || right >= vocab_size()) {
            fail(where() + "joins tokens " + std::to_string(left) + " and " +
                 std::to_string(right) + ", expected ids below " + std::to_string(vocab_size()));
        }
        joined.assign(token_bytes(left)).append(token_bytes(right));
        const auto merged = ids_.find(joined);
        if (merged == ids_.end())
            fail(where() + "makes \"" + visible_bytes(joined) +
                 "\", which is not in the vocabulary");
        if (merges_.find(left, right)) {
            fail(where() + "(\"" + visible_bytes(token_bytes(left)) + "\" and \"" +
                 visible_bytes(token_bytes(right)) + "\") appears twice");
        }
        merges_.add({left, right, rank, merged->second});
        ++rank;
    }
}

// ---- files --------------------------------------------------------------------------------------
Tokenizer Tokenizer::load(const std::string& directory) {
    TokenizerFiles files = read_tokenizer_files(directory);
    std::string name = files.vocab_file;
    return Tokenizer(vocabulary_of(std::move(files)), std::move(name));
}

// ---- text to ids and back -----------------------------------------------------------------------
std::unique_ptr<PieceEncoder> Tokenizer::borrow_encoder() const {
    if (!pool_) fail("was moved away, ask the one it was moved to");
    const std::lock_guard lock(pool_->mutex);
    if (pool_->free.empty()) return std::make_unique<PieceEncoder>();
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
        const std::size_t end = first ? first->position : text.size();
        encoder->encode(merges_, byte_ids_, text.substr(begin, end - begin), ids);
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
    return at(vocabulary_.tokens, id);
}

bool Tokenizer::is_special(int id) const {
    return id >= 0 && id < count(special_) && at(special_, id);
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
