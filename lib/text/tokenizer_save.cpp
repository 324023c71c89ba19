#include "lib/text/tokenizer_save.hpp"

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/tokenizer.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

namespace {

bool is_added(const Vocabulary& vocabulary, int id) {
    for (const auto& token : vocabulary.added) {
        if (token.id == id) return true;
    }
    return false;
}

// The text {"!": 0, …} in the order of the ids. We write it directly: adding the tokens of a long
// vocabulary to an ordered JSON object would take a minute.
std::string vocab_text(const Vocabulary& vocabulary) {
    std::string text = "{";
    for (int id = 0; id < count(vocabulary.tokens); ++id) {
        text += (id ? ",\n" : "\n") + json_text(Json(written_token(vocabulary, id))) + ": " +
                std::to_string(id);
    }
    return text + "\n}";
}

std::string merges_text(const Vocabulary& vocabulary) {
    std::string text = "#version: 0.2\n";
    for (const auto& [left, right] : vocabulary.merges) {
        text += written_token(vocabulary, left) + " " + written_token(vocabulary, right) + "\n";
    }
    return text;
}

Json byte_level(bool add_prefix_space, bool trim_offsets) {
    return {{"type", "ByteLevel"},
            {"add_prefix_space", add_prefix_space},
            {"trim_offsets", trim_offsets},
            {"use_regex", true}};
}

Json added_token(const Vocabulary& vocabulary, const Vocabulary::AddedToken& token) {
    return {{"content", written_token(vocabulary, token.id)},
            {"single_word", false},
            {"lstrip", false},
            {"rstrip", false},
            {"normalized", false},
            {"special", token.special}};
}

std::string tokenizer_json_text(const Vocabulary& vocabulary) {
    Json added = Json::array();
    for (const auto& token : vocabulary.added) {
        Json entry = {{"id", token.id}};
        entry.update(added_token(vocabulary, token));
        added.push_back(std::move(entry));
    }
    Json merges = Json::array();
    for (const auto& [left, right] : vocabulary.merges) {
        merges.push_back(written_token(vocabulary, left) + " " + written_token(vocabulary, right));
    }
    const Json json = {{"version", "1.0"},
                       {"truncation", nullptr},
                       {"padding", nullptr},
                       {"added_tokens", std::move(added)},
                       {"normalizer", nullptr},
                       {"pre_tokenizer", byte_level(false, true)},
                       {"post_processor", byte_level(true, false)},
                       {"decoder", byte_level(true, true)},
                       {"model",
                        {{"type", "BPE"},
                         {"dropout", nullptr},
                         {"unk_token", nullptr},
                         {"continuing_subword_prefix", ""},
                         {"end_of_word_suffix", ""},
                         {"fuse_unk", false},
                         {"byte_fallback", false},
                         {"vocab", "@"},
                         {"merges", std::move(merges)}}}};
    std::string text = json_text(json, 2);
    const std::string placeholder = "\"vocab\": \"@\"";
    return text.replace(text.find(placeholder), placeholder.size(),
                        "\"vocab\": " + vocab_text(vocabulary)) +
           "\n";
}

// bos_token, eos_token and unk_token, as far as the vocabulary has them.
Json special_names(const Vocabulary& vocabulary) {
    Json names = Json::object();
    if (vocabulary.bos_id) names["bos_token"] = written_token(vocabulary, *vocabulary.bos_id);
    if (vocabulary.eos_id) {
        names["eos_token"] = written_token(vocabulary, *vocabulary.eos_id);
        names["unk_token"] = names["eos_token"];  // never used, but transformers' class needs one
    }
    return names;
}

Json tokenizer_config(const Vocabulary& vocabulary, std::int64_t context,
                      const std::string& chat_template) {
    Json decoder = Json::object();
    for (const auto& token : vocabulary.added)
        decoder[std::to_string(token.id)] = added_token(vocabulary, token);
    Json json = {{"add_bos_token", false},
                 {"add_prefix_space", false},
                 {"added_tokens_decoder", std::move(decoder)},
                 {"clean_up_tokenization_spaces", false},
                 {"errors", "replace"},
                 {"model_max_length", context},
                 {"tokenizer_class", "GPT2Tokenizer"}};
    json.update(special_names(vocabulary));
    if (!chat_template.empty()) json["chat_template"] = chat_template;
    return json;
}

}  // namespace

std::string written_token(const Vocabulary& vocabulary, int id) {
    const std::string& bytes = at(vocabulary.tokens, id);
    return is_added(vocabulary, id) ? bytes : visible_bytes(bytes);
}

void Tokenizer::save(const std::string& directory, std::int64_t context,
                     const std::string& chat_template) const {
    if (!vocabulary_.rules.is_gpt2())
        throw Error(directory +
                    ": only a tokenizer with GPT-2's rules is written; copy the files of this one");
    make_directory(directory);
    const auto write = [&](const char* name, const std::string& text) {
        write_file(join_path(directory, name), text);
    };
    write("vocab.json", vocab_text(vocabulary_) + "\n");
    write("merges.txt", merges_text(vocabulary_));
    write("tokenizer.json", tokenizer_json_text(vocabulary_));
    write("tokenizer_config.json",
          json_text(tokenizer_config(vocabulary_, context, chat_template), 2) + "\n");
    write("special_tokens_map.json", json_text(special_names(vocabulary_), 2) + "\n");
}

}  // namespace tbt
