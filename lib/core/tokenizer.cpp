#include "lib/core/tokenizer.hpp"

#include <algorithm>
#include <array>
#include <queue>

#include "lib/core/error.hpp"
#include "lib/core/files.hpp"
#include "lib/core/index.hpp"
#include "lib/core/json.hpp"
#include "lib/core/unicode.hpp"

namespace tbt {

// ---- GPT-2's byte alphabet ----
namespace {

struct Alphabet {
    std::array<unsigned char, 256> order{};     // visible bytes first
    std::array<std::int32_t, 256> character{};  // the character of each byte
    std::array<int, 512> byte{};                // the byte of each character; −1: none
};

constexpr bool is_visible(int b) {
    return (b >= '!' && b <= '~') || (b >= 0xa1 && b <= 0xac) || b >= 0xae;
}

constexpr Alphabet alphabet = [] {
    Alphabet a;
    a.byte.fill(-1);
    std::size_t next = 0;
    int hidden = 0;
    for (const bool visible : {true, false}) {
        for (int b = 0; b < 256; ++b) {
            if (is_visible(b) != visible) continue;
            const int character = visible ? b : 256 + hidden++;
            a.order[next++] = static_cast<unsigned char>(b);
            a.character[index(b)] = character;
            a.byte[index(character)] = b;
        }
    }
    return a;
}();

constexpr const char* end_of_text = "<|endoftext|>";

std::uint64_t pair_of(int left, int right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 |
           static_cast<std::uint32_t>(right);
}

}  // namespace

std::string visible_bytes(std::string_view bytes) {
    std::string text;
    for (const char b : bytes) append_utf8(text, alphabet.character[static_cast<unsigned char>(b)]);
    return text;
}

std::optional<std::string> bytes_of_visible(std::string_view visible) {
    std::string bytes;
    for (std::size_t i = 0; i < visible.size();) {
        const CodePoint c = decode_utf8(visible, i);
        if (c.value < 0 || c.value >= count(alphabet.byte)) return std::nullopt;
        const int byte = alphabet.byte[index(c.value)];
        if (byte < 0) return std::nullopt;
        bytes += static_cast<char>(byte);
        i += index(c.length);
    }
    return bytes;
}

std::span<const unsigned char> byte_token_order() { return alphabet.order; }

// ---- files ----
void BytePairTokenizer::fail(const std::string& what) const { throw Error(file_ + ": " + what); }

BytePairTokenizer BytePairTokenizer::load(const std::string& directory) {
    BytePairTokenizer t;
    t.file_ = join_path(directory, "vocab.json");
    if (!file_exists(t.file_))
        throw Error(directory +
                    ": there is no vocab.json, expected it and merges.txt; the complete "
                    "generator reads tokenizer.json, too (make run ARGS=\"--model …\")");
    t.read_vocabulary(t.file_);
    t.read_merges(join_path(directory, "merges.txt"));
    t.file_ = join_path(directory, "vocab.json");
    return t;
}

void BytePairTokenizer::read_vocabulary(const std::string& path) {
    const MappedFile file(path);
    JsonReader reader(file.text(), path);
    if (reader.peek() != '{')
        fail("the vocabulary is " + reader.skip().kind() + ", expected an object {token: id}");
    const std::vector<JsonReader::Member> vocab = reader.members();
    reader.end();
    const std::size_t n = vocab.size();
    tokens_.resize(n), ids_.reserve(n);
    for (const auto& [key, value] : vocab) {
        const std::string name = "token \"" + shown(key) + "\"";
        const std::optional<int> found = value.integer(0, to_int(n) - 1);
        if (!found)
            fail(name + " has as id " + value.kind() + ", but there are " + std::to_string(n) +
                 " tokens, expected the ids 0 to " + std::to_string(n - 1) + " without gaps");
        const int id = *found;
        std::optional<std::string> bytes = bytes_of_visible(key);
        if (!bytes) fail(name + " is not written in GPT-2's byte alphabet");
        if (bytes->empty()) fail("token " + std::to_string(id) + " is empty");
        std::string& token = tokens_[index(id)];
        if (!token.empty()) fail(name + " and another token both have id " + std::to_string(id));
        ids_.emplace(token = *std::move(bytes), id);
    }
    for (int b = 0; b < 256; ++b) {
        const std::string byte(1, static_cast<char>(b));
        const auto id = id_of(byte);
        if (!id)
            fail("the vocabulary lacks the byte " + std::to_string(b) + " (\"" +
                 visible_bytes(byte) + "\"), expected a token for each of the 256 bytes");
        byte_ids_.push_back(*id);
    }
}

void BytePairTokenizer::read_merges(const std::string& path) {
    file_ = path;
    const MappedFile file(path);
    const std::string_view text = file.text();
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view line = text.substr(begin, end - begin);
        if (line.ends_with('\r')) line.remove_suffix(1);
        ++number, begin = end + 1;
        if (!line.empty() && !(number == 1 && line.starts_with("#version")))
            add_merge(line, number);
    }
}

void BytePairTokenizer::add_merge(std::string_view line, std::size_t number) {
    const std::string where = "line " + std::to_string(number);
    const std::size_t space = line.find(' ');
    if (space == 0 || space == std::string_view::npos || space + 1 == line.size() ||
        line.find(' ', space + 1) != std::string_view::npos)
        fail(where + " is \"" + shown(line) +
             "\", expected two tokens with one space between them");
    Merge merge{count(merges_), place_of(line.substr(0, space), number),
                place_of(line.substr(space + 1), number), 0};
    const auto merged = id_of(at(tokens_, merge.left) + at(tokens_, merge.right));
    if (!merged)
        fail(where + " makes \"" + visible_bytes(at(tokens_, merge.left)) +
             visible_bytes(at(tokens_, merge.right)) + "\", which is not in the vocabulary");
    merge.merged = *merged;
    if (!merge_of_.emplace(pair_of(merge.left, merge.right), merge.rank).second)
        fail(where + " (\"" + shown(line) + "\") appears twice");
    merges_.push_back(merge);
}

int BytePairTokenizer::place_of(std::string_view visible, std::size_t line) const {
    const auto bytes = bytes_of_visible(visible);
    const auto id = bytes ? id_of(*bytes) : std::nullopt;
    if (!id)
        fail("line " + std::to_string(line) + " joins \"" + shown(visible) +
             "\", which is not in the vocabulary");
    return *id;
}

// ---- text to ids and back ----
std::vector<int> BytePairTokenizer::encode(std::string_view text) const {
    std::vector<int> ids;
    for_each_pretoken(text, [&](std::string_view piece) { encode_piece(piece, ids); });
    return ids;
}

const BytePairTokenizer::Merge* BytePairTokenizer::merge_of(int left, int right) const {
    const auto found = merge_of_.find(pair_of(left, right));
    return found == merge_of_.end() ? nullptr : &at(merges_, found->second);
}

// A linked list of symbols and a queue of possible merges: O(n log n) steps for n bytes.
void BytePairTokenizer::encode_piece(std::string_view piece, std::vector<int>& ids) const {
    struct Symbol {
        int id, previous, next;  // id −1: joined to its left neighbour
    };
    struct Possible {
        const Merge* merge;
        int position;
        // The queue has its greatest element on top, so that is the merge with the lowest rank, and
        // among equal ranks the leftmost.
        bool operator<(const Possible& other) const {
            return merge->rank != other.merge->rank ? merge->rank > other.merge->rank
                                                    : position > other.position;
        }
    };
    std::vector<Symbol> symbols;
    for (const char byte : piece) {
        const int i = count(symbols);
        symbols.push_back({byte_ids_[static_cast<unsigned char>(byte)], i - 1,
                           i + 1 < count(piece) ? i + 1 : -1});
    }
    std::priority_queue<Possible> possible;
    const auto consider = [&](int i) {
        const Symbol& left = at(symbols, i);
        if (left.next < 0) return;
        if (const Merge* m = merge_of(left.id, at(symbols, left.next).id)) possible.push({m, i});
    };
    for (int i = 0; i < count(symbols); ++i) consider(i);
    while (!possible.empty()) {
        const auto [merge, i] = possible.top();
        possible.pop();
        // Outdated if one of the two symbols has been joined to another since.
        Symbol& left = at(symbols, i);
        if (left.id != merge->left || left.next < 0) continue;
        Symbol& right = at(symbols, left.next);
        if (right.id != merge->right) continue;
        left.id = merge->merged;
        left.next = right.next;
        right.id = -1;
        if (left.next >= 0) at(symbols, left.next).previous = i;
        consider(i);
        if (left.previous >= 0) consider(left.previous);
    }
    for (int i = symbols.empty() ? -1 : 0; i >= 0; i = at(symbols, i).next)
        ids.push_back(at(symbols, i).id);
}

std::string BytePairTokenizer::decode(std::span<const int> ids) const {
    std::string text;
    for (const int id : ids) text += token_bytes(id);
    return text;
}

std::string_view BytePairTokenizer::token_bytes(int id) const {
    if (id < 0 || id >= vocab_size())
        fail("there is no token " + std::to_string(id) + ", expected 0 to " +
             std::to_string(vocab_size() - 1));
    return at(tokens_, id);
}

std::optional<int> BytePairTokenizer::id_of(std::string_view bytes) const {
    const auto found = ids_.find(std::string(bytes));
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

int BytePairTokenizer::eos_id() const {
    const auto id = id_of(end_of_text);
    if (!id) fail("there is no end-of-text token, expected \"<|endoftext|>\"");
    return *id;
}

}  // namespace tbt
