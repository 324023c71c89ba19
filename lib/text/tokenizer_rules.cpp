#include "lib/text/tokenizer_files.hpp"

#include <map>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/json/json.hpp"

namespace tbt {

namespace {

using Normalizer = TextRules::Normalizer;
using Split = TextRules::Split;

// The patterns for which text_splitter.hpp has a scanner.
const std::string gpt2_pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
const std::string cl100k_begin = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)";
const std::string cl100k_end = R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

class RuleReader {
public:
    RuleReader(const Json& json, const std::string& file) : json_(json), file_(file) {}

    TextRules read() {
        const Json& model = json_["model"];
        read_model(model);
        read_each("normalizer", "normalizers", [&](const Json& j) { read_normalizer(j); });
        rules_.splits.clear();
        read_each("pre_tokenizer", "pretokenizers", [&](const Json& j) { read_split(j); });
        read_each("post_processor", "processors", [&](const Json& j) { read_template(j); });
        read_each("decoder", "decoders", [&](const Json& j) { read_decoder(j); });
        const bool fallback = is_on(member_of(model, "byte_fallback"));
        if (byte_level_ == fallback) {
            refuse(fallback ? "model option byte_fallback beside pre_tokenizer ByteLevel"
                            : "pre_tokenizer " + type_of(json_, "pre_tokenizer"),
                   "ByteLevel (GPT-2, Llama 3, Qwen) or the model option byte_fallback "
                   "(Llama 2, Mistral, Gemma)");
        }
        rules_.symbols = byte_level_ ? TextRules::Symbols::bytes : TextRules::Symbols::characters;
        return std::move(rules_);
    }

private:
    static std::string type_of(const Json& part) {
        const Json* type = member_of(part, "type");
        return type && type->is_string() ? shown(type->text()) : kind_of(part);
    }
    static std::string type_of(const Json& json, const char* part) {
        const Json* value = member_of(json, part);
        return value && !value->is_null() ? type_of(*value) : "none";
    }

    [[noreturn]] void fail(const std::string& what) const { throw Error(file_ + ": " + what); }
    [[noreturn]] void refuse(const std::string& what, const std::string& expected) const {
        fail(what + " is not supported, expected " + expected);
    }
    std::string text_of(const Json& object, const char* key, const std::string& where) const {
        const Json* value = member_of(object, key);
        if (!value || !value->is_string())
            fail(where + " has " + (value ? kind_of(*value) : "no") + " \"" + key +
                 "\", expected a string");
        return value->get<std::string>();
    }
    // The pattern in {"String": "…"} or {"Regex": "…"}; `regex` is set to true for the latter.
    std::string pattern_of(const Json& object, const std::string& where, bool& regex) const {
        const Json* pattern = member_of(object, "pattern");
        regex = pattern && member_of(*pattern, "Regex");
        if (!pattern || (!regex && !member_of(*pattern, "String")))
            fail(where + " has no pattern, expected {\"String\": …} or {\"Regex\": …}");
        return text_of(*pattern, regex ? "Regex" : "String", where);
    }

    // Reads a part of the file, which may be a sequence of such parts, with read().
    template <class Read>
    void read_each(const char* part, const char* members, Read&& read) const {
        const Json* value = member_of(json_, part);
        if (value && !value->is_null()) read_part(*value, part, members, read);
    }
    template <class Read>
    void read_part(const Json& value, const char* part, const char* members, Read& read) const {
        if (type_of(value) != "Sequence") return read(value);
        const Json* list = member_of(value, members);
        if (!list || !list->is_array())
            fail(std::string(part) + " Sequence has no list \"" + members + "\"");
        for (const Json& member : *list) read_part(member, part, members, read);
    }

    void read_model(const Json& model) {
        if (member_of(model, "type") && type_of(model) != "BPE")
            refuse("model type " + type_of(model), "BPE");
        for (const char* key : {"dropout", "continuing_subword_prefix", "end_of_word_suffix"})
            if (is_on(member_of(model, key)))
                refuse(std::string("model option ") + key, "it to be off");
        rules_.ignore_merges = is_on(member_of(model, "ignore_merges"));
    }

    void read_normalizer(const Json& part) {
        const std::string type = type_of(part), where = "normalizer " + type;
        using Kind = Normalizer::Kind;
        static const std::map<std::string, Kind> plain = {{"NFC", Kind::nfc},
                                                          {"NFD", Kind::nfd},
                                                          {"NFKC", Kind::nfkc},
                                                          {"NFKD", Kind::nfkd},
                                                          {"Lowercase", Kind::lowercase},
                                                          {"StripAccents", Kind::strip_accents}};
        if (const auto kind = plain.find(type); kind != plain.end()) {
            rules_.normalizers.push_back({kind->second});
        } else if (type == "Strip") {
            if (is_on(member_of(part, "strip_left")))
                rules_.normalizers.push_back({Kind::strip_left});
            if (is_on(member_of(part, "strip_right")))
                rules_.normalizers.push_back({Kind::strip_right});
        } else if (type == "Prepend") {
            rules_.normalizers.push_back(
                {Normalizer::Kind::prepend, "", text_of(part, "prepend", where)});
        } else if (type == "Replace") {
            bool regex = false;
            const std::string from = pattern_of(part, where, regex);
            if (regex || from.empty()) refuse(where + " of a regular expression", "a string");
            rules_.normalizers.push_back(
                {Normalizer::Kind::replace, from, text_of(part, "content", where)});
        } else {
            refuse(where,
                   "NFC, NFD, NFKC, NFKD, Lowercase, Strip, StripAccents, Prepend, Replace or a "
                   "Sequence of them");
        }
    }

    void read_split(const Json& part) {
        const std::string type = type_of(part), where = "pre_tokenizer " + type;
        if (type == "ByteLevel") {
            byte_level_ = true;
            if (is_on(member_of(part, "add_prefix_space")))
                refuse("pre_tokenizer option add_prefix_space", "false");
            const Json* regex = member_of(part, "use_regex");
            if (!regex || is_on(regex)) rules_.splits.push_back({Split::Kind::gpt2});
        } else if (type == "Digits") {
            const bool single = is_on(member_of(part, "individual_digits"));
            rules_.splits.push_back({Split::Kind::digits, single ? 1 : 0});
        } else if (type == "Split") {
            read_pattern(part, where);
        } else if (type == "Metaspace") {
            read_metaspace(part, where);
        } else {
            refuse(where, "ByteLevel, Split, Digits, Metaspace or a Sequence of them");
        }
    }

    void read_pattern(const Json& part, const std::string& where) {
        using Behavior = Split::Behavior;
        Split split;
        bool regex = false;
        split.pattern = pattern_of(part, where, regex);
        split.kind = regex ? Split::Kind::regex : Split::Kind::literal;
        split.invert = is_on(member_of(part, "invert"));
        const std::string behavior = text_of(part, "behavior", where);
        const std::pair<const char*, Behavior> behaviors[] = {
            {"Isolated", Behavior::isolated},
            {"Removed", Behavior::removed},
            {"MergedWithPrevious", Behavior::merged_with_previous},
            {"MergedWithNext", Behavior::merged_with_next}};
        bool known = false;
        for (const auto& [name, value] : behaviors)
            if (behavior == name) split.behavior = value, known = true;
        if (!known)
            refuse(where + " behavior " + shown(behavior),
                   "Isolated, Removed, MergedWithPrevious or MergedWithNext");
        // These patterns match the whole text without gaps, so a scanner can replace them.
        if (regex && (split.behavior == Behavior::isolated) != split.invert) use_scanner(split);
        rules_.splits.push_back(std::move(split));
    }

    static void use_scanner(Split& split) {
        if (split.pattern == gpt2_pattern) split.kind = Split::Kind::gpt2;
        const std::pair<const char*, int> digits[] = {
            {R"(\p{N})", 1}, {R"(\p{N}{1,3})", 3}, {R"(\p{N}+)", 0}};
        for (const auto& [pattern, most] : digits) {
            if (split.pattern == cl100k_begin + pattern + cl100k_end) {
                split.kind = Split::Kind::cl100k;
                split.max_digits = most;
            }
        }
    }

    // When Metaspace puts a "▁" before the text: first, always or never.
    std::string prepend_scheme(const Json& part, const std::string& where) const {
        const Json* old = member_of(part, "add_prefix_space");
        return member_of(part, "prepend_scheme") ? text_of(part, "prepend_scheme", where)
               : old && !is_on(old)              ? "never"
                                                 : "always";
    }

    // Metaspace: a space becomes "▁", and one is put before the text. Normalizer steps do this
    // here.
    void read_metaspace(const Json& part, const std::string& where) {
        if (text_of(part, "replacement", where) != written_space)
            refuse(where + " replacement", "\"▁\"");
        const std::string name = prepend_scheme(part, where);
        const std::string space(written_space);
        rules_.normalizers.push_back({Normalizer::Kind::replace, " ", space});
        if (name == "first")
            rules_.normalizers.push_back({Normalizer::Kind::prepend_first, "", space});
        else if (name == "always")
            rules_.normalizers.push_back({Normalizer::Kind::prepend_once, "", space});
        else if (name != "never")
            refuse(where + " prepend_scheme " + shown(name), "first, always or never");
        const Json* split = member_of(part, "split");
        if (!split || is_on(split))
            rules_.splits.push_back(
                {Split::Kind::literal, 0, space, Split::Behavior::merged_with_next});
    }

    // {"single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}],
    //  "special_tokens": {"<s>": {"ids": [1]}}}
    void read_template(const Json& part) {
        const std::string type = type_of(part);
        if (type == "ByteLevel") return;
        if (type != "TemplateProcessing")
            refuse("post_processor " + type, "ByteLevel, TemplateProcessing or a Sequence of them");
        const Json* single = member_of(part, "single");
        if (!single || !single->is_array())
            fail("post_processor TemplateProcessing has no list \"single\"");
        bool after = false;
        for (const Json& item : *single) {
            if (member_of(item, "Sequence")) {
                after = true;
                continue;
            }
            const Json* token = member_of(item, "SpecialToken");
            const Json* known = member_of(part, "special_tokens");
            const std::string name =
                token ? text_of(*token, "id", "post_processor TemplateProcessing") : "";
            const Json* entry = known && token ? member_of(*known, name) : nullptr;
            const Json* ids = entry ? member_of(*entry, "ids") : nullptr;
            if (!ids || !ids->is_array())
                fail("post_processor TemplateProcessing names \"" + shown(name) +
                     "\", which has no \"ids\" in its special_tokens");
            for (const Json& id : *ids)
                (after ? rules_.after : rules_.before)
                    .push_back(integer_of<int>(id, file_ + ": an id of \"" + shown(name) + "\""));
        }
    }

    void read_decoder(const Json& part) {
        const std::string type = type_of(part), where = "decoder " + type;
        if (type == "ByteLevel" || type == "ByteFallback" || type == "Fuse") return;
        bool regex = false;
        if (type == "Replace" && pattern_of(part, where, regex) == written_space && !regex &&
            text_of(part, "content", where) == " ")
            return;
        if (type == "Strip" && text_of(part, "content", where) == " " && member_of(part, "stop") &&
            *member_of(part, "stop") == 0 && member_of(part, "start") &&
            (*member_of(part, "start") == 0 || *member_of(part, "start") == 1)) {
            rules_.strips_first_space = *member_of(part, "start") == 1;
        } else if (type == "Metaspace") {
            rules_.strips_first_space = prepend_scheme(part, where) != "never";
        } else {
            refuse(where + " with these options",
                   "ByteLevel, or Replace \"▁\" by \" \", ByteFallback, Fuse and Strip of one "
                   "leading space");
        }
    }

    const Json& json_;
    const std::string& file_;
    TextRules rules_;
    bool byte_level_ = false;
};

}  // namespace

TextRules read_text_rules(const Json& json, const std::string& file) {
    return RuleReader(json, file).read();
}

}  // namespace tbt
