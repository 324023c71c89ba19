// The command line of beam search: chapter 10's, and transformers' names for what is new.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chapters/10_generate/options.hpp"
#include "chapters/11_beam_search/beam_search.hpp"

namespace tbt {

struct BeamSettings {
    int num_beams = 4;
    double length_penalty = 1;
    std::string early_stopping = "false";
    int num_beam_groups = 1;
    std::optional<double> diversity_penalty;  // 0.5 unless given

    double price() const { return diversity_penalty.value_or(0.5); }
};

void add_beam_options(OptionTable& app, BeamSettings& settings);

// A line for each given option that changes nothing in a search (chapter 10, options.hpp).
std::vector<std::string> without_effect(const GenerateOptions& options,
                                        const BeamSettings& settings);

// A note if a search found fewer texts than it was asked for.
std::vector<std::string> fewer_texts(std::size_t found, int asked);

// As many results as options.samples. Throws UsageError on what contradicts itself.
BeamRequest beam_request_of(const GenerateOptions& options, const BeamSettings& settings,
                            const Model& model, std::size_t prompt_length,
                            int default_max_new_tokens = 200);

}  // namespace tbt
