// The option --prompt-logprobs: how probable each token of the prompt was, as in vLLM.
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
    double log_probability = 0;   // NaN for the first token, since nothing comes before it
    std::vector<Choice> choices;  // the model's likeliest tokens, the most probable first
};

// For each token of the prompt: its log-probability and the likeliest tokens, in the model's own
// distribution. One pass over the prompt. choices: how many likeliest tokens. Throws as
// forward_all() does.
std::vector<PromptToken> prompt_logprobs(Transformer& gpt, std::span<const int> ids, int choices);

// Prints a line for each token.
void print_prompt_logprobs(const Tokenizer& tokenizer, const std::vector<PromptToken>& tokens);

}  // namespace tbt
