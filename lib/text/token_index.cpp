#include "lib/text/token_index.hpp"

#include <unordered_set>
#include <utility>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/text/byte_alphabet.hpp"
#include "lib/text/normalizer.hpp"
#include "lib/text/pieces.hpp"

namespace tbt {

// A table's slot is prefetched this many look-ups before it is needed.
static constexpr std::size_t ahead = 16;

// A token as written in files, for messages: a piece itself, bytes in GPT-2's alphabet.
static std::string shown_token(const Vocabulary& vocabulary, int id) {
    return has_pieces(vocabulary) ? shown(written(vocabulary, id))
                                  : visible_bytes(written(vocabulary, id));
}

const std::string& written(const Vocabulary& vocabulary, int id) {
    return at(has_pieces(vocabulary) ? vocabulary.pieces : vocabulary.tokens, id);
}

void TokenIndex::check(const Vocabulary& vocabulary) {
    const int vocab_size = count(vocabulary.tokens);
    if (has_pieces(vocabulary) && vocabulary.pieces.size() != vocabulary.tokens.size())
        fail("there are " + std::to_string(vocabulary.pieces.size()) + " pieces and " +
             std::to_string(vocabulary.tokens.size()) + " tokens, expected as many of each");
    check_added(vocabulary);
    ids.reserve(vocabulary.tokens.size());
    for (int id = 0; id < vocab_size; ++id) {
        if (id + to_int(ahead) < vocab_size) ids.prefetch(written(vocabulary, id + to_int(ahead)));
        if (at(vocabulary.tokens, id).empty() || written(vocabulary, id).empty())
            fail("token " + std::to_string(id) + " is empty");
        const int* added = added_ids.find(at(vocabulary.tokens, id));
        if (added && *added == id) continue;
        const int owner = ids.add(written(vocabulary, id), id);
        if (owner != id) {
            fail("tokens " + std::to_string(owner) + " and " + std::to_string(id) + " are both \"" +
                 shown_token(vocabulary, id) + "\"");
        }
    }
    for (const Vocabulary::AddedToken& token : vocabulary.added)
        if (!token.special) ids.add(written(vocabulary, token.id), token.id);
    std::vector<int> named = vocabulary.rules.before;
    named.insert(named.end(), vocabulary.rules.after.begin(), vocabulary.rules.after.end());
    for (const auto& id : {vocabulary.bos_id, vocabulary.eos_id})
        if (id) named.push_back(*id);
    for (const int id : named)
        if (!is_id(id, vocabulary.tokens.size()))
            fail("bos or eos token " + std::to_string(id) + " is not in the vocabulary");
}

void TokenIndex::check_added(const Vocabulary& vocabulary) {
    special.assign(vocabulary.tokens.size(), false);
    for (const Vocabulary::AddedToken& token : vocabulary.added) {
        if (!is_id(token.id, vocabulary.tokens.size()))
            fail("added token " + std::to_string(token.id) + " is not in the vocabulary");
        if (token.special) special[index(token.id)] = true;
        const std::size_t before = added_ids.size();
        added_ids.add(at(vocabulary.tokens, token.id), token.id);
        if (added_ids.size() == before)
            fail("added token \"" + shown_token(vocabulary, token.id) + "\" appears twice");
    }
}

void TokenIndex::index_bytes(const Vocabulary& vocabulary) {
    for (int b = 0; b < 256; ++b) {
        const char byte = static_cast<char>(b);
        const std::string name = has_pieces(vocabulary) ? byte_piece(b) : std::string(1, byte);
        const int* entry = ids.find(name);
        if (!entry) {
            fail("the vocabulary lacks the byte " + std::to_string(b) + " (\"" +
                 (has_pieces(vocabulary) ? name : visible_bytes(name)) +
                 "\"), expected a token for each of the 256 bytes");
        }
        byte_ids.push_back(*entry);
    }
}

void TokenIndex::index_characters(const Vocabulary& vocabulary) {
    if (!has_pieces(vocabulary)) return;
    for (int id = 0; id < count(vocabulary.pieces); ++id) {
        const std::string& piece = at(vocabulary.pieces, id);
        const CodePoint c = decode_utf8(piece, 0);
        if (c.value < 0 || index(c.length) != piece.size()) continue;
        const int* own = ids.find(piece);
        if (own && *own == id) characters.emplace(c.value, id);
    }
}

void TokenIndex::index_added(const Vocabulary& vocabulary) {
    std::vector<AddedTokens::Token> raw, normal;
    std::unordered_set<std::string> seen;
    for (const Vocabulary::AddedToken& t : vocabulary.added) {
        const std::string& text = at(vocabulary.tokens, t.id);
        const bool rewritten = t.normalized && !vocabulary.rules.normalizers.empty();
        AddedTokens::Token token{text, t.id, t.special, t.lstrip, t.rstrip};
        if (!rewritten) {
            raw.push_back(std::move(token));
            continue;
        }
        token.text = normalized(vocabulary.rules.normalizers, text, TextPlace::beginning);
        if (!token.text.empty() && seen.insert(token.text).second)
            normal.push_back(std::move(token));
    }
    raw_added = AddedTokens(std::move(raw));
    normalized_added = AddedTokens(std::move(normal));
}

void TokenIndex::index_merges(const Vocabulary& vocabulary, JoinedCharacters* neighbours) {
    const int vocab_size = count(vocabulary.tokens);
    merges.reset(vocabulary.merges.size());
    int rank = 0, next = -1;
    std::string joined;
    for (const auto& [left, right] : vocabulary.merges) {
        if (const std::size_t later = index(rank) + ahead; later < vocabulary.merges.size())
            merges.prefetch(vocabulary.merges[later].left, vocabulary.merges[later].right);
        const auto where = [&] { return "merge " + std::to_string(rank + 1) + " "; };
        if (left < 0 || right < 0 || left >= vocab_size || right >= vocab_size) {
            fail(where() + "joins tokens " + std::to_string(left) + " and " +
                 std::to_string(right) + ", expected ids below " + std::to_string(vocab_size));
        }
        joined.assign(written(vocabulary, left)).append(written(vocabulary, right));
        if (neighbours)
            neighbours->add_merge(written(vocabulary, left), written(vocabulary, right));
        // In most files each merge makes the token with the next id.
        if (!is_id(next, vocabulary.tokens.size()) || at(special, next) ||
            written(vocabulary, next) != joined) {
            const int* merged = ids.find(joined);
            next = merged ? *merged : -1;
        }
        if (next < 0)
            fail(where() + "makes \"" +
                 (has_pieces(vocabulary) ? shown(joined) : visible_bytes(joined)) +
                 "\", which is not in the vocabulary");
        if (!merges.add({left, right, rank, next})) {
            fail(where() + "(\"" + shown_token(vocabulary, left) + "\" and \"" +
                 shown_token(vocabulary, right) + "\") appears twice");
        }
        ++rank, ++next;
    }
}

TokenIndex::TokenIndex(const Vocabulary& vocabulary, std::string name) : name_(std::move(name)) {
    check(vocabulary);
    index_bytes(vocabulary);
    index_characters(vocabulary);
    index_added(vocabulary);
    // With ignore_merges a part can be a token that no merges make from its characters.
    const bool cut = has_pieces(vocabulary) && !vocabulary.rules.ignore_merges;
    JoinedCharacters joined;
    index_merges(vocabulary, cut ? &joined : nullptr);
    try {
        splitter = TextSplitter(vocabulary.rules.splits, cut ? &joined : nullptr);
    } catch (const Error& e) {
        fail(e.what());
    }
}

void TokenIndex::fail(const std::string& what) const { throw Error(name_ + ": " + what); }

}  // namespace tbt
