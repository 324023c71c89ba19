// Cuts a text where no merge joins its characters: the ids must be those of the whole.
#include "tests/catch.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/core/rng.hpp"
#include "lib/core/unicode.hpp"
#include "lib/text/text_splitter.hpp"
#include "lib/text/tokenizer.hpp"
#include "lib/text/vocabulary.hpp"

using namespace tbt;

namespace {

using Ids = std::vector<int>;
using Pieces = std::vector<std::string>;

Pieces parts(const JoinedCharacters& joined, std::string_view text) {
    Pieces all;
    for (std::size_t begin = 0, end; begin < text.size(); begin = end) {
        end = joined.part_end(text, begin);
        all.emplace_back(text.substr(begin, end - begin));
    }
    return all;
}

// Byte-pair encoding of the whole text by its definition: of all pairs of neighbours, the leftmost
// with the lowest rank is joined, until none is left.
Ids encode_whole(const Vocabulary& v, const std::string& text) {
    std::map<std::string, int> id_of;
    for (int i = 0; i < static_cast<int>(v.pieces.size()); ++i) id_of.emplace(v.pieces[i], i);
    std::map<std::pair<int, int>, int> rank;
    for (int r = 0; r < static_cast<int>(v.merges.size()); ++r)
        rank[{v.merges[r].left, v.merges[r].right}] = r;
    const std::string written = written_piece(text);
    Ids ids;
    for (std::size_t i = 0, end; i < written.size(); i = end) {
        end = i + static_cast<std::size_t>(decode_utf8(written, i).length);
        const auto whole = id_of.find(written.substr(i, end - i));
        if (whole != id_of.end()) ids.push_back(whole->second);
        else
            for (std::size_t b = i; b < end; ++b)
                ids.push_back(id_of.at(byte_piece(static_cast<unsigned char>(written[b]))));
    }
    for (;;) {
        int best = -1, best_rank = 1 << 30;
        for (int i = 0; i + 1 < static_cast<int>(ids.size()); ++i) {
            const auto found = rank.find({ids[i], ids[i + 1]});
            if (found != rank.end() && found->second < best_rank)
                best = i, best_rank = found->second;
        }
        if (best < 0) return ids;
        ids[best] = id_of.at(v.pieces[ids[best]] + v.pieces[ids[best + 1]]);
        ids.erase(ids.begin() + best + 1);
    }
}

}  // namespace

TEST_CASE("a text is cut between characters that no merge joins", "[tokenizer]") {
    JoinedCharacters joined;
    joined.add_merge("a", "b");
    joined.add_merge("ab", "c");
    joined.add_merge("\u2581", "ab");
    joined.add_merge("é", "中");
    CHECK(parts(joined, "abcab") == Pieces{"abc", "ab"});
    CHECK(parts(joined, "ab\u2581ab\u2581\u2581c") ==
          Pieces{"ab", "\u2581ab", "\u2581", "\u2581", "c"});
    CHECK(parts(joined, "é中é") == Pieces{"é中", "é"});
    CHECK(parts(joined, "c\xff\xe4\xb8 b") == Pieces{"c", "\xff", "\xe4", "\xb8", " ", "b"});
    // "…" begins with the same byte as "▁", and is not taken for it.
    joined.add_merge("c", "\u2581");
    CHECK(parts(joined, "c\u2581c…") == Pieces{"c\u2581", "c", "…"});
}

TEST_CASE("a merge of the token of a byte ends all cuts", "[tokenizer]") {
    JoinedCharacters joined;
    joined.add_merge("a", "<0x0A>");
    CHECK(parts(joined, "xyz\u2581é") == Pieces{"xyz\u2581é"});
}

TEST_CASE("a text that is cut where no merge joins has the ids of the whole", "[tokenizer]") {
    const Pieces alphabet = {"t",  "h",  "e",  " ",   "  ", "o",    "u",    "s",
                             "in", "g",  "é",  "ru",  "и",  "1",    "2",    ".",
                             "…",  "中", "\n", "the", " a", "\xff", "house"};
    Rng rng(3);
    for (const std::string name : {"tiny-spm", "tiny-spm-metaspace", "tiny-gemma"}) {
        const Tokenizer t = Tokenizer::load("tests/data/tokenizers/" + name);
        for (int round = 0; round < 150; ++round) {
            std::string text;
            for (std::uint64_t n = 1 + rng.below(60); n > 0; --n)
                text += alphabet[rng.below(alphabet.size())];
            INFO(name << ": " << text);
            const Ids whole = encode_whole(t.vocabulary(), text);
            REQUIRE(t.encode(text, SpecialTokens::none, TextPlace::inside) == whole);
            REQUIRE(t.encode(text, SpecialTokens::none, TextPlace::inside) == whole);  // cached
        }
    }
}
