#include "lib/text/tokenizer_files.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"

namespace tbt {

namespace {

constexpr int largest_id = 1 << 28;

class FileReader {
public:
    explicit FileReader(std::string directory) : directory_(std::move(directory)) {}

    TokenizerFiles read() {
        const bool whole = has("tokenizer.json");
        if (whole) {
            read_tokenizer_json();
        } else if (has("vocab.json") || has("merges.txt")) {
            open("vocab.json");
            check_vocab(read_large("vocab.json", ""));
            read_merges_txt();
        } else {
            const std::string old = has("tokenizer.model")
                                        ? "; tokenizer.model becomes one when transformers opens "
                                          "it and saves it again"
                                        : "";
            throw Error(
                directory_ +
                ": there is no tokenizer, expected tokenizer.json, or vocab.json and merges.txt" +
                old);
        }
        if (has("tokenizer_config.json")) {
            const Json config = read_special_names("tokenizer_config.json");
            if (whole) read_ends(config);
            else read_class(config);
            // Beside a list of added tokens, transformers reads no older file.
            if (const Json* list = member_of(config, "added_tokens_decoder");
                list && list->is_object())
                return std::move(result_);
        }
        if (has("special_tokens_map.json")) read_special_names("special_tokens_map.json");
        if (!whole && has("added_tokens.json")) read_added_tokens_json();
        return std::move(result_);
    }

private:
    bool has(const char* name) const { return file_exists(join_path(directory_, name)); }
    void open(const char* name) { file_ = join_path(directory_, name); }
    [[noreturn]] void fail(const std::string& what) const { throw Error(file_ + ": " + what); }

    int id_from(const Json& value, const std::string& token) const {
        if (!is_integer(value, 0, largest_id)) {
            fail("the id of \"" + shown(token) + "\" is " + kind_of(value) +
                 ", expected 0 or a small positive integer");
        }
        return value.get<int>();
    }

    // Reads a file that has the vocabulary at the path `vocab`, and perhaps merges. Both go to
    // result_; the rest of the file is returned.
    Json read_large(const char* name, const std::string& vocab) {
        open(name);
        result_.vocab_file = file_;
        result_.merge_place = file_ + ": merge";
        constexpr std::size_t usual = std::size_t{1} << 16;  // GPT-2 has 50,257
        result_.ids.reserve(usual);
        const JsonStream stream{[&](const std::string& place, bool is_object) {
                                    return is_object ? place == vocab : place == "model.merges";
                                },
                                [&](const std::string& place, std::string& key, Json& value) {
                                    if (place == vocab) read_id(key, value);
                                    else read_merge(value);
                                }};
        return read_json(file_, stream);
    }
    void read_id(std::string& token, const Json& value) {
        const int id = id_from(value, token);
        index_token(result_.tokens.emplace_back(std::move(token), id));
    }
    void index_token(const TokenizerFiles::Token& token) {
        const std::size_t before = result_.ids.size();
        result_.ids.add(token.text, token.id);
        if (result_.ids.size() == before)
            fail("the key \"" + shown(token.text) + "\" appears twice");
    }
    void check_vocab(const Json& vocab) const {
        if (!vocab.is_object())
            fail("the vocabulary is " + kind_of(vocab) + ", expected an object {token: id}");
    }

    // ---- merges.txt -----------------------------------------------------------------------------
    void read_merges_txt() {
        open("merges.txt");
        result_.merge_place = file_ + ": line";
        const std::string text = read_file(file_);
        std::size_t line_number = 0;
        for (std::size_t begin = 0; begin < text.size();) {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            std::string_view line = std::string_view(text).substr(begin, end - begin);
            if (line.ends_with('\r')) line.remove_suffix(1);
            ++line_number;
            begin = end + 1;
            if (line.empty() || (line_number == 1 && line.starts_with("#version"))) continue;
            add_merge(line, line_number);
        }
    }

    void add_merge(std::string_view both, std::size_t number) {
        const std::size_t space = both.find(' ');
        if (space == 0 || space == std::string_view::npos || space + 1 == both.size() ||
            both.find(' ', space + 1) != std::string_view::npos)
            throw Error(result_.merge_place + " " + std::to_string(number) + " is \"" +
                        shown(both) + "\", expected two tokens with one space between them");
        result_.add_merge(both.substr(0, space), both.substr(space + 1), number);
    }

    // ---- tokenizer.json -------------------------------------------------------------------------
    void read_tokenizer_json() {
        const Json json = read_large("tokenizer.json", "model.vocab");
        const Json* model = json.is_object() ? member_of(json, "model") : nullptr;
        if (!model || !model->is_object()) fail("has no object \"model\"");
        result_.rules = read_text_rules(json, file_);
        const Json* vocab = member_of(*model, "vocab");
        const Json* merges = member_of(*model, "merges");
        if (!vocab) fail("\"model\" has no \"vocab\"");
        if (!merges || !merges->is_array()) fail("\"model\" has no list \"merges\"");
        check_vocab(*vocab);
        const Json* added = member_of(json, "added_tokens");
        if (!added || added->is_null()) return;
        if (!added->is_array())
            fail("\"added_tokens\" is " + kind_of(*added) + ", expected a list");
        for (const Json& token : *added) read_added(token, std::nullopt);
    }

    // A merge is "a b" in all versions of the format, or ["a", "b"] in newer ones.
    void read_merge(const Json& merge) {
        const std::size_t number = result_.merges.size() + 1;
        if (merge.is_string()) {
            add_merge(merge.text(), number);
        } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() &&
                   merge[1].is_string()) {
            result_.add_merge(merge[0].text(), merge[1].text(), number);
        } else {
            fail("merge " + std::to_string(number) + " is " + kind_of(merge) +
                 ", expected \"a b\" or [\"a\", \"b\"]");
        }
    }

    // ---- what the class says --------------------------------------------------------------------
    static std::string class_of(const Json& config) {
        const Json* name = member_of(config, "tokenizer_class");
        std::string text = name && name->is_string() ? name->text() : "";
        if (text.ends_with("Fast")) text.resize(text.size() - 4);
        return text;
    }

    // vocab.json and merges.txt do not say how a text is split; transformers' class does.
    void read_class(const Json& config) {
        const std::string name = class_of(config);
        if (name == "Qwen2Tokenizer") {
            result_.rules.normalizers = {{TextRules::Normalizer::Kind::nfc}};
            result_.rules.splits = {{TextRules::Split::Kind::cl100k, 1}};
        } else if (!name.empty() && name != "GPT2Tokenizer" && name != "CodeGenTokenizer") {
            fail("tokenizer_class " + shown(name) +
                 " is not supported without tokenizer.json, expected GPT2Tokenizer or "
                 "Qwen2Tokenizer; transformers writes tokenizer.json when it saves the tokenizer");
        }
    }

    // These classes put bos and eos around a text as the configuration says, whatever is in
    // tokenizer.json.
    void read_ends(const Json& config) {
        const std::string name = class_of(config);
        if (name != "LlamaTokenizer" && name != "GemmaTokenizer") return;
        const Json *bos = member_of(config, "add_bos_token"),
                   *eos = member_of(config, "add_eos_token");
        result_.adds_bos = !bos || is_on(bos);
        result_.adds_eos = is_on(eos);
    }

    // ---- added and special tokens ---------------------------------------------------------------
    void read_added_tokens_json() {
        open("added_tokens.json");
        const Json added = read_json(file_);
        if (!added.is_object()) fail("is " + kind_of(added) + ", expected an object {token: id}");
        for (const auto& [token, id] : added.items()) {
            const bool special = special_.contains(token);
            add_token({token, id_from(id, token), special, false, false, false, !special});
        }
    }

    // Reads {"content": …, "id": …, "special": …}. In tokenizer_config.json the id is the key of
    // this object instead of a member.
    void read_added(const Json& token, std::optional<Json> id) {
        if (!token.is_object())
            fail("an added token is " + kind_of(token) + ", expected an object");
        const Json* content = member_of(token, "content");
        if (!content || !content->is_string()) fail("an added token has no string \"content\"");
        const std::string text = content->get<std::string>();
        if (text.empty()) fail("an added token is empty");
        if (!id && member_of(token, "id")) id = token["id"];
        if (!id) fail("the added token \"" + shown(text) + "\" has no \"id\"");
        const Json* special = member_of(token, "special");
        add_token({text, id_from(*id, text), !special || is_on(special),
                   is_on(member_of(token, "lstrip")), is_on(member_of(token, "rstrip")),
                   is_on(member_of(token, "single_word")), is_on(member_of(token, "normalized"))});
    }

    void add_token(TokenizerFiles::AddedToken token) {
        const auto [by_id, new_id] = added_by_id_.try_emplace(token.id, count(result_.added));
        const auto [by_text, new_text] =
            added_by_text_.try_emplace(token.text, count(result_.added));
        if (!new_id || !new_text) {
            const TokenizerFiles::AddedToken& other =
                at(result_.added, new_id ? by_text->second : by_id->second);
            if (other.id == token.id && other.text == token.text) return;
            fail("added token \"" + shown(token.text) + "\" (" + std::to_string(token.id) +
                 ") contradicts \"" + shown(other.text) + "\" (" + std::to_string(other.id) + ")");
        }
        result_.added.push_back(std::move(token));
    }

    Json read_special_names(const char* name) {
        open(name);
        Json json = read_json(file_);
        if (!json.is_object()) fail("is " + kind_of(json) + ", expected an object");
        // The rules in a tokenizer.json have precedence.
        const bool gpt2 = result_.rules.is_gpt2();
        if (gpt2 && is_on(member_of(json, "add_prefix_space")))
            fail("add_prefix_space is not supported, expected false");
        if (const Json* decoder = member_of(json, "added_tokens_decoder");
            decoder && decoder->is_object()) {
            for (const auto& [id, token] : decoder->items()) read_added(token, json_value(id));
        }
        if (const Json* more = member_of(json, "additional_special_tokens");
            more && more->is_array())
            for (const Json& token : *more) special_.insert(name_in(&token, "a special token"));
        for (const char* key : {"bos_token", "eos_token", "unk_token", "pad_token"}) {
            const std::string text = name_in(member_of(json, key), key);
            if (text.empty()) continue;
            special_.insert(text);
            const auto [named, is_new] = result_.named.try_emplace(key, text);
            if (!is_new && named->second != text)
                std::fprintf(stderr, "%s: %s is \"%s\", not \"%s\" as tokenizer_config.json says\n",
                             file_.c_str(), key, shown(text).c_str(), shown(named->second).c_str());
            named->second = text;
        }
        return json;
    }

    // "<|endoftext|>", or {"content": "<|endoftext|>", …}; empty if there is none.
    std::string name_in(const Json* value, const std::string& key) const {
        if (value && value->is_object()) value = member_of(*value, "content");
        if (!value || value->is_null()) return "";
        if (!value->is_string()) fail(key + " is " + kind_of(*value) + ", expected a string");
        return value->get<std::string>();
    }

    std::string directory_;
    std::string file_;  // the file that is being read, for messages
    TokenizerFiles result_;
    std::set<std::string> special_;  // the texts of the special tokens that the files name
    // Indices in result_.added.
    std::unordered_map<int, int> added_by_id_;
    std::unordered_map<std::string, int> added_by_text_;
};

}  // namespace

bool is_on(const Json* value) {
    return value && !value->is_null() && *value != Json(false) && *value != Json("") &&
           *value != Json(0);
}

TokenizerFiles read_tokenizer_files(const std::string& directory) {
    return FileReader(directory).read();
}

}  // namespace tbt
