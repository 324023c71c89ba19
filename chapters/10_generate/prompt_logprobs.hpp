// --prompt-logprobs: how probable each token of the prompt was, as vLLM shows it.
#pragma once

#include <span>
#include <vector>

#include "lib/model/transformer.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

struct PromptToken {
    struct Choice {
        int id;
        double log_probability;
    };
    int id = 0;
    double log_probability = 0;   // NaN for the first, before which nothing stands
    std::vector<Choice> choices;  // the model's first ones, the most probable first
};

// The model's own distribution, before any step of a chain. One pass over the prompt.
// Errors: as forward_all() has them.
std::vector<PromptToken> prompt_logprobs(Transformer& gpt, std::span<const int> ids, int choices);

// A line for each token.
void print_prompt_logprobs(const Tokenizer& tokenizer, const std::vector<PromptToken>& tokens);

}  // namespace tbt
