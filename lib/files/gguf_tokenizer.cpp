#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/files/gguf_model.hpp"
#include "lib/text/tokenizer_files.hpp"
#include "lib/text/vocabulary.hpp"

namespace tbt {

namespace {

using Kind = TextRules::Split::Kind;
using Normalizer = TextRules::Normalizer;

// Of GPT-4o, gpt-oss and Phi-4-mini, as in their tokenizer.json.
const std::string o200k_pattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

// Of Mistral Nemo and later Mistrals, as in their tokenizer.json.
const std::string tekken_pattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|)"
    R"(\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

// Of the first DeepSeeks, as in their tokenizer.json. The class has nearly all letters with a case.
const TextRules::Split line_breaks{Kind::regex, 0, "[\r\n]"},
    hanzi{Kind::regex, 0, "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"};
const std::vector<TextRules::Split> deepseek_coder = {line_breaks,
                                                      {Kind::regex, 0, R"(\s?\p{L}+)"},
                                                      {Kind::regex, 0, R"(\s?\p{P}+)"},
                                                      hanzi,
                                                      {Kind::digits, 1}};
const std::vector<TextRules::Split> deepseek_llm = {
    line_breaks,
    {Kind::regex, 0,
     "\\s?[A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293"
     "\u0295-\u02af\u0370-\u0373\u0376\u0377\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c"
     "\u038e-\u03a1\u03a3-\u03f5\u03f7-\u0481\u048a-\u052f\u0531-\u0556\u10a0-\u10c5"
     "\u13a0-\u13f5\u13f8-\u13fd\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77"
     "\u1d79-\u1d9a\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59"
     "\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe\u1fc2-\u1fc4\u1fc6-\u1fcc"
     "\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc\u2102\u2107"
     "\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139"
     "\u213c-\u213f\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee"
     "\u2cf2\u2cf3\ua640-\ua66d\ua680-\ua69b\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e"
     "\uab70-\uabbf\ufb00-\ufb06\ufb13-\ufb17\uff21-\uff3a\uff41-\uff5a\U00010400-\U0001044f"
     "\U000104b0-\U000104d3\U000104d8-\U000104fb\U00010c80-\U00010cb2\U00010cc0-\U00010cf2"
     "\U000118a0-\U000118df\U0001e900-\U0001e943]+"},
    {Kind::regex, 0, "\\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+"},
    {Kind::regex, 0, R"(\s+$)"},
    hanzi,
    {Kind::digits, 1}};

// The names of pre-tokenizers, with the rules in the tokenizer.json of the same models. The first
// with these rules is the one that we write.
struct Pretokenizer {
    const char* name;
    std::vector<TextRules::Split> splits;
    bool nfc, ignore_merges, bos;  // bos: put before a text unless the file says no
};
const std::vector<Pretokenizer> pretokenizers = {
    {"gpt-2", {{Kind::gpt2}}, false, false, false},
    {"olmo", {{Kind::gpt2}}, false, false, false},
    {"mellum", {{Kind::gpt2}}, false, false, false},
    {"a.x-4.0", {{Kind::gpt2}}, false, false, false},
    {"llama-bpe", {{Kind::cl100k, 3}}, false, true, true},
    {"llama3", {{Kind::cl100k, 3}}, false, true, true},
    {"llama-v3", {{Kind::cl100k, 3}}, false, true, true},
    {"falcon3", {{Kind::cl100k, 3}}, false, true, true},
    {"midm-2.0", {{Kind::cl100k, 3}}, false, true, true},
    {"pixtral", {{Kind::cl100k, 3}}, false, true, true},
    {"dbrx", {{Kind::cl100k, 3}}, false, false, false},
    {"smaug-bpe", {{Kind::cl100k, 3}}, false, false, false},
    {"qwen2", {{Kind::cl100k, 1}}, true, false, false},
    {"deepseek-r1-qwen", {{Kind::cl100k, 1}}, true, false, false},
    {"kormo", {{Kind::cl100k, 1}}, true, false, false},
    {"megrez", {{Kind::cl100k, 1}}, true, false, false},
    {"smollm", {{Kind::digits, 1}, {Kind::gpt2}}, false, false, false},
    {"refact", {{Kind::digits, 1}, {Kind::gpt2}}, false, false, false},
    {"starcoder", {{Kind::digits, 1}, {Kind::gpt2}}, false, false, false},
    {"gpt-4o", {{Kind::regex, 0, o200k_pattern}}, false, false, false},
    {"tekken", {{Kind::regex, 0, tekken_pattern}}, false, true, true},
    {"deepseek-coder", deepseek_coder, false, false, false},
    {"deepseek-llm", deepseek_llm, false, false, false},
};

class GgufTokenizer {
public:
    explicit GgufTokenizer(const GgufFile& file) : file_(file) {}

    TokenizerFiles read() {
        out_.vocab_file = file_.path();
        out_.merge_place = file_.path() + ": merge";
        const std::string model = file_.text_or("tokenizer.ggml.model", "missing");
        if (model != "gpt2" && model != "llama")
            file_.fail("tokenizer.ggml.model is " + shown(model) +
                       ", expected gpt2 (byte-level BPE) or llama (SentencePiece BPE)");
        read_tokens();
        if (model == "gpt2") read_byte_level();
        else read_pieces();
        add_ends();
        return std::move(out_);
    }

private:
    void read_tokens() {
        const auto& texts = file_.texts("tokenizer.ggml.tokens");
        types_ = file_.numbers("tokenizer.ggml.token_type");
        if (!types_.empty() && types_.size() != texts.size())
            file_.fail("tokenizer.ggml.token_type has " + std::to_string(types_.size()) +
                       " members, expected " + std::to_string(texts.size()) + ", one a token");
        types_.resize(texts.size(), gguf_token::normal);
        // Phi-3's tokens take the white space after them. No key says so, so llama.cpp goes by the
        // name.
        std::string name = file_.text_or("general.name", "");
        for (char& c : name)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        const bool phi3 =
            name.find("phi-3") != std::string::npos || name.find("phi3") != std::string::npos;
        // Unused ids at the end only round up the size of the vocabulary.
        std::size_t size = texts.size();
        while (size > 0 && types_[size - 1] == gguf_token::unused) --size;
        out_.ids.reserve(size);
        for (std::size_t i = 0; i < size; ++i) {
            // An empty text gets llama.cpp's name for it.
            const std::string text =
                texts[i].empty() ? "[EMPTY_" + std::to_string(i) + "]" : std::string(texts[i]);
            constexpr std::size_t longest = 4096;
            if (text.size() > longest)
                file_.fail("token " + std::to_string(i) + " has " + std::to_string(text.size()) +
                           " bytes, expected at most " + std::to_string(longest));
            if (const int own = out_.add_token(text, to_int(i)); own != to_int(i))
                file_.fail("tokens " + std::to_string(own) + " and " + std::to_string(i) +
                           " are both \"" + shown(text) + "\"");
            const double type = types_[i];
            const bool special = type == gguf_token::control || type == gguf_token::unknown;
            if (special || type == gguf_token::user)
                out_.added.push_back(
                    {text, to_int(i), special, false,
                     phi3 && text != "<unk>" && text != "<s>" && text != "<|endoftext|>"});
        }
    }

    const std::string& token(std::int64_t id, const char* key) const {
        if (id < 0 || id >= length_of(out_.tokens))
            file_.fail(std::string(key) + " is " + std::to_string(id) + ", expected 0 to " +
                       std::to_string(length_of(out_.tokens) - 1));
        return out_.tokens[index(id)].text;
    }

    void read_byte_level() {
        const std::string pre = file_.text_or(
            "tokenizer.ggml.pre",
            file_.text_or("general.architecture", "") == "gpt2" ? "gpt-2" : "missing");
        const auto rule = std::find_if(pretokenizers.begin(), pretokenizers.end(),
                                       [&](const Pretokenizer& p) { return p.name == pre; });
        if (rule == pretokenizers.end()) {
            std::string names;
            for (const Pretokenizer& p : pretokenizers)
                names += (names.empty() ? "" : ", ") + std::string(p.name);
            file_.fail("tokenizer.ggml.pre is " + shown(pre) + ", expected one of " + names);
        }
        out_.rules.splits = rule->splits;
        if (rule->nfc) out_.rules.normalizers = {{Normalizer::Kind::nfc}};
        out_.rules.ignore_merges = rule->ignore_merges;
        bos_by_default_ = rule->bos;
        read_merges();
    }

    void read_merges() {
        const auto& merges = file_.texts("tokenizer.ggml.merges");
        out_.merges.reserve(merges.size());
        for (const std::string_view pair : merges) {
            const std::size_t space = pair.find(' '), number = out_.merges.size() + 1;
            if (space == 0 || space == std::string_view::npos || space + 1 == pair.size())
                file_.fail("merge " + std::to_string(number) + " is \"" + shown(pair) +
                           "\", expected two tokens with one space between them");
            out_.add_merge(pair.substr(0, space), pair.substr(space + 1), number);
        }
    }

    void read_pieces() {
        out_.rules.symbols = TextRules::Symbols::characters;
        out_.rules.splits.clear();
        const bool prefix = file_.flag_or("tokenizer.ggml.add_space_prefix", true);
        const std::string space(written_space);
        if (prefix) out_.rules.normalizers.push_back({Normalizer::Kind::prepend, "", space});
        out_.rules.normalizers.push_back({Normalizer::Kind::replace, " ", space});
        out_.rules.strips_first_space = prefix;
        bos_by_default_ = true;
        const std::vector<double> scores = file_.numbers("tokenizer.ggml.scores");
        if (scores.size() < out_.tokens.size())
            file_.fail("tokenizer.ggml.scores has " + std::to_string(scores.size()) +
                       " members, expected " + std::to_string(out_.tokens.size()) +
                       ", one a token");
        if (!std::all_of(scores.begin(), scores.end(), [](double s) { return std::isfinite(s); }))
            file_.fail(
                "tokenizer.ggml.scores has a score that is not a number, expected finite scores");
        merges_of(scores);
    }

    // Every token that is the concatenation of two others gives a merge. Merges of tokens with a
    // higher score come first. [As transformers converts SentencePiece models]
    void merges_of(const std::vector<double>& scores) {
        struct Candidate {
            double score;
            int left, right, left_size, right_size;
        };
        std::vector<Candidate> all;
        for (const auto& [text, id] : out_.tokens) {
            if (types_[index(id)] != gguf_token::normal) continue;
            const std::size_t begin = all.size();
            int characters = 0;
            const std::string_view whole = text;  // clang 14 cannot capture `text` itself
            const auto is_start = [&](std::size_t i) { return (whole[i] & '\xc0') != '\x80'; };
            const auto length = to_int(std::count_if(
                text.begin(), text.end(), [](char c) { return (c & '\xc0') != '\x80'; }));
            for (std::size_t i = 1; i < text.size(); ++i) {
                if (!is_start(i)) continue;
                ++characters;
                const int *left = out_.ids.find(whole.substr(0, i)),
                          *right = out_.ids.find(whole.substr(i));
                if (left && right)
                    all.push_back({at(scores, id), *left, *right, characters, length - characters});
            }
            std::sort(all.begin() + static_cast<std::ptrdiff_t>(begin), all.end(),
                      [](const Candidate& a, const Candidate& b) {
                          return std::tie(a.left, a.right) < std::tie(b.left, b.right);
                      });
        }
        std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
            return std::tie(a.score, a.left_size, a.right_size) >
                   std::tie(b.score, b.left_size, b.right_size);
        });
        for (const Candidate& c : all)
            out_.merges.push_back({c.left, c.right, out_.merges.size() + 1});
    }

    // The bos and eos tokens: their ids, and whether they are put around a prompt.
    void add_ends() {
        struct End {
            const char *key, *name, *flag;
            bool by_default;
            std::vector<int>& around;
        };
        const End ends[] = {{"tokenizer.ggml.bos_token_id", "bos_token",
                             "tokenizer.ggml.add_bos_token", bos_by_default_, out_.rules.before},
                            {"tokenizer.ggml.eos_token_id", "eos_token",
                             "tokenizer.ggml.add_eos_token", false, out_.rules.after}};
        for (const End& end : ends) {
            const bool asked = file_.flag_or(end.flag, end.by_default);
            if (!file_.find(end.key)) continue;
            const std::int64_t id = file_.integer_or(end.key, -1);
            // gguf_config() says on stderr that such an id is ignored.
            if (!asked && (id < 0 || id >= length_of(out_.tokens))) continue;
            out_.named[end.name] = token(id, end.key);
            if (asked) end.around.push_back(to_int(id));
        }
    }

    const GgufFile& file_;
    std::vector<double> types_;
    bool bos_by_default_ = false;
    TokenizerFiles out_;
};

}  // namespace

Tokenizer gguf_tokenizer(const GgufFile& file) {
    return Tokenizer(vocabulary_of(GgufTokenizer(file).read()), file.path());
}

std::string gguf_pretokenizer(const TextRules& rules, const std::string& who) {
    for (const Pretokenizer& p : pretokenizers) {
        const bool nfc =
            rules.normalizers.size() == 1 && rules.normalizers[0].kind == Normalizer::Kind::nfc;
        const bool splits = std::equal(rules.splits.begin(), rules.splits.end(), p.splits.begin(),
                                       p.splits.end(), [](const auto& a, const auto& b) {
                                           return a.kind == b.kind &&
                                                  a.max_digits == b.max_digits &&
                                                  (a.kind != Kind::regex || a.pattern == b.pattern);
                                       });
        if (splits && p.ignore_merges == rules.ignore_merges &&
            (p.nfc ? nfc : rules.normalizers.empty()))
            return p.name;
    }
    throw Error(who +
                ": GGUF has no name for how this tokenizer splits a text, expected GPT-2's, "
                "Llama 3's, Qwen's or SmolLM's way");
}

}  // namespace tbt
