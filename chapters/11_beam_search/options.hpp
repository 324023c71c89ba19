// The command line of beam search: chapter 10's, and transformers' names for what is new.
#pragma once

#include <optional>
#include <string>

#include "chapters/10_generate/options.hpp"
#include "chapters/11_beam_search/hypothesis.hpp"

namespace tbt {

struct BeamSettings {
    GenerateOptions generate;  // its `samples` are not used: beams.num_return_sequences
    BeamOptions beams;
    std::string early_stopping = "false";
    int groups = 1;
    std::optional<double> diversity_penalty;  // 0.5 unless given
};

void add_beam_options(CLI::App& app, BeamSettings& settings);

// Throws UsageError on what contradicts itself: nothing that was asked for is ignored.
BeamRequest beam_request_of(const BeamSettings& settings, const Model& model,
                            std::size_t prompt_length, int default_max_new_tokens);

}  // namespace tbt
