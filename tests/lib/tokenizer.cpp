#include "tests/catch.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "lib/core/rng.hpp"
#include "lib/core/tokenizer.hpp"
#include "lib/core/unicode.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"
#include "lib/text/text_splitter.hpp"
#include "lib/text/tokenizer.hpp"
#include "lib/text/tokenizer_train.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using tbt::test::contains;
using tbt::test::error_of;
using tbt::test::TemporaryFolder;
using Ids = std::vector<int>;
using Pieces = std::vector<std::string>;

namespace {

// The 256 bytes, then the results of the merges given as pairs of texts, then <|endoftext|>.
Vocabulary small_vocabulary(const std::vector<std::pair<std::string, std::string>>& merges) {
    Vocabulary v;
    for (const unsigned char byte : byte_token_order())
        v.tokens.emplace_back(1, static_cast<char>(byte));
    const auto id = [&](const std::string& text) {
        return static_cast<int>(std::find(v.tokens.begin(), v.tokens.end(), text) -
                                v.tokens.begin());
    };
    for (const auto& [left, right] : merges) {
        v.merges.push_back({id(left), id(right)});
        v.tokens.push_back(left + right);
    }
    v.added.push_back({static_cast<int>(v.tokens.size()), true});
    v.tokens.push_back("<|endoftext|>");
    v.eos_id = v.bos_id = v.added[0].id;
    return v;
}

Pieces texts(const Tokenizer& tokenizer, const Ids& ids) {
    Pieces pieces;
    for (const int id : ids) pieces.emplace_back(tokenizer.token_bytes(id));
    return pieces;
}

const std::string sample =
    "It's a small house; it isn't far. We've seen 12 houses in 2024, they're 3.14 miles away!\n\n  "
    "The end.\t"
    "Déjà vu, naïve café — “quoted” … 中文字符 и русский текст "
    "🙂🙂 "
    "the "
    "house, "
    "the "
    "houses, "
    "the "
    "housing\r\n";

Tokenizer trained() {
    TokenizerTrainer trainer;
    for (int i = 0; i < 3; ++i) trainer.add_text(sample);
    TokenizerOptions options;
    options.vocab_size = 400;
    return trainer.train(options);
}

std::string random_text(Rng& rng, const Pieces& alphabet, int length) {
    std::string text;
    for (int i = 0; i < length; ++i) text += alphabet[rng.below(alphabet.size())];
    return text;
}

}  // namespace

// ---- merging ------------------------------------------------------------------------------------
TEST_CASE("the merge that was learned first is made first, of equal ones the leftmost",
          "[tokenizer]") {
    const Tokenizer t(small_vocabulary(
        {{"u", "g"}, {"h", "ug"}, {"u", "n"}, {"a", "a"}, {"aa", "aa"}, {"b", "c"}, {"a", "b"}}));
    REQUIRE(texts(t, t.encode("hug")) == Pieces{"hug"});
    REQUIRE(texts(t, t.encode("hugun")) == Pieces{"hug", "un"});
    REQUIRE(texts(t, t.encode("gun")) == Pieces{"g", "un"});
    REQUIRE(texts(t, t.encode("aaa")) == Pieces{"aa", "a"});
    REQUIRE(texts(t, t.encode("aaaaaaa")) == Pieces{"aaaa", "aa", "a"});
    REQUIRE(texts(t, t.encode("abc")) == Pieces{"a", "bc"});  // (b, c) came before (a, b)
    REQUIRE(texts(t, t.encode("h ug")) == Pieces{"h", " ", "ug"});
    REQUIRE(t.encode("").empty());
}

TEST_CASE("of a merge that is listed twice, the later place counts", "[tokenizer]") {
    Vocabulary v = small_vocabulary({{"h", "i"}, {"i", "s"}});
    REQUIRE(texts(Tokenizer(v), Tokenizer(v).encode("his")) == Pieces{"hi", "s"});
    v.merges.push_back(v.merges[0]);
    REQUIRE(texts(Tokenizer(v), Tokenizer(v).encode("his")) == Pieces{"h", "is"});
}

TEST_CASE("encoding agrees with the definition carried out step by step", "[tokenizer]") {
    const Tokenizer t = trained();
    std::map<std::pair<int, int>, int> rank;
    for (int r = 0; r < static_cast<int>(t.vocabulary().merges.size()); ++r) {
        rank[{t.vocabulary().merges[r].left, t.vocabulary().merges[r].right}] = r;
    }
    const auto slow_encode = [&](const std::string& text) {
        Ids all;
        for_each_pretoken(text, [&](std::string_view piece) {
            Ids ids;
            for (const char byte : piece) ids.push_back(t.id_of({&byte, 1}).value());
            for (;;) {
                int best = -1, best_rank = 1 << 30;
                for (int i = 0; i + 1 < static_cast<int>(ids.size()); ++i) {
                    const auto found = rank.find({ids[i], ids[i + 1]});
                    if (found != rank.end() && found->second < best_rank)
                        best = i, best_rank = found->second;
                }
                if (best < 0) break;
                const std::string joined = std::string(t.token_bytes(ids[best])) +
                                           std::string(t.token_bytes(ids[best + 1]));
                ids[best] = t.id_of(joined).value();
                ids.erase(ids.begin() + best + 1);
            }
            all.insert(all.end(), ids.begin(), ids.end());
        });
        return all;
    };
    const Pieces alphabet = {"t", "h", "e",  " ", "o", "u", "s", "i", "n",  "g",
                             "é", "ï", "ru", "и", "1", "2", ".", "…", "\n", "house"};
    Rng rng(2);
    for (int round = 0; round < 300; ++round) {
        const std::string text = random_text(rng, alphabet, 1 + static_cast<int>(rng.below(60)));
        INFO(text);
        REQUIRE(t.encode(text) == slow_encode(text));
        REQUIRE(t.encode(text) == slow_encode(text));  // and again, from the cache of words
    }
    REQUIRE(t.encode(sample) == slow_encode(sample));
}

TEST_CASE("words that compete for a place in the cache keep their own ids", "[tokenizer]") {
    // 60,000 different words, several times what the cache holds;
    // a mistaken word would decode to another text.
    const Tokenizer t = trained();
    std::string text;
    for (int i = 0; i < 60000; ++i) {
        text += ' ';
        for (int rest = i; rest > 0; rest /= 26) text += static_cast<char>('a' + rest % 26);
    }
    const Ids once = t.encode(text);
    REQUIRE(t.decode(once) == text);
    REQUIRE(t.encode(text) == once);
}

TEST_CASE("a word and the same word with a zero byte after are two words", "[tokenizer]") {
    const Tokenizer t = trained();
    const std::string bare = "!!", zero("!!\0", 3);
    REQUIRE(t.decode(t.encode(bare)) == bare);
    REQUIRE(t.decode(t.encode(zero)) == zero);
    REQUIRE(t.encode(zero).size() == t.encode(bare).size() + 1);
}

TEST_CASE("every string of bytes survives encoding and decoding", "[tokenizer]") {
    const Tokenizer t = trained();
    std::string all;
    for (int b = 0; b < 256; ++b) all += static_cast<char>(b);
    REQUIRE(t.decode(t.encode(all)) == all);
    REQUIRE(t.decode(t.encode(sample)) == sample);
    Rng rng(3);
    for (int round = 0; round < 300; ++round) {
        std::string bytes;
        for (std::uint64_t n = rng.below(80); n > 0; --n)
            bytes += static_cast<char>(rng.below(256));
        REQUIRE(t.decode(t.encode(bytes)) == bytes);
    }
}

TEST_CASE("a word of half a megabyte takes no quadratic time", "[tokenizer]") {
    // n log n: some 0.1 s; n²: minutes, which nobody overlooks.
    const Tokenizer t(small_vocabulary({{"a", "a"}, {"aa", "aa"}, {"aaaa", "aaaa"}}));
    const Ids ids = t.encode(std::string(1 << 19, 'a'));
    REQUIRE(ids.size() == 1 << 16);
    REQUIRE(std::all_of(ids.begin(), ids.end(),
                        [&](int id) { return t.token_bytes(id) == "aaaaaaaa"; }));
}

TEST_CASE("several threads may encode at once", "[tokenizer]") {
    const Tokenizer t = trained();
    const Ids expected = t.encode(sample);
    std::vector<int> wrong(4, 0);
    std::vector<std::thread> threads;
    for (int& errors : wrong) {
        threads.emplace_back([&] {
            for (int i = 0; i < 50; ++i) errors += t.encode(sample) != expected;
        });
    }
    for (std::thread& thread : threads) thread.join();
    REQUIRE(wrong == std::vector<int>(4, 0));
}

TEST_CASE("a special token in a text is read as one only when that is asked for", "[tokenizer]") {
    Vocabulary v = small_vocabulary({{"h", "i"}});
    v.added.push_back({static_cast<int>(v.tokens.size()), true});
    v.tokens.push_back("<|endoftext|>>");
    v.added.push_back({static_cast<int>(v.tokens.size()), false});  // added, but not special
    v.tokens.push_back("[tool]");
    const Tokenizer t(v);
    const std::string text = "hi<|endoftext|> hi<|endoftext|><|endoftext|>>[tool]hi";
    const int hi = 256, eos = 257, longer = 258, tool = 259;

    const Ids special = t.encode(text, SpecialTokens::parse);
    REQUIRE(special == Ids{hi, eos, t.id_of(" ").value(), hi, eos, longer, tool, hi});
    REQUIRE(t.decode(special) == text);
    const Ids plain = t.encode(text);
    REQUIRE(std::count(plain.begin(), plain.end(), eos) == 0);
    REQUIRE(std::count(plain.begin(), plain.end(), tool) == 1);
    REQUIRE(t.decode(plain) == text);
    REQUIRE(t.is_special(eos));
    REQUIRE_FALSE(t.is_special(tool));
    REQUIRE_FALSE(t.is_special(hi));
    REQUIRE(t.eos_id() == eos);
    REQUIRE(t.id_of("<|endoftext|>") == eos);
    // The end of a text before a special token is an end for white space too.
    REQUIRE(texts(t, t.encode("hi  <|endoftext|>", SpecialTokens::parse)).size() == 4);
}

TEST_CASE("an id outside the vocabulary is an error that names it", "[tokenizer]") {
    const Tokenizer t = trained();
    REQUIRE(contains(error_of([&] { t.decode(Ids{0, -1}); }), "no token -1"));
    REQUIRE(contains(error_of([&] { t.token_bytes(t.vocab_size()); }),
                     "expected 0 to " + std::to_string(t.vocab_size() - 1)));
    REQUIRE(t.id_of("not a token at all") == std::nullopt);
}

TEST_CASE("a vocabulary that contradicts itself is refused", "[tokenizer]") {
    const auto complaint = [](auto&& change) {
        Vocabulary v = small_vocabulary({{"h", "i"}});
        change(v);
        return error_of([&] { Tokenizer t(v, "test"); });
    };
    REQUIRE(complaint([](Vocabulary&) {}) == "");
    const std::pair<void (*)(Vocabulary&), const char*> broken[] = {
        {[](Vocabulary& v) { v.tokens[5] = v.tokens[6]; }, "tokens 5 and 6 are both \"'\""},
        {[](Vocabulary& v) { v.tokens[220] = "xyz"; }, "lacks the byte 32 (\"Ġ\")"},
        {[](Vocabulary& v) { v.tokens[256] = ""; }, "token 256 is empty"},
        {[](Vocabulary& v) {
             v.merges.push_back({0, 1});
         },
         "merge 2 makes \"!\"\""},
        {[](Vocabulary& v) {
             v.merges.push_back({0, 300});
         },
         "expected ids below 258"},
        {[](Vocabulary& v) {
             v.added.push_back({900, true});
         },
         "added token 900"},
        {[](Vocabulary& v) { v.added.push_back(v.added[0]); }, "appears twice"},
        {[](Vocabulary& v) { v.eos_id = 258; }, "token 258 is not in the vocabulary"}};
    for (const auto& [change, message] : broken) REQUIRE(contains(complaint(change), message));
    Vocabulary no_eos = small_vocabulary({});
    no_eos.eos_id.reset();
    const Tokenizer without(no_eos);
    REQUIRE(contains(error_of([&] { without.eos_id(); }), "no end-of-text token"));
}

// ---- GPT-2 itself -------------------------------------------------------------------------------
TEST_CASE("GPT-2's own vocabulary gives the ids on which four tokenizers agree", "[tokenizer]") {
    const std::string folder = "../shared/golden/gpt2-tokenizer";
    if (!file_exists(folder + "/cases.json")) {
        test::skip(folder + " is not there");
        return;
    }
    const Tokenizer t = Tokenizer::load(folder);
    REQUIRE(t.vocab_size() == 50257);
    REQUIRE(t.eos_id() == 50256);
    const Json cases = read_json(folder + "/cases.json")["cases"];
    REQUIRE(cases.size() == 380);
    for (const Json& c : cases) {
        std::string text;
        const std::string hex = c["utf8_hex"];
        for (std::size_t i = 0; i < hex.size(); i += 2)
            text += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
        INFO(text);
        REQUIRE(t.encode(text) == c["ids"].get<Ids>());
        REQUIRE(t.decode(c["ids"].get<Ids>()) == text);
        if (c.contains("ids_special"))
            REQUIRE(t.encode(text, SpecialTokens::parse) == c["ids_special"].get<Ids>());
    }
}
