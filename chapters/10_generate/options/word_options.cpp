#include "chapters/10_generate/options/word_options.hpp"

#include <algorithm>
#include <charconv>

#include "chapters/09_stopping/ban_text.hpp"
#include "chapters/10_generate/request.hpp"
#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/machine/command_line.hpp"

namespace tbt {

void add_word_options(OptionTable& app, WordOptions& o) {
    CommandLine choosing(app, "How a token is chosen");
    choosing
        .option("--bad-words", o.bad_words,
                "ban the token sequence of this word, as transformers does (repeatable)")
        .one_at_a_time();
    choosing
        .option("--ban-text", o.ban_text,
                "ban this text, however it is split into tokens (repeatable)")
        .one_at_a_time();
    CommandLine ending(app, "Where a text ends");
    ending
        .option("--stop-token-ids", o.stop_token_ids,
                "ID,ID: further end-of-text tokens (repeatable)")
        .one_at_a_time();
    ending.option("--ignore-eos", o.ignore_eos,
                  "ignore the end-of-text token (dialect vllm: it comes, and ends nothing)");
}

static int parse_id(const std::string& option, std::string_view text, const Model& model) {
    int id = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc{} || end != text.data() + text.size())
        throw UsageError(option + ": got '" + std::string(text) + "', expected the id of a token");
    const auto V = index(model.config().vocab_size);
    if (!is_id(id, V)) throw UsageError(no_such_id(option, id, V));
    return id;
}

std::vector<int> parse_ids(const std::string& option, std::string_view text, const Model& model) {
    std::vector<int> ids;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        ids.push_back(parse_id(option, text.substr(at, end - at), model));
        at = end + 1;
    }
    return ids;
}

std::vector<int> ends_of(const WordOptions& o, const Model& model, Dialect dialect) {
    std::vector<int> ends;
    if (!o.ignore_eos || dialect != Dialect::vllm) ends = model.config().eos_token_ids;
    for (const std::string& list : o.stop_token_ids)
        for (const int id : parse_ids("--stop-token-ids", list, model)) ends.push_back(id);
    return ends;
}

void set_words(PenaltyOptions& p, const WordOptions& o, const Model& model, Dialect dialect,
               bool unescape) {
    for (const std::string& given : o.bad_words) {
        const std::string word = unescape ? unescaped(given) : given;
        if (word.empty())
            throw UsageError("--bad-words: got an empty word, expected a word to ban");
        // A word at the beginning of a text has other tokens than a word after a space.
        for (const std::string& form : {word, " " + word})
            p.bad_words.push_back(
                model.tokenizer.encode(form, SpecialTokens::as_text, TextPlace::inside));
    }
    for (const std::vector<int>& word : o.bad_words_ids) {
        check_ids("bad_words_ids", word, index(model.config().vocab_size));
        p.bad_words.push_back(word);
    }
    if (!o.ignore_eos || dialect == Dialect::vllm) return;
    for (const int id : model.config().eos_token_ids) p.bias.push_back({{id}, banned});
}

std::vector<ChainStep> ban_text_steps(const WordOptions& o, const Model& model, bool unescape) {
    if (o.ban_text.empty()) return {};
    std::vector<std::string> texts, tokens;
    for (const std::string& text : o.ban_text) {
        texts.push_back(unescape ? unescaped(text) : text);
        if (texts.back().empty())
            throw UsageError("--ban-text: got an empty text, expected a text to ban");
    }
    const TokenBytes bytes = token_bytes_of(model.tokenizer);
    for (int id = 0; id < model.config().vocab_size; ++id) tokens.emplace_back(bytes(id));
    return {ban_text_step(std::move(texts), std::move(tokens))};
}

}  // namespace tbt
