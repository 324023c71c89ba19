#include "lib/text/tokenizer.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/tokenizer.hpp"
#include "lib/core/unicode.hpp"
#include "lib/text/piece_encoder.hpp"
#include "lib/text/text_splitter.hpp"
#include "lib/text/tokenizer_files.hpp"

namespace tbt {

namespace {

// ---- added tokens -------------------------------------------------------------------------------
// Is the character a part of a word? As \w in regular expressions.
bool is_word(std::int32_t c) {
    const Category category = category_of(c);
    const bool circled = (c >= 0x24b6 && c <= 0x24e9) || (c >= 0x1f130 && c <= 0x1f149) ||
                         (c >= 0x1f150 && c <= 0x1f169) || (c >= 0x1f170 && c <= 0x1f189);
    return category <= Category::Nl || category == Category::Pc || circled || c == 0x200c ||
           c == 0x200d;
}
bool is_inside_word(std::string_view text, std::size_t begin, std::size_t end) {
    std::size_t last = begin;
    while (last > 0 && last + 4 > begin && (text[--last] & 0xc0) == 0x80) {
    }
    return (begin > 0 && is_word(decode_utf8(text, last).value)) ||
           (end < text.size() && is_word(decode_utf8(text, end).value));
}

// Finds the leftmost added token ("<|im_start|>", …) in a text. This is the first step of encoding;
// the text between added tokens is split and merged afterwards. If several begin at the same byte,
// the longest counts.
class AddedTokens {
public:
    struct Token {
        std::string text;
        int id;
        bool special, lstrip, rstrip, single_word;
    };
    struct Match {
        std::size_t begin, end;  // bytes; with the white space that belongs to the token
        int id;
    };

    AddedTokens() = default;
    // No text may be empty or appear twice.
    explicit AddedTokens(std::vector<Token> tokens) : tokens_(std::move(tokens)) {
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            const std::string& text = tokens_[i].text;
            by_text_.emplace(text, i);
            lengths_[static_cast<unsigned char>(text[0])].push_back(text.size());
        }
        for (std::vector<std::size_t>& lengths : lengths_) {
            std::sort(lengths.begin(), lengths.end(), std::greater());
            lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
        }
    }
    AddedTokens(AddedTokens&&) noexcept = default;
    AddedTokens& operator=(AddedTokens&&) noexcept = default;

    // Whether special tokens are looked for. If so, those with a byte in one of the ranges
    // `as_text` (in ascending order) do not count: that part of the text is ordinary text.
    struct Special {
        bool wanted = true;
        std::span<const MarkedText::Range> as_text = {};
    };
    // The next added token that starts at `begin` or later. If there is none, the match begins and
    // ends at text.size() and has id −1.
    Match find(std::string_view text, std::size_t begin, const Special& special) const {
        for (std::size_t i = begin; i < text.size() && !empty(); ++i) {
            if (lengths_[static_cast<unsigned char>(text[i])].empty()) continue;
            const Token* token = token_at(text, i, special);
            if (!token) continue;
            const std::size_t end = i + token->text.size();
            if (token->single_word && is_inside_word(text, i, end)) {
                i = end - 1;  // as in the hub's tokenizers, none is looked for inside it
                continue;
            }
            return {token->lstrip ? white_space_before(text, begin, i) : i,
                    token->rstrip ? white_space_after(text, end) : end, token->id};
        }
        return {text.size(), text.size(), -1};
    }
    bool empty() const { return tokens_.empty(); }

private:
    const Token* token_at(std::string_view text, std::size_t begin, const Special& special) const {
        const auto is_allowed = [&](const Token& token) {
            if (!token.special) return true;
            const auto& ranges = special.as_text;
            const auto next = std::partition_point(ranges.begin(), ranges.end(),
                                                   [&](const auto& r) { return r.end <= begin; });
            return special.wanted &&
                   (next == ranges.end() || next->begin >= begin + token.text.size());
        };
        for (const std::size_t length : lengths_[static_cast<unsigned char>(text[begin])]) {
            const auto found = by_text_.find(text.substr(begin, length));
            if (found != by_text_.end() && is_allowed(tokens_[found->second]))
                return &tokens_[found->second];
        }
        return nullptr;
    }

    std::vector<Token> tokens_;
    std::unordered_map<std::string_view, std::size_t> by_text_;
    std::array<std::vector<std::size_t>, 256> lengths_;  // by first byte: longest first
};

// A table's slot is prefetched this many look-ups before it is needed.
constexpr std::size_t ahead = 16;

// A token as written in files, for messages: a piece itself, bytes in GPT-2's alphabet.
std::string shown_token(const Vocabulary& vocabulary, int id) {
    return has_pieces(vocabulary) ? shown(written(vocabulary, id))
                                  : visible_bytes(written(vocabulary, id));
}

}  // namespace

// ---- tables: checks a vocabulary and prepares for encoding
// ---------------------------------------
struct Tokenizer::Tables {
    Tables(const Vocabulary& vocabulary, std::string name) : name_(std::move(name)) {
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

    std::vector<int> byte_ids;  // (256) the token of each single byte
    // By written(): ordinary tokens, and added tokens that are not special.
    TokenIds ids;
    TokenIds added_ids;                                // all added tokens, by their text
    std::unordered_map<std::int32_t, int> characters;  // by code point, if there are pieces
    std::vector<bool> special;                         // (V)
    MergeTable merges;
    AddedTokens raw_added, normalized_added;  // looked for before and after normalizing
    TextSplitter splitter;

    // Encoders have scratch space and a cache of words. Each call of encode() borrows one.
    std::unique_ptr<PieceEncoder> borrow_encoder() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) return std::make_unique<PieceEncoder>();
        auto encoder = std::move(free_.back());
        free_.pop_back();
        return encoder;
    }
    void give_back(std::unique_ptr<PieceEncoder> encoder) {
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(encoder));
    }

private:
    [[noreturn]] void fail(const std::string& what) const { throw Error(name_ + ": " + what); }

    void check(const Vocabulary& vocabulary) {
        const int vocab_size = count(vocabulary.tokens);
        if (has_pieces(vocabulary) && vocabulary.pieces.size() != vocabulary.tokens.size())
            fail("there are " + std::to_string(vocabulary.pieces.size()) + " pieces and " +
                 std::to_string(vocabulary.tokens.size()) + " tokens, expected as many of each");
        check_added(vocabulary);
        ids.reserve(vocabulary.tokens.size());
        for (int id = 0; id < vocab_size; ++id) {
            if (id + to_int(ahead) < vocab_size)
                ids.prefetch(written(vocabulary, id + to_int(ahead)));
            if (at(vocabulary.tokens, id).empty() || written(vocabulary, id).empty())
                fail("token " + std::to_string(id) + " is empty");
            const int* added = added_ids.find(written(vocabulary, id));
            if (added && *added == id) continue;
            const int owner = ids.add(written(vocabulary, id), id);
            if (owner != id) {
                fail("tokens " + std::to_string(owner) + " and " + std::to_string(id) +
                     " are both \"" + shown_token(vocabulary, id) + "\"");
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

    void check_added(const Vocabulary& vocabulary) {
        special.assign(vocabulary.tokens.size(), false);
        for (const Vocabulary::AddedToken& token : vocabulary.added) {
            if (!is_id(token.id, vocabulary.tokens.size()))
                fail("added token " + std::to_string(token.id) + " is not in the vocabulary");
            if (token.special) special[index(token.id)] = true;
            const std::size_t before = added_ids.size();
            added_ids.add(written(vocabulary, token.id), token.id);
            if (added_ids.size() == before)
                fail("added token \"" + shown_token(vocabulary, token.id) + "\" appears twice");
        }
    }

    void index_bytes(const Vocabulary& vocabulary) {
        for (int b = 0; b < 256; ++b) {
            const char byte = static_cast<char>(b);
            const std::string name = has_pieces(vocabulary) ? byte_piece(b) : std::string(1, byte);
            const int* entry = ids.find(name);
            // Gemma 2 has the tab as a character, and no "<0x09>".
            if (!entry && has_pieces(vocabulary) && b < 0x80)
                entry = ids.find(written_piece(std::string(1, byte)));
            if (!entry) {
                fail("the vocabulary lacks the byte " + std::to_string(b) + " (\"" +
                     (has_pieces(vocabulary) ? name : visible_bytes(name)) +
                     "\"), expected a token for each of the 256 bytes");
            }
            byte_ids.push_back(*entry);
        }
    }

    void index_characters(const Vocabulary& vocabulary) {
        if (!has_pieces(vocabulary)) return;
        for (int id = 0; id < count(vocabulary.pieces); ++id) {
            const std::string& piece = at(vocabulary.pieces, id);
            const CodePoint c = decode_utf8(piece, 0);
            if (c.value < 0 || index(c.length) != piece.size()) continue;
            const int* own = ids.find(piece);
            if (own && *own == id) characters.emplace(c.value, id);
        }
    }

    void index_added(const Vocabulary& vocabulary) {
        std::vector<AddedTokens::Token> raw, normal;
        std::unordered_set<std::string> seen;
        for (const Vocabulary::AddedToken& t : vocabulary.added) {
            const std::string& text = written(vocabulary, t.id);
            const bool rewritten = t.normalized && !vocabulary.rules.normalizers.empty();
            AddedTokens::Token token{text, t.id, t.special, t.lstrip, t.rstrip, t.single_word};
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

    void index_merges(const Vocabulary& vocabulary, JoinedCharacters* neighbours) {
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
            merges.add({left, right, rank, next});
            ++rank, ++next;
        }
    }

    std::string name_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<PieceEncoder>> free_;
};

// ---- construction -------------------------------------------------------------------------------
Tokenizer::Tokenizer(Vocabulary vocabulary, std::string name)
    : name_(std::move(name)),
      vocabulary_(std::move(vocabulary)),
      tables_(std::make_unique<Tables>(vocabulary_, name_)) {}

Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

void Tokenizer::fail(const std::string& what) const { throw Error(name_ + ": " + what); }

Tokenizer::Tables& Tokenizer::tables() const {
    if (!tables_) fail("was moved from; use the object that it was moved to");
    return *tables_;
}

// ---- files --------------------------------------------------------------------------------------
Tokenizer Tokenizer::load(const std::string& directory) {
    TokenizerFiles files = read_tokenizer_files(directory);
    std::string name = files.vocab_file;
    return Tokenizer(vocabulary_of(std::move(files)), std::move(name));
}

// ---- text to ids and back -----------------------------------------------------------------------
std::vector<int> Tokenizer::encode(std::string_view text, SpecialTokens special,
                                   TextPlace place) const {
    return encode_all(text, special, place, {});
}

std::vector<int> Tokenizer::encode_prompt(std::string_view text) const {
    std::vector<int> ids = vocabulary_.rules.before;
    const std::vector<int> own = encode(text);
    ids.insert(ids.end(), own.begin(), own.end());
    ids.insert(ids.end(), vocabulary_.rules.after.begin(), vocabulary_.rules.after.end());
    return ids;
}

std::vector<int> Tokenizer::encode_marked(const MarkedText& text) const {
    return encode_all(text.text(), SpecialTokens::parse, TextPlace::beginning,
                      text.from_messages());
}

std::vector<int> Tokenizer::encode_all(std::string_view text, SpecialTokens special,
                                       TextPlace place,
                                       std::span<const MarkedText::Range> as_text) const {
    Tables& t = tables();
    const TextRules& rules = vocabulary_.rules;
    std::vector<int> ids;
    ids.reserve(text.size() / 3 + 8);
    std::unique_ptr<PieceEncoder> encoder = t.borrow_encoder();
    const PieceTokens tokens{t.merges, t.byte_ids,
                             has_pieces(vocabulary_) ? &t.characters : nullptr,
                             rules.ignore_merges ? &t.ids : nullptr};
    const auto encode_pieces = [&](std::string_view stretch, bool) {
        t.splitter.split(stretch,
                         [&](std::string_view piece) { encoder->encode(tokens, piece, ids); });
    };
    // Appends the added tokens in a text, and encodes the stretches between them.
    const auto encode_with = [&](const AddedTokens& added, const AddedTokens::Special& wanted,
                                 std::string_view whole, auto&& encode_stretch) {
        for (std::size_t begin = 0;;) {
            const AddedTokens::Match next = special == SpecialTokens::none
                                                ? AddedTokens::Match{whole.size(), 0, -1}
                                                : added.find(whole, begin, wanted);
            encode_stretch(whole.substr(begin, next.begin - begin), begin == 0);
            if (next.id < 0) return;
            ids.push_back(next.id);
            begin = next.end;
        }
    };
    const AddedTokens::Special wanted{special == SpecialTokens::parse, as_text};
    // Positions in the normalized text do not correspond to the ranges in as_text. So if there are
    // such ranges, special tokens are not looked for in the normalized text.
    const AddedTokens::Special in_normalized{wanted.wanted && as_text.empty()};
    encode_with(t.raw_added, wanted, text, [&](std::string_view stretch, bool is_first) {
        if (rules.normalizers.empty()) return encode_pieces(stretch, is_first);
        const std::string rewritten =
            normalized(rules.normalizers, stretch, is_first ? place : TextPlace::after_token);
        encode_with(t.normalized_added, in_normalized, rewritten, encode_pieces);
    });
    t.give_back(std::move(encoder));
    return ids;
}

std::string Tokenizer::decode(std::span<const int> ids) const {
    std::string text;
    for (const int id : ids) text += token_bytes(id);
    return text;
}

std::string Tokenizer::decode_text(std::span<const int> ids, bool skip_special) const {
    std::string text, bytes;  // bytes: of successive tokens, which may form characters together
    const auto flush = [&] {
        const bool broken = find_invalid_utf8(bytes) != std::string::npos;
        // If a run of byte tokens is not valid UTF-8, SentencePiece replaces each byte of it.
        if (!has_pieces(vocabulary_)) text += valid_utf8(bytes);
        else if (!broken) text += bytes;
        else
            for (std::size_t i = 0; i < bytes.size(); ++i) text += "\ufffd";
        bytes.clear();
    };
    for (const int id : ids) {
        const std::string_view token = token_bytes(id);
        if (skip_special && is_special(id)) continue;
        if (!has_pieces(vocabulary_) || is_byte_token(id)) {
            bytes += token;
        } else {
            flush();
            text += token;
        }
    }
    flush();
    if (vocabulary_.rules.strips_first_space && text.starts_with(' ')) text.erase(0, 1);
    return text;
}

bool Tokenizer::drop_added_from(int first) {
    if (first < 1) return false;
    std::vector<Vocabulary::AddedToken> kept;
    int dropped = 0;
    for (const Vocabulary::AddedToken& token : vocabulary_.added) {
        if (token.id < first) kept.push_back(token);
        else ++dropped;
    }
    if (dropped == 0 || dropped != vocab_size() - first) return false;
    Vocabulary vocabulary = std::move(vocabulary_);
    vocabulary.added = std::move(kept);
    vocabulary.tokens.resize(index(first));
    if (!vocabulary.pieces.empty()) vocabulary.pieces.resize(index(first));
    *this = Tokenizer(std::move(vocabulary), name_);
    return true;
}

std::string_view Tokenizer::token_bytes(int id) const {
    if (id < 0 || id >= vocab_size()) {
        fail("there is no token " + std::to_string(id) + ", expected 0 to " +
             std::to_string(vocab_size() - 1));
    }
    return at(vocabulary_.tokens, id);
}

bool Tokenizer::is_special(int id) const {
    return tables_ && id >= 0 && id < count(tables_->special) && at(tables_->special, id);
}

bool Tokenizer::is_byte_token(int id) const {
    const std::string_view bytes = token_bytes(id);
    return has_pieces(vocabulary_) && bytes.size() == 1 &&
           written(vocabulary_, id) == byte_piece(bytes[0]);
}

std::optional<int> Tokenizer::id_of(std::string_view bytes) const {
    if (const int* added = tables().added_ids.find(bytes)) return *added;
    const std::string piece = has_pieces(vocabulary_) ? written_piece(bytes) : std::string(bytes);
    if (const int* entry = tables().ids.find(piece)) return *entry;
    if (has_pieces(vocabulary_) && bytes.size() == 1)
        return tables().byte_ids[static_cast<unsigned char>(bytes[0])];
    return std::nullopt;
}

int Tokenizer::eos_id() const {
    if (!vocabulary_.eos_id)
        fail("there is no end-of-text token, expected \"<|endoftext|>\" or an eos_token");
    return *vocabulary_.eos_id;
}

}  // namespace tbt
