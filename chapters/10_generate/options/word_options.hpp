// Options about words that must not come and tokens that end a text, by the names of transformers,
// vLLM and llama.cpp. They come with those of options.hpp.
#pragma once

#include <string>
#include <vector>

#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/09_stopping/stopping.hpp"
#include "lib/model/model.hpp"

namespace CLI {
class App;
}

namespace tbt {

struct WordOptions {
    // As transformers' bad_words_ids: the tokens of the word, alone or after a space, one after
    // the other. "the" lets "there" through, and any other spelling in tokens.
    std::vector<std::string> bad_words;
    // Text that never appears, in whatever tokens: the promise of stop strings, without the end.
    std::vector<std::string> ban_text;
    std::vector<std::vector<int>> bad_words_ids;  // beside bad_words; not on the command line
    std::vector<std::string> stop_token_ids;      // ID or ID,ID,…: they end a text like the EOS
    bool ignore_eos = false;
};

void add_word_options(CLI::App& app, WordOptions& options);

// The ids of "5,17,8". Throws UsageError in the name of the option.
std::vector<int> parse_ids(const std::string& option, std::string_view text, const Model& model);

// What ends a text: the model's EOS, unless it is ignored as vLLM does, and --stop-token-ids.
std::vector<int> ends_of(const WordOptions& options, const Model& model, Dialect dialect);

// Bans; the EOS, too, if it is ignored as llama.cpp does. unescape: read \n as a line break.
void set_words(PenaltyOptions& penalties, const WordOptions& options, const Model& model,
               Dialect dialect, bool unescape);

// Steps for the texts that never appear; none without them.
std::vector<ChainStep> ban_text_steps(const WordOptions& options, const Model& model,
                                      bool unescape);

}  // namespace tbt
