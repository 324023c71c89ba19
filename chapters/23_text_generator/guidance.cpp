#include "chapters/23_text_generator/guidance.hpp"

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "chapters/06_combining/candidates.hpp"
#include "chapters/08_penalties/checks.hpp"
#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

void guide_logits(std::span<const float> positive, std::span<const float> negative, double scale,
                  std::span<float> guided) {
    if (positive.size() != negative.size() || positive.size() != guided.size())
        throw Error("guidance: rows of " + std::to_string(positive.size()) + ", " +
                    std::to_string(negative.size()) + " and " + std::to_string(guided.size()) +
                    " logits, expected as many in each");
    if (!std::isfinite(scale))
        throw UsageError("guidance-scale: got " + short_number(scale) +
                         ", expected a finite number; 1 turns it off, 1.5 is usual");
    const auto log_sum = [](std::span<const float> row) {
        Candidates c(row);
        return static_cast<double>(c.largest()) + c.log_sum();
    };
    const double of_positive = log_sum(positive), of_negative = log_sum(negative);
    for (std::size_t i = 0; i < positive.size(); ++i) {
        const double p = static_cast<double>(positive[i]) - of_positive;
        const double n = static_cast<double>(negative[i]) - of_negative;
        guided[i] =
            std::isinf(p) || std::isinf(n) ? banned : static_cast<float>(n + scale * (p - n));
    }
}

BatchLogits with_guidance(BatchLogits model, double scale, std::size_t slots,
                          std::function<const GuidancePrompts&(std::size_t slot)> prompts_of) {
    const auto guided = std::make_shared<std::vector<std::vector<float>>>();
    return [model = std::move(model), prompts_of = std::move(prompts_of), scale, slots,
            guided](std::span<const BatchText> texts) {
        // Each text is read twice: as it is, and with the negative prompt instead of its own.
        std::vector<BatchText> both(texts.begin(), texts.end());
        std::vector<std::vector<int>> others;
        for (const BatchText& text : texts) {
            const GuidancePrompts& prompts = prompts_of(
                checked_place("guidance: slots", static_cast<long long>(text.slot), slots));
            if (prompts.negative.empty())
                throw Error("guidance: the negative prompt is empty, expected at least one token");
            if (text.ids.size() < prompts.prompt_length)
                throw Error("guidance: a text of " + std::to_string(text.ids.size()) +
                            " tokens after a prompt of " + std::to_string(prompts.prompt_length));
            const std::span<const int> written = text.ids.subspan(prompts.prompt_length);
            others.push_back(prompts.negative);
            others.back().insert(others.back().end(), written.begin(), written.end());
        }
        for (std::size_t i = 0; i < texts.size(); ++i)
            both.push_back({slots + texts[i].slot, others[i], texts[i].rows, texts[i].parents});
        std::size_t half = 0;
        for (const BatchText& text : texts) half += text.rows;
        const std::vector<std::span<const float>> rows = model(both);
        check_size("guidance: logits from the model", rows.size(), 2 * half);
        guided->resize(half);
        std::vector<std::span<const float>> result;
        for (std::size_t r = 0; r < half; ++r) {
            (*guided)[r].resize(rows[r].size());
            guide_logits(rows[r], rows[half + r], scale, (*guided)[r]);
            result.emplace_back((*guided)[r]);
        }
        return result;
    };
}

}  // namespace tbt
