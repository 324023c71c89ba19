// Options for banned words and for tokens that end a text, with their names in transformers, vLLM
// and llama.cpp. options.hpp includes them.
#pragma once

#include <string>
#include <vector>

#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/09_stopping/stopping.hpp"
#include "lib/files/model.hpp"

namespace CLI {
class App;
}

namespace tbt {

struct WordOptions {
    // As transformers' bad_words_ids: bans the sequence of the word's tokens, alone and after a
    // space. A ban of "the" allows "there", and "the" in other tokens.
    std::vector<std::string> bad_words;
    // Texts that never appear, whatever their tokens. They are found like stop strings, but the
    // text goes on.
    std::vector<std::string> ban_text;
    std::vector<std::vector<int>> bad_words_ids;  // in addition; not on the command line
    std::vector<std::string> stop_token_ids;      // ID or ID,ID,…: they end a text like the EOS
    bool ignore_eos = false;
};

void add_word_options(OptionTable& app, WordOptions& options);

// The ids of "5,17,8". Throws UsageError, which names the option.
std::vector<int> parse_ids(const std::string& option, std::string_view text, const Model& model);

// The tokens that end a text: the model's EOS, unless it is ignored in vLLM's way, and
// --stop-token-ids.
std::vector<int> ends_of(const WordOptions& options, const Model& model, Dialect dialect);

// Sets the bans, and that of the EOS if it is ignored in llama.cpp's way. unescape: read \n as a
// line break.
void set_words(PenaltyOptions& penalties, const WordOptions& options, const Model& model,
               Dialect dialect, bool unescape);

// Steps that ban the texts of ban_text; empty if there are none.
std::vector<ChainStep> ban_text_steps(const WordOptions& options, const Model& model,
                                      bool unescape);

}  // namespace tbt
