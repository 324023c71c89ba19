#include "chapters/10_generate/prompt_logprobs.hpp"

#include <cmath>
#include <cstdio>
#include <limits>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/06_combining/candidates.hpp"
#include "lib/core/index.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

std::vector<PromptToken> prompt_logprobs(Transformer& gpt, std::span<const int> ids, int choices) {
    KvCache cache(gpt.config());
    const Logits rows = gpt.forward_all(cache, ids);
    std::vector<PromptToken> tokens;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        PromptToken token{ids[i], std::numeric_limits<double>::quiet_NaN(), {}};
        if (i > 0) {
            const std::span<const float> row = rows.row(to_int(i) - 1);
            Candidates distribution(row);
            token.log_probability = distribution.log_probability(index(ids[i]));
            for (const Candidate& top : top_candidates(row, choices))
                token.choices.push_back({top.id, distribution.log_probability(index(top.id))});
        }
        tokens.push_back(std::move(token));
    }
    return tokens;
}

void print_prompt_logprobs(const Tokenizer& tokenizer, const std::vector<PromptToken>& tokens) {
    const auto seen = [&](int id) {
        return id < tokenizer.vocab_size() ? visible(tokenizer.token_bytes(id))
                                           : "token " + std::to_string(id);
    };
    std::printf("   prompt               raw   first choices\n");
    for (const PromptToken& token : tokens) {
        std::printf("   %s ", padded(seen(token.id), 14).c_str());
        if (std::isnan(token.log_probability)) std::printf("        –");
        else std::printf("%9.4f", token.log_probability);
        std::printf("  ");
        for (const PromptToken::Choice& choice : token.choices)
            std::printf(" %s %.4f", seen(choice.id).c_str(), choice.log_probability);
        std::printf("\n");
    }
    std::printf("\n");
}

}  // namespace tbt
