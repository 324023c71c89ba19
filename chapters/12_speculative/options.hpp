// The command-line options for drafts, with transformers' names.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chapters/12_speculative/draft_length.hpp"
#include "chapters/12_speculative/drafts.hpp"
#include "lib/files/model.hpp"

namespace tbt {

struct OptionTable;

struct DraftSettings {
    std::string assistant_model;  // a directory, sketch (the shipped one) or lookup; empty: none
    std::optional<int> prompt_lookup_num_tokens;  // use lookup, with this many tokens a round
    int max_matching_ngram_size = 3;              // for lookup
    int num_assistant_tokens = 5;
    std::string schedule = "constant";  // or adaptive
    std::string coupling = "seed";      // or rejection

    bool drafts() const { return !assistant_model.empty() || prompt_lookup_num_tokens; }
    bool lookup() const { return assistant_model == "lookup" || prompt_lookup_num_tokens; }
    // The draft length. guess_cost: cost_of_guess(), for the adaptive schedule by rejection.
    DraftLength length(double guess_cost) const;
};

// --assistant-model --num-assistant-tokens --num-assistant-tokens-schedule
void add_draft_options(OptionTable& app, DraftSettings& settings);
// --coupling
void add_coupling_option(OptionTable& app, DraftSettings& settings);
// --prompt-lookup-num-tokens --max-matching-ngram-size --coupling
void add_more_draft_options(OptionTable& app, DraftSettings& settings);

// Throws UsageError for contradictions and impossible values.
void check_drafts(const DraftSettings& settings);
// A line for each given option that changes nothing. others: something else drafts too, so
// --coupling and the schedule have an effect.
std::vector<std::string> without_effect(const DraftSettings& settings, bool others = false);

// How the draft's weights are kept: in few bits if the target's are, otherwise as stored.
TransformerOptions draft_options(TransformerOptions target);

// Opens the model that drafts, with the target's tokenizer. Null if the text itself is the draft.
std::unique_ptr<Model> open_assistant(const DraftSettings& settings, const Tokenizer& target,
                                      const TransformerOptions& options);

}  // namespace tbt
