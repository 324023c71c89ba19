// Tokenizers of today's models: their rules for texts, and the ids on which three implementations
// agree (tests/data/tokenizers; all cases in ../shared/golden/tokenizers, where it is there).
#include "tests/catch.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/core/rng.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"
#include "lib/text/normalizer.hpp"
#include "lib/text/text_splitter.hpp"
#include "lib/text/tokenizer.hpp"
#include "tests/lib/changed_json.hpp"
#include "tests/support/skip.hpp"

using namespace tbt;
using tbt::test::contains;
using tbt::test::error_of;
using tbt::test::TemporaryFolder;

namespace {

using Ids = std::vector<int>;
using Pieces = std::vector<std::string>;
using Behavior = TextRules::Split::Behavior;

const std::string tokenizers = "tests/data/tokenizers/";

std::string bytes_of_hex(const std::string& hex) {
    std::string text;
    for (std::size_t i = 0; i < hex.size(); i += 2)
        text += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    return text;
}

// "same" in the file: as the value before.
template <class T>
T value_or(const Json& json, const char* key, const T& same) {
    const Json& value = json.at(key);
    return value == "same" ? same : value.get<T>();
}

void check_cases(const std::string& folder) {
    const Tokenizer t = Tokenizer::load(folder);
    const Json file = read_json(folder + "/cases.json");
    int wrong = 0;
    for (const Json& c : file["cases"]) {
        const std::string text = bytes_of_hex(c["utf8_hex"]);
        INFO(folder << ": " << text);
        const Ids ids = c["ids"].get<Ids>();
        const Ids special = value_or(c, "ids_special", ids);
        const Ids added = value_or(c, "ids_added", special);
        const std::string decoded = value_or(c, "decoded", text);
        const std::string skipped = value_or(c, "decoded_skip_special", decoded);
        CHECK(t.encode(text, SpecialTokens::none) == ids);
        CHECK(t.encode(text, SpecialTokens::parse) == special);
        if (special == ids && t.encode(text) == ids) CHECK(t.encode_prompt(text) == added);
        CHECK(t.decode_text(special) == decoded);
        CHECK(t.decode_text(added, true) == skipped);
        wrong += t.encode(text, SpecialTokens::parse) != special;
    }
    for (const Json& c : file["decode"]) {
        INFO(folder << ": " << json_text(c));
        CHECK(t.decode_text(c["ids"].get<Ids>()) == c["text"].get<std::string>());
    }
    REQUIRE(wrong == 0);
}

Pieces pieces(const TextRules::Split& rule, std::string_view text) {
    Pieces all;
    for (const std::string_view piece : SplitPattern(rule).split(text)) all.emplace_back(piece);
    return all;
}

Pieces pieces(TextRules::Split::Kind kind, int digits, std::string_view text) {
    Pieces all;
    TextRules::Split rule{kind, digits};
    TextSplitter({rule}, nullptr).split(text, [&](std::string_view p) { all.emplace_back(p); });
    return all;
}

TextRules::Split regex(const std::string& pattern, Behavior behavior = Behavior::isolated,
                       bool invert = false) {
    return {TextRules::Split::Kind::regex, 0, pattern, behavior, invert};
}

// A tokenizer.json of tests/data with a change.
Tokenizer changed(const std::string& name, const test::Change& change) {
    return Tokenizer::load(
        test::ChangedFile("tokenizers/" + name, "tokenizer.json", change).path());
}

}  // namespace

TEST_CASE("tokenizers of six forms give the ids on which three implementations agree",
          "[tokenizer]") {
    for (const char* name : {"tiny-qwen", "tiny-smollm2", "tiny-llama3", "tiny-spm",
                             "tiny-spm-metaspace", "tiny-gemma"})
        check_cases(tokenizers + name);
}

TEST_CASE("all reference cases, with Qwen's and Mistral's own vocabularies", "[tokenizer]") {
    const std::string folder = "../shared/golden/tokenizers";
    if (!file_exists(folder + "/qwen2.5/cases.json")) {
        test::skip(folder + " is not there");
        return;
    }
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        check_cases(entry.path().string());
}

TEST_CASE("digits come one by one, by three, or as one number", "[tokenizer]") {
    using Kind = TextRules::Split::Kind;
    REQUIRE(pieces(Kind::cl100k, 1, "in 2024") == Pieces{"in", " ", "2", "0", "2", "4"});
    REQUIRE(pieces(Kind::cl100k, 3, "in 2024") == Pieces{"in", " ", "202", "4"});
    REQUIRE(pieces(Kind::cl100k, 0, "in 2024") == Pieces{"in", " ", "2024"});
    REQUIRE(pieces(Kind::gpt2, 0, "in 2024") == Pieces{"in", " 2024"});
    REQUIRE(pieces(Kind::digits, 1, "in 2Ⅷ½4") == Pieces{"in ", "2", "Ⅷ", "½", "4"});
    REQUIRE(pieces(Kind::digits, 0, "in 20 24") == Pieces{"in ", "20", " ", "24"});
}

TEST_CASE("the pattern of Llama 3 and Qwen takes line breaks with what is before them",
          "[tokenizer]") {
    using Kind = TextRules::Split::Kind;
    REQUIRE(pieces(Kind::cl100k, 1, "x;\n\n  y") == Pieces{"x", ";\n\n", " ", " y"});
    REQUIRE(pieces(Kind::cl100k, 1, "a \r\n  \n b") == Pieces{"a", " \r\n  \n", " b"});
    REQUIRE(pieces(Kind::cl100k, 1, "it'S (we'LL) don't") ==
            Pieces{"it", "'S", " (", "we", "'LL", ")", " don", "'t"});
    REQUIRE(pieces(Kind::cl100k, 1, "it'\u017f") == Pieces{"it", "'\u017f"});
    REQUIRE(pieces(Kind::cl100k, 1, "#tag\tx \xff\xfey") ==
            Pieces{"#tag", "\tx", " \xff\xfe", "y"});
}

TEST_CASE("the scanners agree with PCRE2 on random texts", "[tokenizer]") {
    using Kind = TextRules::Split::Kind;
    if (!has_regular_expressions()) return test::skip("this build is without PCRE2");
    const std::string tail = R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
    const std::string head = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)";
    const SplitPattern qwen(regex(head + R"(\p{N})" + tail)),
        llama(regex(head + R"(\p{N}{1,3})" + tail)),
        gpt2(regex(R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|)"
                   R"(\s+(?!\S)|\s+)"));
    const Pieces parts = {"a",  "Zoë",    "中",      "1",  "٣",      "½",      " ",
                          "  ", "\n",     "\r\n",    "\t", "\u00a0", "\u3000", "'",
                          "'s", "'RE",    "'\u017f", "'l", "!",      "😀",      "e\u0301",
                          "_",  "\u200b", "\x1c",    "\v"};
    for (std::uint64_t i = 0; i < 3000; ++i) {
        std::string text;
        Rng rng(1, i);
        for (int k = 0; k < 12; ++k)
            text +=
                parts[static_cast<std::size_t>(rng.uniform() * static_cast<double>(parts.size()))];
        INFO(json_text(Json(text)));
        const auto strings = [&](const SplitPattern& pattern) {
            const auto views = pattern.split(text);
            return Pieces(views.begin(), views.end());
        };
        REQUIRE(pieces(Kind::cl100k, 1, text) == strings(qwen));
        REQUIRE(pieces(Kind::cl100k, 3, text) == strings(llama));
        REQUIRE(pieces(Kind::gpt2, 0, text) == strings(gpt2));
    }
}

TEST_CASE("what becomes of a match is what tokenizer.json asks for", "[tokenizer]") {
    const TextRules::Split::Kind literal = TextRules::Split::Kind::literal;
    const auto at_dash = [&](Behavior behavior, bool invert = false) {
        return pieces({literal, 0, "-", behavior, invert}, "-a--b");
    };
    REQUIRE(at_dash(Behavior::isolated) == Pieces{"-", "a", "-", "-", "b"});
    REQUIRE(at_dash(Behavior::removed) == Pieces{"a", "b"});
    REQUIRE(at_dash(Behavior::merged_with_previous) == Pieces{"-", "a-", "-", "b"});
    REQUIRE(at_dash(Behavior::merged_with_next) == Pieces{"-a", "-", "-b"});
    REQUIRE(at_dash(Behavior::removed, true) == Pieces{"-", "-", "-"});
    const TextRules::Split nothing{literal, 0, ""};
    REQUIRE(contains(error_of([&] { SplitPattern{nothing}; }), "is empty"));
}

TEST_CASE("a regular expression that explodes is given up, in one line", "[tokenizer]") {
    if (!has_regular_expressions()) return test::skip("this build is without PCRE2");
    REQUIRE(pieces(regex("[0-9]+|é"),
                   "a12é\xff"
                   "3") == Pieces{"a", "12", "é", "\xff", "3"});
    const SplitPattern bad(regex("(a+)+$"));
    REQUIRE(contains(error_of([&] { bad.split(std::string(60, 'a') + "b"); }), "too many steps"));
    REQUIRE(contains(error_of([] { SplitPattern p(regex("(a")); }), "cannot be compiled"));
    REQUIRE(contains(error_of([] { SplitPattern p(regex(std::string(5000, '(') + "x")); }),
                     "cannot be compiled"));
    const test::Change no_range = [](Json& j) {
        j["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = "[z-a]";
    };
    REQUIRE(contains(error_of([&] { changed("tiny-qwen", no_range); }),
                     "tokenizer.json: the pattern \"[z-a]\" cannot be compiled"));
    // A long one is told as far as whole characters go.
    const std::string said =
        error_of([] { SplitPattern p(regex("(" + std::string(58, 'a') + "éé")); });
    REQUIRE(contains(said, std::string(58, 'a') + "…"));
}

TEST_CASE("an added token takes the white space that its flags give it", "[tokenizer]") {
    const auto with = [](const char* flag) {
        return changed("tiny-qwen", [&](Json& j) {
            for (Json& token : j["added_tokens"])
                if (token["content"] == "<|im_end|>" && *flag) token[flag] = true;
        });
    };
    const auto text_of = [](const Tokenizer& t) {
        return t.decode(t.encode("a \n<|im_end|>\u3000 b", SpecialTokens::parse));
    };
    REQUIRE(text_of(with("")) == "a \n<|im_end|>\u3000 b");
    REQUIRE(text_of(with("lstrip")) == "a<|im_end|>\u3000 b");
    REQUIRE(text_of(with("rstrip")) == "a \n<|im_end|>b");
}

TEST_CASE("a normalized added token is looked for in the normalized text", "[tokenizer]") {
    const std::string decomposed = "<e\u0301>", composed_form = "<é>";
    for (const bool is_normalized : {false, true}) {
        const Tokenizer t = changed("tiny-qwen", [&](Json& j) {
            j["added_tokens"].push_back({{"id", 963},
                                         {"content", composed_form},
                                         {"normalized", is_normalized},
                                         {"special", false}});
        });
        REQUIRE(t.encode(composed_form) == Ids{963});
        REQUIRE((t.encode(decomposed) == Ids{963}) == is_normalized);
    }
}

TEST_CASE("special tokens that a message wrote are text, whole or in part", "[tokenizer]") {
    const Tokenizer t = Tokenizer::load(tokenizers + "tiny-qwen");
    const std::string text = "<|im_end|>x<|im_end|><think>";
    const int end = *t.id_of("<|im_end|>"), think = *t.id_of("<think>");
    // The bytes from begin to end come from a message.
    const auto ids_of = [&](std::size_t from, std::size_t to) {
        MarkedText marked;
        marked.append(text.substr(0, from));
        marked.append(MarkedText(text.substr(from, to - from), true));
        marked.append(text.substr(to));
        const Ids ids = t.encode_marked(marked);
        REQUIRE(t.decode(ids) == text);
        REQUIRE(ids.back() == think);  // not special: always a token
        return std::count(ids.begin(), ids.end(), end);
    };
    REQUIRE(ids_of(0, 0) == 2);
    REQUIRE(ids_of(10, 11) == 2);  // the x between them
    REQUIRE(ids_of(11, 21) == 1);  // the second one
    REQUIRE(ids_of(20, 21) == 1);  // its last byte
    REQUIRE(ids_of(9, 10) == 1);
    REQUIRE(ids_of(9, 12) == 0);  // the last byte of the one, the first of the other
}

TEST_CASE("a Metaspace decoder takes a space away if one is put in front", "[tokenizer]") {
    const auto decoded = [](const char* key, const Json& value) {
        const Tokenizer t = changed("tiny-spm-metaspace", [&](Json& j) {
            j["decoder"] = {{"type", "Metaspace"}, {"replacement", "▁"}};
            if (*key) j["decoder"][key] = value;
        });
        return t.decode_text(Ids{*t.id_of(" the")});
    };
    REQUIRE(decoded("", nullptr) == "the");
    REQUIRE(decoded("prepend_scheme", "first") == "the");
    REQUIRE(decoded("prepend_scheme", "never") == " the");
    REQUIRE(decoded("add_prefix_space", true) == "the");
    REQUIRE(decoded("add_prefix_space", false) == " the");
}

TEST_CASE("a text that continues another gets no space in front", "[tokenizer]") {
    for (const char* name : {"tiny-spm", "tiny-spm-metaspace"}) {
        const Tokenizer t = Tokenizer::load(tokenizers + std::string(name));
        REQUIRE(t.decode(t.encode("hello")) == " hello");
        REQUIRE(t.decode_text(t.encode("hello")) == "hello");
        REQUIRE(t.decode(t.encode("hello", SpecialTokens::as_text, TextPlace::inside)) == "hello");
        REQUIRE(t.encode_prompt("hello").front() == *t.id_of("<s>"));
        // Bytes that are not UTF-8 are tokens too.
        const std::string broken = "a\xff\xe4\xb8 b";
        REQUIRE(t.decode(t.encode(broken, SpecialTokens::as_text, TextPlace::inside)) == broken);
    }
}

TEST_CASE("a piece of a megabyte takes no quadratic time", "[tokenizer]") {
    // Without spaces the whole text is one piece.
    const Tokenizer t = Tokenizer::load(tokenizers + "tiny-gemma");
    std::string text;
    for (int i = 0; i < 100000; ++i) text += i % 7 == 0 ? "中" : "theend";
    REQUIRE(t.decode(t.encode(text)) == text);
}

TEST_CASE("of a decoder that strips blanks one is stripped, or none", "[tokenizer]") {
    const auto stripping = [](int blanks) {
        return changed("tiny-spm", [&](Json& j) { j["decoder"]["decoders"][3]["start"] = blanks; });
    };
    const Ids hello = stripping(1).encode("hello");
    REQUIRE(stripping(1).decode_text(hello) == "hello");
    REQUIRE(stripping(0).decode_text(hello) == " hello");
    REQUIRE(contains(error_of([&] { stripping(2); }), "Strip"));
}

TEST_CASE("added tokens that the model has no row for can be taken out", "[tokenizer]") {
    Tokenizer t = Tokenizer::load(tokenizers + "tiny-qwen");
    REQUIRE_FALSE(t.drop_added_from(t.vocab_size()));
    REQUIRE_FALSE(t.drop_added_from(900));  // ordinary tokens are among them
    REQUIRE(t.vocab_size() == 963);
    REQUIRE(t.drop_added_from(961));
    REQUIRE(t.vocab_size() == 961);
    REQUIRE(t.decode(t.encode("<think>", SpecialTokens::parse)) == "<think>");
    REQUIRE(t.id_of("<think>") == std::nullopt);
}

TEST_CASE("a tokenizer with other rules than GPT-2's is not written as one", "[tokenizer]") {
    const TemporaryFolder folder;
    REQUIRE(contains(
        error_of([&] { Tokenizer::load(tokenizers + "tiny-spm").save(folder.file("x"), 10); }),
        "only a tokenizer with GPT-2's rules is written"));
}

TEST_CASE("normalizers rewrite a text as the hub's tokenizers do", "[tokenizer]") {
    using Kind = TextRules::Normalizer::Kind;
    struct Case {
        Kind kind;
        const char *from, *to;
    };
    const Case cases[] = {
        {Kind::nfc, "e\u0301 \ufb01", "\u00e9 \ufb01"},
        {Kind::nfd, "\u00e9 \ufb01 \xff\u00c5",
         "e\u0301 \ufb01 \xff"
         "A\u030a"},
        {Kind::nfkc, "e\u0301 \ufb01 \u00bd", "\u00e9 fi 1\u20442"},
        {Kind::nfkd, "\u00e9 \ufb01", "e\u0301 fi"},
        {Kind::lowercase, "A\u00c9Z \u03a3\xc3 \u0130", "a\u00e9z \u03c3\xc3 i\u0307"},
        {Kind::strip_accents, "e\u0301\u0303x \u00e9", "ex \u00e9"},
        {Kind::strip_left, "\u3000 \na b ", "a b "},
        {Kind::strip_right, " a b\t\u2003", " a b"},
        {Kind::strip_right, " \u3000", ""},
    };
    for (const Case& c : cases)
        CHECK(normalized(std::vector<TextRules::Normalizer>{{c.kind}}, c.from,
                         TextPlace::beginning) == c.to);

    const Tokenizer plain = Tokenizer::load(tokenizers + "tiny-qwen");
    const Tokenizer t = changed("tiny-qwen", [](Json& json) {
        json["normalizer"] = {
            {"type", "Sequence"},
            {"normalizers",
             {{{"type", "NFKD"}},
              {{"type", "StripAccents"}},
              {{"type", "Lowercase"}},
              {{"type", "Strip"}, {"strip_left", true}, {"strip_right", false}}}}};
    });
    REQUIRE(t.encode(" \u00c9t\u00e9 \ufb01 ") == plain.encode("ete fi "));
}

TEST_CASE("a token of a single word does not count inside a longer one", "[tokenizer]") {
    int id = 0;
    const Tokenizer t = changed("tiny-qwen", [&](Json& json) {
        id = static_cast<int>(json["model"]["vocab"].size() + json["added_tokens"].size());
        json["added_tokens"].push_back(
            {{"id", id}, {"content", "cat"}, {"special", false}, {"single_word", true}});
    });
    const auto found = [&](std::string_view text) {
        const std::vector<int> ids = t.encode(text);
        return std::count(ids.begin(), ids.end(), id);
    };
    REQUIRE(found("cat") == 1);
    REQUIRE(found("a cat, (cat)\xff"
                  "cat") == 3);
    for (const char* inside :
         {"cats", "concat", "cat_", "2cat", "\u00e9cat", "cat\u0301", "catcat"})
        CHECK(found(inside) == 0);
    for (const char* after : {"concat cat", "concat,cat", "catcat cat"}) CHECK(found(after) == 1);
}

TEST_CASE("a byte needs no byte token if its character is a token", "[tokenizer]") {
    const auto without = [](std::vector<std::string> tokens) {
        return changed("tiny-gemma", [&](Json& json) {
            Json& vocab = json["model"]["vocab"];
            for (const std::string& token : tokens) {
                vocab["other" + token] = vocab[token];
                vocab.erase(token);
            }
        });
    };
    const Tokenizer t = without({"<0x09>"});  // as Gemma 2's own
    REQUIRE(t.decode(t.encode("a\tb")) == "a\tb");
    REQUIRE(contains(error_of([&] { without({"<0x01>"}); }), "lacks the byte 1"));
}

TEST_CASE("in a run of byte tokens that is no UTF-8 each byte becomes U+FFFD", "[tokenizer]") {
    const Tokenizer t = Tokenizer::load(tokenizers + "tiny-spm");
    const auto text = [&](const std::vector<std::string>& written) {
        const std::vector<std::string>& pieces = t.vocabulary().pieces;
        std::vector<int> ids;
        for (const std::string& piece : written)
            ids.push_back(
                static_cast<int>(std::find(pieces.begin(), pieces.end(), piece) - pieces.begin()));
        return t.decode_text(ids);
    };
    REQUIRE(text({"<0x90>", "<0x2C>", "<0xBC>"}) == "\ufffd\ufffd\ufffd");
    REQUIRE(text({"<0x2C>", "<0xC3>", "<0xA9>"}) == ",\u00e9");
    REQUIRE(text({"<0xC3>", "<0x2C>"}) == "\ufffd\ufffd");
}
