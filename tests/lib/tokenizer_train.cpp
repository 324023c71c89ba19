#include "tests/catch.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "lib/core/rng.hpp"
#include "lib/core/tokenizer.hpp"
#include "lib/text/text_splitter.hpp"
#include "lib/text/tokenizer_train.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using tbt::test::contains;
using tbt::test::error_of;
using Ids = std::vector<int>;
using Pieces = std::vector<std::string>;

namespace {

Tokenizer train(const Pieces& texts, const TokenizerOptions& options) {
    TokenizerTrainer trainer;
    for (const std::string& text : texts) trainer.add_text(text);
    return trainer.train(options);
}

// What was learned, in order: "h i" for the merge of "h" and "i".
Pieces merges(const Tokenizer& t) {
    Pieces result;
    for (const auto& [left, right] : t.vocabulary().merges) {
        result.push_back(std::string(t.token_bytes(left)) + " " +
                         std::string(t.token_bytes(right)));
    }
    return result;
}

TokenizerOptions size(int vocab_size) {
    TokenizerOptions options;
    options.vocab_size = vocab_size;
    return options;
}

// The rule as it is stated, counting everything anew for each merge.
Pieces slow_merges(const Pieces& texts, const TokenizerOptions& options) {
    std::vector<Ids> words;
    std::vector<std::string> tokens;
    std::map<unsigned char, int> ids;
    for (const unsigned char byte : byte_token_order()) {
        ids[byte] = static_cast<int>(tokens.size());
        tokens.emplace_back(1, static_cast<char>(byte));
    }
    for (const std::string& text : texts) {
        for_each_pretoken(text, [&](std::string_view piece) {
            words.emplace_back();
            for (const char byte : piece)
                words.back().push_back(ids[static_cast<unsigned char>(byte)]);
        });
    }
    Pieces result;
    while (static_cast<int>(tokens.size() + options.special.size()) < options.vocab_size) {
        std::map<std::pair<int, int>, std::int64_t> counts;
        for (const Ids& word : words) {
            for (std::size_t i = 0; i + 1 < word.size(); ++i) ++counts[{word[i], word[i + 1]}];
        }
        std::pair<int, int> best{-1, -1};
        std::int64_t most = options.min_count - 1;
        for (const auto& [pair, count] : counts) {  // in the order of left, then right ids
            const std::string joined = tokens[pair.first] + tokens[pair.second];
            const bool has_digit = std::any_of(joined.begin(), joined.end(),
                                               [](char c) { return c >= '0' && c <= '9'; });
            if (static_cast<int>(joined.size()) > options.max_token_bytes ||
                (options.single_digits && has_digit))
                continue;
            if (count > most) best = pair, most = count;
        }
        if (best.first < 0) break;
        result.push_back(tokens[best.first] + " " + tokens[best.second]);
        for (Ids& word : words) {
            Ids joined;
            for (std::size_t i = 0; i < word.size(); ++i) {
                if (i + 1 < word.size() && word[i] == best.first && word[i + 1] == best.second) {
                    joined.push_back(static_cast<int>(tokens.size()));
                    ++i;
                } else {
                    joined.push_back(word[i]);
                }
            }
            word = joined;
        }
        tokens.push_back(tokens[best.first] + tokens[best.second]);
    }
    return result;
}

}  // namespace

TEST_CASE("the most frequent pair is merged first", "[tokenizer]") {
    // Words: low × 5, lower × 2, newest × 6, widest × 3 [Sennrich et al. 2016, §3.2];
    // here without the end-of-word sign.
    std::string text;
    for (const auto& [word, count] : std::vector<std::pair<std::string, int>>{
             {"low", 5}, {"lower", 2}, {"newest", 6}, {"widest", 3}}) {
        for (int i = 0; i < count; ++i) text += word + "\n";
    }
    // e-s and s-t stand 9 times, (e, s) has the lower left id; then (es, t) 9;
    // then l-o and o-w 7 times.
    const Pieces learned = merges(train({text}, size(262)));
    REQUIRE(learned == Pieces{"e s", "es t", "l o", "lo w", "e w"});
}

TEST_CASE("of equally frequent pairs the one with the lower ids is merged first", "[tokenizer]") {
    REQUIRE(merges(train({"zq zq zq", "ab ab ab"}, size(259))) == Pieces{"a b", "z q"});
    REQUIRE(merges(train({"ad ac", "ac ad"}, size(259))) == Pieces{"a c", "a d"});
    REQUIRE(merges(train({"za ya\nza ya\n"}, size(259))) == Pieces{"y a", "z a"});
}

TEST_CASE("fast training learns what counting anew for each merge learns", "[tokenizer]") {
    Rng rng(5);
    const Pieces alphabet = {"a", "a", "b", "b", "c", "aa", "ab", "abc", " ", " ", "1", "é", "."};
    for (int round = 0; round < 60; ++round) {
        Pieces texts(3);
        for (std::string& text : texts) {
            for (std::uint64_t n = 20 + rng.below(150); n > 0; --n)
                text += alphabet[rng.below(alphabet.size())];
        }
        TokenizerOptions options;
        options.vocab_size = 257 + static_cast<int>(rng.below(60));
        options.max_token_bytes = 1 + static_cast<int>(rng.below(9));
        options.single_digits = rng.below(2) == 0;
        options.min_count = 1 + static_cast<std::int64_t>(rng.below(3));
        INFO(texts[0] << "|" << texts[1] << "|" << texts[2]);
        const Tokenizer t = train(texts, options);
        REQUIRE(merges(t) == slow_merges(texts, options));
        for (const std::string& text : texts) REQUIRE(t.decode(t.encode(text)) == text);
    }
}

TEST_CASE("training does not depend on the order of the texts", "[tokenizer]") {
    const Pieces texts = {"the cat sat on the mat", "a cat and a hat", "the hat, the mat; the end",
                          "12 cats at 3"};
    const Pieces expected = merges(train(texts, size(280)));
    REQUIRE(expected.size() > 10);
    Pieces reversed(texts.rbegin(), texts.rend());
    REQUIRE(merges(train(reversed, size(280))) == expected);
}

TEST_CASE("a vocabulary is the 256 bytes in GPT-2's order, the merges, then the special tokens",
          "[tokenizer]") {
    TokenizerOptions options = size(262);
    options.special = {"<|endoftext|>", "<|mask|>"};
    const Tokenizer t = train({"hello hello hello hello"}, options);
    REQUIRE(t.vocab_size() == 262);
    for (int i = 0; i < 256; ++i)
        REQUIRE(t.token_bytes(i) == std::string(1, static_cast<char>(byte_token_order()[i])));
    REQUIRE(t.token_bytes(256) == "el");
    REQUIRE(t.token_bytes(260) == "<|endoftext|>");
    REQUIRE(t.token_bytes(261) == "<|mask|>");
    REQUIRE(t.eos_id() == 260);
    REQUIRE(t.is_special(261));
}

TEST_CASE("no token holds a digit beside anything else when digits are to stay single",
          "[tokenizer]") {
    std::string text;
    for (int i = 0; i < 300; ++i) text += "in 1999 or 2024, room b2b and 77 77 77 at 12:30\n";
    const auto longest_with_digit = [&](bool single) {
        TokenizerOptions options = size(320);
        options.single_digits = single;
        const Tokenizer t = train({text}, options);
        std::size_t longest = 0;
        for (int id = 0; id < t.vocab_size(); ++id) {
            const std::string_view bytes = t.token_bytes(id);
            if (bytes.find_first_of("0123456789") != std::string_view::npos)
                longest = std::max(longest, bytes.size());
        }
        return longest;
    };
    REQUIRE(longest_with_digit(true) == 1);
    REQUIRE(longest_with_digit(false) > 1);
}

TEST_CASE("no token is longer than the limit", "[tokenizer]") {
    std::string text;
    for (int i = 0; i < 50; ++i) text += "extraordinarily extraordinarily ";
    const auto longest = [&](int limit) {
        TokenizerOptions options = size(300);
        options.max_token_bytes = limit;
        const Tokenizer t = train({text}, options);
        std::size_t bytes = 0;
        for (int id = 0; id < t.eos_id(); ++id) bytes = std::max(bytes, t.token_bytes(id).size());
        return bytes;
    };
    REQUIRE(longest(1) == 1);
    REQUIRE(longest(2) == 2);
    REQUIRE(longest(7) <= 7);
    REQUIRE(longest(15) <= 15);
    REQUIRE(longest(16) == 16);  // " extraordinarily"
}

TEST_CASE("the vocabulary stays smaller when the text has no more pairs", "[tokenizer]") {
    REQUIRE(train({"ab ab"}, size(4096)).vocab_size() ==
            258);  // "ab"; (space, ab) stands only once
    REQUIRE(train({}, size(4096)).vocab_size() == 257);
}

TEST_CASE("impossible options of training are refused", "[tokenizer]") {
    using Options = TokenizerOptions;
    const std::pair<void (*)(Options&), const char*> impossible[] = {
        {[](Options& o) { o.vocab_size = 256; }, "vocabulary size 256, expected 257"},
        {[](Options& o) { o.vocab_size = -1; }, "vocabulary size -1"},
        {[](Options& o) { o.max_token_bytes = 0; }, "longest token 0"},
        {[](Options& o) { o.min_count = 0; }, "least count 0"},
        {[](Options& o) { o.special.assign(2, "<|x|>"); }, "appears twice"}};
    for (const auto& [change, message] : impossible) {
        Options options;
        change(options);
        REQUIRE(contains(error_of([&] { train({"text"}, options); }), message));
    }
}
