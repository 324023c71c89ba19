#include <filesystem>

#include "chapters/17_tokenizer/text_pieces.hpp"
#include "lib/core/gpt.hpp"
#include "lib/core/rng.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"
#include "lib/text/tokenizer_train.hpp"
#include "tests/catch.hpp"
#include "tests/support/skip.hpp"

using namespace tbt;

namespace {

const auto anything = [](const std::string&) { return true; };

// Every lesson of the course, as text to learn from.
std::vector<std::string> lessons() {
    std::vector<std::string> texts;
    for (const auto& entry : std::filesystem::recursive_directory_iterator("chapters"))
        if (entry.path().extension() == ".md") texts.push_back(read_file(entry.path().string()));
    std::sort(texts.begin(), texts.end());
    return texts;
}

std::vector<std::string> strings_of(const PlainBpe& bpe, const std::vector<int>& ids) {
    std::vector<std::string> parts;
    for (const int id : ids) parts.push_back(decode(bpe, {id}));
    return parts;
}

std::string random_bytes(Rng& rng, std::size_t length) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += static_cast<char>(rng.below(256));
    return text;
}

}  // namespace

TEST_CASE("the most frequent pair is joined first, of equal ones the lower ids") {
    // ab 3, bc 2: "ab" first; then (ab, c) and (c, ab), twice and once.
    const PlainBpe bpe = learn_merges({{"abc", 2}, {"cab", 1}}, single_bytes(), 258, 1, anything);
    REQUIRE(bpe.tokens.size() == 258);
    REQUIRE(bpe.tokens[256] == "ab");
    REQUIRE(bpe.tokens[257] == "abc");
    REQUIRE(strings_of(bpe, encode(bpe, "cabcab")) == std::vector<std::string>{"c", "abc", "ab"});
    const PlainBpe equal = learn_merges({{"xy", 1}, {"ab", 1}}, single_bytes(), 257, 1, anything);
    REQUIRE(equal.tokens[256] == "ab");
}

TEST_CASE("three in a row are joined from the left") {
    const PlainBpe bpe = learn_merges({{"aaa", 1}}, single_bytes(), 257, 1, anything);
    REQUIRE(strings_of(bpe, encode(bpe, "aaa")) == std::vector<std::string>{"aa", "a"});
}

TEST_CASE("learning stops where no pair is frequent enough, and skips what is not allowed") {
    REQUIRE(learn_merges({{"ab", 1}}, single_bytes(), 300, 2, anything).tokens.size() == 256);
    const auto no_digit = [](const std::string& s) {
        return s.find_first_of("0123456789") == std::string::npos;
    };
    const PlainBpe bpe = learn_merges({{"12", 9}, {"ab", 2}}, single_bytes(), 300, 2, no_digit);
    REQUIRE(bpe.tokens.size() == 257);
    REQUIRE(bpe.tokens[256] == "ab");
}

TEST_CASE("plain training learns what the library learns, from all lessons") {
    const std::vector<std::string> texts = lessons();
    REQUIRE(texts.size() > 10);
    TokenizerOptions options;
    options.vocab_size = 400;
    TokenizerTrainer trainer;
    for (const std::string& text : texts) trainer.add_text(text);
    const Tokenizer fast = trainer.train(options);
    const auto allowed = [&](const std::string& s) {
        return s.size() <= index(options.max_token_bytes) &&
               s.find_first_of("0123456789") == std::string::npos;
    };
    const PlainBpe plain =
        learn_merges(count_pieces(texts), single_bytes(), 399, options.min_count, allowed);
    REQUIRE(plain.merges.size() == fast.vocabulary().merges.size());
    for (std::size_t i = 0; i < plain.merges.size(); ++i) {
        INFO("merge " << i << ": " << plain.tokens[256 + i]);
        const Vocabulary::Merge merge = fast.vocabulary().merges[i];
        REQUIRE(plain.merges.at({merge.left, merge.right}) == static_cast<int>(256 + i));
    }
}

TEST_CASE("plain encoding gives the library's ids, on lessons, languages and bytes at random") {
    const BytePairTokenizer fast = BytePairTokenizer::load(model_directory("storyteller"));
    const PlainBpe plain = plain_of(fast);
    std::vector<std::string> texts = lessons();
    for (std::string& text : texts) text.resize(std::min<std::size_t>(text.size(), 2000));
    for (const char* text :
         {"", " ", "  two  spaces ", "2024-05-31", "l'été à Besançon", "Привет, мир", "中文字符",
          "🙂🙂", "don't we'll I'm", "\n\n\t x", "ﬀ ½ ²"})
        texts.push_back(text);
    Rng rng(17);
    for (int i = 0; i < 300; ++i) texts.push_back(random_bytes(rng, rng.below(60)));
    for (const std::string& text : texts) {
        const std::vector<int> ids = encode_text(plain, text);
        REQUIRE(ids == fast.encode(text));
        REQUIRE(decode(plain, ids) == text);
    }
}

TEST_CASE(
    "plain encoding gives the ids of GPT-2's reference cases, where its vocabulary is given") {
    const std::string folder = "../shared/golden/gpt2-tokenizer";
    if (!std::filesystem::exists(folder + "/vocab.json")) {
        test::skip(folder + " is not there");
        return;
    }
    const PlainBpe plain = plain_of(BytePairTokenizer::load(folder));
    const Json cases = read_json(folder + "/cases.json")["cases"];
    REQUIRE(cases.size() == 380);
    for (const Json& c : cases) {
        std::string text;
        const std::string hex = c["utf8_hex"];
        for (std::size_t i = 0; i < hex.size(); i += 2)
            text += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
        INFO(text);
        REQUIRE(encode_text(plain, text) == c["ids"].get<std::vector<int>>());
    }
}
