#include "chapters/24_which_decoder/judge.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "chapters/06_combining/trace.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

Bits score(const BatchLogits& model, const std::vector<int>& ids, std::size_t prompt_length,
           const std::vector<Mixture>& mixtures) {
    if (prompt_length == 0 || prompt_length > ids.size())
        throw Error("score: a prompt of " + std::to_string(prompt_length) +
                    " tokens, expected 1 to " + std::to_string(ids.size()));
    Bits bits{0, std::vector<double>(mixtures.size())};
    if (prompt_length == ids.size()) return bits;
    const BatchText read{0, std::span(ids).first(ids.size() - 1), ids.size() - prompt_length};
    const auto rows = model({&read, 1});
    Candidates candidates;
    std::vector<double> log_probabilities;  // ln m of the tokens so far: mirostat steers by them
    for (std::size_t t = prompt_length; t < ids.size(); ++t) {
        const auto row = rows[t - prompt_length];
        candidates.reset(row);
        const double ln_m = candidates.log_probability(index(ids[t]));
        bits.m -= ln_m / std::numbers::ln2;
        const TextSoFar text{std::span(ids).first(t), prompt_length, log_probabilities};
        for (std::size_t k = 0; k < mixtures.size(); ++k) {
            if (std::isinf(bits.q[k])) continue;
            double p = 0;
            for (const auto& [share, chain] : mixtures[k]) {
                candidates.reset(row);
                chain.apply(candidates, text);
                p += share * probability_of(candidates, ids[t]);
            }
            bits.q[k] -= std::log2(p);
        }
        log_probabilities.push_back(ln_m);
    }
    return bits;
}

Bits score(Transformer& gpt, const std::vector<int>& ids, std::size_t prompt_length,
           const std::vector<Mixture>& mixtures) {
    CachedBatch batch(gpt);
    return score([&](std::span<const BatchText> texts) { return batch(texts); }, ids, prompt_length,
                 mixtures);
}

Judged judge(const Language& language, const Tokenizer& tokenizer, const Passage& passage,
             const std::vector<int>& ids) {
    Judged judged;
    const bool ended = !ids.empty() && ids.back() == tokenizer.eos_id();
    judged.text = tokenizer.decode(std::span(ids).first(ids.size() - (ended ? 1 : 0)));
    judged.p = std::numeric_limits<double>::infinity();
    try {
        if (ended) judged.p = language.bits(passage, judged.text, &judged.used);
    } catch (const Error&) {
        judged.undecided = true;
    }
    return judged;
}

}  // namespace tbt
