#include "chapters/22_diffusion/filled_trace.hpp"

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/json/json.hpp"

namespace tbt {

MaskedDistribution noting(const MaskedDistribution& distribution, std::vector<Canvas>& rows) {
    return [&distribution, &rows](const Canvas& row, std::size_t place) {
        if (rows.empty() || rows.back() != row) rows.push_back(row);
        return distribution(row, place);
    };
}

std::vector<RecordedToken> replay_filling(MaskedModel& model, const Chain& chain,
                                          std::span<const int> banned,
                                          const std::vector<Canvas>& rows, std::size_t begin,
                                          std::size_t end) {
    for (const Canvas& row : rows)
        if (begin > end || end > row.size())
            throw Error("filled trace: places " + std::to_string(begin) + " to " +
                        std::to_string(end) + " of a row of " + std::to_string(row.size()));
    for (std::size_t at = begin; at < end; ++at)
        if (rows.empty() || rows.back()[at] == mask_token)
            throw Error("filled trace: place " + std::to_string(at) +
                        " is masked to the end; the last row must be complete");
    std::vector<RecordedToken> tokens(end - begin);
    std::vector<float> logits;
    for (std::size_t pass = 0; pass + 1 < rows.size(); ++pass)
        for (std::size_t at = begin; at < end; ++at) {
            if (rows[pass][at] != mask_token || rows[pass + 1][at] == mask_token) continue;
            tokens[at - begin] =
                recorded_choice(chain, open_logits(model, rows[pass], at, banned, logits), {}, 0,
                                rows[pass + 1][at]);
            tokens[at - begin].pass = to_int(pass) + 1;
            tokens[at - begin].has_u = false;  // u is not known: places are drawn in another order
        }
    return tokens;
}

std::string filled_trace(RunFacts run, const MaskedModel& model, const Chain& chain,
                         std::span<const ShownPrompt> prompts, const FilledTexts& filled) {
    check_size("filled trace: tokens", filled.tokens.size(), filled.texts.size());
    run.decoder = "diffusion";
    run.texts = filled.texts.size();
    Json header = header_json(run, model.gpt.config(), chain, model.tokenizer, prompts);
    header["weights"].erase("cache_bytes_per_token");  // there is no KV cache
    header["order"] = filled.fill.order;
    header["steps"] = filled.fill.steps;
    header["block_length"] = filled.fill.block_length;
    if (filled.suffix) header["suffix"] = *filled.suffix;
    return trace_line(header) + token_lines(model.tokenizer, filled.tokens) +
           result_lines(filled.texts);
}

}  // namespace tbt
