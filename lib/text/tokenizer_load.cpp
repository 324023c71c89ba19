#include "lib/text/tokenizer_files.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/tokenizer.hpp"
#include "lib/core/unicode.hpp"

namespace tbt {

namespace {

constexpr const char* end_of_text = "<|endoftext|>";

std::string quoted(const std::string& token) {
    std::string text = "\"";
    text += shown(token);
    return text += "\"";
}

class Assembly {
public:
    explicit Assembly(TokenizerFiles files) : files_(std::move(files)) {}

    Vocabulary vocabulary() {
        vocabulary_.rules = files_.rules;
        place_tokens();
        vocabulary_.merges.reserve(files_.merges.size());
        for (const TokenizerFiles::Merge& merge : files_.merges) {
            vocabulary_.merges.push_back(
                {merge_part(merge.left, merge.number), merge_part(merge.right, merge.number)});
        }
        vocabulary_.bos_id = named_token("bos_token");
        vocabulary_.eos_id = named_token("eos_token");
        if (!vocabulary_.eos_id) vocabulary_.eos_id = find_token(end_of_text);
        put(files_.adds_bos, vocabulary_.bos_id, vocabulary_.rules.before);
        put(files_.adds_eos, vocabulary_.eos_id, vocabulary_.rules.after);
        mark_added_tokens();
        return std::move(vocabulary_);
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(files_.vocab_file + ": " + what);
    }

    static void put(std::optional<bool> adds, std::optional<int> id, std::vector<int>& around) {
        if (adds && !*adds) around.clear();
        if (adds && *adds && id) around = {*id};
    }

    // Sorts the tokens by their ids 0 … n − 1. Each id must be used exactly once.
    void place_tokens() {
        for (const auto& token : files_.added) {
            const int own = files_.add_token(token.text, token.id);
            if (own == token.id) continue;
            fail("token " + quoted(token.text) + " has id " + std::to_string(own) +
                 ", but as an added token " + std::to_string(token.id));
        }
        const std::size_t n = files_.tokens.size();
        std::vector<const std::string*> owner(n, nullptr);
        for (const auto& [token, id] : files_.tokens) {
            const std::size_t i = index(id);
            if (i >= n) {
                fail("token " + quoted(token) + " has id " + std::to_string(id) +
                     ", but there are " + std::to_string(n) + " tokens, expected the ids 0 to " +
                     std::to_string(n - 1) + " without gaps");
            }
            if (owner[i])
                fail("tokens " + quoted(*owner[i]) + " and " + quoted(token) + " both have id " +
                     std::to_string(id));
            owner[i] = &token;
        }
        vocabulary_.tokens.resize(n);
        const bool pieces = files_.rules.symbols == TextRules::Symbols::characters;
        if (pieces) vocabulary_.pieces.resize(n);
        // Decoders turn "▁" into a space in added tokens, too: Gemma's "▁▁" is two spaces. Special
        // tokens keep their text, by which a chat's template names them.
        std::unordered_set<int> as_written;
        for (const auto& token : files_.added)
            if (!pieces || token.special) as_written.insert(token.id);
        for (std::size_t i = 0; i < n; ++i) {
            const bool is_added = as_written.contains(to_int(i));
            if (pieces) {
                vocabulary_.pieces[i] = *owner[i];
                vocabulary_.tokens[i] = is_added ? *owner[i] : bytes_of_piece(*owner[i]);
                continue;
            }
            auto bytes = bytes_of_visible(*owner[i]);
            if (!bytes && !is_added) {
                fail("token " + quoted(*owner[i]) + " (" + std::to_string(i) +
                     ") is not written in GPT-2's byte alphabet");
            }
            if (is_added) vocabulary_.tokens[i] = *owner[i];
            else vocabulary_.tokens[i] = std::move(*bytes);
        }
    }

    int merge_part(int part, std::size_t number) const {
        if (part >= 0) return part;
        const std::string& token = at(files_.unknown, -1 - part);
        const int* entry = files_.ids.find(token);
        if (!entry)
            throw Error(files_.merge_place + " " + std::to_string(number) + " joins " +
                        quoted(token) + ", which is not in the vocabulary");
        return *entry;
    }

    std::optional<int> find_token(const std::string& text) const {
        for (const std::string& form : {text, visible_bytes(text), written_piece(text)}) {
            if (const int* entry = files_.ids.find(form)) return *entry;
        }
        return std::nullopt;
    }

    std::optional<int> named_token(const char* key) const {
        const auto name = files_.named.find(key);
        if (name == files_.named.end()) return std::nullopt;
        const auto id = find_token(name->second);
        if (!id)
            fail(std::string(key) + " is " + quoted(name->second) +
                 ", which is not in the vocabulary");
        return id;
    }

    // Marks the added tokens in the lists of the files. A token with a name (eos_token, …) that is
    // in no list, as in GPT-2's own files, is an added token, too, unless it is a single byte or
    // made by a merge.
    void mark_added_tokens() {
        std::unordered_set<int> marked;
        for (const auto& t : files_.added)
            if (marked.insert(t.id).second)
                vocabulary_.added.push_back(
                    {t.id, t.special, t.lstrip, t.rstrip, t.single_word, t.normalized});
        std::vector<Vocabulary::AddedToken> named;
        for (const auto& [key, text] : files_.named) {
            if (const auto id = find_token(text)) named.push_back({*id, true});
        }
        if (const auto id = find_token(end_of_text)) named.push_back({*id, true});
        const std::unordered_set<std::string> made = made_by_merges(named);
        for (const Vocabulary::AddedToken& token : named) {
            const std::string& bytes = at(vocabulary_.tokens, token.id);
            if (bytes.size() > 1 && !made.contains(bytes) && marked.insert(token.id).second)
                vocabulary_.added.push_back(token);
        }
    }

    // Those of these tokens that are made by a merge. There are few tokens, so the length excludes
    // most merges quickly.
    std::unordered_set<std::string> made_by_merges(
        const std::vector<Vocabulary::AddedToken>& tokens) const {
        std::unordered_set<std::string> looked_for, made;
        std::vector<bool> lengths;
        for (const Vocabulary::AddedToken& token : tokens) {
            const std::string& bytes = at(vocabulary_.tokens, token.id);
            looked_for.insert(bytes);
            lengths.resize(std::max(lengths.size(), bytes.size() + 1));
            lengths[bytes.size()] = true;
        }
        for (const auto& [left, right] : vocabulary_.merges) {
            const std::string &a = at(vocabulary_.tokens, left), &b = at(vocabulary_.tokens, right);
            const std::size_t length = a.size() + b.size();
            if (length < lengths.size() && lengths[length] && looked_for.contains(a + b))
                made.insert(a + b);
        }
        return made;
    }

    TokenizerFiles files_;
    Vocabulary vocabulary_;
};

}  // namespace

Vocabulary vocabulary_of(TokenizerFiles files) { return Assembly(std::move(files)).vocabulary(); }

}  // namespace tbt
