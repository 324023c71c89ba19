#include "lib/text/tokenizer.hpp"

#include <algorithm>
#include <unordered_set>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/text/byte_alphabet.hpp"
#include "lib/text/piece_encoder.hpp"
#include "lib/text/pieces.hpp"
#include "lib/text/tokenizer_load.hpp"

namespace tbt {

// ---- construction -------------------------------------------------------------------------------
Tokenizer::Tokenizer(Vocabulary vocabulary, std::string name)
    : name_(std::move(name)),
      vocabulary_(std::move(vocabulary)),
      index_(vocabulary_, name_),
      pool_(std::make_unique<EncoderPool>()) {}

Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

void Tokenizer::fail(const std::string& what) const { throw Error(name_ + ": " + what); }

// ---- files --------------------------------------------------------------------------------------
Tokenizer Tokenizer::load(const std::string& directory) {
    TokenizerFiles files = read_tokenizer_files(directory);
    std::string name = files.vocab_file;
    return Tokenizer(vocabulary_of(std::move(files)), std::move(name));
}

// ---- text to ids and back -----------------------------------------------------------------------
std::unique_ptr<PieceEncoder> Tokenizer::borrow_encoder() const {
    if (!pool_) fail("was moved from; use the object that it was moved to");
    const std::lock_guard lock(pool_->mutex);
    if (pool_->free.empty()) return std::make_unique<PieceEncoder>();
    auto encoder = std::move(pool_->free.back());
    pool_->free.pop_back();
    return encoder;
}

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
    std::vector<int> ids;
    ids.reserve(text.size() / 3 + 8);
    auto encoder = borrow_encoder();
    const bool any = special != SpecialTokens::none;
    const AddedTokens::Special wanted{special == SpecialTokens::parse, as_text};
    // Positions in the normalized text do not correspond to the ranges in as_text. So if there are
    // such ranges, special tokens are not looked for in the normalized text.
    const AddedTokens::Special in_stretches{wanted.wanted && as_text.empty()};
    for (std::size_t begin = 0;;) {
        const AddedTokens::Match next = any ? index_.raw_added.find(text, begin, wanted)
                                            : AddedTokens::Match{text.size(), 0, -1};
        encode_stretch(text.substr(begin, next.begin - begin),
                       begin == 0 ? place : TextPlace::after_token, in_stretches, any, *encoder,
                       ids);
        if (next.id < 0) break;
        ids.push_back(next.id);
        begin = next.end;
    }
    const std::lock_guard lock(pool_->mutex);
    pool_->free.push_back(std::move(encoder));
    return ids;
}

// Encodes the text between two added tokens.
void Tokenizer::encode_stretch(std::string_view text, TextPlace place,
                               const AddedTokens::Special& special, bool any_added,
                               PieceEncoder& encoder, std::vector<int>& ids) const {
    const TextRules& rules = vocabulary_.rules;
    const PieceTokens tokens{index_.merges, index_.byte_ids,
                             has_pieces(vocabulary_) ? &index_.characters : nullptr,
                             rules.ignore_merges ? &index_.ids : nullptr};
    const auto encode_pieces = [&](std::string_view stretch) {
        index_.splitter.split(stretch,
                              [&](std::string_view piece) { encoder.encode(tokens, piece, ids); });
    };
    if (rules.normalizers.empty()) return encode_pieces(text);
    const std::string rewritten = normalized(rules.normalizers, text, place);
    for (std::size_t begin = 0;;) {
        const AddedTokens::Match next =
            any_added ? index_.normalized_added.find(rewritten, begin, special)
                      : AddedTokens::Match{rewritten.size(), 0, -1};
        encode_pieces(std::string_view(rewritten).substr(begin, next.begin - begin));
        if (next.id < 0) break;
        ids.push_back(next.id);
        begin = next.end;
    }
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
        if (!has_pieces(vocabulary_) ||
            (token.size() == 1 && written(vocabulary_, id) == byte_piece(token[0]))) {
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
    return id >= 0 && id < count(index_.special) && at(index_.special, id);
}

std::optional<int> Tokenizer::id_of(std::string_view bytes) const {
    if (const int* added = index_.added_ids.find(bytes)) return *added;
    const std::string piece = has_pieces(vocabulary_) ? written_piece(bytes) : std::string(bytes);
    if (const int* entry = index_.ids.find(piece)) return *entry;
    if (has_pieces(vocabulary_) && bytes.size() == 1)
        return index_.byte_ids[static_cast<unsigned char>(bytes[0])];
    return std::nullopt;
}

int Tokenizer::eos_id() const {
    if (!vocabulary_.eos_id)
        fail("there is no end-of-text token, expected \"<|endoftext|>\" or an eos_token");
    return *vocabulary_.eos_id;
}

}  // namespace tbt
